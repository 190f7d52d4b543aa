"""Shortens a history only when it passes a high mark, then down to a low mark, so that Requests stay cacheable.

Between the marks the beginning of the history stays the same from Request to Request. Past the high mark old tool
results are elided first, the largest saving first; then the oldest batches are folded, which summaries stand for.
Both depend on what was there before (the state) and on nothing else, so that doing it again changes nothing, and
a larger budget never keeps fewer batches.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import Protocol

from inspector.context.history.choice import Figures, HistoryBudget, HistoryChoice
from inspector.context.history.elided import NOTHING_ELIDED, ElidedAt, ElidedResults, elided_of
from inspector.context.history.index import HistoryIndex
from inspector.context.history.limits import from_user, raising
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import HistoryState
from inspector.domain.ref import Ref
from inspector.domain.requests import Fix
from inspector.domain.rules import OutRule

PROTECTED_BATCHES = 3
"""The newest batches keep their tool results: the model is still at work with them."""
CLEAR_AT_LEAST = 256
"""Tokens: for less no result is elided, for a changed beginning costs more than that at most providers."""


class Starts(Protocol):
    """Where a folded history may begin: always before a user's message."""

    def behind(self, index: HistoryIndex, at: int) -> Sequence[int]:
        """The batches from one on that it may begin with, ascending."""
        ...

    def until(self, index: HistoryIndex, at: int) -> int:
        """The last batch up to one that it may begin with; 0, the whole history, is always one."""
        ...


@dataclass(frozen=True, slots=True)
class UserStarts:
    """Any batch that a user's message begins."""

    def behind(self, index: HistoryIndex, at: int) -> Sequence[int]:
        """The batches from one on that a user's message begins."""
        return index.user_starts(at)

    def until(self, index: HistoryIndex, at: int) -> int:
        """The last batch up to one that a user's message begins."""
        return index.user_start_until(at)


@dataclass(frozen=True, slots=True)
class FoldThresholds:
    """Shares of the room: past `high` it is shortened, to at most `low`; 0 to 1, and `low` not above `high`."""

    high: float
    low: float

    @classmethod
    def of(cls, high: float, low: float) -> FoldThresholds:
        upper = min(1.0, max(0.0, high))
        return cls(upper, min(upper, max(0.0, low)))


@dataclass(frozen=True, slots=True)
class FoldedHistory:
    """A history from batch `first` on, with some results elided."""

    first: int
    elided: ElidedResults = NOTHING_ELIDED


class HistoryFolding:
    """Folds one history under one room.

    Args:
        index: The history.
        room: What it may take.
        marks: When it is shortened, and how far.
        starts: Where it may begin then.
    """

    def __init__(
        self, index: HistoryIndex, room: HistoryBudget, marks: FoldThresholds, starts: Starts
    ) -> None:
        self._index = index
        self._room = room
        self._marks = marks
        self._starts = starts
        self._protected = max(0, index.count - PROTECTED_BATCHES)
        self._high = share_of(room.tokens, marks.high)
        self._low = share_of(room.tokens, marks.low)
        self._few = share_of(room.cap.most, marks.low)

    def choose(self) -> HistoryChoice:
        """What goes in, and the state that says so."""
        kept = self._before()
        if not self._is_within(kept):
            kept = self._fold(kept)
            if not self._is_within(kept, hard=True):
                kept = FoldedHistory(self._index.count)
        # Where not even the newest batch fits as it is, the next build tries it first.
        first = min(kept.first, self._index.count - 1)
        position = self._index.view(first).position if first > 0 else 0
        state = HistoryState(self._room.limits, position, kept.elided.recorded)
        bound = FoldBound(kept.first, self._room, self._marks, self._starts)
        return HistoryChoice(kept.first, (bound,), is_folding=True, elided=kept.elided.keys, state=state)

    def _before(self) -> FoldedHistory:
        state = self._room.state
        if state is None or state.limits != self._room.limits:
            return FoldedHistory(0)
        first = from_user(self._index, self._index.at_position(state.first))
        return FoldedHistory(first, elided_of(state.elided, self._index, first))

    def _is_within(self, kept: FoldedHistory, *, hard: bool = False) -> bool:
        """Whether nothing need be shortened; with `hard`, whether it may be sent at all."""
        most = self._room.tokens if hard else self._high
        if self._index.messages_from(kept.first) > max(0, self._room.cap.most):
            return False
        return self._index.tokens_from(kept.first) - kept.elided.saved_from(kept.first) <= max(0, most)

    def _fold(self, kept: FoldedHistory) -> FoldedHistory:
        old = kept.elided.saved_from(kept.first)
        savings = self._index.savings_between(kept.first, max(kept.first, self._protected))
        may_elide = savings - old >= CLEAR_AT_LEAST
        first = self._start(kept, may_elide=may_elide)
        elided = kept.elided.behind(first)
        if may_elide:
            elided = self._elide(first, elided)
        return FoldedHistory(first, elided)

    def _start(self, kept: FoldedHistory, *, may_elide: bool) -> int:
        """The oldest batch from which on, with all elided that may be, the low mark is kept."""
        index = self._index
        least = _Least(index, kept, self._protected if may_elide else 0)
        starts = [kept.first, *self._starts.behind(index, kept.first + 1)]
        at = least.first_within(starts, self._low, self._few)
        if at is None:
            # Not even the last of them: then any that does.
            starts = list(index.user_starts(kept.first + 1))
            at = least.first_within(starts, self._low, self._few)
        if at is None:
            # Past the marks, the newest batch alone still says more than nothing at all.
            newest = starts[-1] if starts else kept.first
            at = newest if least.of(newest) <= self._room.tokens else None
        return index.count if at is None else at

    def _elide(self, first: int, elided: ElidedResults) -> ElidedResults:
        """Elide the largest savings first until the low mark is kept."""
        views = self._index.views(first, max(first, self._protected))
        found = [
            ElidedAt(at, each.which, each.saved)
            for at, view in enumerate(views, start=first)
            for each in view.elidable
            if each.which not in elided.keys
        ]
        found.sort(key=lambda each: -each.saved)
        total = self._index.tokens_from(first) - elided.saved_from(first)
        saved, more = 0, 0
        for each in found:
            if total - saved <= self._low:
                break
            saved += each.saved
            more += 1
        return elided.joined(found[:more], self._index) if more else elided


class _Least:
    """The least that the run from a batch to now can take: with all results elided that may be."""

    def __init__(self, index: HistoryIndex, kept: FoldedHistory, protected: int) -> None:
        self._index = index
        self._protected = protected
        self._elided = kept.elided

    def of(self, first: int) -> int:
        protected = max(first, self._protected)
        saved = self._index.savings_between(first, protected) if self._protected else 0
        return self._index.tokens_from(first) - saved - self._elided.saved_from(protected)

    def first_within(self, starts: Sequence[int], tokens: int, messages: int) -> int | None:
        """The first of some batches from which on the run takes no more than that."""
        at = bisect_left(
            starts,
            True,
            key=lambda first: self.of(first) <= tokens and self._index.messages_from(first) <= messages,
        )
        return starts[at] if at < len(starts) else None


@dataclass(frozen=True, slots=True)
class FoldBound:
    """What keeps out the batches that were folded.

    With other limits the history is shortened anew, so that what a batch needs does not depend on the state.
    """

    start: int
    room: HistoryBudget
    marks: FoldThresholds
    starts: Starts
    rule: OutRule = OutRule.SUMMARY_DUE
    action: str = "raise_history_tokens"

    def first(self, index: HistoryIndex) -> int:
        return self.start

    def needed(self, index: HistoryIndex, at: int) -> int:
        """The tokens of room that leave a batch in, whether or not others fit too."""
        start = self.starts.until(index, at)
        least = _room_for(index.tokens_from(start), self.marks.low)
        return min(least, _room_for(self._whole(index).tokens, self.marks.high))

    def figures(self) -> Hashable:
        room = self.room
        return (self.rule, self.start, self.marks, self.starts, room.tokens, room.cap.most, room.older)

    def fix(self, index: HistoryIndex, at: int, agent: Ref) -> Fix:
        messages = _room_for(index.messages_from(self.starts.until(index, at)), self.marks.low)
        return self._raise(self.needed(index, at), min(messages, self._whole(index).messages), agent)

    def whole_fix(self, index: HistoryIndex, first: int, agent: Ref) -> Fix:
        """The limits that would leave the run from a batch to now as it is stored."""
        found = Figures(index.messages_from(first), index.tokens_from(first)) if first else self._whole(index)
        return self._raise(_room_for(found.tokens, self.marks.high), found.messages, agent)

    def _whole(self, index: HistoryIndex) -> Figures:
        """All that may be sent, with what stands before the index."""
        older = self.room.older
        return Figures(index.messages_from(0) + older.messages, index.tokens_from(0) + older.tokens)

    def _raise(self, tokens: int, messages: int, agent: Ref) -> Fix:
        """The limits that make room for so many tokens and messages."""
        room = self.room
        short = [bound for bound in (room.budget, room.window) if bound is not None and bound.most < tokens]
        wanted = [(bound, bound.setting(tokens)) for bound in short]
        if messages > room.cap.most:
            wanted.append((room.cap, room.cap.setting(messages)))
        if not wanted:
            # It was shortened when there was more of it: any other limit shortens it anew.
            bound = room.budget or room.window
            wanted.append((bound, bound.setting(max(bound.most + 1, tokens))))
        return raising(wanted, agent, {"tokens": tokens, "messages": messages})


def share_of(whole: int, share: float) -> int:
    """A share of some tokens or messages, rounded down."""
    return max(0, math.floor(whole * share))


def _room_for(needed: int, share: float) -> int:
    """The least whole of which a share holds what is needed."""
    if share <= 0:
        return needed
    whole = math.ceil(needed / share)
    while share_of(whole, share) < needed:
        whole += 1
    return whole
