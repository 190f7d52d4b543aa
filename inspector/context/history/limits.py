"""What bounds a history: the first batch that each allows, and what would have to be raised for another."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

from inspector.context.history.index import HistoryIndex
from inspector.domain.rules import OutRule


class Bound(Protocol):
    """What keeps out all batches before one."""

    @property
    def rule(self) -> OutRule:
        """What is said of a batch that it keeps out."""
        ...

    @property
    def action(self) -> str:
        """What a person can raise."""
        ...

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch from which on the run to now is within the bound."""
        ...

    def needed(self, index: HistoryIndex, at: int) -> int:
        """What the setting must be for the run from a batch to now."""
        ...

    def figures(self) -> Hashable:
        """What `needed` depends on beside the index."""
        ...


class Measured(Enum):
    """What a bound counts."""

    MESSAGES = "messages"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class AtMost:
    """At most `most` messages or tokens besides the active batch.

    Attributes:
        rule: What is said of a batch that it keeps out.
        action: What a person can raise.
        measured: What is counted.
        most: How many may go in.
        offset: What the setting counts beyond that: a batch that needs n is allowed by a setting of n + offset.
    """

    rule: OutRule
    action: str
    measured: Measured
    most: int
    offset: int

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch from which on the run to now is within the bound."""
        by_messages = self.measured is Measured.MESSAGES
        return index.first_of_messages(self.most) if by_messages else index.first_of_tokens(self.most)

    def needed(self, index: HistoryIndex, at: int) -> int:
        """What the setting must be for the run from a batch to now."""
        by_messages = self.measured is Measured.MESSAGES
        return (index.messages_from(at) if by_messages else index.tokens_from(at)) + self.offset

    def figures(self) -> Hashable:
        """What `needed` depends on beside the index."""
        return (self.rule, self.most, self.offset)


@dataclass(frozen=True, slots=True)
class NotOlder:
    """Batches last written at most some hours before `now`, and the newest of at least `floor` messages."""

    now: datetime
    hours: float
    floor: int
    rule: OutRule = OutRule.HISTORY_DECAYED
    action: str = "raise_compress_after_hours"

    def is_young(self, index: HistoryIndex, at: int) -> bool:
        """Whether a batch is young enough to stay."""
        return self.now - index.view(at).last_at <= _hours(self.hours)

    def oldest(self, index: HistoryIndex) -> int:
        """The batch before which none is young enough."""
        try:
            return index.not_older(self.now - _hours(self.hours))
        except OverflowError:
            return 0

    def first(self, index: HistoryIndex, lowest: int = 0) -> int:
        """The oldest batch of the unbroken run that is young enough or within the floor; none before `lowest`."""
        first = index.count
        while first > lowest and (index.messages_from(first) < self.floor or self.is_young(index, first - 1)):
            first -= 1
        return first

    def needed(self, index: HistoryIndex, at: int) -> int:
        """The hours that leave the run from a batch to now in."""
        return max(0, math.ceil((self.now - index.oldest_from(at)) / timedelta(hours=1)))

    def figures(self) -> Hashable:
        """What `needed` depends on beside the index."""
        return (self.rule, self.now, self.hours, self.floor)


def first_within(index: HistoryIndex, bounds: Sequence[Bound]) -> int:
    """The oldest batch that all bounds allow."""
    return max((bound.first(index) for bound in bounds), default=0)


def from_user(index: HistoryIndex, first: int) -> int:
    """The batch that a trimmed run begins with: the next one that a user's message begins.

    A run that is not trimmed stays as the conversation is.
    """
    return 0 if first == 0 else index.user_start(first)


def _hours(hours: float) -> timedelta:
    try:
        return timedelta(hours=max(0.0, hours))
    except OverflowError:
        return timedelta.max
