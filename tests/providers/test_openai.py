"""OpenAI's rules, one by one, for both of its forms."""

from __future__ import annotations

import json
from dataclasses import replace

from inspector.domain.messages import ImagePart, RedactedThinkingPart, Role, ThinkingPart
from inspector.domain.wire.values import CacheEnd, PromptSegment, WireForm
from tests.providers.builders import call, codes, message, outgoing, reply, result, tool, user, wire
from tests.providers.request_strategies import PIXEL, REASONING

CHAT, RESPONSES = WireForm.OPENAI, WireForm.OPENAI_RESPONSES


def test_that_every_call_is_followed_by_one_tool_message() -> None:
    said = (
        user(1, "?"),
        reply(2, "Looking.", call("a"), call("b")),
        tool(3, result("b", "B"), result("a", "A")),
    )
    body = wire(CHAT, outgoing("gpt-4o", *said, reply(4, "Done."))).body
    assert [each["role"] for each in body["messages"]] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [each.get("tool_call_id") for each in body["messages"][2:4]] == ["a", "b"]
    assert body["messages"][1]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"q": "x"}'}


def test_that_arguments_are_sent_as_the_model_wrote_them() -> None:
    written = '{"a":1,  "a":2, "n": 1.0}'
    said = (user(1, "?"), reply(2, call(arguments=written)), tool(3, result()))
    body = wire(CHAT, outgoing("gpt-4o", *said)).body
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == written


def test_that_reasoning_models_are_instructed_by_the_developer() -> None:
    roles = {}
    for model in ("gpt-4o", "gpt-5-mini", "gpt-oss-20b"):
        values = outgoing(model, user(1, "?"), message(2, Role.SYSTEM, "late"), system="S")
        roles[model] = [each["role"] for each in wire(CHAT, values).body["messages"]]
    assert roles["gpt-4o"] == ["system", "user", "system"]
    assert roles["gpt-5-mini"] == ["developer", "user", "developer"]
    assert roles["gpt-oss-20b"] == ["system", "user", "system"]


def test_that_a_longest_reply_goes_by_the_name_that_the_server_knows() -> None:
    asked = {"max_tokens": 8_000}
    official = outgoing("gpt-4o", user(1, "?"), parameters=asked)
    assert wire(CHAT, official).body["max_completion_tokens"] == 8_000
    compatible = outgoing("gpt-oss-20b", user(1, "?"), parameters=asked)
    assert wire(CHAT, compatible).body["max_tokens"] == 8_000
    assert list(wire(CHAT, outgoing("gpt-4o", user(1, "?"))).body) == ["model", "messages"]
    short = outgoing("gpt-4o", user(1, "?"), parameters={"max_tokens": 3})
    assert wire(RESPONSES, short).body["max_output_tokens"] == 16


def test_that_names_are_made_legal() -> None:
    made = wire(CHAT, outgoing("gpt-4o", user(1, "?", name="Ada Lovelace")))
    assert made.body["messages"][0]["name"] == "Ada_Lovelace"
    assert codes(made) == ["name_changed"]


def test_that_an_image_is_an_address_with_its_data() -> None:
    image = ImagePart("image/png", 1, 1, PIXEL)
    chat = wire(CHAT, outgoing("gpt-4o", user(1, "See:", image))).body
    url = {"url": f"data:image/png;base64,{PIXEL}"}
    assert chat["messages"][0]["content"][1] == {"type": "image_url", "image_url": url}
    responses = wire(RESPONSES, outgoing("gpt-4o", user(1, image))).body
    assert responses["input"][0]["content"][0]["image_url"] == url["url"]
    blind = wire(CHAT, outgoing("o3-mini", user(1, image)))
    assert blind.body["messages"][0]["content"] == "[Image image/png 1x1 left out]"
    assert codes(blind) == ["image_left_out"]


def test_that_a_thought_goes_back_only_as_an_item_with_the_item_behind_it() -> None:
    thought = RedactedThinkingPart(REASONING)
    said = (user(1, "?"), reply(2, thought, call()), tool(3, result()), reply(4, "Yes.", thought))
    made = wire(RESPONSES, outgoing("gpt-5.6", *said))
    kinds = [each["type"] for each in made.body["input"]]
    assert kinds == ["message", "reasoning", "function_call", "function_call_output", "message"]
    assert made.body["input"][1] == json.loads(REASONING)
    assert codes(made) == ["thinking_not_sent"]
    foreign = outgoing("gpt-5.6", user(1, "?"), reply(2, ThinkingPart("hm", "s"), "Yes."))
    assert [each["type"] for each in wire(RESPONSES, foreign).body["input"]] == ["message", "message"]


def test_that_nothing_is_to_be_stored_at_the_provider_s() -> None:
    body = wire(RESPONSES, outgoing("gpt-5.6", user(1, "?"), system="S")).body
    assert body["store"] is False
    assert body["instructions"] == "S"
    assert not {"previous_response_id", "conversation"} & body.keys()


def test_that_cached_prefixes_end_only_where_the_model_takes_ends() -> None:
    system = (PromptSegment("block:1", "one "), PromptSegment("block:2", "two"))
    ends = (CacheEnd("block:1"), CacheEnd("message:1"))
    for model, marks in (("gpt-5.6", 2), ("gpt-4o", 0)):
        values = replace(outgoing(model, user(1, "?"), cache_ends=ends), system=system)
        for form in (CHAT, RESPONSES):
            made = wire(form, values)
            assert json.dumps(made.body).count('"prompt_cache_breakpoint"') == marks
            assert codes(made) == []
    values = replace(outgoing("gpt-5.6", user(1, "?"), cache_ends=ends), system=system)
    assert wire(CHAT, values).body["messages"][0]["content"] == [
        {"type": "text", "text": "one ", "prompt_cache_breakpoint": {"mode": "explicit"}},
        {"type": "text", "text": "two"},
    ]


def test_that_a_request_of_nothing_says_something() -> None:
    for form in (CHAT, RESPONSES):
        assert "[Conversation start]" in json.dumps(wire(form, outgoing("gpt-4o")).body)


def test_that_a_longest_reply_beyond_the_model_s_is_lowered_and_listed() -> None:
    made = wire(WireForm.OPENAI, outgoing("gpt-4o", user(1, "hi"), parameters={"max_tokens": 99_999_999}))
    assert made.body["max_completion_tokens"] == 16_384
    assert codes(made) == ["reply_limit_changed"]
