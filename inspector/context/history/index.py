"""Indexes a history's batches with running sums of tokens for the strategies.

What a stretch of batches takes is the difference of two sums. A history that has grown, or was changed in its middle,
gets a new index; what its batches cost is taken over from the one before it. Choosing from 100,000 messages takes
milliseconds so; ways that go over all messages for each decision take seconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from itertools import accumulate

from inspector.context.counting.frames import FrameCosts
from inspector.context.history.batches import BatchView
from inspector.context.identity import BuildCache
from inspector.domain.messages import Batch
from inspector.domain.requests import LeftOut

_INDEXES_KEPT = 8


class HistoryIndex:
    """A history's batches. Those that may be sent are numbered from 0, the oldest.

    Args:
        stored: All batches, oldest first.
    """

    def __init__(self, stored: Iterable[BatchView]) -> None:
        self.stored = tuple(stored)
        self._views = [view for view in self.stored if view.sendable and view.is_complete]
        self._token_sums = _sums(view.tokens for view in self._views)
        self._message_sums = _sums(len(view.sendable) for view in self._views)
        self._positions = [view.position for view in self._views]
        self._starts = [at for at, view in enumerate(self._views) if view.begins_with_user]
        self._chunks: dict[int, list[int]] = {}
        self.count = len(self._views)

    def view(self, at: int) -> BatchView:
        return self._views[at]

    def views(self, first: int, end: int | None = None) -> Sequence[BatchView]:
        return self._views[first:end]

    def tokens_from(self, first: int) -> int:
        return self._token_sums[self.count] - self._token_sums[first]

    def messages_from(self, first: int) -> int:
        return self._message_sums[self.count] - self._message_sums[first]

    def messages_between(self, first: int, end: int) -> int:
        return self._message_sums[end] - self._message_sums[first]

    def first_of_tokens(self, most: int) -> int:
        """The oldest batch from which on the run to now is within some tokens; `count` if none is."""
        return self._first_of(self._token_sums, most)

    def first_of_messages(self, most: int) -> int:
        """The oldest batch from which on the run to now is within some messages; `count` if none is."""
        return self._first_of(self._message_sums, most)

    def first_of_floor(self, least: int) -> int:
        """The newest batch from which on the run to now has at least so many messages; 0 if none has."""
        sums = self._message_sums
        return max(0, bisect_right(sums, sums[self.count] - least, 0, self.count + 1) - 1)

    def after_messages(self, first: int, messages: int) -> int:
        """The first batch before which at least so many messages of the run from `first` stand."""
        sums = self._message_sums
        return bisect_left(sums, sums[first] + messages, first, self.count + 1)

    def at_position(self, position: int) -> int:
        """The first batch that begins at a position or behind it."""
        return bisect_left(self._positions, position, 0, self.count)

    def user_start(self, first: int) -> int:
        """The first batch from `first` on that a user's message begins; `count` if there is none."""
        at = bisect_left(self._starts, first)
        return self._starts[at] if at < len(self._starts) else self.count

    def user_start_until(self, at: int) -> int:
        """The last batch up to `at` that a user's message begins; 0 if there is none."""
        place = bisect_right(self._starts, at)
        return self._starts[place - 1] if place else 0

    def user_starts(self, first: int) -> Sequence[int]:
        """All batches from `first` on that a user's message begins."""
        return self._starts[bisect_left(self._starts, first) :]

    def savings_between(self, first: int, end: int) -> int:
        """What eliding all tool results of the batches from one up to another saves."""
        return self._saving_sums[end] - self._saving_sums[first]

    def not_older(self, moment: datetime) -> int:
        """The batch before which all were last written before a moment."""
        return bisect_left(self._latest, moment)

    def last_older(self, end: int, moment: datetime) -> int:
        """The newest batch before `end` that was last written before a moment; -1 if there is none."""
        since = min(self.not_older(moment), end)
        # Behind that one an older batch can only be where a clock was set back.
        places = self._set_back
        for place in reversed(places[bisect_left(places, since) : bisect_left(places, end)]):
            if self.view(place).last_at < moment:
                return place
        return since - 1

    def oldest_from(self, first: int) -> datetime:
        """The earliest moment at which a batch of the run from `first` to now was last written."""
        return self._oldest[self.count - 1 - first]

    def chunk_ends(self, size: int) -> Sequence[int]:
        """The batches behind chunks of at least `size` messages, each before a user's message."""
        if size not in self._chunks:
            ends: list[int] = []
            at = 0
            while (at := self.user_start(self.after_messages(at, max(1, size)))) < self.count:
                ends.append(at)
            self._chunks[size] = ends
        return self._chunks[size]

    def by_rank(self, end: int) -> Iterator[tuple[float, int]]:
        """The batches before one with their importance, the most important first, of two equal ones the newer."""
        return ((-score, -at) for score, at in self._ranks if -at < end)

    @cached_property
    def fewest_messages(self) -> int:
        return min((len(view.sendable) for view in self._views), default=0)

    @cached_property
    def fewest_tokens(self) -> int:
        return min((view.tokens for view in self._views), default=0)

    @cached_property
    def never(self) -> tuple[LeftOut, ...]:
        """What is said of batches and messages that are never sent."""
        return tuple(row for view in self.stored for row in view.never)

    @cached_property
    def _saving_sums(self) -> list[int]:
        return _sums(view.savings for view in self._views)

    @cached_property
    def _latest(self) -> list[datetime]:
        return list(accumulate((view.last_at for view in self._views), max))

    @cached_property
    def _set_back(self) -> list[int]:
        return [
            at
            for at, (before, view) in enumerate(zip(self._latest, self._views[1:], strict=False), 1)
            if view.last_at < before
        ]

    @cached_property
    def _oldest(self) -> list[datetime]:
        return list(accumulate((view.last_at for view in reversed(self._views)), min))

    @cached_property
    def _ranks(self) -> list[tuple[float, int]]:
        return sorted((-view.importance, -at) for at, view in enumerate(self._views))

    def _first_of(self, sums: list[int], most: int) -> int:
        return min(bisect_left(sums, sums[self.count] - most, 0, self.count + 1), self.count)


def _sums(figures: Iterable[int]) -> list[int]:
    return list(accumulate(figures, initial=0))


class HistoryReader:
    """Makes indexes from histories; what is known of a batch is taken over from the one before."""

    def __init__(self, cache: BuildCache) -> None:
        self._cache = cache
        self._recent: list[HistoryIndex] = []

    def index(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        key = ("index", active, id(costs))
        return self._cache.wholes.get(history, key, lambda: self._make(history, active, costs))

    def view(self, batch: Batch, costs: FrameCosts) -> BatchView:
        return self._cache.parts.get(batch, ("view", id(costs)), lambda: BatchView.of(batch, costs))

    def _make(self, history: Sequence[Batch], active: str | None, costs: FrameCosts) -> HistoryIndex:
        batches = [batch for batch in history if batch.id != active]
        # Of a long history more is held there than a cache could.
        before = next((each for each in self._recent if batches and _is_of(each, batches[0], costs)), None)
        existing = {id(view.batch): view for view in before.stored} if before is not None else {}
        index = HistoryIndex(existing.get(id(batch)) or self.view(batch, costs) for batch in batches)
        self._recent = [index, *(each for each in self._recent if each is not before)][:_INDEXES_KEPT]
        return index


def _is_of(index: HistoryIndex, batch: Batch, costs: FrameCosts) -> bool:
    """Whether an index has a batch, under the same costs: a history may have let go of what stood before it."""
    at = bisect_left(index.stored, _place(batch), key=lambda view: _place(view.batch))
    return at < len(index.stored) and index.stored[at].batch is batch and index.stored[at].costs is costs


def _place(batch: Batch) -> int:
    return batch.messages[0].position
