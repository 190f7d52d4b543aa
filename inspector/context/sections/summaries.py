"""Summaries: which of them stand for what is left out, and their parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from inspector.context.blocks import Adapted
from inspector.context.markup import close_proof
from inspector.context.parts import Part
from inspector.context.plan import Plan
from inspector.domain.errors import Parameters
from inspector.domain.health import Problem, Severity
from inspector.domain.messages import Message
from inspector.domain.rendering.summary import summary_text
from inspector.domain.requests import Source, SourceKind
from inspector.domain.rules import InRule, OutRule
from inspector.domain.summaries import PositionRange, Summary

SECTION = "summary"

Ranges = tuple[PositionRange, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """The messages that go in: their positions in order, and when the first of them was written."""

    positions: tuple[int, ...]
    since: datetime | None

    @classmethod
    def of(cls, messages: Iterable[Message]) -> Kept:
        """From the messages, in any order."""
        held = sorted(messages, key=lambda message: message.position)
        return cls(tuple(message.position for message in held), held[0].created_at if held else None)

    def touches(self, ranges: Ranges) -> bool:
        """Whether a message that goes in lies in one of the ranges."""
        for each in ranges:
            at = bisect_left(self.positions, each.first)
            if at < len(self.positions) and self.positions[at] <= each.last:
                return True
        return False


@dataclass(frozen=True, slots=True)
class SummaryChoice:
    """The summaries that go in, in time order, and the others with the rule that keeps them out."""

    chosen: tuple[Summary, ...]
    others: tuple[tuple[Summary, OutRule], ...]


def coverage(summaries: Sequence[Summary]) -> Mapping[str, Ranges]:
    """The ranges of message positions that each summary speaks of, by id; merged, in order.

    A missing child and a cycle add nothing.
    """
    by_id = {summary.id: summary for summary in summaries}
    known: dict[str, Ranges] = {}
    entered: set[str] = set()
    waiting = [(summary_id, False) for summary_id in by_id]
    while waiting:
        summary_id, has_children = waiting.pop()
        summary = by_id[summary_id]
        if has_children:
            own = () if summary.covers is None else (summary.covers,)
            below = (each for child in summary.children for each in known.get(child, ()))
            known[summary_id] = _merged((*own, *below))
        elif summary_id not in entered:
            entered.add(summary_id)
            waiting.append((summary_id, True))
            waiting.extend((child, False) for child in summary.children if child in by_id)
    return known


def choose_covering(summaries: Sequence[Summary], kept: Kept) -> SummaryChoice:
    """The fewest, deepest summaries that speak of what is not in; none of a message that is."""
    ranges = coverage(summaries)
    others: list[tuple[Summary, OutRule]] = []
    usable: list[Summary] = []
    for summary in summaries:
        if _speaks_of(summary, ranges[summary.id], kept):
            others.append((summary, OutRule.SUMMARY_KEPT_VERBATIM))
        else:
            usable.append(summary)
    usable.sort(
        key=lambda each: (-each.depth, -_size(ranges[each.id]), -each.created_at.timestamp(), each.id)
    )
    chosen: list[Summary] = []
    covered: Ranges = ()
    for summary in usable:
        own = ranges[summary.id]
        if own and _contains(covered, own):
            others.append((summary, OutRule.SUMMARY_COVERED))
        else:
            chosen.append(summary)
            covered = _merged((*covered, *own))
    return SummaryChoice(tuple(sorted(chosen, key=lambda each: _place(each, ranges))), tuple(others))


def choose_latest(summaries: Sequence[Summary], kept: Kept, *, is_whole: bool) -> SummaryChoice:
    """The one that speaks of the latest time, none where the whole conversation is in."""
    ranges = coverage(summaries)
    usable = [each for each in summaries if not _speaks_of(each, ranges[each.id], kept)]
    latest = None if is_whole else max(usable, key=lambda each: _place(each, ranges), default=None)
    in_use = {each.id for each in usable}
    others = tuple(
        (each, OutRule.SUMMARY_COVERED if each.id in in_use else OutRule.SUMMARY_KEPT_VERBATIM)
        for each in summaries
        if each is not latest
    )
    return SummaryChoice(() if latest is None else (latest,), others)


@lru_cache(maxsize=1024)
def summary_part(summary: Summary, text: str, element: str) -> Adapted:
    """A summary's part; `text` is its rendering."""
    body = text.rstrip("\n")
    adaptations: tuple[Problem, ...] = ()
    if element:
        escaped = close_proof(body, [element])
        body = escaped.text
        if escaped.places:
            facts: Parameters = {"label": summary.id, "count": len(escaped.places)}
            adaptations = (Problem("closing_tag_escaped", Severity.WARNING, f"summary:{summary.id}", facts),)
    told: Parameters = {"depth": summary.depth, "messages": summary.message_count}
    source = summary_source(summary)
    part = Part(f"summary:{summary.id}", SECTION, source, InRule.SUMMARY, body, parameters=told)
    return Adapted(part, adaptations)


def summary_adapted(summary: Summary, plan: Plan, element: str) -> Adapted:
    """A summary's part in the plan's zone."""
    return summary_part(summary, summary_text(summary, plan.zone), element)


def summary_source(summary: Summary) -> Source:
    """A summary as a source, labelled by its topics."""
    label = ", ".join(summary.topics) or f"depth {summary.depth}"
    return Source(SourceKind.SUMMARY, summary.id, label, summary.agent_id)


def _speaks_of(summary: Summary, ranges: Ranges, kept: Kept) -> bool:
    """Whether it speaks of a kept message. One without ranges is judged by its period."""
    if ranges:
        return kept.touches(ranges)
    return kept.since is not None and summary.end > kept.since


def _place(summary: Summary, ranges: Mapping[str, Ranges]) -> tuple[int, float, str]:
    own = ranges[summary.id]
    return (own[-1].last if own else -1, summary.end.timestamp(), summary.id)


def _size(ranges: Ranges) -> int:
    return sum(each.last - each.first + 1 for each in ranges)


def _contains(outer: Ranges, inner: Ranges) -> bool:
    return all(any(each.first <= own.first and own.last <= each.last for each in outer) for own in inner)


def _merged(ranges: Iterable[PositionRange]) -> Ranges:
    merged: list[PositionRange] = []
    for each in sorted(ranges, key=lambda each: (each.first, each.last)):
        if each.last < each.first:
            continue
        if merged and each.first <= merged[-1].last + 1:
            merged[-1] = PositionRange(merged[-1].first, max(merged[-1].last, each.last))
        else:
            merged.append(each)
    return tuple(merged)
