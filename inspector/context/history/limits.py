"""The limits on a history: the first batch each one allows, and how far to raise it for one more."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

from inspector.context.history.index import HistoryIndex
from inspector.context.window import ContextWindow
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.ref import Ref
from inspector.domain.requests import Fix, FixStep
from inspector.domain.rules import OutRule


class Bound(Protocol):
    """What keeps out all batches before one."""

    @property
    def rule(self) -> OutRule:
        """What is said of a batch that it keeps out."""
        ...

    @property
    def action(self) -> str: ...

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch from which on the run to now is within the bound."""
        ...

    def needed(self, index: HistoryIndex, at: int) -> int:
        """What the setting must be for the run from a batch to now."""
        ...

    def figures(self) -> Hashable: ...


class BoundMeasure(Enum):
    """What a limit on the history counts."""

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
        window: Where the setting is the window itself: of that, n + offset must be available.
        spares_newest: Whether the newest batch is in whatever it has: what a strategy likes to keep at most must
            not lose all that was said last because that is one long turn.
    """

    rule: OutRule
    action: str
    measured: BoundMeasure
    most: int
    offset: int
    window: ContextWindow | None = None
    spares_newest: bool = False

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch from which on the run to now is within the bound."""
        by_messages = self.measured is BoundMeasure.MESSAGES
        first = index.first_of_messages(self.most) if by_messages else index.first_of_tokens(self.most)
        return max(0, min(first, index.count - 1)) if self.spares_newest else first

    def needed(self, index: HistoryIndex, at: int) -> int:
        """What the setting must be for the run from a batch to now."""
        by_messages = self.measured is BoundMeasure.MESSAGES
        return self.setting(index.messages_from(at) if by_messages else index.tokens_from(at))

    def setting(self, most: int) -> int:
        """What the setting must be for so many to go in."""
        needed = most + self.offset
        return needed if self.window is None else self.window.needed(needed)

    def figures(self) -> Hashable:
        return (self.rule, self.most, self.offset, self.window, self.spares_newest)


def newest_messages(rule: OutRule, action: str, wanted: int, active: int) -> AtMost:
    """At most so many messages, the active batch's among them; where any are wanted, the newest batch is in whole."""
    more = wanted - active
    return AtMost(rule, action, BoundMeasure.MESSAGES, more, active, spares_newest=more > 0)


@dataclass(frozen=True, slots=True)
class AgeBound:
    """Batches last written at most some hours before `now`, and the newest of at least `floor` messages."""

    now: datetime
    hours: float
    floor: int
    rule: OutRule = OutRule.HISTORY_DECAYED
    action: str = "raise_compress_after_hours"

    def is_young(self, index: HistoryIndex, at: int) -> bool:
        return self.holds(index.view(at).last_at)

    def holds(self, moment: datetime) -> bool:
        return self.now - moment <= _hours(self.hours)

    def oldest(self, index: HistoryIndex) -> int:
        """The batch before which none is young enough."""
        try:
            return index.not_older(self.now - _hours(self.hours))
        except OverflowError:
            return 0

    def first(self, index: HistoryIndex) -> int:
        """The oldest batch of the unbroken run that is young enough or within the floor."""
        least = index.first_of_floor(self.floor)
        try:
            return min(least, index.last_older(least, self.now - _hours(self.hours)) + 1)
        except OverflowError:
            return 0

    def needed(self, index: HistoryIndex, at: int) -> int:
        """The hours that leave the run from a batch to now in."""
        return max(0, math.ceil((self.now - index.oldest_from(at)) / timedelta(hours=1)))

    def figures(self) -> Hashable:
        return (self.rule, self.now, self.hours, self.floor)


def raising(wanted: Sequence[tuple[Bound, int]], agent: Ref, facts: Parameters) -> Fix:
    """What sets each bound's setting to a value; `facts` are of all of them together."""
    if len(wanted) == 1:
        ((bound, value),) = wanted
        return Fix(bound.action, agent, value, {"value": value})
    if any(bound.rule is OutRule.WINDOW_FULL for bound, _ in wanted):
        # What the window leaves changes with every keystroke, and memory has its share of a larger one.
        return Fix("raise_history", agent, None, facts)
    return Fix(
        "raise_history", agent, None, facts, tuple([FixStep(each.action, value) for each, value in wanted])
    )


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
