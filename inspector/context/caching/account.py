"""Computes what a Request reads from and writes to the prompt cache, why it misses, and its price."""

from __future__ import annotations

from datetime import datetime, timedelta

from inspector.context.caching.planning import LASTING, MESSAGES, TOOLS, plan, stops_of
from inspector.context.request_rebuild import common_length, first_difference
from inspector.domain.caching import CacheAccount, CachePlan, CacheRules, Miss, MissKind
from inspector.domain.codec import read_time
from inspector.domain.dataclass import dataclass
from inspector.domain.models import ModelFacts, PriceTier
from inspector.domain.requests import Request

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class _Read:
    """What is found of what was kept: tokens, by which entries, and which are not.

    `is_too_far` says that nothing before those has changed, only that they are too many blocks away.
    """

    tokens: int = 0
    kept: int = 0
    hits: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    is_too_far: bool = False


def account(
    request: Request, facts: ModelFacts | None, last: Request | None, last_at: datetime | None = None
) -> CacheAccount:
    """What a Request reads, writes and costs.

    Args:
        request: The Request, as if it were sent now.
        facts: What is known of its model.
        last: The Request that was sent before it; None when there was none.
        last_at: When that was.
    """
    made = plan(request, facts, last)
    rules, total = made.rules, request.tokens
    read = _Read() if last is None or rules is None else _read(request, made, rules, last, facts)
    written = 0 if rules is None else max(0, _kept_now(made, rules, total) - read.tokens)
    if rules is not None and not rules.writes_billed:
        written = 0
    fresh = total - read.tokens - written
    prices = None if facts is None or facts.prices is None else facts.prices.at(total)
    uses = (("cache_read", read.tokens), ("cache_write", written), ("input", fresh))
    cost, unknown = _cost(prices, uses)
    # Of what a longer Request or another model's counting had left, this call pays no more anew than it has.
    lost = max(0, min(read.kept, total) - read.tokens)
    return CacheAccount(
        plan=made,
        difference=None if last is None else first_difference(last, request),
        hits=read.hits,
        missed=read.missed,
        read_tokens=read.tokens,
        written_tokens=written,
        fresh_tokens=fresh,
        lost_tokens=lost,
        cause=None if last is None else _cause(last, request, made, read, lost),
        cost=cost,
        cost_uncached=_cost(prices, (("input", total),))[0],
        unknown_prices=unknown,
        may_have_expired=_may_have_expired(rules, request, last_at),
    )


def _read(
    request: Request, made: CachePlan, rules: CacheRules, last: Request, facts: ModelFacts | None
) -> _Read:
    entries = plan(last, facts).breakpoints
    # Another model has a cache of its own.
    same = common_length(last.text, request.text) if last.model == request.model else 0
    hits: list[str] = []
    missed: list[str] = []
    tokens, is_changed = 0, False
    for entry in entries:
        is_same = entry.end <= same
        if is_same and any(0 <= each.blocks - entry.blocks < rules.look_back for each in made.breakpoints):
            hits.append(entry.label)
            tokens = max(tokens, entry.tokens)
        else:
            missed.append(entry.label)
            is_changed = is_changed or not is_same
    kept = entries[-1].tokens if entries else 0
    if rules.is_automatic:
        found = max((stop.tokens for stop in stops_of(request) if stop.end <= same), default=0)
        lasting = max((stop.tokens for stop in stops_of(last) if stop.segment in LASTING), default=0)
        tokens = max(tokens, _in_steps(found, rules))
        kept = max(kept, _in_steps(lasting, rules))
    return _Read(tokens, kept, tuple(hits), tuple(missed), bool(missed) and not is_changed)


def _in_steps(tokens: int, rules: CacheRules) -> int:
    """What a provider reads of a prefix that it finds by itself."""
    return tokens - tokens % rules.step if tokens >= (rules.minimum or 0) else 0


def _kept_now(made: CachePlan, rules: CacheRules, total: int) -> int:
    """How long the prefix is that this Request leaves in the cache."""
    if rules.is_automatic:
        return total if total >= (rules.minimum or 0) else 0
    return made.breakpoints[-1].tokens if made.breakpoints else 0


def _cause(last: Request, request: Request, made: CachePlan, read: _Read, lost: int) -> Miss | None:
    """Why anything is lost, None when nothing is or more than one reading is possible."""
    if not lost:
        is_small = any(each.code == "cache.below_minimum" for each in made.problems)
        return Miss(MissKind.BELOW_MINIMUM) if is_small and not read.kept else None
    if last.model != request.model:
        return Miss(MissKind.MODEL_CHANGED)
    if read.is_too_far:
        return Miss(MissKind.LOOK_BACK)
    return _changed(last, request)


def _changed(last: Request, request: Request) -> Miss | None:
    """What stands at the first difference: its class is certain, the piece only where the ids say so."""
    offset = common_length(last.text, request.text)
    old, new = last.piece_at(offset), request.piece_at(offset)
    if old is None or new is None:
        return None
    # Where two stretches meet at the place, the earlier one has changed: it has grown or shrunk.
    kind = min(map(_kind, (old.piece.section, new.piece.section)), key=list(MissKind).index)
    if old.piece.id == new.piece.id:
        return Miss(kind, old.piece.id, "changed")
    before = {piece.id for each in last.sections for piece in each.pieces}
    after = {piece.id for each in request.sections for piece in each.pieces}
    if new.piece.id not in before and old.piece.id in after:
        return Miss(kind, new.piece.id, "added")
    if old.piece.id not in after and new.piece.id in before:
        return Miss(kind, old.piece.id, "removed")
    return Miss(kind)


def _kind(section: str) -> MissKind:
    if section == TOOLS:
        return MissKind.TOOLS_CHANGED
    return MissKind.MESSAGES_CHANGED if section in (MESSAGES, "reply") else MissKind.SYSTEM_CHANGED


def _cost(
    prices: PriceTier | None, uses: tuple[tuple[str, int], ...]
) -> tuple[float | None, tuple[str, ...]]:
    """US dollars, and the prices that are not known; None as soon as one is needed that is not."""
    total, unknown = 0.0, []
    for name, tokens in uses:
        price: float | None = None if prices is None else getattr(prices, name)
        if not tokens:
            continue
        if price is None:
            unknown.append(name)
        else:
            total += tokens * price
    return (None, tuple(unknown)) if unknown else (total / _MILLION, ())


def _may_have_expired(rules: CacheRules | None, request: Request, last_at: datetime | None) -> bool | None:
    if rules is None or rules.seconds is None or last_at is None:
        return None
    return read_time(request.now) - last_at > timedelta(seconds=rules.seconds)
