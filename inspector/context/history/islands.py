"""Picks single older batches before the newest messages, with a mark at each gap."""

from __future__ import annotations

from bisect import insort
from itertools import pairwise

from inspector.context.history.choice import HistoryBudget
from inspector.context.history.index import HistoryIndex
from inspector.domain.messages import Message, Part, TextPart


class IslandRoom:
    """What the run leaves to single batches before it.

    A batch behind a gap begins with a user's message, which carries the mark.

    Args:
        index: The history.
        room: What it may take.
        first: The first batch of the run.
    """

    def __init__(self, index: HistoryIndex, room: HistoryBudget, first: int) -> None:
        self._index = index
        self._first = first
        self._messages = room.cap.most - index.messages_from(first)
        self._tokens = room.tokens - index.tokens_from(first)
        self._taken: list[int] = []
        # Without a run the active batch would stand behind the gap, and need not begin with a user's message.
        self._is_open = first < index.count or not room.active_messages

    @property
    def has_room(self) -> bool:
        has_tokens = self._tokens > 0 and self._tokens >= self._index.fewest_tokens
        return self._is_open and self._messages > 0 and has_tokens

    def take(self, at: int) -> bool:
        """Take a batch if it fits with the marks that it makes necessary."""
        view = self._index.view(at)
        if at and not view.begins_with_user:
            return False
        if len(view.sendable) > self._messages or view.tokens > self._tokens:
            return False
        tried = [*self._taken]
        insort(tried, at)
        spent = sum(self._index.view(each).tokens for each in tried)
        before = sum(self._index.view(each).tokens for each in self._taken)
        marks = self._marks(tried)
        if spent - before + marks > self._tokens:
            return False
        self._taken = tried
        self._tokens -= spent - before
        self._messages -= len(view.sendable)
        return True

    def taken(self) -> tuple[int, ...]:
        return tuple(self._taken)

    def _marks(self, taken: list[int]) -> int:
        kept = [*taken, self._first] if self._first < self._index.count else taken
        gaps = (
            self._index.messages_between(one + 1, other) for one, other in pairwise(kept) if other > one + 1
        )
        counter = self._index.view(0).costs.counter
        return sum(counter.count(gap_text(messages)).tokens for messages in gaps)


def gap_text(messages: int) -> str:
    """What a model reads where messages are left out."""
    return f"[{messages} {'message' if messages == 1 else 'messages'} left out here]"


def with_gap(message: Message, gap: str) -> tuple[Part, ...]:
    """The message's parts with the mark before them."""
    return (TextPart(gap), *message.content)
