"""Views of the past follow the order in which things came, as those of the present do, whatever the clock said."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inspector.domain.agents import ContextConfig
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import ConfigureAgent, EditSummary, LogEvent, StoreSummary
from inspector.domain.edits.text import SetText
from inspector.domain.limits import Hysteresis, LimitOverrides
from inspector.domain.past_requests import RebuildVerdict
from inspector.domain.records import TEST_CALL
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import PositionRange
from inspector.runtime import past_requests
from inspector.runtime.engine import Engine
from tests.fixtures import HeldClock
from tests.runtime.test_past_views import ADA, BOB, World, begin


async def fold(world: World, name: str, first: int) -> None:
    """Store a summary a day before the last one."""
    world.clock.now -= timedelta(days=1)
    now = world.clock()
    told = StoreSummary(ADA, f"Summary {name}.", (), now, now, 2, covers=PositionRange(first, first + 1))
    await world.do(Ref(RefKind.SUMMARY, f"sum_{name}"), told)


async def test_that_summaries_of_the_past_come_in_the_order_in_which_they_were_written(
    opened: Engine, clock: HeldClock
) -> None:
    world = World(opened, clock)
    await begin(world)
    for number, name in enumerate("zyx", 2):
        await world.say(number, name)
        await fold(world, name, 2 * number - 1)
    seen = [(clock(), (await world.view()).summaries)]
    for name, operation in (
        ("y", DeleteRow()),
        ("z", EditSummary("Other.")),
        ("x", DeleteRow()),
        ("y", RestoreRow()),
        ("z", DeleteRow()),
    ):
        await world.do(Ref(RefKind.SUMMARY, f"sum_{name}"), operation)
        seen.append((clock(), (await world.view()).summaries))
    assert [each.id for each in seen[-1][1]] == ["sum_1", "sum_z", "sum_y", "sum_x"]
    for moment, summaries in seen:
        assert (await opened.past.at(ADA, moment)).snapshot.summaries == summaries


async def test_that_the_last_run_is_the_one_that_was_stored_last(opened: Engine, clock: HeldClock) -> None:
    world = World(opened, clock)
    await begin(world)
    noon = clock.now
    first = await world.send()
    clock.now = noon - timedelta(hours=2)
    await world.block("a", SetText("between"))
    between = clock()
    clock.now = noon - timedelta(hours=1)
    second = await world.send()
    clock.advance(minutes=1)
    assert (await opened.past.run(ADA, "last")).id == second
    newest = await opened.past.last_sent(ADA)
    assert newest is not None
    assert newest.id == second
    for at, wanted in ((between, first), (clock(), second), (noon + timedelta(hours=1), second)):
        logged = (await opened.past.at(ADA, at)).logged
        assert logged is not None
        assert logged.run.id == wanted


async def test_that_the_newest_sent_request_is_found_behind_any_number_of_test_calls(
    opened: Engine, clock: HeldClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_requests, "_NEWEST", 2)
    world = World(opened, clock)
    await begin(world)
    assert await opened.past.last_sent(ADA) is None
    sent, found = "", []
    for kind in ("turn", TEST_CALL, TEST_CALL, TEST_CALL, "turn", TEST_CALL):
        made = await world.send(kind=kind)
        sent = made if kind == "turn" else sent
        newest = await opened.past.last_sent(ADA)
        found.append(newest is not None and newest.id == sent)
    assert all(found)
    everything = await opened.past.runs(ADA)
    assert len(everything) == 2
    assert await opened.past.runs(ADA, 2) == everything[-1:]
    assert await opened.past.runs(ADA, 0) == ()


async def test_that_nothing_was_sent_before_the_first_run_was_stored(
    opened: Engine, clock: HeldClock
) -> None:
    world = World(opened, clock)
    await begin(world)
    before = clock()
    await world.send()
    assert (await opened.past.at(ADA, before)).logged is None
    assert (await opened.past.at(ADA, clock())).logged is not None


async def test_that_requests_sent_while_the_clock_went_back_are_built_from_the_state_before_them(
    opened: Engine, clock: HeldClock
) -> None:
    world = World(opened, clock)
    await begin(world)
    config = ContextConfig(limits=LimitOverrides(history_tokens=120), strategy=Hysteresis(0.95, 0.5))
    await world.do(Ref(RefKind.AGENT, ADA), ConfigureAgent(config=config))
    runs = []
    for number in range(2, 10):
        clock.now -= timedelta(days=1)
        await world.say(number, f"turn {number} with some words in it")
        runs.append(await world.send())
    found = [await opened.past.rebuild(await opened.past.run(ADA, run)) for run in runs]
    assert {each.verdict for each in found} == {RebuildVerdict.REPRODUCED}
    states = [each.snapshot.history_state for each in found if each.snapshot is not None]
    assert len({None if each is None else repr(each) for each in states}) > 2


async def test_that_activity_written_before_a_clock_was_set_back_is_part_of_what_was_sent_after_it(
    opened: Engine, clock: HeldClock
) -> None:
    world = World(opened, clock)
    await begin(world)
    clock.advance(minutes=1)
    await world.do(Ref(RefKind.EVENT, "evt_2"), LogEvent(BOB, "weather", '{"sky":"blue"}'))
    clock.now -= timedelta(hours=6)
    await world.do(Ref(RefKind.EVENT, "evt_3"), LogEvent(BOB, "weather", '{"sky":"grey"}'))
    run = await world.send()
    await world.do(Ref(RefKind.EVENT, "evt_4"), LogEvent(BOB, "weather", '{"sky":"black"}'))
    live = (await world.view()).events
    found = await opened.past.rebuild(await opened.past.run(ADA, run))
    assert found.snapshot is not None
    assert found.snapshot.events == live[: len(live) - 1]
    assert {"evt_2", "evt_3"} < {each.id for each in found.snapshot.events}
    assert found.verdict is RebuildVerdict.REPRODUCED
