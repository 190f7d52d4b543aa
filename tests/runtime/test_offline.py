"""Work offline: each way to the network refuses with its sentence and opens no connection; what stays here works."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.domain.calls import CallError, Destination, PreparedCall
from inspector.domain.edits.rows import EnqueueMessage
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import FailureKind, StopReason
from inspector.domain.turns import IncomingMessage, StepStarted, TurnEnd, TurnError
from inspector.domain.wire.values import WireForm
from inspector.runtime import environment
from inspector.runtime.called_model import CalledModel
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment, safe_surroundings
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute
from inspector.runtime.settings import NETWORK_OFFLINE
from inspector.runtime.wording import word_error
from tests.fixtures import ROOT, opened_engine
from tests.providers.provider_server import Answer, ProviderServer, serving
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.test_queued_turns import SWIFT, stored
from tests.runtime.turn_world import OFFLINE, done, made_agent, messages_of, of_kind, put

SAID = Answer([STREAMS[WireForm.OPENAI](Said((), ("Yes.",), (), 9, 2))])


@pytest.fixture
def surroundings(surroundings: Environment) -> Environment:
    """Those in which this computer's own address is taken for one far away."""
    return replace(surroundings, stays_here=lambda destination: destination.form is None)


def work_offline(engine: Engine, *, on: bool = True) -> None:
    engine.settings.set(NETWORK_OFFLINE, on)


def place(engine: Engine, server: ProviderServer) -> Destination:
    server.answer = SAID
    return engine.calls.destination(server.base)


async def prepared(engine: Engine, destination: Destination) -> PreparedCall:
    agent = await made_agent(engine)
    made = await engine.calls.draft(agent.id, "Hello")
    return await engine.calls.prepare(made.request, made.snapshot, destination)


async def test_that_a_call_refuses_before_it_connects_and_goes_out_once_that_is_off(opened: Engine) -> None:
    async with serving() as server:
        call = await prepared(opened, place(opened, server))
        work_offline(opened)
        async with opened.calls.stream(call) as refused:
            assert [type(event).__name__ async for event in refused] == ["ReplyEnded"]
        assert server.connections == 0
        failure = refused.reply.failure
        assert failure is not None
        assert (failure.kind, failure.code) == (FailureKind.OFFLINE, "call.offline")
        work_offline(opened, on=False)
        async with opened.calls.stream(call) as answered:
            async for _ in answered:
                pass
        assert (answered.reply.stop, server.connections) == (StopReason.END, 1)


async def test_that_a_call_made_ready_before_the_switch_refuses_all_the_same(opened: Engine) -> None:
    async with serving() as server:
        running = opened.calls.stream(await prepared(opened, place(opened, server)))
        work_offline(opened)
        async with running:
            async for _ in running:
                pass
    assert running.reply.failure is not None
    assert running.reply.failure.kind is FailureKind.OFFLINE
    assert server.connections == 0


async def test_that_lists_and_counts_and_summaries_refuse_with_what_to_do(opened: Engine) -> None:
    async with serving() as server:
        destination = opened.calls.destination(server.base, WireForm.ANTHROPIC)
        call = await prepared(opened, destination)
        model = CalledModel(opened.calls, destination, "agt_1", "gpt-5-mini", leaves_record=False)
        work_offline(opened)
        for work in (
            opened.calls.list_models(destination),
            opened.calls.count(call),
            model.complete("Sum up", 100),
        ):
            with pytest.raises(CallError) as refused:
                await work
            assert word_error(refused.value) == (
                "Work offline is on, so nothing was sent. Turn it off in the Request menu or in Settings > Sending."
            )
    assert server.connections == 0
    assert model.sum.calls == 0


async def test_that_a_turn_ends_before_its_call_and_records_none(opened: Engine) -> None:
    agent = await made_agent(opened)
    async with serving() as server:
        destination = place(opened, server)
        work_offline(opened)
        async with opened.turns.run(agent.id, IncomingMessage("Hello"), destination) as turn:
            events = [event async for event in turn]
    assert server.connections == 0
    assert done(events).end is TurnEnd.FAILED
    (error,) = of_kind(events, TurnError)
    assert (error.code, error.recoverable) == ("call.offline", False)
    assert of_kind(events, StepStarted) == []
    assert (await opened.agents.runs(agent.id))[0] == ()


async def test_that_a_queued_message_waits_with_its_agent_paused_until_that_is_off(opened: Engine) -> None:
    agent = await made_agent(opened)
    await put(opened, Ref(RefKind.QUEUE, "que_1"), EnqueueMessage(None, agent.id, "Hello"))
    async with serving() as server:
        destination = place(opened, server)
        turns = QueuedTurns(opened.turns, opened.agents, lambda _: TurnRoute(destination))
        worker = QueueWorker(opened.queue, turns, SWIFT)
        work_offline(opened)
        changed = asyncio.Event()
        worker.on_change = changed.set
        working = asyncio.ensure_future(worker.run())
        while agent.id not in worker.paused or worker.running:
            await changed.wait()
            changed.clear()
        assert "Work offline is on" in worker.paused[agent.id]
        waiting = await stored(opened, "que_1")
        assert (waiting.state, waiting.attempts) == (QueueState.PENDING, 0)
        assert server.connections == 0
        work_offline(opened, on=False)
        worker.serve(agent.id)
        while (await stored(opened, "que_1")).state is not QueueState.PROCESSED:
            await changed.wait()
            changed.clear()
        await worker.stop()
        await working
        assert server.connections == 1
    assert [each.role.value for each in await messages_of(opened, agent.id)] == ["user", "assistant"]


async def test_that_the_offline_provider_and_this_computer_still_answer(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    usual = replace(surroundings, stays_here=Environment().stays_here)
    async with (
        opened_engine(tmp_db_dir / "own.constellation", usual, create=True) as engine,
        serving() as server,
    ):
        work_offline(engine)
        for destination in (OFFLINE, place(engine, server)):
            async with engine.calls.stream(await prepared_once(engine, destination)) as call:
                async for _ in call:
                    pass
            assert call.reply.failure is None
        assert server.connections == 1
        for name in (
            "anthropic",
            "openai",
            "gemini",
            "https://127.0.0.1.example.com",
            "http://10.0.0.7:11434",
        ):
            with pytest.raises(CallError):
                engine.calls.require_online(engine.calls.destination(name))
        engine.calls.require_online(engine.calls.destination("ollama"))


async def prepared_once(engine: Engine, destination: Destination) -> PreparedCall:
    """A call of the file's one agent, which the first one makes."""
    agents, _ = await engine.agents.list()
    if not agents:
        return await prepared(engine, destination)
    made = await engine.calls.draft(agents[0].id, "Hello")
    return await engine.calls.prepare(made.request, made.snapshot, destination)


def test_that_who_works_offline_does_so_in_safe_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / environment.SETTINGS_FILE
    path.write_text(json.dumps({NETWORK_OFFLINE: True, "time.zone": "Europe/Berlin"}))
    monkeypatch.setattr(environment, "config_folder", lambda: tmp_path)
    before = path.read_bytes()
    settings = safe_surroundings().settings
    assert settings.switch(NETWORK_OFFLINE)
    assert settings.text("time.zone") == "UTC"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("module", "importer"),
    [("providers.http_client", "runtime/call_network.py"), ("runtime.call_network", "runtime/calls.py")],
)
def test_that_the_one_place_which_asks_is_the_only_way_to_the_network(module: str, importer: str) -> None:
    package = ROOT / "inspector"
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if f"inspector.{module}" in path.read_text(encoding="utf-8")
    }
    assert found == {importer}
