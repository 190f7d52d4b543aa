"""Gemini's rules, one by one."""

from __future__ import annotations

import base64

from inspector.domain.messages import ImagePart, Role, ThinkingPart
from inspector.domain.wire.values import ToolDefinition, WireForm
from tests.providers.builders import call, codes, message, outgoing, reply, result, tool, user, wire
from tests.providers.request_strategies import PIXEL

FORM = WireForm.GEMINI
OLD, NEW = "gemini-2.5-flash", "gemini-3.8-flash"
SIGNED = base64.b64encode(b"signature").decode()


def test_that_a_conversation_that_begins_with_a_reply_starts_with_a_user() -> None:
    made = wire(FORM, outgoing(OLD, user(1, ""), reply(2, "Hi"), user(3, "Yes?")))
    assert made.body["contents"][0] == {"role": "user", "parts": [{"text": "[Conversation start]"}]}
    # Empty messages go first, so the user's own empty one does not count as a start.
    assert codes(made) == ["empty_message", "start_added"]


def test_that_there_are_as_many_results_as_calls_and_in_their_order() -> None:
    calls = (call("a", "one"), call("b", "two"), call("c", "three"))
    said = (
        user(1, "?"),
        reply(2, *calls),
        tool(3, result("c", "C")),
        tool(4, result("a", "A", is_error=True)),
    )
    made = wire(FORM, outgoing(OLD, *said))
    answers = made.body["contents"][2]
    assert answers["role"] == "user"
    assert [part["functionResponse"] for part in answers["parts"]] == [
        {"name": "one", "response": {"error": "A"}},
        {"name": "two", "response": {"error": "[No result]"}},
        {"name": "three", "response": {"output": "C"}},
    ]


def test_that_a_message_of_nothing_but_calls_or_results_is_not_empty() -> None:
    made = wire(FORM, outgoing(OLD, user(1, "?"), reply(2, call()), tool(3, result(content=""))))
    assert len(made.body["contents"]) == 3
    assert codes(made) == []


def test_that_neighbours_of_one_side_are_one_content() -> None:
    said = (
        user(1, "a"),
        user(2, "b"),
        message(3, Role.SYSTEM, "c"),
        reply(4, "d"),
        reply(5, "e"),
        user(6, "f"),
    )
    made = wire(FORM, outgoing(OLD, *said))
    assert [[part["text"] for part in each["parts"]] for each in made.body["contents"]] == [
        ["a", "b", "c"],
        ["d", "e"],
        ["f"],
    ]
    assert codes(made).count("merged") == 3


def test_that_a_thought_s_signature_rides_on_the_call_behind_it() -> None:
    said = (user(1, "?"), reply(2, ThinkingPart("hm", SIGNED), call()), tool(3, result()))
    parts = wire(FORM, outgoing(NEW, *said)).body["contents"][1]["parts"]
    assert parts[0] == {"text": "hm", "thought": True}
    assert parts[1]["thoughtSignature"] == SIGNED


def test_that_a_call_of_the_turn_under_way_is_never_without_a_signature() -> None:
    past = (user(1, "?"), reply(2, call("a")), tool(3, result("a")), reply(4, "ok"))
    now = (user(5, "?"), reply(6, call("b"), call("c")), tool(7, result("b"), result("c")))
    made = wire(FORM, outgoing(NEW, *past, *now))
    signatures = [
        part.get("thoughtSignature")
        for content in made.body["contents"]
        for part in content["parts"]
        if "functionCall" in part
    ]
    assert [bool(each) for each in signatures] == [False, True, False]
    assert "signature_stand_in" in codes(made)
    assert "signature_stand_in" not in codes(wire(FORM, outgoing(OLD, *past, *now)))


def test_that_the_model_s_name_cannot_leave_its_place_in_the_address() -> None:
    address = wire(FORM, outgoing("gemini-x/../../evil?key=1", user(1, "?"))).address
    path = "/v1beta/models/gemini-x%2F..%2F..%2Fevil%3Fkey%3D1:generateContent"
    assert address.path == path
    assert address.key_header == "x-goog-api-key"


def test_that_tools_are_declared_by_their_schema() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    tools = (ToolDefinition("web fetch", "Gets it.", schema), ToolDefinition("none", "", {}))
    made = wire(FORM, outgoing(OLD, user(1, "?"), tools=tools))
    (declared,) = made.body["tools"]
    assert declared["functionDeclarations"] == [
        {"name": "web_fetch", "description": "Gets it.", "parametersJsonSchema": schema},
        {"name": "none"},
    ]
    assert made.tool_names == {"web_fetch": "web fetch"}


def test_that_images_are_data_or_files() -> None:
    images = (ImagePart("image/png", 1, 1, PIXEL), ImagePart("image/png", 1, 1, "gs://bucket/x"))
    parts = wire(FORM, outgoing(OLD, user(1, *images))).body["contents"][0]["parts"]
    assert parts == [
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        {"fileData": {"mimeType": "image/png", "fileUri": "gs://bucket/x"}},
    ]
