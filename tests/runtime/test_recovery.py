"""A Request that a server refuses is repaired, made again and answered; what no repair helps is never repeated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.agents import Agent
from inspector.domain.calls import Destination
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.messages import Part, Role, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.replies import FailureKind
from inspector.domain.turns import (
    IncomingMessage,
    RecoveryMade,
    RepairKind,
    StepStarted,
    TurnEnd,
    TurnError,
    TurnEvent,
)
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.recovery import RECOVERIES
from tests.fixtures import opened_engine
from tests.providers.provider_server import NDJSON, SSE, Answer, Asked, ProviderServer, ndjson, serving, sse
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.turn_world import TickingClock, done, made_agent, messages_of, of_kind, put

Row = Mapping[str, Any]
ROWS: list[Row] = json.loads(
    (Path(__file__).parents[1] / "providers" / "error_bodies.json").read_text(encoding="utf-8")
)
_OF_RESPONSES = ("tool output found", "tool call found", "Item '", "Your input exceeds")
HELLO = Said((), ("Hello",), (), 12, 3)


def form_of(row: Row) -> WireForm:
    """The form whose provider answers so."""
    body = row["body"]
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(body, dict) and body.get("type") == "error":
        return WireForm.ANTHROPIC
    if isinstance(error, str):
        return WireForm.OLLAMA
    if isinstance(error, dict) and isinstance(error.get("status"), str):
        return WireForm.GEMINI
    return (
        WireForm.OPENAI_RESPONSES
        if any(each in json.dumps(body) for each in _OF_RESPONSES)
        else WireForm.OPENAI
    )


def is_recoverable(row: Row) -> bool:
    return FailureKind(row["kind"]) in RECOVERIES


def named(row: Row) -> str:
    return f"{form_of(row).value}-{row['kind']}-{row['status']}"


def refusal(row: Row) -> Answer:
    """The row's body as its server sends it: with its status, or inside a stream."""
    if row["status"] is None and form_of(row) is WireForm.OPENAI_RESPONSES:
        failed = {"type": "response.failed", "response": {"id": "resp_1", "status": "failed", **row["body"]}}
        return Answer([sse([failed])])
    if row["status"] is None:
        lines = ndjson if form_of(row) is WireForm.OLLAMA else sse
        return Answer([lines([row["body"]])], kind=NDJSON if form_of(row) is WireForm.OLLAMA else SSE)
    body = row["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return Answer([text.encode()], row["status"], "application/json", row.get("headers") or {})


def answering(row: Row) -> Answer:
    form = form_of(row)
    return Answer([STREAMS[form](HELLO)], kind=NDJSON if form is WireForm.OLLAMA else SSE)


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


@pytest.fixture
def waits() -> list[float]:
    """The seconds that were waited, without waiting."""
    return []


@pytest.fixture
def quick(surroundings: Environment, waits: list[float]) -> Environment:
    """Surroundings in which nobody waits for real."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return replace(surroundings, sleep=sleep)


async def talked(engine: Engine, form: WireForm) -> Agent:
    """An agent with a history that has all that can be wrong with one: thinking, calls, empty texts, length."""
    agent = await made_agent(engine, tools=())
    thought = ThinkingPart("Let me see.", "c2ln") if form is not WireForm.OPENAI else TextPart("Let me see.")
    turns: list[tuple[Role, tuple[Part, ...]]] = []
    for number in range(6):
        call = ToolCallPart(f"call_{number}", "search", '{"text": "tea"}')
        turns += [
            (Role.USER, (TextPart(f"Question {number}. " + "What of it? " * 40),)),
            (Role.ASSISTANT, (thought, TextPart(" \n "), call)),
            (Role.TOOL, (ToolResultPart(call.id, "Nothing found." if number else " "),)),
            (Role.ASSISTANT, (TextPart("Answer. " * 40),)),
        ]
    for place, (role, content) in enumerate(turns):
        message = AppendMessage(agent.id, f"bat_{place // 4}", role, content)
        await put(engine, Ref(RefKind.MESSAGE, f"msg_old_{place}"), written_by(message, form))
    return agent


def written_by(message: AppendMessage, form: WireForm) -> AppendMessage:
    """The message as one that a model of that provider wrote, so that its thinking goes back to it."""
    if message.role is not Role.ASSISTANT:
        return message
    return replace(message, metadata=json.dumps({"provider": form.value}))


async def turned(engine: Engine, agent: Agent, server: ProviderServer, form: WireForm) -> list[TurnEvent]:
    destination: Destination = engine.calls.destination(server.base, form)
    async with engine.turns.run(agent.id, IncomingMessage("Hello"), destination) as turn:
        return [event async for event in turn]


@pytest.mark.parametrize("row", [each for each in ROWS if is_recoverable(each)], ids=named)
async def test_that_a_refused_request_is_repaired_made_again_and_answered(
    row: Row, quick: Environment, waits: list[float], tmp_db_dir: Path
) -> None:
    form, kind = form_of(row), FailureKind(row["kind"])
    async with (
        opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine,
        serving() as server,
    ):
        agent = await talked(engine, form)

        def answer(asked: Asked) -> Answer:
            return refusal(row) if len(server.asked) == 1 else answering(row)

        server.answer = answer
        events = await turned(engine, agent, server, form)
        assert (done(events).end, done(events).text) == (TurnEnd.REPLIED, "Hello")
        (made,) = of_kind(events, RecoveryMade)
        first, second = (each.body for each in server.asked)
        if made.repair is RepairKind.WAIT:
            assert second == first
            assert waits == [made.seconds]
        else:
            assert second != first
            assert waits == []
        _check_repair(made.repair, first, second)
        assert made.kind is kind
        assert [each.number for each in of_kind(events, StepStarted)] == [1, 1]
        runs, _ = await engine.agents.runs(agent.id)
        assert [run.error is None for run in runs] == [False, True]
        logged, _ = await engine.conversation.recent_events(2)
        assert json.loads(logged[0].details)["event_type"] == "recovery"
        # What is stored stays as it was: a repair is of the Request alone.
        assert len(await messages_of(engine, agent.id)) == 24 + 2


def _check_repair(repair: RepairKind, first: bytes, second: bytes) -> None:
    if repair is RepairKind.COMPRESS:
        assert len(second) < len(first)
        assert b"Hello" in second
    elif repair is RepairKind.DROP_THINKING:
        assert b"Let me see." in first
        assert b"Let me see." not in second
    elif repair is RepairKind.DROP_EMPTY:
        assert b"[Empty]" in second
    elif repair is RepairKind.CALLS_AS_TEXT:
        assert b"[Called search" in second


@pytest.mark.parametrize("row", [each for each in ROWS if not is_recoverable(each)], ids=named)
async def test_that_what_no_repair_helps_is_asked_once(
    row: Row, quick: Environment, tmp_db_dir: Path
) -> None:
    form = form_of(row)
    async with (
        opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine,
        serving() as server,
    ):
        agent = await made_agent(engine, tools=())
        server.answer = refusal(row)
        events = await turned(engine, agent, server, form)
        (error,) = of_kind(events, TurnError)
        assert (error.kind, error.recoverable) == (row["kind"], False)
        assert len(server.asked) == 1
        assert done(events).end is TurnEnd.FAILED


async def test_that_repetitions_end_and_wait_longer_each_time(
    quick: Environment, waits: list[float], tmp_db_dir: Path
) -> None:
    async with (
        opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine,
        serving() as server,
    ):
        agent = await made_agent(engine, tools=())
        server.answer = Answer([b"{}"], 529, "application/json")
        events = await turned(engine, agent, server, WireForm.ANTHROPIC)
        (error,) = of_kind(events, TurnError)
        assert (error.kind, error.recoverable) == ("overloaded", True)
        assert waits == [1, 2, 4, 8]
        assert len(server.asked) == 5


@pytest.mark.parametrize(("asked", "repeats"), [("7", 1), ("900", 0)])
async def test_that_a_server_s_wait_is_kept_unless_a_turn_cannot_wait_so_long(
    asked: str, repeats: int, quick: Environment, waits: list[float], tmp_db_dir: Path
) -> None:
    async with (
        opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine,
        serving() as server,
    ):
        agent = await made_agent(engine, tools=())
        limited = Answer([b"{}"], 429, "application/json", {"retry-after": asked})
        server.answer = lambda _: (
            limited if len(server.asked) == 1 else Answer([STREAMS[WireForm.OPENAI](HELLO)])
        )
        events = await turned(engine, agent, server, WireForm.OPENAI)
        assert waits == [float(asked)] * repeats
        if not repeats:
            (error,) = of_kind(events, TurnError)
            assert (error.retry_after, error.recoverable) == (900, True)


async def test_that_a_reply_cut_off_in_its_middle_is_asked_for_again_and_stored_once(
    quick: Environment, tmp_db_dir: Path
) -> None:
    async with (
        opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine,
        serving() as server,
    ):
        agent = await made_agent(engine, tools=())
        whole = STREAMS[WireForm.ANTHROPIC](HELLO)
        half = whole[: whole.index(b"Hello") + 9]
        server.answer = lambda _: Answer([half if len(server.asked) == 1 else whole])
        events = await turned(engine, agent, server, WireForm.ANTHROPIC)
        (made,) = of_kind(events, RecoveryMade)
        assert made.kind is FailureKind.BAD_REPLY
        said = await messages_of(engine, agent.id)
        assert [each.role for each in said] == [Role.USER, Role.ASSISTANT]


async def test_that_no_server_at_all_is_tried_a_few_times_and_told(
    quick: Environment, waits: list[float], tmp_db_dir: Path
) -> None:
    async with opened_engine(tmp_db_dir / "a.constellation", quick, create=True) as engine:
        agent = await made_agent(engine, tools=())
        async with serving() as server:
            base = server.base
        gone = ProviderServer()
        gone.port = int(base.rpartition(":")[2])
        events = await turned(engine, agent, gone, WireForm.OLLAMA)
        (error,) = of_kind(events, TurnError)
        assert (error.kind, error.recoverable) == ("connection", True)
        assert waits == [1, 2, 4]
