"""The queue worker on a real file: order, one turn per agent, tries, leases, wakeups, and a clean stop."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from inspector.domain.actor import SYSTEM
from inspector.domain.agents import AgentStatus
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.queue import LeaseMessage, SettleMessage
from inspector.domain.edits.rows import (
    ConfigureAgent,
    CreateAgent,
    EnqueueMessage,
    SetQueueState,
    SetWakeup,
)
from inspector.domain.errors import InputError, RefusedError
from inspector.domain.queueing import (
    HEARTBEAT_ORIGIN,
    PROCESS_ENDED,
    QueueOptions,
    Settlement,
    processed,
)
from inspector.domain.records import QueuedMessage, QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.memory.queue_store import QueueShare
from inspector.runtime.engine import Engine
from inspector.runtime.queue_worker import QueueWorker
from tests.fixtures import NOON, HeldClock, OpenEngine

ADA, BOB = "agt_ada", "agt_bob"
SWIFT = QueueOptions(poll_seconds=0.01, auto_start_queue=True, auto_start_heartbeat=True)


async def do(engine: Engine, kind: RefKind, key: str, operation: Operation) -> None:
    """Apply one operation as the person."""
    await engine.apply([Intent(Edit(Ref(kind, key), operation), engine.actor)])


async def with_agents(engine: Engine) -> None:
    """Make two agents."""
    for agent in (ADA, BOB):
        await do(engine, RefKind.AGENT, agent, CreateAgent(agent))


async def enqueue(engine: Engine, key: str, agent: str = ADA, **given: object) -> None:
    """Put a message into an agent's queue; its text is its id."""
    await do(engine, RefKind.QUEUE, key, EnqueueMessage(None, agent, key, **given))  # type: ignore[arg-type]


async def states(engine: Engine) -> dict[str, tuple[QueueState, int]]:
    """The state and number of tries of each message."""
    return {each.id: (each.state, each.attempts) for each in (await engine.agents.queue())[0]}


async def message(engine: Engine, key: str) -> QueuedMessage:
    """One message as it is stored."""
    return next(each for each in (await engine.agents.queue())[0] if each.id == key)


def worker(
    engine: Engine,
    handle: Callable[[QueuedMessage], Awaitable[Settlement | None]],
    options: QueueOptions = SWIFT,
    agents: tuple[str, ...] | None = None,
) -> QueueWorker:
    """A worker that looks often."""
    return QueueWorker(engine.queue, handle, options, agents=agents)


class Recorder:
    """A handler that notes what it gets, and does what a message's text is mapped to."""

    def __init__(self, **answers: Settlement | Exception) -> None:
        self.heard: list[str] = []
        self.at_once: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self._answers = answers

    async def __call__(self, queued: QueuedMessage) -> Settlement | None:
        agent = queued.target_agent_id
        self.heard.append(queued.id)
        self.at_once[agent] = self.at_once.get(agent, 0) + 1
        self.most[agent] = max(self.most.get(agent, 0), self.at_once[agent])
        await asyncio.sleep(0.005)
        self.at_once[agent] -= 1
        answer = self._answers.get(queued.id)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other tasks bring about."""
    while not condition():  # noqa: ASYNC110 - what is waited for knows no event
        await asyncio.sleep(0.001)


async def test_that_priority_comes_first_and_then_arrival_with_one_turn_per_agent(opened: Engine) -> None:
    await with_agents(opened)
    for key, priority in (("a", 0), ("b", 0), ("c", 5), ("d", 0)):
        await enqueue(opened, key, priority=priority)
    for key in ("x", "y"):
        await enqueue(opened, key, BOB)
    heard = Recorder()
    await worker(opened, heard).run(until_idle=True)
    assert [each for each in heard.heard if each in "abcd"] == ["c", "a", "b", "d"]
    assert [each for each in heard.heard if each in "xy"] == ["x", "y"]
    assert heard.most == {ADA: 1, BOB: 1}
    found, _ = await opened.agents.queue()
    assert {each.state for each in found} == {QueueState.PROCESSED}
    assert all(each.processed_at == NOON and each.lease_until is None for each in found)


async def test_that_agents_run_at_once_but_no_more_than_the_options_say(opened: Engine) -> None:
    for number in range(6):
        await do(opened, RefKind.AGENT, f"agt_{number}", CreateAgent(str(number)))
        await enqueue(opened, f"que_{number}", f"agt_{number}")
    now = most = 0

    async def handle(_: QueuedMessage) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.01)
        now -= 1

    await worker(opened, handle, replace(SWIFT, at_once=3)).run(until_idle=True)
    assert most == 3


async def test_that_a_failed_message_waits_keeps_its_place_and_ends_dead(
    opened: Engine, clock: HeldClock
) -> None:
    await with_agents(opened)
    await enqueue(opened, "bad")
    await enqueue(opened, "next")
    heard = Recorder(bad=InputError("input.no_store", operation="x", target="y"))
    at_work = worker(opened, heard, replace(SWIFT, attempts=3))
    running = asyncio.ensure_future(at_work.run(until_idle=True))
    for tries in (1, 2):
        await until(lambda tries=tries: heard.heard.count("bad") == tries and not at_work.running)  # type: ignore[misc]
        failed = await message(opened, "bad")
        assert (failed.state, failed.attempts) == (QueueState.FAILED, tries)
        assert failed.last_error
        assert failed.next_attempt_at == clock.now + timedelta(seconds=2**tries)
        # What was said after it is not heard before it.
        await asyncio.sleep(0.03)
        assert "next" not in heard.heard
        clock.advance(seconds=2**tries)
    await running
    assert heard.heard == ["bad", "bad", "bad", "next"]
    assert (await message(opened, "bad")).state is QueueState.DEAD
    # A person may have it tried once more.
    await do(opened, RefKind.QUEUE, "bad", SetQueueState(QueueState.PENDING))
    await worker(opened, Recorder()).run(until_idle=True)
    assert (await message(opened, "bad")).state is QueueState.PROCESSED


async def test_that_an_error_of_a_programs_own_handler_fails_the_message_and_not_the_worker(
    opened: Engine,
) -> None:
    await with_agents(opened)
    await enqueue(opened, "bad")
    heard = Recorder(bad=ZeroDivisionError("by zero"))
    await worker(opened, heard, replace(SWIFT, attempts=1)).run(until_idle=True)
    dead = await message(opened, "bad")
    assert (dead.state, dead.last_error) == (QueueState.DEAD, "ZeroDivisionError: by zero")


async def test_that_the_wait_is_what_the_provider_asks_for(opened: Engine, clock: HeldClock) -> None:
    await with_agents(opened)
    await enqueue(opened, "busy")
    heard = Recorder(busy=Settlement(QueueState.FAILED, "slow down", retry_after=90))
    at_work = worker(opened, heard)
    running = asyncio.ensure_future(at_work.run())
    await until(lambda: bool(heard.heard) and not at_work.running)
    await at_work.stop()
    await running
    assert (await message(opened, "busy")).next_attempt_at == clock.now + timedelta(seconds=90)


async def test_that_an_agent_whose_key_is_wrong_is_paused_and_its_messages_wait(opened: Engine) -> None:
    await with_agents(opened)
    for key in ("first", "second"):
        await enqueue(opened, key)
    await enqueue(opened, "other", BOB)
    heard = Recorder(first=Settlement(QueueState.PENDING, "The key is wrong.", pauses_agent=True))
    at_work = worker(opened, heard)
    await at_work.run(until_idle=True)
    assert sorted(heard.heard) == ["first", "other"]
    assert at_work.paused == {ADA: "The key is wrong."}
    assert (await states(opened))["first"] == (QueueState.PENDING, 0)
    at_work.serve(ADA)
    assert at_work.paused == {}
    await at_work.run(until_idle=True)
    assert heard.heard.count("first") == 2


async def test_that_a_clean_stop_hands_the_lease_back_and_the_try_does_not_count(opened: Engine) -> None:
    await with_agents(opened)
    await enqueue(opened, "long")

    async def handle(_: QueuedMessage) -> None:
        await asyncio.Event().wait()

    at_work = worker(opened, handle)
    running = asyncio.ensure_future(at_work.run())
    await until(lambda: bool(at_work.running))
    assert (await states(opened)) == {"long": (QueueState.RUNNING, 1)}
    await at_work.stop()
    await running
    assert (await states(opened)) == {"long": (QueueState.PENDING, 0)}
    assert (await message(opened, "long")).lease_until is None


async def test_that_a_turn_may_finish_when_it_is_asked_to_stop(opened: Engine) -> None:
    await with_agents(opened)
    for key in ("one", "two"):
        await enqueue(opened, key)
    go_on = asyncio.Event()

    async def handle(_: QueuedMessage) -> None:
        await go_on.wait()

    at_work = worker(opened, handle)
    running = asyncio.ensure_future(at_work.run())
    await until(lambda: bool(at_work.running))
    stopping = asyncio.ensure_future(at_work.stop(finish=True))
    await asyncio.sleep(0.02)
    assert not stopping.done()
    go_on.set()
    await stopping
    await running
    assert (await states(opened)) == {"one": (QueueState.PROCESSED, 1), "two": (QueueState.PENDING, 0)}


async def test_that_a_turn_that_is_stopped_may_say_what_came_of_it(opened: Engine) -> None:
    await with_agents(opened)
    await enqueue(opened, "long")

    begun = asyncio.Event()

    async def handle(_: QueuedMessage) -> Settlement:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Settlement()
        raise AssertionError

    at_work = worker(opened, handle)
    running = asyncio.ensure_future(at_work.run())
    await begun.wait()
    await at_work.leave(ADA)
    assert (await states(opened)) == {"long": (QueueState.PROCESSED, 1)}
    await at_work.stop()
    await running


async def test_that_nobody_acts_before_being_started_and_nobody_after_being_stopped(opened: Engine) -> None:
    await with_agents(opened)
    await enqueue(opened, "a")
    await enqueue(opened, "b", BOB)
    heard = Recorder()
    at_work = opened.queue_worker(heard, auto_start=False)
    running = asyncio.ensure_future(at_work.run())
    await asyncio.sleep(0.05)
    assert heard.heard == []
    at_work.serve(ADA)
    await until(lambda: heard.heard == ["a"] and not at_work.running)
    await at_work.leave(ADA)
    await enqueue(opened, "late")
    at_work.nudge()
    await asyncio.sleep(0.05)
    assert heard.heard == ["a"]
    await at_work.stop()
    await running
    assert (await states(opened))["b"] == (QueueState.PENDING, 0)


async def test_that_a_paused_agent_takes_nothing_and_only_the_agents_asked_for_do(opened: Engine) -> None:
    await with_agents(opened)
    await do(opened, RefKind.AGENT, ADA, ConfigureAgent(status=AgentStatus.PAUSED))
    await enqueue(opened, "a")
    await enqueue(opened, "b", BOB)
    heard = Recorder()
    await worker(opened, heard, agents=(ADA,)).run(until_idle=True)
    assert heard.heard == []
    await worker(opened, heard).run(until_idle=True)
    assert heard.heard == ["b"]


async def test_that_a_lease_keeps_others_away_until_it_ends_and_then_only_the_new_holder_settles(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as first, engine(first.path) as second:
        await with_agents(first)
        await enqueue(first, "a")
        (held,) = await first.queue.take(_all(), 10, SWIFT)
        assert (held.state, held.attempts) == (QueueState.RUNNING, 1)
        assert await second.queue.take(_all(), 10, SWIFT) == ()
        clock.advance(seconds=SWIFT.lease_seconds - 1)
        assert await first.queue.renew((held,), SWIFT.lease_seconds) == {"a"}
        clock.advance(seconds=SWIFT.lease_seconds - 1)
        assert await second.queue.take(_all(), 10, SWIFT) == ()
        clock.advance(seconds=2)
        (again,) = await second.queue.take(_all(), 10, SWIFT)
        assert again.attempts == 2
        assert await first.queue.renew((held,), SWIFT.lease_seconds) == frozenset()
        with pytest.raises(RefusedError, match="lease_lost"):
            await first.queue.settle(held, Settlement(), SWIFT)
        with pytest.raises(RefusedError, match="lease_lost"):
            await first.apply([Intent(processed(again), SYSTEM)])
        await second.queue.settle(again, Settlement(), SWIFT)
        assert await states(first) == {"a": (QueueState.PROCESSED, 2)}


async def test_that_a_message_settled_with_what_it_led_to_stays_so(opened: Engine) -> None:
    await with_agents(opened)
    await enqueue(opened, "a")

    async def handle(queued: QueuedMessage) -> Settlement:
        await opened.apply([Intent(processed(queued), SYSTEM)])
        return Settlement(QueueState.FAILED, "too late")

    await worker(opened, handle).run(until_idle=True)
    assert await states(opened) == {"a": (QueueState.PROCESSED, 1)}


async def test_that_a_turn_ends_when_its_lease_is_in_other_hands(opened: Engine, clock: HeldClock) -> None:
    await with_agents(opened)
    await enqueue(opened, "a")
    ended = asyncio.Event()

    async def handle(_: QueuedMessage) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    at_work = worker(opened, handle, replace(SWIFT, lease_seconds=0.06))
    running = asyncio.ensure_future(at_work.run())
    await until(lambda: bool(at_work.running))
    # As if this machine had slept and another process had taken the message.
    async with opened.database.write() as tx:
        await tx.execute("UPDATE queue SET attempts = 7, lease_until = '9999-01-01T00:00:00.000000Z'")
    await ended.wait()
    await at_work.stop()
    await running
    assert await states(opened) == {"a": (QueueState.RUNNING, 7)}


async def test_that_a_machine_that_slept_gives_up_what_another_process_took_meanwhile(
    engine: OpenEngine, clock: HeldClock
) -> None:
    async with engine() as first, engine(first.path) as second:
        await with_agents(first)
        await enqueue(first, "a")
        ended = asyncio.Event()

        async def handle(_: QueuedMessage) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        at_work = worker(first, handle)
        running = asyncio.ensure_future(at_work.run())
        await until(lambda: bool(at_work.running))
        # The timers of a process stand still while its machine sleeps; the time of day goes on.
        clock.advance(seconds=SWIFT.lease_seconds + 1)
        (taken,) = await second.queue.take(_all(), 10, SWIFT)
        await ended.wait()
        await at_work.stop()
        await running
        await second.queue.settle(taken, Settlement(), SWIFT)
        assert await states(first) == {"a": (QueueState.PROCESSED, 2)}


async def test_that_what_ends_its_process_every_time_is_dead_in_the_end(
    opened: Engine, clock: HeldClock
) -> None:
    await with_agents(opened)
    await enqueue(opened, "poison")
    await enqueue(opened, "next")
    for _ in range(SWIFT.attempts):
        (taken,) = await opened.queue.take(_all(), 10, SWIFT)
        assert taken.id == "poison"
        clock.advance(seconds=SWIFT.lease_seconds + 1)
    heard = Recorder()
    await worker(opened, heard).run(until_idle=True)
    assert heard.heard == ["next"]
    poison = await message(opened, "poison")
    assert (poison.state, poison.last_error) == (QueueState.DEAD, PROCESS_ENDED)


async def test_that_a_message_that_cannot_be_read_holds_nobody_up(engine: OpenEngine) -> None:
    async with engine() as opened:
        await with_agents(opened)
        await enqueue(opened, "torn")
        await enqueue(opened, "next")
        path = opened.path
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE queue SET created_at = 'never' WHERE id = 'torn'")
    raw.close()
    async with engine(path) as opened:
        heard = Recorder()
        await worker(opened, heard).run(until_idle=True)
        assert heard.heard == ["next"]
        _, problems = await opened.agents.queue()
        assert [each.where for each in problems] == ["queue:torn"]
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT state FROM queue WHERE id = 'torn'").fetchone() == ("dead",)
    raw.close()


async def test_that_missed_wakeups_fire_once_and_do_not_pile_up(opened: Engine, clock: HeldClock) -> None:
    await with_agents(opened)
    start = clock.now
    await do(opened, RefKind.WAKEUP, "wak_1", SetWakeup(ADA, "tick", start + timedelta(minutes=1), 60))
    await do(opened, RefKind.WAKEUP, "wak_2", SetWakeup(ADA, "once", start + timedelta(minutes=2)))
    heard = Recorder()
    await worker(opened, heard).run(until_idle=True)
    assert heard.heard == []
    clock.advance(hours=10, seconds=30)
    for _ in range(3):
        # Nobody has taken the first one yet: it says already what another would.
        await opened.queue.fire(_all())
    waiting, _ = await opened.agents.queue()
    assert sorted(each.content for each in waiting) == ["once", "tick"]
    (tick,) = [each for each in waiting if each.content == "tick"]
    assert json.loads(tick.metadata)["missed"] == 599
    (left,), _ = await opened.agents.wakeups()
    assert (left.id, left.at) == ("wak_1", start + timedelta(hours=10, minutes=1))
    clock.advance(minutes=5)
    assert await opened.queue.fire(_all()) == 0
    await worker(opened, heard).run(until_idle=True)
    assert len((await opened.agents.queue())[0]) == 3
    assert len(heard.heard) == 3


async def test_that_turns_asked_for_by_agents_themselves_wait_if_nobody_runs_such(opened: Engine) -> None:
    await with_agents(opened)
    for number in range(50):
        await enqueue(opened, f"beat_{number}", origin=HEARTBEAT_ORIGIN)
    heard = Recorder()
    await worker(opened, heard, replace(SWIFT, auto_start_heartbeat=False)).run(until_idle=True)
    assert heard.heard == []
    assert {each for each, _ in (await states(opened)).values()} == {QueueState.PENDING}
    await worker(opened, heard).run(until_idle=True)
    assert heard.heard == [f"beat_{number}" for number in range(50)]


async def test_that_the_same_message_is_queued_once(opened: Engine) -> None:
    await with_agents(opened)
    edit = Edit(Ref(RefKind.QUEUE, "a"), EnqueueMessage(ADA, BOB, "psst"))
    first, second = [(await opened.apply([Intent(edit, SYSTEM)]))[0] for _ in range(2)]
    assert (first.changed, second.changed) == (True, False)
    assert await states(opened) == {"a": (QueueState.PENDING, 0)}


async def test_that_only_a_try_of_ones_own_is_settled_and_only_what_waits_is_taken(opened: Engine) -> None:
    await with_agents(opened)
    await enqueue(opened, "a")
    ref = Ref(RefKind.QUEUE, "a")
    later = NOON + timedelta(minutes=1)

    async def refusal(operation: Operation, target: Ref = ref) -> str:
        with pytest.raises((RefusedError, InputError)) as caught:
            await opened.apply([Intent(Edit(target, operation), SYSTEM)])
        return caught.value.code

    assert await refusal(SettleMessage(0)) == "refused.lease_lost"
    assert await refusal(LeaseMessage(later), Ref(RefKind.QUEUE, "none")) == "not_found.queue"
    await opened.apply([Intent(Edit(ref, LeaseMessage(later)), SYSTEM)])
    assert await refusal(LeaseMessage(later)) == "refused.queue_running"
    assert await refusal(SettleMessage(2)) == "refused.lease_lost"
    assert await refusal(SettleMessage(1, QueueState.RUNNING)) == "refused.queue_state"
    await opened.apply([Intent(Edit(ref, SettleMessage(1)), SYSTEM)])
    assert await refusal(LeaseMessage(later)) == "refused.queue_processed"


def _all() -> QueueShare:
    return QueueShare()
