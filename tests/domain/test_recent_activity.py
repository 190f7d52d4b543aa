from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from inspector.domain.activity import Event, Importance
from inspector.domain.agents import ActivitySettings
from inspector.domain.recent_activity import EventBar, HiddenEvent, recent_events

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ME = "agent_me"


def an_event(seq: int, agent_id: str, hours: float, importance: Importance) -> Event:
    at = NOW - timedelta(hours=hours)
    return Event(f"evt_{seq}", seq, agent_id, "heartbeat", "{}", importance, at)


def invented(rng: Random) -> tuple[list[Event], ActivitySettings]:
    """Events of two agents, now and then dated out of order, and settings that leave some of them out."""
    events = [
        an_event(
            seq,
            rng.choice((ME, "agent_bob")),
            (30 - seq) * rng.choice((1, 1, 1, 0.2, 3)) - rng.choice((0, 0, 0, 8)),
            rng.choice(list(Importance)),
        )
        for seq in range(1, rng.randrange(2, 20))
    ]
    settings = ActivitySettings(
        entries_limit=rng.randrange(8),
        lookback_hours=rng.choice((0, 4, 12, 40)),
        own_events_cap=rng.randrange(5),
        min_importance=rng.choice(list(Importance)),
    )
    return events, settings


def mended(settings: ActivitySettings, passed: HiddenEvent) -> ActivitySettings:
    if passed.bar is EventBar.MINOR:
        return replace(settings, min_importance=passed.event.importance)
    assert passed.needed is not None
    if passed.bar is EventBar.OLD:
        return replace(settings, lookback_hours=passed.needed)
    return replace(settings, entries_limit=passed.needed)


def test_that_a_setting_is_said_to_bring_an_event_in_exactly_where_it_does() -> None:
    said = {True: 0, False: 0}
    for seed in range(1500):
        events, settings = invented(Random(seed))
        for passed in recent_events(events, settings, ME, NOW).passed:
            if passed.bar is EventBar.FUTURE:
                continue
            shown = recent_events(events, mended(settings, passed), ME, NOW).shown
            if passed.bar in (EventBar.OLD, EventBar.MINOR):
                assert (passed.event in shown) is passed.is_last, (seed, passed)
            else:
                assert passed.event in shown, (seed, passed)
            said[passed.is_last] += 1
    assert min(said.values()) > 1000


def test_that_looking_back_further_is_no_remedy_where_newer_events_take_all_places() -> None:
    newer = [an_event(seq, "agent_bob", 1, Importance.HIGH) for seq in range(2, 5)]
    old = an_event(1, "agent_bob", 30, Importance.HIGH)
    full = ActivitySettings(entries_limit=3, lookback_hours=24)
    (passed,) = recent_events([old, *newer], full, ME, NOW).passed
    assert (passed.bar, passed.is_last) == (EventBar.OLD, False)
    (passed,) = recent_events([old, *newer], replace(full, entries_limit=4), ME, NOW).passed
    assert (passed.needed, passed.is_last) == (31, True)
