"""Turns of queued messages with the offline provider: picked up, answered, gone on with, stopped, failed."""

from __future__ import annotations

import asyncio
import json

import pytest

from inspector.domain.agents import AgentStatus
from inspector.domain.edits.rows import ConfigureAgent, EnqueueMessage, SetWakeup
from inspector.domain.messages import BatchType, Role, TextPart
from inspector.domain.queueing import QueueOptions
from inspector.domain.records import QueuedMessage, QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import TextDelta
from inspector.domain.turns import TurnDone, TurnError, TurnEvent
from inspector.runtime.engine import Engine
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute, settlement_of
from tests.fixtures import NOON, HeldClock
from tests.runtime.turn_world import OFFLINE, made_agent, messages_of, put

SWIFT = QueueOptions(poll_seconds=0.01, auto_start_queue=True, auto_start_heartbeat=True)


class Runner:
    """A worker whose messages are turns with the offline provider, and the events of them."""

    def __init__(self, engine: Engine, options: QueueOptions = SWIFT) -> None:
        self.events: list[tuple[str, TurnEvent]] = []
        self.streams = asyncio.Event()
        self.turns = QueuedTurns(engine.turns, engine.agents, lambda _: TurnRoute(OFFLINE), self._note)
        self.worker = QueueWorker(engine.queue, self.turns, options)

    def _note(self, queued: QueuedMessage, event: TurnEvent) -> None:
        self.events.append((queued.id, event))
        if isinstance(event, TextDelta):
            self.streams.set()


async def queue(engine: Engine, key: str, text: str, agent: str = "agt_ada", **given: object) -> None:
    """Put a message into an agent's queue."""
    sender = given.pop("sender", None)
    message = EnqueueMessage(sender, agent, text, **given)  # type: ignore[arg-type]
    await put(engine, Ref(RefKind.QUEUE, key), message)


async def stored(engine: Engine, key: str) -> QueuedMessage:
    """A queued message as it is in the file."""
    return next(each for each in (await engine.agents.queue())[0] if each.id == key)


async def test_that_a_queued_message_is_picked_up_and_answered(opened: Engine) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", "/say Hello back", origin="test", metadata='{"ticket": 7}')
    runner = Runner(opened)
    await runner.worker.run(until_idle=True)
    asked, said = await messages_of(opened, agent.id)
    assert (asked.role, asked.id, asked.source) == (Role.USER, "msg_que_1", "test")
    assert json.loads(asked.metadata) == {
        "ticket": 7,
        "queue": {"id": "que_1", "origin": "test", "from_agent_id": None, "priority": 0},
    }
    assert said.content == (TextPart("Hello back"),)
    assert (await stored(opened, "que_1")).state is QueueState.PROCESSED
    assert {key for key, _ in runner.events} == {"que_1"}
    assert isinstance(runner.events[-1][1], TurnDone)


async def test_that_one_agent_writes_to_another_which_reads_who_it_was(opened: Engine) -> None:
    await made_agent(opened)
    bob = await made_agent(opened, "Bob")
    call = json.dumps({"to": "Bob", "text": "/say Got it."})
    await queue(opened, "que_1", f"/tool send_message {call}\n/say Sent.")
    await Runner(opened).worker.run(until_idle=True)
    asked, said = await messages_of(opened, bob.id)
    assert (asked.name, asked.batch_type) == ("Ada", BatchType.AGENT_TO_AGENT)
    assert said.content == (TextPart("Got it."),)


async def test_that_a_wakeup_begins_a_turn(opened: Engine, clock: HeldClock) -> None:
    agent = await made_agent(opened)
    await put(opened, Ref(RefKind.WAKEUP, ""), SetWakeup(agent.id, "/say Up.", NOON))
    clock.advance(seconds=1)
    await Runner(opened).worker.run(until_idle=True)
    asked, said = await messages_of(opened, agent.id)
    assert (asked.batch_type, said.content) == (BatchType.SYSTEM_TRIGGER, (TextPart("Up."),))
    events, _ = await opened.conversation.recent_events(9)
    received = next(each for each in events if each.kind == "message_received")
    assert json.loads(received.details)["source"] == "wakeup"


async def test_that_a_turn_that_was_answered_before_its_process_ended_is_not_answered_again(
    opened: Engine, clock: HeldClock
) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", "/say Once")
    runner = Runner(opened)
    (taken,) = await opened.queue.take(runner.worker.share(), 1, SWIFT)
    # As if the process had ended between the reply and the mark.
    await runner.turns(taken)
    clock.advance(seconds=SWIFT.lease_seconds + 1)
    await runner.worker.run(until_idle=True)
    assert len(await messages_of(opened, agent.id)) == 2
    again = await stored(opened, "que_1")
    assert (again.state, again.attempts) == (QueueState.PROCESSED, 2)


async def test_that_what_a_person_stops_is_processed_with_what_came(opened: Engine) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", "/slow 20\n/long 500")
    runner = Runner(opened)
    running = asyncio.ensure_future(runner.worker.run())
    await runner.streams.wait()
    runner.turns.stop_turn(agent.id)
    await runner.worker.stop(finish=True)
    await running
    assert (await stored(opened, "que_1")).state is QueueState.PROCESSED
    asked, said = await messages_of(opened, agent.id)
    assert (asked.role, said.role) == (Role.USER, Role.ASSISTANT)


@pytest.mark.parametrize("way", ["stop", "pause"])
async def test_that_a_turn_that_ends_with_its_agent_is_handed_back(opened: Engine, way: str) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", '/slow 20\n/think Well.\n/tool search {"query": "x"}\n/say Done.')
    runner = Runner(opened)
    running = asyncio.ensure_future(runner.worker.run())
    while not runner.events:  # noqa: ASYNC110 - any event will do
        await asyncio.sleep(0.001)
    if way == "pause":
        await put(opened, Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.PAUSED))
        while runner.worker.running:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)
    await runner.worker.stop()
    await running
    back = await stored(opened, "que_1")
    assert (back.state, back.attempts) == (QueueState.PENDING, 0)
    await put(opened, Ref(RefKind.AGENT, agent.id), ConfigureAgent(status=AgentStatus.ACTIVE))
    await Runner(opened).worker.run(until_idle=True)
    assert (await stored(opened, "que_1")).state is QueueState.PROCESSED
    said = await messages_of(opened, agent.id)
    assert [each.role for each in said].count(Role.USER) == 1
    assert said[-1].content == (TextPart("Done."),)


async def test_that_a_wrong_key_pauses_the_agent_and_its_messages_wait(opened: Engine) -> None:
    agent = await made_agent(opened)
    for key in ("que_1", "que_2"):
        await queue(opened, key, "/error 401")
    runner = Runner(opened)
    await runner.worker.run(until_idle=True)
    assert runner.worker.paused.keys() == {agent.id}
    assert runner.worker.paused[agent.id]
    first = await stored(opened, "que_1")
    assert (first.state, first.attempts) == (QueueState.PENDING, 0)
    assert first.last_error
    assert (await stored(opened, "que_2")).last_error is None


def test_that_a_message_is_tried_again_only_where_the_error_may_pass() -> None:
    later = settlement_of(TurnError("rate_limit", "slow down", True, "call_failed.rate_limit", {}, 12.0))
    assert (later.state, later.retry_after) == (QueueState.FAILED, 12.0)
    assert "slow down" in later.error
    never = settlement_of(TurnError("invalid_request", "", False, "call_failed.invalid_request"))
    assert (never.state, never.pauses_agent) == (QueueState.DEAD, False)
    assert settlement_of(TurnError("quota", "", False, "call_failed.quota")).pauses_agent
