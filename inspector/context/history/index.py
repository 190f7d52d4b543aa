"""The index that strategies choose from: a history's batches with running sums.

It is made once and grows: a batch more costs no more than that batch, and what a stretch of batches takes is the
difference of two sums. Where a history was changed in its middle, all before the place is taken over.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import TypeVar, cast

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.batches import BatchView
from inspector.context.identity import IdentityCache
from inspector.domain.messages import Batch
from inspector.domain.requests import LeftOut

Found = TypeVar("Found")
_INDEXES_KEPT = 8
_VIEWS_KEPT = 20_000
_FEW = 64
"""So many are put in order one by one; more are sorted all at once."""


@dataclass(slots=True)
class _Log:
    """What indexes of one history share. Its lists only grow; each index knows how far it reads them."""

    views: list[BatchView] = field(default_factory=list)
    token_sums: list[int] = field(default_factory=lambda: [0])
    message_sums: list[int] = field(default_factory=lambda: [0])
    positions: list[int] = field(default_factory=list)
    user_starts: list[int] = field(default_factory=list)
    saving_sums: list[int] = field(default_factory=lambda: [0])
    latest: list[datetime] = field(default_factory=list)
    set_back: list[int] = field(default_factory=list)
    others: list[BatchView] = field(default_factory=list)
    stored: list[Batch] = field(default_factory=list)
    counts: list[tuple[int, int, int]] = field(default_factory=lambda: [(0, 0, 0)])
    ranks: list[tuple[float, int]] = field(default_factory=list)
    fewest: int = 0
    smallest: int = 0
    chunks: dict[int, list[int]] = field(default_factory=dict)
    remembered: tuple[object, int, int, object] | None = None

    def push(self, batch: Batch, view: BatchView) -> None:
        """Take one batch more."""
        eligible = bool(view.sendable) and view.is_complete
        if eligible:
            if view.begins_with_user:
                self.user_starts.append(len(self.views))
            self.views.append(view)
            self.token_sums.append(self.token_sums[-1] + view.tokens)
            self.message_sums.append(self.message_sums[-1] + len(view.sendable))
            self.positions.append(view.position)
            self.fewest = min(self.fewest or len(view.sendable), len(view.sendable))
            self.smallest = min(self.smallest or view.tokens, view.tokens)
        if not eligible or len(view.sendable) < len(batch.messages):
            self.others.append(view)
        self.stored.append(batch)
        self.counts.append((len(self.views), len(self.user_starts), len(self.others)))

    def fork(self, stored: int) -> _Log:
        """A log of the first batches alone, to go on from differently."""
        count, starts, others = self.counts[stored]
        return _Log(
            self.views[:count],
            self.token_sums[: count + 1],
            self.message_sums[: count + 1],
            self.positions[:count],
            self.user_starts[:starts],
            self.saving_sums[: count + 1],
            self.latest[:count],
            [at for at in self.set_back if at < count],
            self.others[:others],
            self.stored[:stored],
            self.counts[: stored + 1],
            [each for each in self.ranks if -each[1] < count],
            self.fewest,
            self.smallest,
        )


class HistoryIndex:
    """The first `stored` batches of a log. Batches that may be sent are numbered from 0, the oldest."""

    __slots__ = ("_costs", "_log", "_oldest", "_others", "_starts", "count", "stored")

    def __init__(self, log: _Log, stored: int, costs: FrameCosts) -> None:
        self._log = log
        self.stored = stored
        self._costs = costs
        self._oldest: list[datetime] = []
        self.count, self._starts, self._others = log.counts[stored]

    @classmethod
    def empty(cls, costs: FrameCosts) -> HistoryIndex:
        """That of no batches."""
        return cls(_Log(), 0, costs)

    def append(self, batch: Batch, view: BatchView | None = None) -> HistoryIndex:
        """The index with one batch more; this one stays as it is."""
        log, stored = self._log, self.stored
        if stored == len(log.stored) or log.stored[stored] is not batch:
            log = log if stored == len(log.stored) else log.fork(stored)
            log.push(batch, view or BatchView.of(batch, self._costs))
        return HistoryIndex(log, stored + 1, self._costs)

    def continues(self, other: HistoryIndex) -> bool:
        """Whether it is another index with maybe more batches behind."""
        return self._log is other._log and self.stored >= other.stored

    def begins_as(self, history: Sequence[Batch]) -> bool:
        """Whether it and a history begin with the same batch."""
        return bool(self.stored and history) and self._log.stored[0] == history[0]

    def until(self, stored: int) -> HistoryIndex:
        """The index of its first batches alone."""
        return self if stored == self.stored else HistoryIndex(self._log, stored, self._costs)

    def shared_with(self, history: Sequence[Batch]) -> int:
        """How many batches it and a history begin with in common."""
        most = min(self.stored, len(history))
        known = self._log.stored
        if known[:most] == list(history[:most]):
            return most
        low, high = 0, most - 1
        while low < high:
            middle = (low + high + 1) // 2
            if known[low:middle] == list(history[low:middle]):
                low = middle
            else:
                high = middle - 1
        return low

    def view(self, at: int) -> BatchView:
        """One batch that may be sent."""
        return self._log.views[at]

    def views(self, first: int, end: int | None = None) -> Sequence[BatchView]:
        """The batches from one on, or up to another."""
        return self._log.views[first : self.count if end is None else end]

    def tokens_from(self, first: int) -> int:
        """Tokens of the run from a batch to now."""
        return self._log.token_sums[self.count] - self._log.token_sums[first]

    def messages_from(self, first: int) -> int:
        """Messages of the run from a batch to now."""
        return self._log.message_sums[self.count] - self._log.message_sums[first]

    def messages_between(self, first: int, end: int) -> int:
        """Messages of the batches from one up to another."""
        return self._log.message_sums[end] - self._log.message_sums[first]

    def first_of_tokens(self, most: int) -> int:
        """The oldest batch from which on the run to now is within some tokens; `count` if none is."""
        return self._first_of(self._log.token_sums, most)

    def first_of_messages(self, most: int) -> int:
        """The oldest batch from which on the run to now is within some messages; `count` if none is."""
        return self._first_of(self._log.message_sums, most)

    def first_of_floor(self, least: int) -> int:
        """The newest batch from which on the run to now has at least so many messages; 0 if none has."""
        sums = self._log.message_sums
        return max(0, bisect_right(sums, sums[self.count] - least, 0, self.count + 1) - 1)

    def after_messages(self, first: int, messages: int) -> int:
        """The first batch before which at least so many messages of the run from `first` stand."""
        sums = self._log.message_sums
        return bisect_left(sums, sums[first] + messages, first, self.count + 1)

    def at_position(self, position: int) -> int:
        """The first batch that begins at a position or behind it."""
        return bisect_left(self._log.positions, position, 0, self.count)

    def user_start(self, first: int) -> int:
        """The first batch from `first` on that a user's message begins; `count` if there is none."""
        starts = self._log.user_starts
        at = bisect_left(starts, first, 0, self._starts)
        return starts[at] if at < self._starts else self.count

    def user_start_until(self, at: int) -> int:
        """The last batch up to `at` that a user's message begins; 0 if there is none."""
        place = bisect_right(self._log.user_starts, at, 0, self._starts)
        return self._log.user_starts[place - 1] if place else 0

    def user_starts(self, first: int) -> Sequence[int]:
        """All batches from `first` on that a user's message begins."""
        starts = self._log.user_starts
        return starts[bisect_left(starts, first, 0, self._starts) : self._starts]

    def savings_between(self, first: int, end: int) -> int:
        """What eliding all tool results of the batches from one up to another saves."""
        sums = self._log.saving_sums
        known = len(sums) - 1
        if known < end:
            views = self._log.views[known:end]
            sums += list(accumulate((view.savings for view in views), initial=sums[-1]))[1:]
        return sums[end] - sums[first]

    def remembered(
        self, thing: object, first: int, find: Callable[[], Found], is_settled: Callable[[Found], bool]
    ) -> Found:
        """What was found for a value from batch `first` on, where it was the last that was looked for.

        From another batch on, or where the history has grown, it is looked for anew unless that cannot change it.
        """
        known = self._log.remembered
        if known is not None and known[0] is thing and known[2] <= self.count:
            found = cast(Found, known[3])
            if known[1:3] == (first, self.count) or is_settled(found):
                return found
        found = find()
        self._log.remembered = (thing, first, self.count, found)
        return found

    def not_older(self, moment: datetime) -> int:
        """The batch before which all were last written before a moment."""
        self._know_times()
        return bisect_left(self._log.latest, moment, 0, self.count)

    def last_older(self, end: int, moment: datetime) -> int:
        """The newest batch before `end` that was last written before a moment; -1 if there is none."""
        since = min(self.not_older(moment), end)
        # Behind that one an older batch can only be where a clock was set back.
        places = self._log.set_back
        for place in reversed(places[bisect_left(places, since) : bisect_left(places, end)]):
            if self.view(place).last_at < moment:
                return place
        return since - 1

    def _know_times(self) -> None:
        """Note when the batches were last written that are not noted yet."""
        latest = self._log.latest
        for at in range(len(latest), self.count):
            last = self.view(at).last_at
            if latest and last < latest[-1]:
                self._log.set_back.append(at)
            latest.append(max(last, latest[-1]) if latest else last)

    def oldest_from(self, first: int) -> datetime:
        """The earliest moment at which a batch of the run from `first` to now was last written."""
        if not self._oldest:
            times = (view.last_at for view in reversed(self.views(0)))
            self._oldest = list(accumulate(times, min))
        return self._oldest[self.count - 1 - first]

    def chunk_ends(self, size: int) -> tuple[Sequence[int], int]:
        """The batches behind chunks of at least `size` messages, each before a user's message; and how many there are.

        More may stand in the list: those belong to what was appended to another index of the same history.
        """
        ends = self._log.chunks.setdefault(size, [])
        at = ends[-1] if ends else 0
        while at < self.count:
            at = self.user_start(self.after_messages(at, max(1, size)))
            if at < self.count:
                ends.append(at)
        return ends, bisect_left(ends, self.count)

    def by_rank(self, end: int) -> Iterator[tuple[float, int]]:
        """The batches before one with their importance, the most important first, of two equal ones the newer."""
        ranks, known = self._log.ranks, len(self._log.ranks)
        more = [(-view.importance, -at) for at, view in enumerate(self._log.views[known:end], start=known)]
        if known and len(more) < _FEW:
            for each in more:
                insort(ranks, each)
        else:
            ranks += more
            ranks.sort()
        return ((-score, -at) for score, at in ranks if -at < end)

    @property
    def fewest_messages(self) -> int:
        """No batch has fewer."""
        return self._log.fewest

    @property
    def fewest_tokens(self) -> int:
        """No batch takes less."""
        return self._log.smallest

    def never(self) -> tuple[LeftOut, ...]:
        """What is said of batches and messages that are never sent."""
        return tuple(row for view in self._log.others[: self._others] for row in view.never)

    def _first_of(self, sums: list[int], most: int) -> int:
        return min(bisect_left(sums, sums[self.count] - most, 0, self.count + 1), self.count)


class HistoryReader:
    """Makes indexes from histories, each from the one before it as far as they agree."""

    def __init__(self) -> None:
        self._views: IdentityCache[BatchView] = IdentityCache(_VIEWS_KEPT)
        self._indexes: IdentityCache[HistoryIndex] = IdentityCache(_INDEXES_KEPT)
        self._recent: list[_Recent] = []

    def index(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        """The index of a history without its active batch."""
        return self._indexes.get(history, (active, id(costs)), lambda: self._make(history, active, costs))

    def view(self, batch: Batch, costs: FrameCosts) -> BatchView:
        """One batch with its costs."""
        return self._views.get(batch, id(costs), lambda: BatchView.of(batch, costs))

    def _make(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        batches = _without(history, active)
        at, recent = self._nearest(batches, costs)
        index = recent.index.until(recent.shared_with(batches))
        for batch in batches[index.stored :]:
            index = index.append(batch, self.view(batch, costs))
        if at is not None:
            del self._recent[at]
        self._recent = [_Recent(costs, index, batches), *self._recent[: _INDEXES_KEPT - 1]]
        return index

    def _nearest(self, history: Sequence[Batch], costs: FrameCosts) -> tuple[int | None, _Recent]:
        """The newest index that begins as the history does."""
        for at, recent in enumerate(self._recent):
            if recent.costs is costs and recent.index.begins_as(history):
                return at, recent
        return None, _Recent(costs, HistoryIndex.empty(costs), ())


@dataclass(frozen=True, slots=True)
class _Recent:
    """An index and what it was made from."""

    costs: FrameCosts
    index: HistoryIndex
    history: tuple[Batch, ...]

    def shared_with(self, history: tuple[Batch, ...]) -> int:
        """How many batches both begin with."""
        if len(self.history) <= len(history):
            try:
                # Tuples compare by their first items that differ: it copies and touches none of the others.
                if self.history <= history:
                    return len(self.history)
            except TypeError:
                # Two batches differ, and have no order.
                pass
        return self.index.shared_with(history)


def _without(history: Sequence[Batch], active: str | None) -> tuple[Batch, ...]:
    if active is None:
        return tuple(history)
    if history and history[-1].id == active:
        return tuple(history[:-1])
    return tuple(batch for batch in history if batch.id != active)
