"""The strategies by their settings' class: one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from inspector.context.history.batches import HistoryIndex
from inspector.context.history.limits import Bound, Measured, first_within, from_user
from inspector.domain.health import Problem, Severity
from inspector.domain.limits import Hysteresis, Strategy, Truncate, Window
from inspector.domain.rules import OutRule


class SummaryUse(Enum):
    """Which summaries stand for what is left out."""

    COVERING = "covering"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Choice:
    """The run from eligible batch `first` to now, by these bounds."""

    first: int
    bounds: tuple[Bound, ...]
    summaries: SummaryUse = SummaryUse.COVERING


@dataclass(frozen=True, slots=True)
class Room:
    """What the history may take: the bounds that hold whatever the strategy, and how much is active.

    `bounds` are ordered as they are named to a person where several keep a batch out.
    """

    bounds: tuple[Bound, ...]
    tokens: int
    active_messages: int


def truncate(strategy: Truncate, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `keep_recent` messages."""
    active = room.active_messages
    recent = Bound(
        OutRule.HISTORY_KEEP_RECENT,
        "raise_keep_recent",
        Measured.MESSAGES,
        strategy.keep_recent - active,
        active,
    )
    bounds = (recent, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds)


def window(strategy: Window, index: HistoryIndex, room: Room) -> Choice:
    """The newest whole batches of at most `verbatim_count` messages, and the latest summary."""
    active = room.active_messages
    count = Bound(
        OutRule.HISTORY_KEEP_RECENT,
        "raise_verbatim_count",
        Measured.MESSAGES,
        strategy.verbatim_count - active,
        active,
    )
    bounds = (count, *room.bounds)
    return Choice(from_user(index, first_within(index, bounds)), bounds, SummaryUse.LATEST)


def hysteresis(strategy: Hysteresis, index: HistoryIndex, room: Room) -> Choice:
    """What is left after shortening to the low mark each time that the history passed the high one.

    Played through from the first batch, so that the beginning stays the same from one Request to the next
    as long as the room does.
    """
    high, low = (max(0, int(room.tokens * share)) for share in (strategy.high, strategy.low))
    sums = index.token_sums
    first = 0
    for end in range(1, len(sums)):
        if sums[end] - sums[first] > high:
            while first < end - 1 and sums[end] - sums[first] > low:
                first += 1
            first = from_user(index, first)
    first = max(first, first_within(index, room.bounds))
    low_mark = Bound(OutRule.HISTORY_FULL, None, Measured.TOKENS, index.tokens_from(first), 0)
    return Choice(from_user(index, first), (*room.bounds, low_mark))


STRATEGY_CHOICES: dict[type[Strategy], Callable[[Any, HistoryIndex, Room], Choice]] = {
    Truncate: truncate,
    Window: window,
    Hysteresis: hysteresis,
}
"""Those that can be built now."""


def usable_strategy(asked: Strategy) -> tuple[Strategy, tuple[Problem, ...]]:
    """The strategy itself, or `truncate` and a problem that says so."""
    if type(asked) in STRATEGY_CHOICES:
        return asked, ()
    facts = {"strategy": asked.kind, "used": Truncate.kind}
    return Truncate(), (Problem("strategy_not_available", Severity.WARNING, "history", facts),)
