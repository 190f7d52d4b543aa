"""Which of the recent events a reader is shown. Events stand in the order in which they were written, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from inspector.domain.activity import Event
from inspector.domain.agents import ActivitySettings

_LONGEST_LOOK_BACK_HOURS = 10_000_000
"""More than a thousand years; what a `timedelta` can hold."""


class EventBar(StrEnum):
    """Why an event is not shown."""

    FUTURE = "future"
    OLD = "old"
    MINOR = "minor"
    OWN_CAP = "own_cap"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Passed:
    """An event that is not shown.

    `needed` is what its setting would have to be for it to come in: the hours of the look-back, or the number of
    entries. None where no setting brings it in, or the least importance, which the event itself tells.
    """

    event: Event
    bar: EventBar
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class RecentEvents:
    """The events that are shown, in the order in which they were written, and the others."""

    shown: tuple[Event, ...]
    passed: tuple[Passed, ...]


def recent_events(
    events: Sequence[Event], settings: ActivitySettings, reader: str, now: datetime
) -> RecentEvents:
    """The newest events that the settings allow.

    The reader's own are capped only while others' would be displaced: they are passed over from the cap on, and come
    in again where room is left.

    Args:
        events: Events of all agents, in any order.
        settings: How many, how old, how important.
        reader: The id of the agent that reads.
        now: The moment to look back from.
    """
    passed: list[Passed] = []
    recent: list[Event] = []
    for event in sorted(events, key=written_order):
        bar = _barred(event, settings, now)
        if bar is None:
            recent.append(event)
        else:
            passed.append(bar)
    limit = max(0, settings.entries_limit)
    taken, surplus, own = _newest(recent, settings, reader, limit)
    rest: list[Event] = []
    for event in surplus:
        if event.agent_id == reader and len(taken) < limit:
            taken.append(event)
        else:
            rest.append(event)
    is_capped = settings.own_events_cap <= own < limit
    for place, event in enumerate(rest, start=limit + 1):
        bar_of = EventBar.OWN_CAP if event.agent_id == reader and is_capped else EventBar.LIMIT
        passed.append(Passed(event, bar_of, place))
    return RecentEvents(tuple(sorted(taken, key=written_order)), tuple(passed))


def written_order(event: Event) -> tuple[int, str]:
    """What events are sorted by: a clock may be set back, the sequence is not."""
    return event.seq, event.id


def _newest(
    recent: Sequence[Event], settings: ActivitySettings, reader: str, limit: int
) -> tuple[list[Event], list[Event], int]:
    """Those taken first, those passed over (both newest first), and how many of the taken are the reader's own."""
    taken: list[Event] = []
    surplus: list[Event] = []
    own = 0
    for event in reversed(recent):
        is_own = event.agent_id == reader
        if len(taken) >= limit or (is_own and own >= settings.own_events_cap):
            surplus.append(event)
        else:
            taken.append(event)
            own += is_own
    return taken, surplus, own


def _barred(event: Event, settings: ActivitySettings, now: datetime) -> Passed | None:
    age = now - event.timestamp
    if age < timedelta(0):
        return Passed(event, EventBar.FUTURE)
    if age > timedelta(hours=min(settings.lookback_hours, _LONGEST_LOOK_BACK_HOURS)):
        return Passed(event, EventBar.OLD, int(age.total_seconds() // 3600) + 1)
    if event.importance < settings.min_importance:
        return Passed(event, EventBar.MINOR)
    return None
