"""The oldest messages are folded into summaries, some at a time, as far as the room demands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from inspector.context.history.choice import Choice, Room
from inspector.context.history.folding import Folder, Marks
from inspector.context.history.index import HistoryIndex
from inspector.domain.limits import RecursiveSummarization

MARKS = Marks(1.0, 0.9)
"""It is shortened when it does not fit, and a little further, so that the next batch does not shorten it again."""


def choose(settings: RecursiveSummarization, index: HistoryIndex, room: Room) -> Choice:
    """All but the oldest chunks of at least `chunk_size` messages that do not fit."""
    return Folder(index, room, MARKS, Chunks(settings.chunk_size)).choose()


@dataclass(frozen=True, slots=True)
class Chunks:
    """Behind chunks of at least `size` messages each, counted from the oldest that may be sent."""

    size: int

    def behind(self, index: HistoryIndex, at: int) -> Sequence[int]:
        """The batches from one on that follow a whole chunk."""
        ends, count = index.chunk_ends(self.size)
        return ends[bisect_left(ends, at, 0, count) : count]

    def until(self, index: HistoryIndex, at: int) -> int:
        """The last batch up to one that follows a whole chunk."""
        ends, count = index.chunk_ends(self.size)
        place = bisect_right(ends, at, 0, count)
        return ends[place - 1] if place else 0
