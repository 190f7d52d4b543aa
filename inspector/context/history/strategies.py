"""The strategies that shorten a history, one function each, and their table."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.context.history.choice import Choosing, HistoryBudget, HistoryChoice, SummaryUse
from inspector.context.history.folding import FoldThresholds, HistoryFolding, UserStarts
from inspector.context.history.importance import FIRST_SCORE
from inspector.context.history.index import HistoryIndex
from inspector.context.history.islands import IslandRoom
from inspector.context.history.limits import AgeBound, Bound, first_within, from_user, newest_messages
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.rules import InRule, OutRule

MARKS = FoldThresholds(1.0, 0.9)
"""It is shortened when it does not fit, and a little further, so that the next batch does not shorten it again."""


def choose_truncate(settings: Truncate, index: HistoryIndex, room: HistoryBudget) -> HistoryChoice:
    """The newest whole batches of at most `keep_recent` messages.

    The newest batch is in even if it has more.
    """
    recent = newest_messages(
        OutRule.HISTORY_KEEP_RECENT, "raise_keep_recent", settings.keep_recent, room.active_messages
    )
    bounds = (recent, *room.bounds)
    return HistoryChoice(from_user(index, first_within(index, bounds)), bounds)


def choose_window(settings: WindowStrategy, index: HistoryIndex, room: HistoryBudget) -> HistoryChoice:
    """The newest whole batches of at most `verbatim_count` messages, and the latest summary.

    The newest batch is in even if it has more.
    """
    count = newest_messages(
        OutRule.HISTORY_KEEP_RECENT, "raise_verbatim_count", settings.verbatim_count, room.active_messages
    )
    bounds = (count, *room.bounds)
    return HistoryChoice(from_user(index, first_within(index, bounds)), bounds, summaries=SummaryUse.LATEST)


def choose_time_decay(settings: TimeDecay, index: HistoryIndex, room: HistoryBudget) -> HistoryChoice:
    """The batches of the last `compress_after_hours`, and the newest of at least `min_keep_recent` messages.

    Where clocks ran backwards a young batch can stand before an old one: it is in too, behind a gap.
    """
    age = AgeBound(room.now, settings.compress_after_hours, settings.min_keep_recent - room.active_messages)
    bounds: tuple[Bound, ...] = (age, *room.bounds)
    youngest, lowest = age.first(index), first_within(index, room.bounds)
    first = from_user(index, max(youngest, lowest))
    islands = IslandRoom(index, room, first)
    # Where it is the room that ended the run, what stands before it does not fit: no single ones of those.
    behind = range(youngest - 1, age.oldest(index) - 1, -1) if youngest >= lowest else range(0)
    for at in behind:
        if not islands.has_room:
            break
        if age.is_young(index, at):
            islands.take(at)
    return HistoryChoice(first, bounds, islands.taken())


def choose_importance_based(
    settings: ImportanceBased, index: HistoryIndex, room: HistoryBudget
) -> HistoryChoice:
    """The newest whole batches of at most `keep_recent` messages; then others, at most `keep_important` messages.

    Those are taken by their scores, the newer of two equal ones first. One that does not fit is passed over.
    """
    recent = newest_messages(
        OutRule.HISTORY_UNIMPORTANT, "raise_keep_recent", settings.keep_recent, room.active_messages
    )
    bounds = (recent, *room.bounds)
    first = from_user(index, first_within(index, bounds))
    islands = IslandRoom(index, room, first)
    left = settings.keep_important
    for at in _ranked(index, first):
        if left < max(1, index.fewest_messages) or not islands.has_room:
            break
        messages = len(index.view(at).sendable)
        if messages <= left and islands.take(at):
            left -= messages
    return HistoryChoice(first, bounds, islands.taken(), InRule.HISTORY_IMPORTANT)


def _ranked(index: HistoryIndex, end: int) -> Iterator[int]:
    """The batches before one, the most important first; the first batch has a score more than its own."""
    if not end:
        return
    first = index.view(0).importance + FIRST_SCORE
    is_first_due = True
    for score, at in index.by_rank(end):
        if is_first_due and score < first:
            is_first_due = False
            yield 0
        if at:
            yield at
    if is_first_due:
        yield 0


def choose_recursive_summarization(
    settings: RecursiveSummarization, index: HistoryIndex, room: HistoryBudget
) -> HistoryChoice:
    """All but the oldest chunks of at least `chunk_size` messages that do not fit."""
    return HistoryFolding(index, room, MARKS, Chunks(settings.chunk_size)).choose()


@dataclass(frozen=True, slots=True)
class Chunks:
    """Behind chunks of at least `size` messages each, counted from the oldest that may be sent."""

    size: int

    def behind(self, index: HistoryIndex, at: int) -> Sequence[int]:
        """The batches from one on that follow a whole chunk."""
        ends = index.chunk_ends(self.size)
        return ends[bisect_left(ends, at) :]

    def until(self, index: HistoryIndex, at: int) -> int:
        """The last batch up to one that follows a whole chunk."""
        ends = index.chunk_ends(self.size)
        place = bisect_right(ends, at)
        return ends[place - 1] if place else 0


def choose_hysteresis(settings: Hysteresis, index: HistoryIndex, room: HistoryBudget) -> HistoryChoice:
    """What was kept before, until it passes the high mark; then what the low mark leaves."""
    return HistoryFolding(index, room, FoldThresholds.of(settings.high, settings.low), UserStarts()).choose()


STRATEGY_CHOICES: Mapping[type[Strategy], Choosing[Any]] = {
    Truncate: choose_truncate,
    RecursiveSummarization: choose_recursive_summarization,
    ImportanceBased: choose_importance_based,
    TimeDecay: choose_time_decay,
    WindowStrategy: choose_window,
    Hysteresis: choose_hysteresis,
}
