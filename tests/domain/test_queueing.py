"""Back-off, dead letters, wakeups and requests for another turn, as rules of values."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.queueing import (
    FIRST_DELAY,
    LONGEST_DELAY,
    Firing,
    Settlement,
    fired,
    firing_of,
    next_try,
    state_after,
)
from inspector.domain.records import QueueState, Wakeup

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def test_that_each_failure_waits_twice_as_long_up_to_a_limit() -> None:
    delays = [next_try(NOW, attempts) - NOW for attempts in range(1, 10)]
    assert delays[:4] == [FIRST_DELAY * factor for factor in (1, 2, 4, 8)]
    assert delays == sorted(delays)
    assert next_try(NOW, 10_000) - NOW == LONGEST_DELAY


@given(st.integers(0, 10_000), st.floats(0, 86_400))
def test_that_a_try_never_comes_sooner_than_the_provider_says(attempts: int, seconds: float) -> None:
    assert next_try(NOW, attempts, seconds) >= NOW + timedelta(seconds=seconds)


@given(st.integers(1, 20), st.integers(1, 20))
def test_that_a_message_is_dead_after_its_last_try_and_not_before(attempts: int, most: int) -> None:
    failed = state_after(Settlement(QueueState.FAILED), attempts, most)
    assert (failed is QueueState.DEAD) == (attempts >= most)
    for state in (QueueState.PROCESSED, QueueState.PENDING, QueueState.DEAD):
        assert state_after(Settlement(state), attempts, most) is state


def test_that_a_wakeup_waits_for_its_time_and_fires_once_if_it_has_no_other() -> None:
    once = Wakeup("wak_1", "agt_1", "up", NOW)
    assert firing_of(once, NOW - timedelta(microseconds=1)) is None
    assert firing_of(once, NOW + timedelta(days=3)) == Firing(0, None)
    assert firing_of(Wakeup("wak_1", "agt_1", "up", NOW, 0), NOW) == Firing(0, None)


@given(st.integers(1, 10**6), st.integers(0, 10**9))
def test_that_however_long_a_machine_slept_a_wakeup_fires_once_and_keeps_its_rhythm(
    every: int, late: int
) -> None:
    now = NOW + timedelta(seconds=late)
    firing = firing_of(Wakeup("wak_1", "agt_1", "up", NOW, every), now)
    assert firing is not None
    assert firing.next_at is not None
    assert now < firing.next_at <= now + timedelta(seconds=every)
    assert (firing.next_at - NOW) % timedelta(seconds=every) == timedelta(0)
    assert firing.next_at == NOW + timedelta(seconds=every) * (firing.missed + 1)


def test_that_a_wakeup_at_the_end_of_time_fires_for_the_last_time() -> None:
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    assert firing_of(Wakeup("wak_1", "agt_1", "up", last, 10**9), last) == Firing(0, None)


def test_that_a_message_says_which_wakeup_it_is_of() -> None:
    message = fired(Wakeup("wak_1", "agt_1", "up", NOW, 60), Firing(3, NOW))
    assert (message.target_agent_id, message.content, message.origin) == ("agt_1", "up", "wakeup")
    assert json.loads(message.metadata) == {
        "wakeup": "wak_1",
        "due": "2026-11-20T12:00:00.000000Z",
        "missed": 3,
    }
