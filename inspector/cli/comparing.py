"""How two Requests beside each other are told: the pieces that differ, and what the provider's cache makes of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from inspector.cli.reading import plain_problem
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.caching import CacheAccount
from inspector.domain.errors import Parameters
from inspector.domain.requests import Diff, PieceChange, Request, Source
from inspector.runtime.wording import word

_RECOUNTED = "recounted"


def tell_comparison(
    before: Request, after: Request, compared: Diff, cache: CacheAccount, *, as_json: bool
) -> None:
    """What differs between two Requests, as JSON or for a person."""
    if as_json:
        write_json(
            {
                "before": _plain_request(before),
                "after": _plain_request(after),
                "delta": compared.delta,
                "settings": [
                    {"name": name, "before": old, "after": new} for name, old, new in compared.settings
                ],
                "changes": list(map(_plain_change, compared.changes)),
                "problems": [plain_problem(each) for each in after.problems],
                "cache": _plain_cache(cache),
            }
        )
        return
    told: Parameters = {"before": before.tokens, "after": after.tokens, "delta": f"{compared.delta:+,}"}
    write_line(word("told.requests_compared", told))
    for name, old, new in compared.settings:
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
        for each in compared.changes
        if each.kind != _RECOUNTED
    ]
    rows += _recounted(compared)
    if rows:
        write_line(format_table(("", "Section", "Piece", "Tokens", "Why"), rows, frozenset({3})))
    write_line()
    write_line(_cache_line(cache))


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
    told: Parameters = {
        "read": cache.read_tokens,
        "written": cache.written_tokens,
        "fresh": cache.fresh_tokens,
        "lost": cache.lost_tokens,
        "cost": word("told.unknown") if cache.cost is None else f"${cache.cost:.6f}",
    }
    if cache.plan.rules is None:
        return word("told.cache_unknown")
    line = word("told.cache", told)
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
