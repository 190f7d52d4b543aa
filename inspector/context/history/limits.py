"""What bounds a history, and the first batch that all bounds allow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from inspector.context.history.batches import HistoryIndex
from inspector.domain.rules import OutRule


class Measured(Enum):
    """What a bound counts."""

    MESSAGES = "messages"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `most` messages or tokens besides the active batch.

    Attributes:
        rule: What is said of a batch that it keeps out.
        action: What a person can raise, None if nothing.
        measured: What is counted.
        most: How many may go in.
        offset: What the setting counts beyond that: a batch that needs n is allowed by a setting of n + offset.
    """

    rule: OutRule
    action: str | None
    measured: Measured
    most: int
    offset: int

    def sums(self, index: HistoryIndex) -> list[int]:
        """The index's running sums of what is counted."""
        return index.message_sums if self.measured is Measured.MESSAGES else index.token_sums

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch from which on the run to now is within the bound."""
        sums = self.sums(index)
        return min(bisect_left(sums, sums[-1] - self.most), len(index.eligible))

    def needed(self, index: HistoryIndex, first: int) -> int:
        """What the setting must be for the run from a batch to now."""
        sums = self.sums(index)
        return sums[-1] - sums[first] + self.offset


def first_within(index: HistoryIndex, bounds: Sequence[Bound]) -> int:
    """The oldest batch that all bounds allow."""
    return max((bound.first(index) for bound in bounds), default=0)


def from_user(index: HistoryIndex, first: int) -> int:
    """The batch that a trimmed run begins with: the next one that a user's message begins.

    A run that is not trimmed stays as the conversation is.
    """
    if first == 0:
        return 0
    starts = index.user_starts
    at = bisect_left(starts, first)
    return starts[at] if at < len(starts) else len(index.eligible)
