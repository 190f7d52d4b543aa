"""Recorded bodies whose import once lost something, by what was lost."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.wire.values import WireForm
from inspector.entry import main
from tests.flows.test_round_trip import check, sent

Json = dict[str, Any]
PIXEL = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
MARK = {"cache_control": {"type": "ephemeral"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "strict": True}}


def anthropic(*messages: Json, **fields: Any) -> Json:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": list(messages)}
    return body | fields


def user(*content: Json) -> Json:
    return {"role": "user", "content": list(content) or "hi"}


def text(words: str, **fields: Any) -> Json:
    return {"type": "text", "text": words, **fields}


def call(**fields: Any) -> Json:
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}, **fields}],
    }


def result(content: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": "c", "content": content}


CASES: dict[str, tuple[str, Json]] = {
    "a call of a custom tool": (
        "openai",
        {
            "model": "gpt-5",
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "c", "type": "custom", "custom": {"name": "run", "input": "print(1)", "x": 1}}
                    ],
                },
                {"role": "tool", "tool_call_id": "c", "content": "1"},
            ],
            "tools": [{"type": "custom", "custom": {"name": "run", "description": "Runs."}}],
        },
    ),
    "white space of a system text": ("anthropic", anthropic(user(), system="\nBe terse.\n")),
    "several system blocks": (
        "anthropic",
        anthropic(user(), system=[text("\n A.\n", **MARK), text("/B", **MARK), text(" "), text("C")]),
    ),
    "several system messages": (
        "openai",
        {
            "model": "gpt-4o",
            "messages": [
                {"role": "developer", "content": " One.\n", "name": "ada"},
                {"role": "system", "content": [text("Two.", **MARK), text("Three.")]},
                {"role": "user", "content": "hi"},
                {"role": "developer", "content": "Late."},
            ],
        },
    ),
    "strict": (
        "openai-responses",
        {
            "model": "gpt-5",
            "input": "hi",
            "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True}],
        },
    ),
    "strict of a chat tool": (
        "openai",
        {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "tools": [TOOL]},
    ),
    "format of the reply": (
        "openai",
        {
            "model": "gpt-4o",
            "messages": [{"role": "user", "content": "hi"}],
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}},
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "tools": [TOOL],
        },
    ),
    "temperature and forced tool": (
        "anthropic",
        anthropic(
            user(),
            temperature=0.2,
            tools=[{"name": "f", "input_schema": {"type": "object"}, "defer_loading": True, **MARK}],
            tool_choice={"type": "tool", "name": "f"},
            thinking={"type": "enabled", "budget_tokens": 2000, "display": "summarized"},
        ),
    ),
    "images in a result": (
        "anthropic",
        anthropic(
            user(),
            call(),
            user(
                result(
                    [
                        text("A"),
                        {"type": "image", "source": PIXEL},
                        {"type": "tool_reference", "tool_name": "x"},
                    ]
                ),
                text("B", **MARK),
            ),
        ),
    ),
    "several texts in a result": (
        "anthropic",
        anthropic(user(), call(), user(result([text("A"), text("B", **MARK), text("")]))),
    ),
    "two users in a row": ("anthropic", anthropic(user(text("A")), user(text("B")))),
    "an assistant first and last": (
        "anthropic",
        anthropic({"role": "assistant", "content": []}, user(), {"role": "assistant", "content": "So "}),
    ),
    "two calls of one id": (
        "anthropic",
        anthropic(user(), call(), user(result("1")), call(), user(result("2"))),
    ),
    "a tool of the provider first": (
        "anthropic",
        anthropic(
            user(), tools=[{"type": "web_search_20250305", "name": "w"}, {"name": "f", "input_schema": {}}]
        ),
    ),
    "a count of tokens": (
        "anthropic",
        {"model": "claude-sonnet-4-5", "messages": [user()], "tools": [], "stop_sequences": []},
    ),
    "fields of a chat message": (
        "openai",
        {
            "model": "mistral-large",
            "max_tokens": 5,
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": "https://example.org/a", "detail": "low"}},
                        {"type": "image_url", "image_url": "https://example.org/b"},
                    ],
                },
                {
                    "role": "assistant",
                    "content": "",
                    "prefix": False,
                    "reasoning": "r",
                    "name": None,
                    "tool_calls": [{"id": "c", "index": 0, "function": {"name": "f", "arguments": ""}}],
                },
                {"role": "tool", "tool_call_id": "c", "name": "f", "content": "1"},
                {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
                {"role": "user", "content": ""},
            ],
        },
    ),
    "the older form of calls": (
        "openai",
        {
            "model": "gpt-4",
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
                {"role": "function", "name": "f", "content": "1"},
            ],
            "functions": [{"name": "f", "parameters": {"type": "object"}}],
        },
    ),
    "items of a reply": (
        "openai-responses",
        {
            "model": "gpt-5",
            "input": [
                {"role": "user", "content": "hi"},
                {"type": "reasoning", "summary": [], "encrypted_content": "e"},
                {"type": "message", "role": "assistant", "phase": "commentary", "content": "A"},
                {
                    "id": "m",
                    "role": "assistant",
                    "content": [
                        {"type": "output_text", "text": "B", "annotations": []},
                        {"type": "refusal", "refusal": "C"},
                    ],
                },
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "", "namespace": "n"},
                {"type": "function_call", "call_id": "d", "name": "f", "arguments": "{}"},
                {
                    "type": "function_call_output",
                    "call_id": "d",
                    "output": [{"type": "input_file", "file_id": "f"}],
                },
                {"type": "function_call_output", "call_id": "c", "output": ""},
                {"type": "reasoning", "id": "r", "summary": []},
            ],
        },
    ),
    "gemini's spellings and signatures": (
        "gemini",
        {
            "system_instruction": {"role": "user", "parts": [{"text": " A\n"}, {"text": "B"}]},
            "contents": [
                {
                    "parts": [
                        {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}},
                        {"text": ""},
                    ]
                },
                {
                    "role": "model",
                    "parts": [
                        {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
                        {"function_call": {"name": "f", "id": "call_1"}, "thought_signature": "c2ln"},
                    ],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "f", "response": {"output": {"a": 1}}}}],
                },
                {
                    "role": "user",
                    "parts": [{"text": "and"}, {"fileData": {"fileUri": "gs://a", "mimeType": "video/mp4"}}],
                },
            ],
            "tools": [
                {"googleSearch": {}},
                {
                    "function_declarations": [
                        {"name": "f", "parameters": {"type": "object", "properties": {}}}
                    ]
                },
            ],
            "generationConfig": {},
        },
    ),
    "ollama's options and images": (
        "ollama",
        {
            "model": "llava",
            "stream": True,
            "options": {"temperature": 0, "seed": 1, "mirostat": 2},
            "messages": [
                {"role": "system", "content": "A"},
                {"role": "system", "content": "B"},
                {"role": "user", "content": "hi", "images": ["iVBORw0KGgo="]},
            ],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_that_nothing_of_a_body_is_lost(name: str) -> None:
    form, body = CASES[name]
    check(body, form)


def test_that_several_system_texts_are_one_string_for_another_provider() -> None:
    body = CASES["several system messages"][1]
    assert sent(copy.deepcopy(body), WireForm.ANTHROPIC).body["system"] == " One.\n\n\nTwo.\n\nThree."


def test_that_another_form_has_texts_of_a_result_as_one_and_its_images_beside_it() -> None:
    wire = sent(copy.deepcopy(CASES["images in a result"][1]), WireForm.OPENAI)
    roles = [message["role"] for message in wire.body["messages"]]
    assert roles == ["user", "assistant", "tool", "user", "user"]
    assert wire.body["messages"][2]["content"] == "A"
    assert wire.body["messages"][3]["content"][0]["type"] == "image_url"
    said = [(problem.code, problem.parameters.get("name")) for problem in wire.adaptations]
    assert ("wire.result_part_beside", None) in said
    assert ("wire.provider_part_not_sent", None) in said
    assert ("wire.part_field_not_sent", "cache_control.type") in said


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    capfd.readouterr()
    code = main(list(map(str, arguments)))
    done = capfd.readouterr()
    assert code == 0, done.err
    return done.out, done.err


def test_that_a_result_without_its_call_is_said_to_be_left_out(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    output = {"type": "function_call_output", "call_id": "c", "output": "1"}
    source.write_text(
        json.dumps({"model": "gpt-5", "previous_response_id": "resp_1", "input": [output]}), encoding="utf-8"
    )
    run(capfd, "import", source, target)
    out, err = run(capfd, "build", target, "--as", "openai-responses")
    assert json.loads(out)["previous_response_id"] == "resp_1"
    assert "refers to the call c, which doesn't exist" in err
    assert "The earlier part isn't in the file" in err


def test_that_what_the_import_left_out_is_said_as_long_as_it_holds(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """In the report, beside a body that is built, and in neutral JSON."""
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    secret = {"type": "mcp", "headers": {"Authorization": "Bearer abc"}}
    tool = {"name": "f", "input_schema": {"type": "object"}}
    body = anthropic(
        user(text("hi"), secret),
        {"role": "assistant", "content": "ok"},
        user(text("and")),
        tools=[tool, {**tool, "description": "another"}],
    )
    source.write_text(json.dumps(body), encoding="utf-8")
    run(capfd, "import", source, target)

    def said(*arguments: str) -> set[str]:
        problems = json.loads(run(capfd, "report", target, "--json", *arguments)[0])["problems"]
        return {problem["code"] for problem in problems}

    assert said() == {"import.secret_left_out", "import.duplicate_tool"}
    assert "Contains secrets" in run(capfd, "report", target)[0]
    assert "Contains secrets" in run(capfd, "build", target, "--as", "anthropic")[1]
    plain = json.loads(run(capfd, "build", target, "--as", "json")[0])
    assert {problem["code"] for problem in plain["manifest"]["problems"]} == said()


def test_that_a_request_that_lost_a_turn_is_not_marked_exact(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A result without its call keeps its turn out, in the middle of the conversation too."""
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    lost = {"role": "tool", "tool_call_id": "other", "content": "r"}
    said = [user(), lost, {"role": "assistant", "content": "ok"}, user()]
    source.write_text(json.dumps({"model": "gpt-4o", "messages": [user(), *said[2:]]}), encoding="utf-8")
    run(capfd, "import", source, target)
    assert json.loads(run(capfd, "report", target, "--json")[0])["total"]["method"] == "exact"
    other = tmp_path / "other.constellation"
    source.write_text(json.dumps({"model": "gpt-4o", "messages": said}), encoding="utf-8")
    run(capfd, "import", source, other)
    assert json.loads(run(capfd, "report", other, "--json")[0])["total"]["method"] == "estimate"


def test_that_an_image_of_ollama_s_goes_to_another_provider_with_its_type() -> None:
    data = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAABhYWFh"
    message = {"role": "user", "content": "look", "images": [data]}
    wire = sent({"model": "llava", "options": {"seed": 1}, "messages": [message]}, WireForm.OPENAI)
    assert wire.body["messages"][0]["content"][1]["image_url"]["url"] == f"data:image/png;base64,{data}"


@pytest.mark.parametrize(
    "body",
    [
        {
            "model": "gpt-5",
            "input": [{"role": "assistant", "content": [{"type": ["a"], "text": "x"}]}, user()],
        },
        {
            "model": "gpt-4o",
            "messages": [user()],
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "f", "parameters": {"properties": {"a": {"type": {"x": 1}}}}},
                }
            ],
        },
    ],
)
def test_that_a_field_of_another_type_than_expected_is_counted_and_reported(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, body: Json
) -> None:
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    source.write_text(json.dumps(body), encoding="utf-8")
    run(capfd, "import", source, target)
    assert json.loads(run(capfd, "report", target, "--json")[0])["total"]["tokens"] > 5
