"""The summaries section: the summaries that stand for messages left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from inspector.context.blocks import Adapted
from inspector.context.markup import close_proof, frame_proof
from inspector.context.parts import PromptPart
from inspector.context.plan import BuildPlan
from inspector.domain.coverage import Ranges, covered_ranges, fewest, latest_of
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem, Severity
from inspector.domain.messages import Message
from inspector.domain.rendering.summary import summary_text
from inspector.domain.requests import Source, SourceKind
from inspector.domain.rules import InRule, OutRule
from inspector.domain.summaries import Summary

SECTION = "summary"


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """The messages that go in: their positions in order, and when the first of them was written."""

    positions: tuple[int, ...]
    since: datetime | None

    @classmethod
    def of(cls, messages: Iterable[Message]) -> KeptMessages:
        stored = sorted(messages, key=lambda message: message.position)
        return cls(tuple(message.position for message in stored), stored[0].created_at if stored else None)

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


def choose_covering(summaries: Sequence[Summary], kept: KeptMessages) -> SummaryChoice:
    """The fewest, deepest summaries that speak of what is not in; none of a message that is.

    Deleted ones are never chosen, but say what those that were made of them speak of.

    Args:
        summaries: All of the agent's, in the order in which they were written.
        kept: The messages that go in.
    """
    ranges = covered_ranges(summaries)
    usable, others = _usable(summaries, ranges, kept)
    inside = fewest(usable, ranges)
    chosen = [each for each in usable if each.id in inside or not ranges[each.id]]
    taken = {each.id for each in chosen}
    others += [(each, OutRule.SUMMARY_COVERED) for each in usable if each.id not in taken]
    chosen.sort(key=lambda each: _place(each, ranges))
    return SummaryChoice(tuple(chosen), tuple(others))


def choose_latest(summaries: Sequence[Summary], kept: KeptMessages, *, is_whole: bool) -> SummaryChoice:
    """The one that speaks of the latest messages, none where the whole conversation is in."""
    ranges = covered_ranges(summaries)
    usable, others = _usable(summaries, ranges, kept)
    latest = None if is_whole else latest_of(usable, ranges)
    others += [(each, OutRule.SUMMARY_COVERED) for each in usable if each is not latest]
    return SummaryChoice(() if latest is None else (latest,), tuple(others))


def _usable(
    summaries: Sequence[Summary], ranges: Mapping[str, Ranges], kept: KeptMessages
) -> tuple[list[Summary], list[tuple[Summary, OutRule]]]:
    """Those that speak of nothing that is in, and the others."""
    usable: list[Summary] = []
    others: list[tuple[Summary, OutRule]] = []
    for each in summaries:
        if each.is_deleted:
            continue
        if _speaks_of(each, ranges[each.id], kept):
            others.append((each, OutRule.SUMMARY_KEPT_VERBATIM))
        else:
            usable.append(each)
    return usable, others


@dataclass(frozen=True, slots=True)
class SummaryFrame:
    """What stands around a summary: its section's element, or the lines that part the sections where it has none."""

    element: str = ""
    frame: frozenset[str] = frozenset()

    def proof(self, text: str) -> tuple[str, str, int]:
        """The text that cannot be taken for what is around it, with what was done how often."""
        if self.element:
            escaped = close_proof(text, [self.element])
            return escaped.text, "closing_tag_escaped", len(escaped.places)
        proof, count = frame_proof(text, self.frame)
        return proof, "frame_line_escaped", count


@lru_cache(maxsize=1024)
def summary_part(summary: Summary, text: str, around: SummaryFrame) -> Adapted:
    """A summary's part; `text` is its rendering."""
    body, code, count = around.proof(text.rstrip("\n"))
    facts: Parameters = {"label": summary.id, "count": count}
    changed = Problem(code, Severity.WARNING, f"summary:{summary.id}", facts)
    adaptations = (changed,) if count else ()
    parameters: Parameters = {"depth": summary.depth, "messages": summary.message_count}
    source = summary_source(summary)
    part = PromptPart(f"summary:{summary.id}", SECTION, source, InRule.SUMMARY, body, parameters=parameters)
    return Adapted(part, adaptations)


def summary_adapted(summary: Summary, plan: BuildPlan, around: SummaryFrame) -> Adapted:
    """A summary's part in the plan's zone."""
    return summary_part(summary, summary_text(summary, plan.zone), around)


def summary_source(summary: Summary) -> Source:
    """A summary as a source, labelled by its topics."""
    label = ", ".join(summary.topics) or f"depth {summary.depth}"
    return Source(SourceKind.SUMMARY, summary.id, label, summary.agent_id)


def _speaks_of(summary: Summary, ranges: Ranges, kept: KeptMessages) -> bool:
    """Whether it speaks of a kept message. One without ranges is judged by its period."""
    if ranges:
        return kept.touches(ranges)
    return kept.since is not None and summary.end > kept.since


def _place(summary: Summary, ranges: Mapping[str, Ranges]) -> tuple[int, float]:
    """Where it stands; of equals the one written first, as a sort that is stable leaves them."""
    own = ranges[summary.id]
    return (own[-1].last, 0.0) if own else (-1, summary.end.timestamp())
