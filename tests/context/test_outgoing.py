"""Requests as they were built, on their way to every provider: nothing is lost between."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inspector.context.outgoing import outgoing
from inspector.domain.messages import Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.wire.values import WireForm
from inspector.runtime.catalogues import shipped_models
from inspector.runtime.settings import Settings
from inspector.runtime.wire import WireService
from tests.context.builders import (
    BUILDER,
    a_call_turn,
    a_snapshot,
    a_tool,
    a_turn,
    an_agent,
    build,
    shared,
    working,
)
from tests.context.history_laws import built
from tests.context.random_cases import a_request_case
from tests.providers.provider_rules import CHECKS, check_any
from tests.providers.sdk_types import check_types

DOOR = WireService(shipped_models(), Settings())


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_that_every_built_request_is_a_legal_body_for_every_provider(seed: int) -> None:
    snapshot, spec = a_request_case(seed)
    request = built(BUILDER, snapshot, spec)
    assume(request is not None)
    assert request is not None
    values = outgoing(request, snapshot, shipped_models().resolve(request.model))
    assert values.system_text == (request.system or "")
    assert [said.piece_id for said in values.messages][: len(request.messages)] == [
        f"message:{sent.id}" for sent in request.messages
    ]
    for form in WireForm:
        wire = DOOR.request(request, snapshot, form, cached=True)
        check_any(values, wire)
        CHECKS[form](values, wire)
        check_types(form, wire.body)


def test_that_tools_parameters_and_messages_are_the_agent_s() -> None:
    agent = an_agent(tools=("find",), parameters='{"temperature": 0.5}')
    snapshot = a_snapshot(
        working("note", "remember"), agent=agent, tools=(a_tool(),), history=(a_turn(1), a_call_turn(2))
    )
    request = build(snapshot)
    values = outgoing(request, snapshot, None)
    assert [tool.name for tool in values.tools] == ["find"]
    assert values.parameters == {"temperature": 0.5}
    assert "remember" in values.system_text
    parts = [part for said in values.messages for part in said.content]
    stored = [part for batch in snapshot.history for each in batch.messages for part in each.content]
    assert parts == stored
    assert any(isinstance(part, ToolCallPart) for part in parts)
    assert any(isinstance(part, ToolResultPart) for part in parts)


def test_that_what_stands_behind_the_conversation_is_the_last_user_s_word() -> None:
    told = shared(working("note", "remember"))
    snapshot = a_snapshot(shared=(told,), history=(a_turn(1),))
    request = build(snapshot, layout="cache_friendly")
    assert request.tail is not None
    values = outgoing(request, snapshot, None)
    assert values.messages[-1].role is Role.USER
    assert values.messages[-1].content == (TextPart(request.tail),)
    assert request.tail not in values.system_text


def test_that_a_model_of_another_provider_is_told() -> None:
    snapshot = a_snapshot(history=(a_turn(1),))
    request = build(snapshot, model="gpt-4o")
    told = [problem.code for problem in DOOR.request(request, snapshot, WireForm.GEMINI).adaptations]
    assert told[0] == "wire.other_provider"
    assert DOOR.usual_form(request) is WireForm.OPENAI
    own = DOOR.request(request, snapshot, WireForm.OPENAI_RESPONSES)
    assert "wire.other_provider" not in [problem.code for problem in own.adaptations]
