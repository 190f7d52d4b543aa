"""The message positions that summaries cover, with gaps and overlaps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from heapq import heappop, heappush
from itertools import pairwise

from inspector.domain.dataclass import dataclass
from inspector.domain.summaries import PositionRange, Summary

Ranges = tuple[PositionRange, ...]


@dataclass(frozen=True, slots=True)
class CoverageOverlap:
    """Positions that several summaries speak of, none of which was made of another; by id, in order."""

    positions: PositionRange
    summaries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an agent's summaries speak of.

    Attributes:
        ranges: All positions that any of them speaks of, merged, in order.
        gaps: Runs of messages between the first and the last covered one that none speaks of; each from its
            first to its last message.
        overlaps: Where two that have nothing to do with one another tell the same. A deleted one links nothing: its
            sources overlap what was made of it.
        by_summary: The ranges of each, by id.
        missing: Ids of children that are not there, each with the ids of those that name them.
        circular: Ids of summaries that are made, in the end, of themselves.
    """

    ranges: Ranges = ()
    gaps: Ranges = ()
    overlaps: tuple[CoverageOverlap, ...] = ()
    by_summary: Mapping[str, Ranges] = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    circular: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether it is one unbroken whole that is told once."""
        return not (self.gaps or self.overlaps or self.missing or self.circular)


def merged(ranges: Iterable[PositionRange]) -> Ranges:
    """The same positions as few ranges, in order; a range that ends before it begins adds nothing."""
    found: list[PositionRange] = []
    for each in sorted(ranges, key=lambda each: (each.first, each.last)):
        if each.last < each.first:
            continue
        if found and each.first <= found[-1].last + 1:
            found[-1] = PositionRange(found[-1].first, max(found[-1].last, each.last))
        else:
            found.append(each)
    return tuple(found)


def contains(outer: Ranges, inner: Ranges) -> bool:
    """Whether merged ranges hold all of others."""
    return all(any(each.first <= own.first and own.last <= each.last for each in outer) for own in inner)


def holds(ranges: Ranges, position: int) -> bool:
    """Whether merged ranges hold a position."""
    at = bisect_left(ranges, position, key=lambda each: each.last)
    return at < len(ranges) and ranges[at].first <= position


def covered_ranges(summaries: Sequence[Summary]) -> Mapping[str, Ranges]:
    """The ranges of message positions that each summary speaks of, by id; merged, in order.

    A missing child and a cycle add nothing.
    """
    by_id = {summary.id: summary for summary in summaries}
    existing: dict[str, Ranges] = {}
    entered: set[str] = set()
    waiting = [(summary_id, False) for summary_id in by_id]
    while waiting:
        summary_id, has_children = waiting.pop()
        summary = by_id[summary_id]
        if has_children:
            own = () if summary.covers is None else (summary.covers,)
            below = (each for child in summary.children for each in existing.get(child, ()))
            existing[summary_id] = merged((*own, *below))
        elif summary_id not in entered:
            entered.add(summary_id)
            waiting.append((summary_id, True))
            waiting.extend((child, False) for child in summary.children if child in by_id)
    return existing


def latest_of(summaries: Sequence[Summary], ranges: Mapping[str, Ranges] | None = None) -> Summary | None:
    """The one that speaks of the latest messages; of equals the deepest, then the one written last.

    One without ranges, as another program may have left it, comes before all that have some, by its period.

    Args:
        summaries: Them, in the order in which they were written. Deleted ones only say what those above them speak of.
        ranges: What each speaks of, where that is known already.
    """
    existing = covered_ranges(summaries) if ranges is None else ranges

    def place(at: int) -> tuple[int, float, int, int]:
        summary = summaries[at]
        own = existing[summary.id]
        return (own[-1].last, 0.0, summary.depth, at) if own else (-1, summary.end.timestamp(), 0, at)

    there = [at for at, each in enumerate(summaries) if not each.is_deleted]
    return summaries[max(there, key=place)] if there else None


def coverage_of(summaries: Sequence[Summary], positions: Sequence[int] = ()) -> Coverage:
    """What summaries speak of together.

    Args:
        summaries: Those of one agent, in the order in which they were written. Deleted ones only say what those above
            them speak of.
        positions: The positions of the agent's messages that could be spoken of, in order; without them there
            are no gaps to tell.
    """
    ranges = covered_ranges(summaries)
    present = [each for each in summaries if not each.is_deleted]
    together = merged(one for each in present for one in ranges[each.id])
    missing: dict[str, tuple[str, ...]] = {}
    for summary in present:
        for child in summary.children:
            if child not in ranges:
                missing[child] = (*missing.get(child, ()), summary.id)
    below = _below(summaries)
    return Coverage(
        together,
        _gaps(together, positions),
        _overlaps(present, ranges, _below(present)),
        {each.id: ranges[each.id] for each in present},
        missing,
        tuple(each.id for each in present if each.id in below[each.id]),
    )


def _gaps(ranges: Ranges, positions: Sequence[int]) -> Ranges:
    if not ranges:
        return ()
    gaps: list[PositionRange] = []
    is_open = False
    for position in positions:
        if not ranges[0].first <= position <= ranges[-1].last:
            continue
        if holds(ranges, position):
            is_open = False
        elif is_open:
            gaps[-1] = PositionRange(gaps[-1].first, position)
        else:
            gaps.append(PositionRange(position, position))
            is_open = True
    return tuple(gaps)


def _below(summaries: Sequence[Summary]) -> Mapping[str, frozenset[str]]:
    """All that a summary was made of, directly or not, by id."""
    children = {summary.id: summary.children for summary in summaries}
    found: dict[str, frozenset[str]] = {}
    for summary_id in children:
        seen: set[str] = set()
        waiting = list(children[summary_id])
        while waiting:
            child = waiting.pop()
            if child not in seen:
                seen.add(child)
                waiting.extend(children.get(child, ()))
        found[summary_id] = frozenset(seen)
    return found


def _overlaps(
    summaries: Sequence[Summary], ranges: Mapping[str, Ranges], below: Mapping[str, frozenset[str]]
) -> tuple[CoverageOverlap, ...]:
    """Swept from left to right: between two borders the same summaries speak of every position."""
    turns: dict[int, list[int]] = {}
    for at, summary in enumerate(summaries):
        for each in ranges[summary.id]:
            # A summary's ranges never touch, so that it is here or not.
            turns.setdefault(each.first, []).append(at)
            turns.setdefault(each.last + 1, []).append(at)
    here: set[int] = set()
    found: list[CoverageOverlap] = []
    for first, end in pairwise(sorted(turns)):
        here.symmetric_difference_update(turns[first])
        ids = [summaries[at].id for at in sorted(here)]
        apart = tuple(each for each in ids if any(_are_apart(each, other, below) for other in ids))
        if not apart:
            continue
        span = PositionRange(first, end - 1)
        if found and found[-1].summaries == apart and found[-1].positions.last + 1 == first:
            span = PositionRange(found.pop().positions.first, end - 1)
        found.append(CoverageOverlap(span, apart))
    return tuple(found)


def _are_apart(one: str, other: str, below: Mapping[str, frozenset[str]]) -> bool:
    """Whether two summaries tell the same twice: neither was made of the other."""
    return one != other and other not in below[one] and one not in below[other]


def fewest(summaries: Sequence[Summary], ranges: Mapping[str, Ranges]) -> frozenset[str]:
    """The ids of the fewest, deepest summaries that speak of all that any of these speaks of.

    From the first position on, always the one that goes on furthest without a hole; of equals the deepest, then
    the one written last. Where each speaks of one unbroken range there is no smaller choice; where some do not, none
    of those chosen can be spared.

    Args:
        summaries: Them, in the order in which they were written; those without ranges are passed over.
        ranges: What each speaks of.
    """
    sweep = _Sweep(summaries, ranges)
    chosen: list[Summary] = []
    while (best := sweep.next()) is not None:
        chosen.append(best)
    return frozenset(each.id for each in _needed(chosen, ranges))


class _Sweep:
    """Goes from the first position that is spoken of to the last, and says who is to speak next."""

    def __init__(self, summaries: Sequence[Summary], ranges: Mapping[str, Ranges]) -> None:
        self._summaries = summaries
        self._ranges = ranges
        # Those that have not begun yet, the nearest last; those that have, the furthest-reaching first.
        spans = ((one, at) for at, each in enumerate(summaries) for one in ranges[each.id])
        self._later = sorted(((one.first, one.last, at) for one, at in spans), reverse=True)
        self._here: list[tuple[int, int, int]] = []
        self._covered: list[tuple[int, int]] = []
        self._place = self._later[-1][0] if self._later else 0

    def next(self) -> Summary | None:
        """The best at the first position that is not told yet; None at the end."""
        self._go_on()
        while self._here and -self._here[0][0] < self._place:
            heappop(self._here)
        if not self._here:
            if not self._later:
                return None
            self._place = self._later[-1][0]
            return self.next()
        best = self._summaries[-self._here[0][2]]
        for one in self._ranges[best.id]:
            heappush(self._covered, (one.first, one.last))
        return best

    def _go_on(self) -> None:
        """Pass over what is told, and take in what begins up to there."""
        while self._covered and self._covered[0][0] <= self._place:
            self._place = max(self._place, heappop(self._covered)[1] + 1)
        while self._later and self._later[-1][0] <= self._place:
            _, last, at = self._later.pop()
            heappush(self._here, (-last, -self._summaries[at].depth, -at))


def _needed(chosen: Sequence[Summary], ranges: Mapping[str, Ranges]) -> Sequence[Summary]:
    """Those that are left when each that the others cover has gone, the least deep and smallest first."""
    borders = sorted({at for each in chosen for one in ranges[each.id] for at in (one.first, one.last + 1)})
    place = {at: number for number, at in enumerate(borders)}
    spans = {
        each.id: [
            number for one in ranges[each.id] for number in range(place[one.first], place[one.last + 1])
        ]
        for each in chosen
    }
    times = [0] * len(borders)
    for span in spans.values():
        for number in span:
            times[number] += 1
    left = list(chosen)
    for each in sorted(chosen, key=lambda each: (each.depth, _size(ranges[each.id]))):
        if all(times[number] > 1 for number in spans[each.id]):
            left.remove(each)
            for number in spans[each.id]:
                times[number] -= 1
    return left


def _size(ranges: Ranges) -> int:
    return sum(each.last - each.first + 1 for each in ranges)
