"""A turn that was stopped: its text is kept and marked, the next Request is whole, and nobody takes it for a reply."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from inspector.domain.calls import ApiKey
from inspector.domain.messages import Role, TextPart, ToolResultPart
from inspector.domain.records import QueueState
from inspector.domain.replies import StopReason, TextDelta
from inspector.domain.turns import IncomingMessage, ToolStarted, TurnEnd, TurnEvent, TurnOptions, was_stopped
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute
from tests.providers.provider_server import NDJSON, SSE, Answer, Asked, ProviderServer, serving
from tests.providers.sdk_types import check_types
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.test_queued_turns import SWIFT, queue, stored
from tests.runtime.turn_world import TickingClock, done, made_agent, messages_of

KEY = "sk-test"
SO_FAR = "So far "
MODELS = {
    WireForm.ANTHROPIC: "claude-sonnet-4-6",
    WireForm.OPENAI: "gpt-4.1",
    WireForm.OPENAI_RESPONSES: "gpt-4.1",
    WireForm.GEMINI: "gemini-2.5-flash",
    WireForm.OLLAMA: "llama3",
}
USER_TURNS = {"user", "tool"}


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


def streamed(form: WireForm, *text: str, calls: tuple[tuple[str, dict[str, Any]], ...] = ()) -> bytes:
    return STREAMS[form](Said(("Hm.",) if form is not WireForm.OPENAI else (), text, calls, 12, 3))


def begun(form: WireForm, *, in_call: bool) -> bytes:
    """A stream that breaks off behind its first text, or within the arguments of a call behind it."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (("recall", {"text": "x" * 40}),)
    whole = streamed(form, SO_FAR, calls=calls)
    mark = b"x" * 8 if in_call else b"recall"
    at = whole.index(mark)
    begin = whole.rfind(b"\n", 0, at)
    # Whole events alone: what is half an event isn't read.
    gap = whole.rfind(b"\n" if form is WireForm.OLLAMA else b"\n\n", 0, begin + 1)
    return whole[: gap + (1 if form is WireForm.OLLAMA else 2)]


def kind_of(form: WireForm) -> str:
    return NDJSON if form is WireForm.OLLAMA else SSE


def turns_in(form: WireForm, body: dict[str, Any]) -> list[tuple[str, str]]:
    """The role and the JSON of each turn that a body sends, without system messages."""
    items = body.get("messages") or body.get("input") or body.get("contents")
    assert isinstance(items, list)
    return [
        (str(each.get("role") or each.get("type")), json.dumps(each))
        for each in items
        if each.get("role") != "system"
    ]


def bodies_of(server: ProviderServer, form: WireForm) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [json.loads(each.body) for each in server.asked]
    for body in found:
        plain = {name: each for name, each in body.items() if name not in ("stream", "stream_options")}
        check_types(form, body if form is WireForm.OLLAMA else plain)
    return found


@pytest.mark.parametrize("in_call", [False, True])
@pytest.mark.parametrize("form", sorted(WireForm))
async def test_that_the_text_so_far_is_kept_and_marked_and_the_next_request_is_whole(
    opened: Engine, form: WireForm, in_call: bool
) -> None:
    agent = await made_agent(opened)
    options = TurnOptions(model=MODELS[form])
    async with serving() as server:
        destination = opened.calls.destination(server.base, form)
        key = ApiKey(KEY, destination.origin)
        server.answer = Answer([begun(form, in_call=in_call)], kind=kind_of(form), hangs=True)
        events: list[TurnEvent] = []
        async with opened.turns.run(agent.id, IncomingMessage("Hi"), destination, key, options) as turn:
            async for event in turn:
                events.append(event)
                if isinstance(event, TextDelta):
                    turn.stop()
        assert done(events).end is TurnEnd.STOPPED
        _, kept = await messages_of(opened, agent.id)
        assert (kept.role, kept.content) == (Role.ASSISTANT, (TextPart(SO_FAR),))
        assert was_stopped(kept.metadata)
        (run,) = await opened.past.runs(agent.id)
        assert json.loads(run.reply)["stop"] == StopReason.STOPPED.value
        server.answer = Answer([streamed(form, "Well.")], kind=kind_of(form))
        async with opened.turns.run(agent.id, IncomingMessage("Go on"), destination, key, options) as turn:
            events = [event async for event in turn]
        assert done(events).end is TurnEnd.REPLIED
        said = turns_in(form, bodies_of(server, form)[-1])
    # The stopped reply is a turn of the assistant between two of the user: no call dangles, no thought is unsigned.
    assert [role for role, _ in said][-1] in USER_TURNS
    assert SO_FAR.strip() in said[-2][1]
    assert "Go on" in said[-1][1]
    assert "recall" not in "".join(text for _, text in said)
    assert "Hm." not in "".join(text for _, text in said)


@pytest.mark.parametrize("form", sorted(WireForm))
async def test_that_a_message_whose_turn_was_stopped_is_answered_when_it_is_delivered_again(
    opened: Engine, form: WireForm
) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", "Hi")
    async with serving() as server:
        destination = opened.calls.destination(server.base, form)
        route = TurnRoute(destination, ApiKey(KEY, destination.origin), TurnOptions(model=MODELS[form]))
        streams = asyncio.Event()

        def note(_: object, event: TurnEvent) -> None:
            if isinstance(event, TextDelta):
                streams.set()

        turns = QueuedTurns(opened.turns, opened.agents, lambda _: route, note)
        server.answer = Answer([begun(form, in_call=False)], kind=kind_of(form), hangs=True)
        worker = QueueWorker(opened.queue, turns, SWIFT)
        working = asyncio.ensure_future(worker.run())
        await streams.wait()
        # As "Stop" and the end of the program do it: the message goes back to the queue.
        await worker.stop()
        await working
        assert (await stored(opened, "que_1")).state is QueueState.PENDING
        server.answer = Answer([streamed(form, "and well.")], kind=kind_of(form))
        await QueueWorker(opened.queue, turns, SWIFT).run(until_idle=True)
        assert (await stored(opened, "que_1")).state is QueueState.PROCESSED
        said = turns_in(form, bodies_of(server, form)[-1])
    asked, so_far, rest = await messages_of(opened, agent.id)
    assert [each.role for each in (asked, so_far, rest)] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
    assert (so_far.content, was_stopped(so_far.metadata)) == ((TextPart(SO_FAR),), True)
    assert TextPart("and well.") in rest.content
    assert not was_stopped(rest.metadata)
    assert len({each.batch_id for each in (asked, so_far, rest)}) == 1
    # The model is shown how far its reply came.
    assert any(SO_FAR.strip() in text for _, text in said)


async def test_that_a_message_whose_turn_a_person_ended_stays_answered_by_what_came(opened: Engine) -> None:
    agent = await made_agent(opened)
    await queue(opened, "que_1", "Hi")
    async with serving() as server:
        form = WireForm.ANTHROPIC
        destination = opened.calls.destination(server.base, form)
        route = TurnRoute(destination, ApiKey(KEY, destination.origin), TurnOptions(model=MODELS[form]))

        def note(_: object, event: TurnEvent) -> None:
            if isinstance(event, TextDelta):
                turns.stop_turn(agent.id)

        turns = QueuedTurns(opened.turns, opened.agents, lambda _: route, note)
        server.answer = Answer([begun(form, in_call=False)], hangs=True)
        await QueueWorker(opened.queue, turns, SWIFT).run(until_idle=True)
        assert len(server.asked) == 1
    assert (await stored(opened, "que_1")).state is QueueState.PROCESSED
    _, so_far = await messages_of(opened, agent.id)
    assert was_stopped(so_far.metadata)


async def test_that_a_turn_stopped_in_a_tool_goes_on_from_its_results(opened: Engine) -> None:
    began = asyncio.Event()

    async def wait() -> str:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return ""

    opened.turns.tools.register(wait)
    agent = await made_agent(opened, tools=["wait"])
    message = IncomingMessage("Hi", message_id="msg_1")
    options = TurnOptions(model=MODELS[WireForm.ANTHROPIC])
    async with serving() as server:

        def answer(_: Asked) -> Answer:
            calls: tuple[tuple[str, dict[str, Any]], ...] = (("wait", {}),) if len(server.asked) == 1 else ()
            return Answer([streamed(WireForm.ANTHROPIC, "Well.", calls=calls)])

        server.answer = answer
        destination = opened.calls.destination(server.base, WireForm.ANTHROPIC)
        key = ApiKey(KEY, destination.origin)
        async with opened.turns.run(agent.id, message, destination, key, options) as turn:
            async for event in turn:
                if isinstance(event, ToolStarted):
                    await began.wait()
                    turn.stop()
        assert len(server.asked) == 1
        async with opened.turns.run(agent.id, message, destination, key, options) as turn:
            events = [event async for event in turn]
        assert (done(events).end, done(events).text) == (TurnEnd.REPLIED, "Well.")
        last = bodies_of(server, WireForm.ANTHROPIC)[-1]
    said = await messages_of(opened, agent.id)
    assert [each.role for each in said] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    (result,) = said[2].content
    assert isinstance(result, ToolResultPart)
    assert result.is_error
    assert was_stopped(said[2].metadata)
    assert last["messages"][-1]["content"][0]["is_error"] is True
