"""Bodies for every provider, from hundreds of random Requests, by the providers' types and by their rules."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.domain.messages import ImagePart, Role, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.wire.values import Outgoing, WireForm, WireMessage, WireRequest
from inspector.runtime.wire import ADAPTERS
from tests.providers.provider_rules import CHECKS, check_any
from tests.providers.request_strategies import invented
from tests.providers.sdk_types import check_types

REQUESTS = 400
FORMS = list(WireForm)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_that_random_requests_fit_the_provider_s_own_types_and_rules(form: WireForm) -> None:
    for seed in range(REQUESTS):
        outgoing = invented(seed, form)
        wire = ADAPTERS[form](outgoing)
        check_any(outgoing, wire)
        CHECKS[form](outgoing, wire)
        check_types(form, wire.body)
        check_words(outgoing, wire)
        assert ADAPTERS[form](invented(seed, form)) == ADAPTERS[form](outgoing) == wire


def check_words(outgoing: Outgoing, wire: WireRequest) -> None:
    """Every word that can be sent is sent."""
    text = json.dumps(wire.body, ensure_ascii=False)
    for said in outgoing.messages:
        for part in said.content:
            if isinstance(part, TextPart) and part.text.strip():
                # The last word of a reply that is begun may lose white space.
                assert json.dumps(part.text.strip(), ensure_ascii=False)[1:-1] in text


@pytest.mark.parametrize("form", FORMS)
def test_that_the_random_requests_hold_what_is_hard(form: WireForm) -> None:
    seen: set[str] = set()
    told: set[str] = set()
    for seed in range(300):
        outgoing = invented(seed, form)
        for said in outgoing.messages:
            seen |= {type(part).__name__ for part in said.content} | {said.role.value}
        told |= {problem.code for problem in ADAPTERS[form](outgoing).adaptations}
    parts = (TextPart, ImagePart, ThinkingPart, ToolCallPart, ToolResultPart)
    assert {part.__name__ for part in parts} | {role.value for role in Role} <= seen
    assert {"wire.result_missing", "wire.result_without_call", "wire.result_moved"} <= told
    assert {"wire.tool_renamed", "wire.image_left_out", "wire.empty_message", "wire.schema_changed"} <= told


def _change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        *keys, last = path.split(".")
        here: Any = body
        for key in keys:
            here = here[int(key)] if key.isdigit() else here[key]
        here[last] = value

    return change


BROKEN: dict[WireForm, list[Callable[[dict[str, Any]], None]]] = {
    WireForm.ANTHROPIC: [
        _change("messages.0.role", "tool"),
        _change("messages.0.content.0.type", "txt"),
        _change("messages.0.content.0.extra", 1),
        _change("max_tokens", "many"),
        _change("unknown", 1),
    ],
    WireForm.OPENAI: [
        _change("messages.0.role", "nobody"),
        _change("messages.0.content", 5),
        _change("messages.0.extra", 1),
        _change("unknown", 1),
    ],
    WireForm.OPENAI_RESPONSES: [
        _change("input.0.content.0.type", "txt"),
        _change("input.0.role", "nobody"),
        _change("store", "perhaps not"),
        _change("unknown", 1),
    ],
    WireForm.GEMINI: [
        _change("contents.0.parts.0.txt", "x"),
        _change("generationConfig.maxOutputTokens", "many"),
        _change("unknown", 1),
    ],
    WireForm.OLLAMA: [
        _change("messages.0.content", 5),
        _change("messages.0.extra", 1),
        _change("options.num_ctx", "wide"),
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_that_the_types_refuse_what_is_broken(form: WireForm) -> None:
    hello = WireMessage("message:1", Role.USER, (TextPart("hello"),))
    plain = Outgoing("a-model", None, (), (hello,), (), invented(0, form).limits, {"max_tokens": 50})
    for change in BROKEN[form]:
        body = copy.deepcopy(dict(ADAPTERS[form](plain).body))
        check_types(form, body)
        change(body)
        with pytest.raises((AssertionError, ValueError)):
            check_types(form, body)
