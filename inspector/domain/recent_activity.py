"""Chooses the recent events that are shown, oldest first."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from inspector.domain.activity import Event
from inspector.domain.agents import ActivitySettings
from inspector.domain.dataclass import dataclass

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
class HiddenEvent:
    """An event that is not shown.

    `needed` is what its setting would have to be for it to come in: the hours of the look-back, or the number of
    entries. None where no setting brings it in, or the least importance, which the event itself tells. `is_last` says
    whether nothing else keeps it out, so that this setting alone brings it in.
    """

    event: Event
    bar: EventBar
    needed: int | None = None
    is_last: bool = True


@dataclass(frozen=True, slots=True)
class RecentEvents:
    """The events that are shown, in the order in which they were written, and the others."""

    shown: tuple[Event, ...]
    passed: tuple[HiddenEvent, ...]


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
    barred: list[HiddenEvent] = []
    recent: list[Event] = []
    ordered = sorted(events, key=written_order)
    for event in ordered:
        bar = _barred(event, settings, now)
        if bar is None:
            recent.append(event)
        else:
            barred.append(bar)
    limit = max(0, settings.entries_limit)
    taken, surplus, own = _newest(recent, settings, reader, limit)
    # Where newer ones take all places, no older one comes in, whatever else is changed.
    first = min(map(written_order, taken), default=None) if len(taken) >= limit else None
    rest: list[Event] = []
    for event in surplus:
        if event.agent_id == reader and len(taken) < limit:
            taken.append(event)
        else:
            rest.append(event)
    hopeful = {each.event.id for each in barred if first is None or written_order(each.event) > first}
    alone = _alone(ordered, hopeful, settings, reader, now) if limit and hopeful else frozenset()
    passed = [replace(each, is_last=True) if each.event.id in alone else each for each in barred]
    is_capped = settings.own_events_cap <= own < limit
    places = _places(recent, settings, reader)
    for event in rest:
        bar_of = EventBar.OWN_CAP if event.agent_id == reader and is_capped else EventBar.LIMIT
        passed.append(HiddenEvent(event, bar_of, places[event.id]))
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


def _barred(event: Event, settings: ActivitySettings, now: datetime) -> HiddenEvent | None:
    age = now - event.timestamp
    if age < timedelta(0):
        return HiddenEvent(event, EventBar.FUTURE, is_last=False)
    if age > timedelta(hours=min(settings.lookback_hours, _LONGEST_LOOK_BACK_HOURS)):
        return HiddenEvent(event, EventBar.OLD, int(age.total_seconds() // 3600) + 1, is_last=False)
    if event.importance < settings.min_importance:
        return HiddenEvent(event, EventBar.MINOR, is_last=False)
    return None


def _places(recent: Sequence[Event], settings: ActivitySettings, reader: str) -> Mapping[str, int]:
    """How many entries there have to be for each event: the reader's own beyond the cap come last."""
    first: list[Event] = []
    last: list[Event] = []
    own = 0
    for event in reversed(recent):
        is_own = event.agent_id == reader
        (last if is_own and own >= settings.own_events_cap else first).append(event)
        own += is_own
    return {event.id: place for place, event in enumerate((*first, *last), start=1)}


def _alone(
    events: Sequence[Event], hopeful: Collection[str], settings: ActivitySettings, reader: str, now: datetime
) -> frozenset[str]:
    """The ids of the hopeful that are too old or too minor, and come in when that one setting is changed for them."""
    ages = {each.id: (now - each.timestamp).total_seconds() for each in events}
    longest = 3600 * min(settings.lookback_hours, _LONGEST_LOOK_BACK_HOURS)
    heard = [each for each in events if each.importance >= settings.min_importance and ages[each.id] >= 0]
    recent = [each for each in events if 0 <= ages[each.id] <= longest]
    by_age = {each.id: ages[each.id] for each in heard}
    hours = {
        each.id: 3600.0 * (ages[each.id] // 3600 + 1)
        for each in heard
        if ages[each.id] > longest and each.id in hopeful
    }
    by_weight = {each.id: -float(each.importance) for each in recent}
    minor = {
        each.id: by_weight[each.id]
        for each in recent
        if each.importance < settings.min_importance and each.id in hopeful
    }
    return frozenset(
        (
            *_brought_in(heard, by_age, hours, settings, reader),
            *_brought_in(recent, by_weight, minor, settings, reader),
        )
    )


def _brought_in(
    events: Sequence[Event],
    keys: Mapping[str, float],
    bounds: Mapping[str, float],
    settings: ActivitySettings,
    reader: str,
) -> Iterator[str]:
    """Of those with a bound, the ones that have a place when all that have keys up to their bound take part."""
    if not bounds:
        return
    limit, cap = max(0, settings.entries_limit), settings.own_events_cap
    strangers = sorted(keys[each.id] for each in events if each.agent_id != reader)
    newer: tuple[list[float], list[float]] = ([], [])
    for event in reversed(events):
        is_own = event.agent_id == reader
        bound = bounds.get(event.id)
        if bound is not None:
            others, own = (bisect_right(each, bound) for each in newer)
            if is_own and own >= cap:
                # Beyond the cap its own come behind all others.
                others, place = bisect_right(strangers, bound), own
            else:
                place = min(own, cap)
            if others + place < limit:
                yield event.id
        insort(newer[is_own], keys[event.id])
