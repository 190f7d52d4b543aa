"""Recorded bodies with unknown fields at every level come back equal, and another form says what it leaves out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from inspector.context.outgoing import outgoing
from inspector.domain.codec import from_plain, to_plain
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.messages import Batch
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import WireForm, WireRequest
from inspector.runtime.wire import ADAPTERS
from tests.context.builders import MODELS, a_message, an_agent, build
from tests.exchange.builders import found
from tests.exchange.recorded.bodies import GRAMMARS
from tests.exchange.recorded.builders import plan_of

Json = dict[str, Any]
EXAMPLES = settings(max_examples=30, deadline=None, phases=[Phase.generate])


def snapshot_of(body: Json) -> Snapshot:
    """What an import of a body makes, read back from its stored form."""
    plan = plan_of(body)
    (made,) = found(plan, CreateAgent)
    agent = an_agent(
        instructions=made.instructions,
        persona="",
        model=made.model,
        parameters=made.parameters,
        config=made.config,
        tools=made.tools,
        metadata=made.metadata,
    )
    messages = []
    for at, intent in enumerate(plan.intents):
        row = intent.edit.operation
        if isinstance(row, AppendMessage):
            row = from_plain(AppendMessage, json.loads(json.dumps(to_plain(row))))
            message = a_message(
                at, row.role, *row.content, batch=row.batch_id, name=row.name, metadata=row.metadata
            )
            messages.append(message)
    history = tuple(
        Batch(batch_id, tuple(each)) for batch_id, each in groupby(messages, lambda message: message.batch_id)
    )
    tools = tuple(each.tool for each in found(plan, PutTool))
    return Snapshot("cst_1", 1, agent, (), history=history, tools=tools)


def sent(body: Json, form: WireForm) -> WireRequest:
    snapshot = snapshot_of(body)
    request = build(snapshot, window=1_000_000, reserved=1000)
    return ADAPTERS[form](outgoing(request, snapshot, MODELS.resolve(request.model)))


def check(body: Json, form: str) -> None:
    wire = sent(copy.deepcopy(body), WireForm(form))
    assert wire.body == body
    assert wire.adaptations == ()


@EXAMPLES
@given(GRAMMARS["anthropic"])
def test_that_an_anthropic_body_comes_back_equal(body: Json) -> None:
    check(body, "anthropic")


@EXAMPLES
@given(GRAMMARS["openai"])
def test_that_a_chat_body_comes_back_equal(body: Json) -> None:
    check(body, "openai")


@EXAMPLES
@given(GRAMMARS["openai-responses"])
def test_that_a_responses_body_comes_back_equal(body: Json) -> None:
    check(body, "openai-responses")


@EXAMPLES
@given(GRAMMARS["gemini"])
def test_that_a_gemini_body_comes_back_equal(body: Json) -> None:
    check(body, "gemini")


@EXAMPLES
@given(GRAMMARS["ollama"])
def test_that_an_ollama_body_comes_back_equal(body: Json) -> None:
    check(body, "ollama")


def _unknown(value: Any) -> Iterator[str]:
    """The names of the fields that no form knows, where they say something."""
    if isinstance(value, list):
        for each in value:
            yield from _unknown(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key.startswith("x_"):
                if each not in (None, "", [], {}) and not isinstance(each, dict):
                    yield key
            else:
                yield from _unknown(each)


@pytest.mark.slow
@pytest.mark.parametrize("form", GRAMMARS)
def test_that_another_form_says_which_fields_it_leaves_out(form: str) -> None:
    @settings(max_examples=8, deadline=None, phases=[Phase.generate])
    @given(GRAMMARS[form])
    def every_field_is_said(body: Json) -> None:
        # What stands in parts and tools of the provider's own goes with these, under their own problem.
        own = json.dumps([each for each in _objects(body) if _is_provider_s(each)])
        for other in set(WireForm) - {WireForm(form)}:
            wire = sent(copy.deepcopy(body), other)
            said = " ".join(str(problem.parameters.get("name")) for problem in wire.adaptations)
            for top, value in body.items():
                # A field of the body is said by its own name, whatever is in it.
                names = _unknown(value) if top in CONTENTS else {top} & set(_unknown({top: value}))
                for name in names:
                    assert name in said or f'"{name}"' in own

    every_field_is_said()


CONTENTS = {"messages", "input", "contents", "system", "systemInstruction", "system_instruction", "tools"}
_PROVIDER_S = {"document", "file", "input_file", "reasoning", "web_search_call", "web_search_20250305"}


def _is_provider_s(each: Json) -> bool:
    return each.get("type") in _PROVIDER_S | {"web_search", "tool_search"} or "googleSearch" in each


def _objects(value: Any) -> Iterator[Json]:
    if isinstance(value, list):
        for each in value:
            yield from _objects(each)
    elif isinstance(value, dict):
        yield value
        for each in value.values():
            yield from _objects(each)
