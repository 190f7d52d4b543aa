"""Prints the difference of two Requests by piece, and what the prompt cache makes of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from inspector.cli.session import plain_problem, print_problems
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.caching import CacheAccount
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import PieceState
from inspector.domain.requests import Diff, PieceChange, Request, Source
from inspector.domain.simulation import NoEffect
from inspector.runtime.wording import word

_RECOUNTED = PieceState.RECOUNTED
_FLAGS = {
    "pinned": "--pin",
    "dropped": "--drop",
    "edited": "--set",
    "drafts": "--operation",
    "reserved_response_tokens": "--reserved-tokens",
    "max_messages_cap": "--max-messages",
    "include_descriptions": "--descriptions",
    "include_schemas": "--hints",
}
"""What the parts of a what-if are called on the command line, where that is another name."""


@dataclass(frozen=True, slots=True)
class RequestComparison:
    """Two Requests, what differs, what the cache makes of it, and what of a what-if came to nothing.

    `first_token` is how many tokens both begin with, `lost_cost` what the tokens that the cache lost cost more.
    """

    before: Request
    after: Request
    diff: Diff
    cache: CacheAccount
    in_vain: tuple[NoEffect, ...] = ()
    first_token: int | None = None
    lost_cost: float | None = None


def tell_comparison(compared: RequestComparison, *, as_json: bool) -> None:
    """What differs between two Requests, as JSON or for a person."""
    if as_json:
        write_json(_plain(compared))
        return
    before, after, found = compared.before, compared.after, compared.diff
    parameters: Parameters = {"before": before.tokens, "after": after.tokens, "delta": f"{found.delta:+,}"}
    write_line(word("told.requests_compared", parameters))
    for name, old, new in found.settings:
        write_line(f"{name}: {old or '—'} → {new or '—'}")
    write_line()
    rows = [
        (
            _kind(each),
            each.section,
            each.source.label or each.piece_id,
            f"{each.delta:+,}",
            _why(each),
        )
        for each in found.changes
        if each.kind != _RECOUNTED
    ]
    rows += _recounted(found)
    head = ("", "Section", "Piece", "Tokens", "Why")
    write_line(format_table(head, rows, frozenset({3})) if rows else word("told.no_piece_differs"))
    for each in compared.in_vain:
        write_line(word("told.in_vain", {"part": _part(each, compared), "why": _vain(each)}))
    print_problems([each for each in after.problems if each not in before.problems])
    write_line()
    if compared.first_token is not None:
        is_behind = compared.first_token >= before.tokens
        code = "told.first_token_behind" if is_behind else "told.first_token"
        write_line(word(code, {"token": compared.first_token + 1, "total": before.tokens}))
    write_line(_cache_line(compared.cache))
    if compared.lost_cost is not None:
        facts: Parameters = {"lost": compared.cache.lost_tokens, "cost": f"${compared.lost_cost:.6f}"}
        write_line(word("told.lost_cost", facts))


def _part(vain: NoEffect, compared: RequestComparison) -> str:
    flag = _FLAGS.get(vain.part, f"--{vain.part.replace('_', '-')}")
    return flag if vain.ref is None else f"{flag} {_name(vain.ref, compared)}"


def _name(ref: Ref, compared: RequestComparison) -> str:
    if ref.kind is RefKind.BLOCK:
        for request in (compared.after, compared.before):
            pieces = (piece for section in request.sections for piece in section.pieces)
            for source in (*(each.source for each in pieces), *(each.source for each in request.left_out)):
                if source.ref == ref and source.label:
                    return source.label
    return str(ref)


def _vain(vain: NoEffect) -> str:
    text = word(f"in_vain.{vain.why.value}")
    row = vain.row
    if row is None:
        return text
    text = f"{text} {word(f'left_out.{row.rule}', row.parameters)}"
    return text if row.fix is None else f"{text} {word(f'fix.{row.fix.action}', row.fix.parameters)}"


def _plain_in_vain(vain: NoEffect) -> dict[str, Any]:
    return {
        "part": vain.part,
        "target": None if vain.ref is None else str(vain.ref),
        "why": vain.why.value,
        "rule": None if vain.row is None else vain.row.rule,
        "message": _vain(vain),
    }


def _plain(compared: RequestComparison) -> dict[str, Any]:
    found = compared.diff
    return {
        "before": _plain_request(compared.before),
        "after": _plain_request(compared.after),
        "delta": found.delta,
        "settings": [{"name": name, "before": old, "after": new} for name, old, new in found.settings],
        "changes": list(map(_plain_change, found.changes)),
        "in_vain": list(map(_plain_in_vain, compared.in_vain)),
        "problems": [plain_problem(each) for each in compared.after.problems],
        "first_token": compared.first_token,
        "cache": {**_plain_cache(compared.cache), "lost_cost": compared.lost_cost},
    }


def _recounted(compared: Diff) -> list[tuple[str, str, str, str, str]]:
    """What only counts otherwise, one row a section."""
    sums: Counter[str] = Counter()
    pieces: Counter[str] = Counter()
    for each in compared.changes:
        if each.kind == _RECOUNTED:
            sums[each.section] += each.delta
            pieces[each.section] += 1
    return [
        (_RECOUNTED, section, word("told.pieces", {"count": count}), f"{sums[section]:+,}", "")
        for section, count in pieces.items()
    ]


def _kind(change: PieceChange) -> str:
    return f"{change.kind}, moved" if change.moved and change.kind != "moved" else change.kind


def _why(change: PieceChange) -> str:
    if change.rule is None:
        return ""
    return word(f"{'left_out' if change.kind == 'removed' else 'rule'}.{change.rule}", change.parameters)


def _cache_line(cache: CacheAccount) -> str:
    parameters: Parameters = {
        "read": cache.read_tokens,
        "written": cache.written_tokens,
        "fresh": cache.fresh_tokens,
        "lost": cache.lost_tokens,
        "cost": word("told.unknown") if cache.cost is None else f"${cache.cost:.6f}",
    }
    if cache.plan.rules is None:
        return word("told.cache_unknown")
    line = word("told.cache", parameters)
    if cache.cause is None:
        return line
    line = f"{line} {word(f'cache.{cache.cause.kind.value}')}"
    if cache.cause.piece_id is None:
        return line
    cause: Parameters = {"piece": cache.cause.piece_id, "change": cache.cause.change}
    return f"{line} {word('told.cache_miss_piece', cause)}"


def _plain_request(request: Request) -> dict[str, Any]:
    return {
        "model": request.model,
        "layout": request.layout,
        "strategy": request.strategy,
        "now": request.now,
        "tokens": request.tokens,
        "exact_tokens": request.exact_tokens,
        "method": request.method.value,
    }


def _plain_change(change: PieceChange) -> dict[str, Any]:
    return {
        "id": change.piece_id,
        "section": change.section,
        "source": _plain_source(change.source),
        "kind": change.kind,
        "moved": change.moved,
        "before": change.before,
        "after": change.after,
        "delta": change.delta,
        "rule": change.rule,
    }


def _plain_source(source: Source) -> dict[str, Any]:
    return {"kind": source.kind.value, "id": source.id, "label": source.label, "owner": source.owner}


def _plain_cache(cache: CacheAccount) -> dict[str, Any]:
    rules, cause, place = cache.plan.rules, cache.cause, cache.difference
    return {
        "provider": None if rules is None else rules.provider,
        "breakpoints": [
            {"label": each.label, "piece": each.piece_id, "tokens": each.tokens}
            for each in cache.plan.breakpoints
        ],
        "first_difference": None
        if place is None
        else {"offset": place.offset, "byte": place.byte, "section": place.section, "piece": place.piece_id},
        "hits": list(cache.hits),
        "missed": list(cache.missed),
        "read_tokens": cache.read_tokens,
        "written_tokens": cache.written_tokens,
        "fresh_tokens": cache.fresh_tokens,
        "lost_tokens": cache.lost_tokens,
        "cause": None
        if cause is None
        else {"kind": cause.kind.value, "piece": cause.piece_id, "change": cause.change},
        "cost": cache.cost,
        "cost_uncached": cache.cost_uncached,
        "unknown_prices": list(cache.unknown_prices),
        "may_have_expired": cache.may_have_expired,
        "problems": [plain_problem(each) for each in cache.plan.problems],
    }
