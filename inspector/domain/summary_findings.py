"""What a person should know of each summary: stale sources, gaps, overlaps, broken links, and how it was made."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from inspector.domain.coverage import Coverage, Ranges, holds
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.summaries import Summary

EXTRACTIVE = "extractive"
"""The name of the summariser that picks sentences and asks no model."""
_CUT_ENDS = ("…", "...", "[truncated]")


class SummaryWarning(StrEnum):
    """What can be wrong with a summary, or is worth a look."""

    CYCLE = "cycle"
    MISSING_CHILD = "missing_child"
    DELETED_CHILD = "deleted_child"
    MISSING_PREVIOUS = "missing_previous"
    STALE = "stale"
    OVERLAP = "overlap"
    GAP = "gap"
    LEFT_OUT = "left_out"
    SOURCE_GONE = "source_gone"
    TRUNCATED = "truncated"
    EXTRACTIVE = "extractive"


NOTES = frozenset({SummaryWarning.EXTRACTIVE})
"""What says how a summary was made and is no fault of it."""


@dataclass(frozen=True, slots=True)
class SummaryFinding:
    """One warning of a summary; its sentence is that of the code ``summary_warning.`` and its name."""

    warning: SummaryWarning
    parameters: Parameters = field(default_factory=dict)

    @property
    def code(self) -> str:
        return f"summary_warning.{self.warning.value}"


@dataclass(frozen=True, slots=True)
class SummaryOrigin:
    """Who made a summary, the tokens of source and summary then, and how much was lost; None where nobody logged it."""

    made_by: str = ""
    source_tokens: int | None = None
    tokens: int | None = None
    lost: int | None = None


@dataclass(frozen=True, slots=True)
class LastEdit:
    """The number of the last change of a message's or a summary's text, and when it was made."""

    seq: int
    at: datetime


@dataclass(frozen=True)
class SummaryFacts:
    """All that the findings of an agent's summaries are made from.

    Attributes:
        summaries: All of them in the order in which they were written, deleted ones included.
        coverage: What they cover.
        positions: Where the agent's messages stand, in order, without deleted ones.
        edited: The last edits of messages, by position.
        rewritten: The last edits of texts of summaries, by id.
        stored: The numbers of the changes that stored summaries, by id; one that came without its history has none.
        origins: How summaries were made, by id.
    """

    summaries: tuple[Summary, ...]
    coverage: Coverage
    positions: Sequence[int] = ()
    edited: Mapping[int, LastEdit] = field(default_factory=dict)
    rewritten: Mapping[str, LastEdit] = field(default_factory=dict)
    stored: Mapping[str, int] = field(default_factory=dict)
    origins: Mapping[str, SummaryOrigin] = field(default_factory=dict)

    def written(self, summary_id: str) -> int:
        """The number of the change that a summary's text is from: times may be those of a clock that was set back."""
        edit = self.rewritten.get(summary_id)
        return max(self.stored.get(summary_id, 0), edit.seq if edit is not None else 0)

    def messages_in(self, ranges: Ranges) -> int:
        """How many messages stand in some ranges."""
        return sum(
            bisect_right(self.positions, each.last) - bisect_left(self.positions, each.first)
            for each in ranges
        )


def findings_of(facts: SummaryFacts) -> Mapping[str, tuple[SummaryFinding, ...]]:
    """The findings of each summary that has any, by id; the worst first."""
    return _Findings(facts).all()


def covering(facts: SummaryFacts, position: int) -> tuple[Summary, ...]:
    """The summaries that speak of a message, the deepest first."""
    ranges = facts.coverage.by_summary
    found = [each for each in facts.summaries if each.id in ranges and holds(ranges[each.id], position)]
    return tuple(sorted(found, key=lambda each: -each.depth))


def top_level(facts: SummaryFacts) -> tuple[Summary, ...]:
    """The summaries that no other was made of, the deepest first, then by place. Each cycle has one of them."""
    present = [each for each in facts.summaries if not each.is_deleted]
    used = {child for each in present for child in each.children}
    first = [each for each in present if each.id not in used]
    by_id = {each.id: each for each in facts.summaries}
    reached = _reached(first, by_id)
    for each in present:
        # What is made of itself alone hangs from nothing.
        if each.id not in reached:
            first.append(each)
            reached |= _reached([each], by_id)
    ranges = facts.coverage.by_summary

    def place(each: Summary) -> tuple[int, int, datetime]:
        own = ranges.get(each.id, ())
        return (-each.depth, own[0].first if own else -1, each.start)

    return tuple(sorted(first, key=place))


def _reached(starts: Sequence[Summary], by_id: Mapping[str, Summary]) -> set[str]:
    reached: set[str] = set()
    waiting = list(starts)
    while waiting:
        each = waiting.pop()
        if each.id not in reached:
            reached.add(each.id)
            waiting += [by_id[child] for child in each.children if child in by_id]
    return reached


class _Findings:
    def __init__(self, facts: SummaryFacts) -> None:
        self._facts = facts
        self._ids = {each.id: each for each in facts.summaries}
        self._edited = sorted(facts.edited)
        self._circular = frozenset(facts.coverage.circular) | _circular_links(self._ids)
        self._overlaps: dict[str, list[tuple[int, int]]] = {}
        for overlap in facts.coverage.overlaps:
            for id_ in overlap.summaries:
                span = (overlap.positions.first, overlap.positions.last)
                self._overlaps.setdefault(id_, []).append(span)
        self._gaps = _gaps_after(facts.coverage)

    def all(self) -> dict[str, tuple[SummaryFinding, ...]]:
        found = {each.id: tuple(self._of(each)) for each in self._facts.summaries if not each.is_deleted}
        return {id_: findings for id_, findings in found.items() if findings}

    def _of(self, summary: Summary) -> Iterator[SummaryFinding]:
        if summary.id in self._circular:
            yield SummaryFinding(SummaryWarning.CYCLE)
        missing = [each for each in summary.children if each not in self._ids]
        if missing:
            yield SummaryFinding(SummaryWarning.MISSING_CHILD, {"count": len(missing), "id": missing[0]})
        deleted = [each for each in summary.children if each in self._ids and self._ids[each].is_deleted]
        if deleted:
            yield SummaryFinding(SummaryWarning.DELETED_CHILD, {"count": len(deleted), "id": deleted[0]})
        previous = summary.previous_summary_id
        if previous is not None and previous not in self._ids:
            yield SummaryFinding(SummaryWarning.MISSING_PREVIOUS, {"id": previous})
        stale = self._changed_sources(summary)
        if stale:
            yield SummaryFinding(SummaryWarning.STALE, {"count": stale})
        yield from self._of_coverage(summary)
        if summary.content.rstrip().endswith(_CUT_ENDS):
            yield SummaryFinding(SummaryWarning.TRUNCATED)
        origin = self._facts.origins.get(summary.id)
        if origin is not None and origin.made_by == EXTRACTIVE:
            yield SummaryFinding(SummaryWarning.EXTRACTIVE)

    def _of_coverage(self, summary: Summary) -> Iterator[SummaryFinding]:
        overlaps = self._overlaps.get(summary.id)
        if overlaps:
            first, last = overlaps[0]
            yield SummaryFinding(
                SummaryWarning.OVERLAP, {"first": first, "last": last, "count": len(overlaps)}
            )
        gap = self._gaps.get(summary.id)
        if gap is not None:
            yield SummaryFinding(SummaryWarning.GAP, {"first": gap[0], "last": gap[1]})
        ranges = self._facts.coverage.by_summary.get(summary.id, ())
        if not ranges or not self._facts.positions:
            return
        there = self._facts.messages_in(ranges)
        if summary.message_count < there:
            yield SummaryFinding(SummaryWarning.LEFT_OUT, {"count": there - summary.message_count})
        elif summary.message_count > there:
            yield SummaryFinding(SummaryWarning.SOURCE_GONE, {"count": summary.message_count - there})

    def _changed_sources(self, summary: Summary) -> int:
        """How many messages and summaries that it was made of, at any depth, were edited after it was written."""
        written, count = self._facts.written(summary.id), 0
        for each in self._facts.coverage.by_summary.get(summary.id, ()):
            start, end = bisect_left(self._edited, each.first), bisect_right(self._edited, each.last)
            count += sum(self._facts.edited[at].seq > written for at in self._edited[start:end])
        rewritten = (self._facts.rewritten.get(each) for each in _reached([summary], self._ids))
        return count + sum(each is not None and each.seq > written for each in rewritten)


def _circular_links(by_id: Mapping[str, Summary]) -> frozenset[str]:
    """The ids of those that come, by what is before each, back to themselves."""
    circular: set[str] = set()
    done: set[str] = set()
    for start in by_id:
        path: dict[str, int] = {}
        link: str | None = start
        while link is not None and link in by_id and link not in done and link not in path:
            path[link] = len(path)
            link = by_id[link].previous_summary_id
        if link is not None and link in path:
            circular.update(id_ for id_, place in path.items() if place >= path[link])
        done.update(path)
    return frozenset(circular)


def _gaps_after(coverage: Coverage) -> dict[str, tuple[int, int]]:
    """The gap behind each summary that one follows, by id."""
    ends = sorted((ranges[-1].last, id_) for id_, ranges in coverage.by_summary.items() if ranges)
    places = [last for last, _ in ends]
    found: dict[str, tuple[int, int]] = {}
    for gap in coverage.gaps:
        behind = bisect_left(places, gap.first)
        if behind:
            before = bisect_left(places, places[behind - 1])
            found.update((id_, (gap.first, gap.last)) for _, id_ in ends[before:behind])
    return found
