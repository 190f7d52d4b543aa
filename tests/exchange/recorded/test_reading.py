"""Recorded requests as plans, and what is refused."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import MalformedError
from inspector.domain.messages import ImagePart, RedactedThinkingPart, TextPart, ThinkingPart, ToolCallPart
from tests.exchange.builders import batches, codes, found, roles
from tests.exchange.recorded.builders import ANTHROPIC, CHAT, PIXEL, RESPONSES, plan_of

FORMS = {
    "anthropic-request": ANTHROPIC,
    "openai-request": CHAT,
    "openai-responses-request": RESPONSES,
}


@pytest.mark.parametrize("form", FORMS)
def test_that_a_recorded_request_becomes_one_agent_with_its_tools(form: str) -> None:
    plan = plan_of(FORMS[form])
    assert plan.source_format == form
    (agent,) = found(plan, CreateAgent)
    assert (agent.name, agent.model) == ("call", FORMS[form]["model"])
    assert agent.tools == ("look",)
    assert agent.instructions[0].startswith("You are Ada.")
    (tool,) = found(plan, PutTool)
    assert json.loads(tool.tool.parameters)["required"] == ["q"]
    (shown,) = plan.agents
    assert shown.messages == len(found(plan, AppendMessage)) == shown.messages_in_context


def test_that_anthropic_s_parts_are_read() -> None:
    messages = found(plan_of(ANTHROPIC), AppendMessage)
    assert [message.role.value for message in messages] == ["user", "assistant", "tool", "user"]
    thought, hidden, text, call, other = messages[1].content
    assert thought == ThinkingPart("Let me see.", "c2ln")
    assert hidden == RedactedThinkingPart("opaque")
    assert text == TextPart("Looking.")
    assert isinstance(call, ToolCallPart)
    assert json.loads(call.arguments) == {"q": "tree"}
    assert isinstance(other, ToolCallPart)
    assert [part.is_error for part in messages[2].content if hasattr(part, "is_error")] == [False, True]
    assert messages[3].content == (TextPart("And here?"), ImagePart("image/png", 0, 0, PIXEL))
    assert json.loads(messages[1].metadata)["provider"] == "anthropic"


def test_that_turns_are_batches_and_no_call_is_parted_from_its_result() -> None:
    assert roles(plan_of(CHAT)) == [["user", "assistant", "tool", "assistant"], ["user"]]
    assert roles(plan_of(RESPONSES)) == [["user", "assistant", "tool", "assistant"], ["user"]]
    assert roles(plan_of(ANTHROPIC)) == [["user", "assistant", "tool"], ["user"]]
    interrupted = copy.deepcopy(CHAT)
    interrupted["messages"].insert(3, {"role": "user", "content": "Wait!"})
    assert roles(plan_of(interrupted))[0] == ["user", "assistant", "user", "tool", "assistant"]


def test_that_each_text_of_a_model_in_a_row_is_a_message_and_its_calls_belong_to_it() -> None:
    def reply(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c1", "output": "it"}
    plan = plan_of({"model": "gpt-5", "input": [reply("One."), reply("Two."), call, result]})
    first, second, _ = found(plan, AppendMessage)
    assert [type(part) for part in first.content] == [TextPart]
    assert [type(part) for part in second.content] == [TextPart, ToolCallPart]


def test_that_arguments_and_thoughts_stay_as_they_were() -> None:
    (call,) = [part for part in batches(plan_of(CHAT))[0][1].content if isinstance(part, ToolCallPart)]
    assert call.arguments == '{"q":  "x"}'
    thought = batches(plan_of(RESPONSES))[0][1].content[0]
    assert isinstance(thought, RedactedThinkingPart)
    assert json.loads(thought.data) == RESPONSES["input"][1]


def test_that_parameters_have_neutral_names() -> None:
    parameters = json.loads(found(plan_of(CHAT), CreateAgent)[0].parameters)
    extra = parameters.pop("extra_body")
    layout = parameters.pop("as_recorded")
    assert layout == {"openai": {"system": [{"fields": {"role": "system"}, "blocks": None}]}}
    assert parameters == {"max_tokens": 300, "temperature": 0.2, "stop": ["END"]}
    assert list(extra) == ["openai"]
    parameters = json.loads(found(plan_of(RESPONSES), CreateAgent)[0].parameters)
    assert {**parameters, "extra_body": {}} == {
        "max_tokens": 500,
        "reasoning_effort": "low",
        "extra_body": {},
        "as_recorded": {"openai-responses": {"system": [{"fields": {}, "blocks": None}]}},
    }


@pytest.mark.parametrize("form", FORMS)
def test_that_a_recorder_s_envelope_is_opened_and_its_headers_left_out(form: str) -> None:
    for body in (FORMS[form], json.dumps(FORMS[form])):
        headers = {"authorization": "Bearer sk-secret-of-mine", "x-api-key": "sk-secret-of-mine"}
        plan = plan_of({"url": "https://example.org/v1", "method": "POST", "headers": headers, "body": body})
        assert plan.source_format == form
        assert "import.secret_left_out" in codes(plan)
        assert "sk-secret" not in repr(plan)
        assert "https://example.org/v1" in found(plan, CreateAgent)[0].metadata


CANARY = "9f8a7b6c5d4e"
RECORDED_SECRETS: list[dict[str, Any]] = [
    {"request_headers": {"x-custom": CANARY}},
    {"extra_headers": {"anything": CANARY}},
    {"responseHeaders": [["set-cookie", CANARY]]},
    {"raw_headers": [f"X-Auth-Token: {CANARY}"]},
    {"cookies": {"session": CANARY}},
    {"extra_query": {"key": CANARY, "alt": "sse"}},
    {"params": {"sig": CANARY}},
    *(
        {"options": {name: CANARY}}
        for name in (
            *("x-api-key", "api-key", "x-goog-api-key", "Proxy-Authorization", "X-Auth-Token", "cookie"),
            *(
                "Set-Cookie",
                "Ocp-Apim-Subscription-Key",
                "openaiApiKey",
                "accessToken",
                "client_secret",
                "secret_key",
            ),
        )
    ),
]


@pytest.mark.parametrize("beside", RECORDED_SECRETS)
def test_that_no_key_in_recorded_headers_or_options_is_kept(beside: dict[str, Any]) -> None:
    for recorded in ({**ANTHROPIC, **beside}, {**beside, "body": ANTHROPIC}):
        plan = plan_of(recorded)
        assert "import.secret_left_out" in codes(plan)
        assert CANARY not in repr(plan)


def test_that_what_only_sounds_like_a_secret_is_kept() -> None:
    beside = {
        "column_headers": ["name", "tokens"],
        "tokenizer": "o200k",
        "monkey": "business",
        "key": "A minor",
    }
    plan = plan_of({**ANTHROPIC, **beside})
    assert "import.secret_left_out" not in codes(plan)
    extra = json.loads(found(plan, CreateAgent)[0].parameters)["extra_body"]["anthropic"]
    assert {name: extra[name] for name in beside} == beside


@pytest.mark.parametrize("field", ["url", "base_url"])
def test_that_keys_and_passwords_in_addresses_are_left_out(field: str) -> None:
    for address in (
        "https://example.org/v1?alt=sse&key=9f8a7b6c5d4e",
        "https://me:9f8a7b6c5d4e@example.org/v1",
        "https://example:9f8a7b6c5d4e@example.org/v1?x=y",
        "https://:pw@example.org/v1",
    ):
        plan = plan_of({field: address, "body": ANTHROPIC})
        assert "import.secret_left_out" in codes(plan)
        assert "9f8a7b6c5d4e" not in repr(plan)
        assert ":pw@" not in repr(plan)
        assert "example.org/v1" in found(plan, CreateAgent)[0].metadata


def test_that_what_has_no_place_is_kept() -> None:
    body = copy.deepcopy(ANTHROPIC)
    body["messages"][0]["content"][0]["cache_control"] = {"type": "ephemeral"}
    body["tools"].append({"type": "web_search_20250305", "name": "web_search"})
    body["metadata"] = {"user_id": "u1"}
    body["messages"][0]["content"].append({"type": "document", "source": {"type": "url", "url": "https://x"}})
    plan = plan_of(body)
    assert {"import.provider_tool", "import.provider_part"} <= set(codes(plan))
    agent = found(plan, CreateAgent)[0]
    extra = json.loads(agent.parameters)["extra_body"]["anthropic"]
    assert extra["metadata"] == {"user_id": "u1"}
    own, other = extra["tools"]
    assert (own, other["name"]) == ("look", "web_search")
    assert agent.tools == ("look",)
    part = found(plan, AppendMessage)[0].content[0]
    assert isinstance(part, TextPart)
    assert json.loads(part.extra_body) == {"cache_control": {"type": "ephemeral"}}


def test_that_a_system_text_in_blocks_is_instructions_in_order() -> None:
    body = {**ANTHROPIC, "system": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}
    assert found(plan_of(body), CreateAgent)[0].instructions == ("one", "two")


def _at(body: dict[str, Any], path: list[str | int], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(body)
    here: Any = changed
    for step in path[:-1]:
        here = here[step]
    if value is None:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return changed


@pytest.mark.parametrize(
    ("body", "path", "value", "where"),
    [
        (ANTHROPIC, ["messages", 1, "content", 3, "id"], None, "messages[1].content[3].id"),
        (ANTHROPIC, ["messages", 1, "content", 3, "name"], 5, "messages[1].content[3].name"),
        (ANTHROPIC, ["messages", 2, "content", 0, "tool_use_id"], "", "messages[2].content[0].tool_use_id"),
        (ANTHROPIC, ["messages", 0, "role"], "wizard", "messages[0].role"),
        (ANTHROPIC, ["messages", 0, "content"], 7, "messages[0].content"),
        (ANTHROPIC, ["messages", 2], "text", "messages[2]"),
        (ANTHROPIC, ["tools", 0, "name"], None, "tools[0].name"),
        (ANTHROPIC, ["system"], [{"type": "image"}], "system[0].type"),
        (CHAT, ["messages", 3, "tool_call_id"], None, "messages[3].tool_call_id"),
        (CHAT, ["messages", 2, "tool_calls", 0, "function"], None, "messages[2].tool_calls[0].function"),
        (CHAT, ["messages", 2, "tool_calls"], {}, "messages[2].tool_calls"),
        (
            CHAT,
            ["messages", 5, "content", 1, "image_url", "url"],
            None,
            "messages[5].content[1].image_url.url",
        ),
        (RESPONSES, ["input", 2, "call_id"], None, "input[2].call_id"),
        (RESPONSES, ["input", 0, "role"], "wizard", "input[0].role"),
        (RESPONSES, ["input", 3, "output"], 5, "input[3].output"),
    ],
)
def test_that_what_cannot_be_read_is_refused_with_its_place(
    body: dict[str, Any], path: list[str | int], value: Any, where: str
) -> None:
    with pytest.raises(MalformedError) as refused:
        plan_of(_at(body, path, value))
    assert refused.value.parameters["where"] == where


def test_that_the_place_counts_from_the_file_within_an_envelope() -> None:
    with pytest.raises(MalformedError) as refused:
        plan_of({"body": _at(ANTHROPIC, ["messages", 0, "role"], None)})
    assert refused.value.parameters["where"] == "body.messages[0].role"


def body_as_text(body: str) -> MalformedError:
    with pytest.raises(MalformedError) as refused:
        plan_of({"url": "https://example.org", "body": body})
    return refused.value


def test_that_a_body_as_text_keeps_the_limits_of_the_guard() -> None:
    messages = '{"model":"x","messages":[{"role":"user","content":"a"}'
    deep = body_as_text(messages + ',{"content":' + "[" * 255 + "]" * 255 + "}]}")
    assert (deep.code, deep.parameters["where"]) == ("import.too_deep", "body 1:320")
    assert body_as_text(messages + ",{}" * 800_000 + "]}").code == "import.too_heavy"
    assert body_as_text(messages + ',{"content":"\\ud800"}]}').code == "import.lone_surrogate"
    # What is no JSON is no request.
    assert body_as_text(messages).code == "import.unknown_format"


def test_that_a_call_without_a_result_and_a_result_without_a_call_are_told() -> None:
    body = _at(CHAT, ["messages", 3], {"role": "tool", "tool_call_id": "other", "content": "?"})
    told = codes(plan_of(body))
    assert told.count("import.result_without_call") == 1
    assert told.count("import.call_waits") == 1


def test_that_plain_bodies_are_told_apart() -> None:
    plain: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    assert plan_of({"model": "claude-opus-4-8", "messages": plain}).source_format == "anthropic-request"
    assert plan_of({"model": "gpt-4o", "messages": plain}).source_format == "openai-request"
    assert plan_of({"model": "gpt-4o", "input": "hi"}).source_format == "openai-responses-request"
    routed = {
        "model": "anthropic/claude-opus-4-8",
        "messages": [{"role": "developer", "content": "x"}, *plain],
    }
    assert plan_of(routed).source_format == "openai-request"
    with pytest.raises(MalformedError) as refused:
        plan_of({"messages": "none", "model": "x"})
    assert refused.value.code == "import.unknown_format"
