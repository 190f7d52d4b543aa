"""What stands in a recorded body besides messages and tools goes out again, and is counted as far as it can be."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.messages import ProviderPart, Role
from inspector.domain.wire.extras import must_call_tool, output_schema
from inspector.domain.wire.fitting import PartRules
from inspector.domain.wire.values import Adaptations, WireForm, WireMessage
from inspector.entry import main

TOOL_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
REPLY_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False}
DOCUMENT = {
    "type": "document",
    "source": {"type": "text", "media_type": "text/plain", "data": "The kiln reaches 1,240 degrees."},
    "title": "kiln.txt",
}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64,
        "temperature": 0.2,
        "system": "\nBe terse.\n",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "How hot?"}, DOCUMENT]}],
        "tools": [
            {"name": "weather", "input_schema": TOOL_SCHEMA, "strict": True},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
        ],
        "tool_choice": {"type": "auto"},
        "metadata": {"user_id": "u1"},
    },
    "openai": {
        "model": "gpt-5",
        "messages": [
            {"role": "developer", "content": "Be terse.\n"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "Tell me"}, {"type": "file", "file": {"file_id": "f"}}],
            },
        ],
        "tools": [
            {"type": "function", "function": {"name": "weather", "parameters": TOOL_SCHEMA, "strict": True}}
        ],
        "tool_choice": "auto",
        "response_format": {"type": "json_schema", "json_schema": {"name": "place", "schema": REPLY_SCHEMA}},
        "stream": True,
    },
    "openai-responses": {
        "model": "gpt-5",
        "instructions": "Be terse.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Tell me"}]}
        ],
        "tools": [{"type": "function", "name": "weather", "parameters": TOOL_SCHEMA, "strict": True}],
        "text": {"format": {"type": "json_schema", "name": "place", "schema": REPLY_SCHEMA}},
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
    },
    "gemini": {
        "model": "gemini-2.5-flash",
        "systemInstruction": {"parts": [{"text": "Be terse."}]},
        "contents": [
            {
                "role": "user",
                "parts": [{"text": "How hot?"}, {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://a"}}],
            },
            {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Rome"}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "weather", "response": {"output": "hot"}}}],
            },
        ],
        "tools": [
            {"functionDeclarations": [{"name": "weather", "parametersJsonSchema": TOOL_SCHEMA}]},
            {"googleSearch": {"excludeDomains": ["example.org"]}},
        ],
        "generationConfig": {"maxOutputTokens": 50, "responseSchema": REPLY_SCHEMA},
        "safetySettings": [{"category": "X", "threshold": "OFF"}],
    },
    "ollama": {
        "model": "llama3.1",
        "messages": [
            {"role": "user", "content": "How hot?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Rome"}}}],
            },
            {"role": "tool", "content": "hot"},
        ],
        "tools": [],
        "stream": False,
        "options": {"temperature": 0, "mirostat": 1},
    },
}


def result(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    capfd.readouterr()
    code = main(list(map(str, arguments)))
    done = capfd.readouterr()
    assert code == 0, done.err
    return done.out


@pytest.fixture
def imported(capfd: pytest.CaptureFixture[str], tmp_path: Path, form: str) -> Path:
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    source.write_text(json.dumps(BODIES[form]), encoding="utf-8")
    result(capfd, "import", source, target)
    return target


@pytest.mark.parametrize("form", ["anthropic", "openai", "openai-responses", "gemini"])
def test_that_every_field_of_a_body_goes_out_again(
    capfd: pytest.CaptureFixture[str], imported: Path, form: str
) -> None:
    built = json.loads(result(capfd, "build", imported, "--as", form))
    expected = dict(BODIES[form])
    if form == "gemini":
        # It stands in the address.
        del expected["model"]
    if form == "openai-responses":
        expected["reasoning"] = dict(sorted(expected["reasoning"].items()))
        built["reasoning"] = dict(sorted(built["reasoning"].items()))
    assert built == expected


@pytest.mark.parametrize("form", ["ollama"])
def test_that_calls_without_ids_find_their_results(capfd: pytest.CaptureFixture[str], imported: Path) -> None:
    built = json.loads(result(capfd, "build", imported, "--as", "ollama"))
    assert [message["role"] for message in built["messages"]] == ["user", "assistant", "tool"]
    assert built["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"city": "Rome"}
    assert built["options"] | BODIES["ollama"]["options"] == built["options"]


@pytest.mark.parametrize("form", ["anthropic"])
def test_that_what_the_provider_adds_is_a_piece_of_its_own(
    capfd: pytest.CaptureFixture[str], imported: Path
) -> None:
    told = json.loads(result(capfd, "report", imported, "--json"))
    rules = {piece["rule"]: piece["tokens"] for section in told["sections"] for piece in section["pieces"]}
    assert rules["tools_preamble"] > 300
    assert told["total"]["method"] == "estimate"
    assert told["limits"]["reserved_response_tokens"] == 64


@pytest.mark.parametrize("form", ["openai"])
def test_that_a_schema_of_the_reply_is_counted_and_makes_the_figure_an_estimate(
    capfd: pytest.CaptureFixture[str], imported: Path
) -> None:
    told = json.loads(result(capfd, "report", imported, "--json"))
    (schema,) = [
        piece
        for section in told["sections"]
        for piece in section["pieces"]
        if piece["rule"] == "output_schema"
    ]
    assert schema["tokens"] > 10
    assert told["total"]["method"] == "estimate"


def test_that_a_plain_text_is_counted_as_it_is_billed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for model, tokens in (("gpt-4o", 11), ("gpt-5", 10), ("o3-mini", 10)):
        source = tmp_path / f"{model}.json"
        source.write_text(
            json.dumps({"model": model, "messages": [{"role": "user", "content": "Tell me a joke"}]}),
            encoding="utf-8",
        )
        result(capfd, "import", source, source.with_suffix(".constellation"))
        told = json.loads(result(capfd, "report", source.with_suffix(".constellation"), "--json"))
        assert (told["total"]["tokens"], told["total"]["method"]) == (tokens, "exact")


def reported(capfd: pytest.CaptureFixture[str], folder: Path, body: dict[str, Any]) -> dict[str, Any]:
    """The report of a body, with the tokens of its pieces by their rules."""
    source, target = folder / "body.json", folder / "body.constellation"
    source.write_text(json.dumps(body), encoding="utf-8")
    target.unlink(missing_ok=True)
    result(capfd, "import", source, target)
    told = json.loads(result(capfd, "report", target, "--json"))
    pieces = [piece for section in told["sections"] for piece in section["pieces"]]
    by_rule = {piece["rule"]: piece["tokens"] for piece in pieces}
    codes = {problem["code"] for problem in told["problems"]}
    return {**told["total"], **by_rule, "codes": codes}


def anthropic(**more: Any) -> dict[str, Any]:
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
        **more,
    }


def test_that_several_system_messages_have_a_frame_each(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    user = {"role": "user", "content": "hi"}
    one, two = ([{"role": "system", "content": each} for each in texts] for texts in (["A."], ["A.", "A."]))
    found = [
        reported(capfd, tmp_path, {"model": "gpt-4o", "messages": [*system, user]}) for system in (one, two)
    ]
    assert [each["frame"] for each in found] == [4, 8]
    assert found[1]["tokens"] - found[0]["tokens"] == 6
    blocks = {"role": "system", "content": [{"type": "text", "text": "A."}, {"type": "text", "text": "A."}]}
    assert reported(capfd, tmp_path, {"model": "gpt-4o", "messages": [blocks, user]})["frame"] == 4


def test_that_a_budget_of_the_task_and_thinking_that_is_enabled_cost_what_was_billed(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    budget = {"output_config": {"task_budget": {"type": "tokens", "total": 20_000}}}
    assert (
        reported(capfd, tmp_path, anthropic(model="claude-opus-4-7", **budget))["task_budget_overhead"] == 35
    )
    enabled = {"max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 2000}}
    assert reported(capfd, tmp_path, anthropic(**enabled))["thinking_overhead"] == 28
    adaptive = {"thinking": {"type": "adaptive"}}
    plain = reported(capfd, tmp_path, anthropic(model="claude-opus-4-7"))
    assert (
        reported(capfd, tmp_path, anthropic(model="claude-opus-4-7", **adaptive))["tokens"] == plain["tokens"]
    )


def test_that_claude_s_system_text_and_a_begun_reply_have_no_frame(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plain = reported(capfd, tmp_path, anthropic())
    assert (plain["reply_overhead"], plain["tokens"] - 7) == (0, 1)
    assert reported(capfd, tmp_path, anthropic(system="Be terse."))["frame"] == 0
    begun = {"role": "assistant", "content": "So"}
    messages = [{"role": "user", "content": "hi"}, begun]
    assert reported(capfd, tmp_path, anthropic(messages=messages))["tokens"] == plain["tokens"] + 1


def test_that_gemini_is_counted_without_frames(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    body = {"model": "gemini-2.5-flash", "contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    assert reported(capfd, tmp_path, body)["tokens"] == 1


def test_that_a_forced_call_and_tools_on_chat_of_gpt_5_cost_more(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tools = {"tools": [{"name": "weather", "input_schema": TOOL_SCHEMA}]}
    free, forced = (
        reported(capfd, tmp_path, anthropic(**tools, tool_choice={"type": each})) for each in ("auto", "any")
    )
    assert forced["tools_preamble"] - free["tools_preamble"] == 100
    function = {"name": "weather", "parameters": TOOL_SCHEMA}
    chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]}
    on_chat = reported(capfd, tmp_path, {**chat, "tools": [{"type": "function", "function": function}]})
    responses = {"model": "gpt-5", "input": "hi", "tools": [{"type": "function", **function}]}
    assert on_chat["tools_preamble"] > 70
    assert "tools_preamble" not in reported(capfd, tmp_path, responses)


def test_that_hidden_reasoning_is_not_counted_by_its_bytes(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hidden = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e" * 9000}
    said = [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "and"}]
    body = {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}, hidden, *said]}
    assert reported(capfd, tmp_path, body)["tokens"] < 9000 // 8


def test_that_a_request_of_a_stored_prompt_alone_is_imported_and_says_so(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    body = {"model": "gpt-5", "prompt": {"id": "pmpt_1", "version": "2"}}
    found = reported(capfd, tmp_path, body)
    assert found["codes"] == {"import.prompt_elsewhere"}
    assert found["range"]["class"] == "open"
    assert json.loads(
        result(capfd, "build", tmp_path / "body.constellation", "--as", "openai-responses")
    ) == {
        **body,
        "input": [],
    }


@pytest.mark.parametrize(
    ("parameters", "forced", "schema"),
    [
        ({"anthropic": {"tool_choice": {"type": "any"}}}, True, None),
        ({"openai": {"tool_choice": "required"}}, True, None),
        ({"gemini": {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}}, True, None),
        ({"gemini": {"generationConfig": {"responseSchema": REPLY_SCHEMA}}}, False, REPLY_SCHEMA),
        ({"ollama": {"format": REPLY_SCHEMA}}, False, REPLY_SCHEMA),
        ({"ollama": {"format": "json"}, "openai": []}, False, None),
    ],
)
def test_that_what_a_provider_adds_is_read_from_the_body_s_own_fields(
    parameters: dict[str, Any], forced: bool, schema: dict[str, Any] | None
) -> None:
    stored = json.dumps({"extra_body": parameters})
    assert must_call_tool(stored) is forced
    assert output_schema(stored) == schema


def test_that_a_part_of_a_provider_that_cannot_be_read_is_told_and_not_sent() -> None:
    notes = Adaptations()
    rules = PartRules(WireForm.ANTHROPIC, lambda *_: True, lambda _: True, False, True, notes)
    said = WireMessage("message:1", Role.USER, ())
    assert rules.fit(said, ProviderPart("anthropic", "document", '{"type": "document"}')) is not None
    for form, data in (("anthropic", "{"), ("anthropic", "[]"), ("openai", '{"type": "file"}')):
        assert rules.fit(said, ProviderPart(form, "document", data)) is None
    assert [each.code for each in notes.problems] == ["wire.provider_part_not_sent"]
