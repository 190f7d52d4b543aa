"""Anthropic's rules, one by one."""

from __future__ import annotations

import json
from dataclasses import replace

from inspector.domain.messages import RedactedThinkingPart, Role, ThinkingPart
from inspector.domain.wire.values import CacheEnd, PromptSegment, ToolDefinition, WireForm
from tests.providers.builders import call, codes, message, outgoing, reply, result, tool, user, wire

OLD, NEW = "claude-sonnet-4-5", "claude-opus-4-8"
FORM = WireForm.ANTHROPIC


def test_that_a_conversation_that_begins_with_a_reply_is_given_a_start() -> None:
    made = wire(FORM, outgoing(NEW, reply(1, "Hi"), user(2, "Yes?")))
    assert made.body["messages"][0] == {
        "role": "user",
        "content": [{"type": "text", "text": "[Conversation start]"}],
    }
    assert codes(made) == ["start_added"]


def test_that_a_message_of_nothing_but_calls_is_not_empty() -> None:
    made = wire(FORM, outgoing(NEW, user(1, "?"), reply(2, call()), tool(3, result())))
    kinds = [[block["type"] for block in each["content"]] for each in made.body["messages"]]
    assert kinds == [["text"], ["tool_use"], ["tool_result"]]
    assert codes(made) == []


def test_that_a_call_without_a_result_is_answered_as_failed() -> None:
    made = wire(FORM, outgoing(NEW, user(1, "?"), reply(2, call("a")), user(3, "hello?")))
    block = made.body["messages"][2]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "a", "content": "[No result]", "is_error": True}
    assert codes(made) == ["result_missing"]


def test_that_two_calls_of_one_id_are_told_apart_and_keep_their_own_results() -> None:
    said = [user(1, "?"), reply(2, call("a")), tool(3, result("a", "one")), reply(4, call("a"))]
    made = wire(FORM, outgoing(NEW, *said, tool(5, result("a", "two"))))
    blocks = [block for each in made.body["messages"] for block in each["content"]]
    answers = {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}
    ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
    assert len(set(ids)) == 2
    assert [answers[each] for each in ids] == ["one", "two"]


def test_that_signed_thinking_goes_back_unmodified_and_unsigned_does_not() -> None:
    thoughts = (
        ThinkingPart(" as it was\n", "sig=="),
        RedactedThinkingPart("opaque"),
        ThinkingPart("unsigned"),
    )
    made = wire(FORM, outgoing(NEW, user(1, "?"), reply(2, *thoughts, call()), tool(3, result())))
    assert made.body["messages"][1]["content"][:2] == [
        {"type": "thinking", "thinking": " as it was\n", "signature": "sig=="},
        {"type": "redacted_thinking", "data": "opaque"},
    ]
    assert len(made.body["messages"][1]["content"]) == 3
    assert codes(made) == ["thinking_not_sent"]


def test_that_another_provider_s_signature_is_not_sent() -> None:
    foreign = reply(2, ThinkingPart("hm", "sig=="), "Yes.", origin="gemini")
    made = wire(FORM, outgoing(NEW, user(1, "?"), foreign, user(3, "ok")))
    assert [block["type"] for block in made.body["messages"][1]["content"]] == ["text"]


def test_that_a_fixed_budget_of_thinking_needs_a_thought_at_the_start_of_the_tool_loop() -> None:
    wish = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
    without = outgoing(OLD, user(1, "?"), reply(2, call()), tool(3, result()), parameters=wish)
    assert "thinking" not in wire(FORM, without).body
    thought = reply(2, ThinkingPart("hm", "s"), call())
    within = outgoing(OLD, user(1, "?"), thought, tool(3, result()), parameters=wish)
    assert wire(FORM, within).body["thinking"] == {"type": "enabled", "budget_tokens": 2000}


def test_that_a_begun_reply_goes_only_to_models_that_take_one() -> None:
    said = (user(1, "?"), reply(2, "The answer is  \n"))
    old = wire(FORM, outgoing(OLD, *said))
    assert old.body["messages"][-1]["content"] == [{"type": "text", "text": "The answer is"}]
    new = wire(FORM, outgoing(NEW, *said))
    assert new.body["messages"][-1] == {"role": "user", "content": [{"type": "text", "text": "[Continue]"}]}


def test_that_late_instructions_keep_their_role_where_the_model_has_it() -> None:
    said = (user(1, "?"), message(2, Role.SYSTEM, "Be brief."))
    assert wire(FORM, outgoing(NEW, *said)).body["messages"][1]["role"] == "system"
    (only,) = wire(FORM, outgoing(OLD, *said)).body["messages"]
    assert [block["text"] for block in only["content"]] == ["?", "Be brief."]


def test_that_cached_prefixes_end_where_the_plan_says() -> None:
    tools = (ToolDefinition("a", "", {}), ToolDefinition("b", "", {}))
    ends = tuple(CacheEnd(each, "5m") for each in ("tool:b", "block:1", "message:1"))
    values = outgoing(NEW, user(1, "one", "two"), reply(2, "ok"), user(3, "?"), tools=tools, cache_ends=ends)
    system = (
        PromptSegment("block:0", "zero "),
        PromptSegment("block:1", "one "),
        PromptSegment("block:2", "two"),
    )
    body = wire(FORM, replace(values, system=system)).body
    control = {"type": "ephemeral", "ttl": "5m"}
    assert [each.get("cache_control") for each in body["tools"]] == [None, control]
    assert body["system"] == [
        {"type": "text", "text": "zero one ", "cache_control": control},
        {"type": "text", "text": "two"},
    ]
    assert [each.get("cache_control") for each in body["messages"][0]["content"]] == [None, control]
    assert json.dumps(body).count("cache_control") == 3


def test_that_the_system_string_is_one_string_without_a_plan() -> None:
    assert wire(FORM, outgoing(NEW, user(1, "?"), system="You are Ada.")).body["system"] == "You are Ada."


def test_that_arguments_that_are_no_object_are_sent_as_text() -> None:
    made = wire(FORM, outgoing(NEW, user(1, "?"), reply(2, call(arguments="[1")), tool(3, result())))
    assert made.body["messages"][1]["content"][0]["input"] == {"arguments": "[1"}
    assert codes(made) == ["arguments_wrapped"]
