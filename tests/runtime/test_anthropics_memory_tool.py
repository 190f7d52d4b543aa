"""Anthropic's models get the memory tool as their own type, and answers word for word as the vendor's code gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from anthropic.types.beta import BetaMemoryTool20250818Command
from pydantic import TypeAdapter

from inspector.domain.calls import ApiKey
from inspector.domain.counts import RequestBand, RequestKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.domain.turns import IncomingMessage, TurnEnd, TurnOptions
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from tests.providers.provider_server import Answer, Asked, serving
from tests.providers.sdk_types import check_types
from tests.providers.streamed_replies import STREAMS, Said
from tests.runtime.memory_calls import CALLS, NOTES, by_vendor, without_folder_sizes
from tests.runtime.turn_world import TickingClock, done, made_agent

CLAUDE = "claude-sonnet-4-6"
OWN = {"type": "memory_20250818", "name": "memory"}
DONE = Said((), ("Done.",), (), 12, 3)


@pytest.fixture
def clock() -> TickingClock:
    """Noon, and a little later each time."""
    return TickingClock()


def body_of(asked: Asked) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(asked.body)
    check_types(WireForm.ANTHROPIC, {name: each for name, each in body.items() if name != "stream"})
    return body


def results_in(body: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The results of the conversation, with whether each is an error, oldest first."""
    return [
        (part.get("content", ""), part.get("is_error", False))
        for message in body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "tool_result"
    ]


async def test_that_a_turn_of_every_command_is_answered_as_by_the_vendors_own_implementation(
    opened: Engine, tmp_path: Path
) -> None:
    agent = await made_agent(opened, tools=["memory"])
    commands: TypeAdapter[Any] = TypeAdapter(BetaMemoryTool20250818Command)
    assert {commands.validate_python(call).command for call in CALLS} == {
        *("view", "create", "str_replace", "insert", "delete", "rename")
    }
    async with serving() as server:

        def answer(_: Asked) -> Answer:
            number = len(server.asked) - 1
            said = DONE if number == len(CALLS) else Said((), ("",), (("memory", CALLS[number]),), 12, 3)
            # Each reply has ids of its own, as a provider gives them.
            return Answer([STREAMS[WireForm.ANTHROPIC](said).replace(b"call_0", b"call_%d" % number)])

        server.answer = answer
        destination = opened.calls.destination(server.base, WireForm.ANTHROPIC)
        key = ApiKey("sk-ant-test", destination.origin)
        options = TurnOptions(model=CLAUDE, steps=len(CALLS) + 1)
        async with opened.turns.run(
            agent.id, IncomingMessage("Go"), destination, key, options=options
        ) as turn:
            events = [event async for event in turn]
        bodies = [body_of(each) for each in server.asked]
    assert done(events).end is TurnEnd.REPLIED
    assert len(bodies) == len(CALLS) + 1
    assert all(body["tools"] == [OWN] for body in bodies)
    told = [(without_folder_sizes(text), is_error) for text, is_error in results_in(bodies[-1])]
    expected = [(without_folder_sizes(text), is_error) for text, is_error in by_vendor(tmp_path)]
    for call, ours, theirs in zip(CALLS, told, expected, strict=True):
        assert ours == theirs, call


async def test_that_only_anthropics_own_models_that_call_tools_get_it_by_its_type(opened: Engine) -> None:
    agent = await made_agent(opened, tools=["memory", "search"])
    for form in WireForm:
        for model in (CLAUDE, "claude-3-opus", "gpt-4.1", "glm-of-ones-own"):
            made = await opened.calls.draft(agent.id, "Hi", spec_of(opened, model))
            prepared = await opened.calls.prepare(
                made.request, made.snapshot, opened.calls.destination("http://127.0.0.1:1", form)
            )
            tools = json.loads(prepared.body)["tools"]
            told = {each.code for each in prepared.adaptations}
            is_own = form is WireForm.ANTHROPIC and model == CLAUDE
            assert (OWN in tools) is is_own, (form, model)
            assert ("wire.own_tool" in told) is is_own
            assert ("view_range" in json.dumps(tools)) is not is_own
            assert "search" in json.dumps(tools)


async def test_that_its_tokens_are_said_to_be_no_more_than_an_estimate(opened: Engine) -> None:
    agent = await made_agent(opened, tools=["memory"])
    rules: dict[str, str] = {}
    bands: dict[str, RequestBand | None] = {}
    for model in (CLAUDE, "gpt-4.1"):
        request: Request = (await opened.calls.draft(agent.id, "Hi", spec_of(opened, model))).request
        (piece,) = [
            each for section in request.sections for each in section.pieces if each.id == "tool:memory"
        ]
        rules[model] = piece.rule
        bands[model] = request.band
        assert piece.tokens > 0
    assert rules == {CLAUDE: "tool_of_provider_offered", "gpt-4.1": "tool_offered"}
    # What is known of how far figures with tools are from bills is not said of a tool that nobody here has read.
    kinds = {model: band.kind for model, band in bands.items() if band is not None}
    assert kinds == {CLAUDE: RequestKind.OPEN, "gpt-4.1": RequestKind.TOOLS}


async def test_that_the_exact_count_is_asked_with_its_type(opened: Engine) -> None:
    agent = await made_agent(opened, tools=["memory"])
    async with serving() as server:
        server.answer = Answer([b'{"input_tokens": 321}'], kind="application/json")
        destination = opened.calls.destination(server.base, WireForm.ANTHROPIC)
        made = await opened.calls.draft(agent.id, "Hi", spec_of(opened, CLAUDE))
        prepared = await opened.calls.prepare(made.request, made.snapshot, destination)
        assert await opened.calls.count(prepared) == 321
        assert json.loads(server.asked[0].body)["tools"] == [OWN]


async def test_that_a_path_whose_dots_are_encoded_is_a_name_and_leads_nowhere(opened: Engine) -> None:
    agent = await made_agent(opened, tools=["memory"])
    assert not (await opened.memory.states(agent.id))
    call = {"command": "create", "path": "/memories/%2e%2e%2fout.md", "file_text": "x"}
    async with opened.turns.run(
        agent.id, IncomingMessage(f"/tool memory {json.dumps(call)}"), opened.calls.destination("offline")
    ) as turn:
        async for _ in turn:
            pass
    (state,) = await opened.memory.states(agent.id)
    assert state.block.label == "../out"
    assert NOTES not in state.block.label


def spec_of(engine: Engine, model: str) -> RequestSpec:
    return RequestSpec(now=engine.surroundings.clock(), model=model)
