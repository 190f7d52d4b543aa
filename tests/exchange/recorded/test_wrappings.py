"""Recorded requests in the files that people have them in: one small example of each, in its published shape."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest

from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.exchange import ImportSource
from inspector.domain.messages import TextPart, ToolCallPart, ToolResultPart
from inspector.exchange.formats import read_source, source_of
from inspector.exchange.json_limits import JsonLimits
from tests.exchange.builders import codes, counted_ids, found

EXAMPLES = Path(__file__).parent / "examples"
Row = tuple[str, str, str, int, int | None, int | None]

ROWS: dict[str, list[Row]] = {
    "cassette.yaml": [
        ("openai-request", "gpt-4o", "What is an oak?", 1, 19, 3),
        ("anthropic-request", "claude-sonnet-4-5", "What is a beech?", 1, 42, 4),
        ("gemini-request", "gemini-2.0-flash", "What is a fir?", 1, 5, 2),
        ("anthropic-request", "claude-haiku-4-5", "Count.", 1, 9, 7),
    ],
    "cassette.json": [
        ("openai-responses-request", "gpt-5.6", "What is an elm?", 1, 11, 6),
        ("openai-responses-request", "gpt-5.6", "And a yew?", 1, None, None),
    ],
    "deeper.json": [("openai-request", "gpt-4o", "What is an oak?", 1, 19, 3)],
    "browser.har": [("anthropic-request", "claude-sonnet-4-5", "What is a larch?", 1, 14, 5)],
    "openai-batch.jsonl": [
        ("openai-request", "gpt-4o-mini", "What is moss?", 1, None, None),
        ("openai-request", "gpt-4o-mini", "What is fern?", 1, None, None),
    ],
    "fine-tune.jsonl": [
        ("openai-request", "", "What is moss?", 2, None, None),
        ("openai-request", "", "What is fern?", 2, None, None),
    ],
    "anthropic-batch.json": [
        ("anthropic-request", "claude-sonnet-4-5", "What is moss?", 1, None, None),
        ("anthropic-request", "claude-sonnet-4-5", "What is fern?", 1, None, None),
    ],
    "anthropic-batch.jsonl": [
        ("anthropic-request", "claude-sonnet-4-5", "What is moss?", 1, None, None),
        ("anthropic-request", "claude-sonnet-4-5", "What is fern?", 1, None, None),
    ],
    "bedrock-converse.json": [
        (
            "bedrock-converse-request",
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
            "How warm is it in Oslo?",
            3,
            None,
            None,
        )
    ],
    "bedrock-invoke.json": [
        ("anthropic-request", "anthropic.claude-3-haiku-20240307-v1:0", "What is lichen?", 1, None, None)
    ],
    "messages.json": [("openai-request", "", "What is peat?", 3, None, None)],
}


def rows_of(source: ImportSource) -> list[Row]:
    return [
        (row.source_format, row.model, row.first_words, row.messages, row.input_tokens, row.output_tokens)
        for row in source.rows
    ]


def test_that_there_is_an_example_of_each() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_that_a_file_s_requests_are_rows_to_pick(name: str, tmp_path: Path) -> None:
    without_suffix = tmp_path / "recorded"
    without_suffix.write_bytes((EXAMPLES / name).read_bytes())
    source = read_source(without_suffix)
    assert rows_of(source) == ROWS[name]
    assert [row.number for row in source.rows] == list(range(1, len(ROWS[name]) + 1))


@pytest.mark.parametrize("name", ROWS)
def test_that_every_row_becomes_an_agent_that_says_what_was_said(name: str) -> None:
    plan = read_source(EXAMPLES / name).plan(counted_ids(), ())
    assert [agent.model for agent in found(plan, CreateAgent)] == [row[1] for row in ROWS[name]]
    firsts: dict[str, str] = {}
    for message in found(plan, AppendMessage):
        if message.role.value == "user":
            firsts.setdefault(
                message.agent_id, "".join(p.text for p in message.content if isinstance(p, TextPart))
            )
    assert list(firsts.values()) == [row[2] for row in ROWS[name]]
    assert "not-a-real" not in repr(plan)
    if "not-a-real" in (EXAMPLES / name).read_text():
        assert "import.secret_left_out" in codes(plan)


def test_that_picked_rows_alone_are_imported_and_named_apart() -> None:
    cassette = read_source(EXAMPLES / "cassette.yaml")
    plan = cassette.plan(counted_ids(), (3, 1))
    assert [agent.name for agent in plan.agents] == ["cassette 1", "cassette 3"]
    assert plan.source_format == "recorded-requests"
    (one,) = cassette.plan(counted_ids(), (3,)).agents
    assert (one.name, one.model) == ("cassette 3", "gemini-2.0-flash")
    batch = read_source(EXAMPLES / "openai-batch.jsonl").plan(counted_ids(), (2,))
    assert batch.agents[0].name == "question-2"
    assert read_source(EXAMPLES / "browser.har").plan(counted_ids(), (1,)).agents[0].name == "browser"


def test_that_entries_that_are_no_requests_to_a_model_are_counted() -> None:
    source = read_source(EXAMPLES / "cassette.yaml")
    assert source.others == 1
    (problem,) = [
        each for each in source.plan(counted_ids(), (1,)).problems if each.code == "import.other_entries"
    ]
    assert problem.parameters["count"] == 1
    broken = json.dumps([{"messages": [{"role": "user", "content": "a"}]}, {"body": '{"messages": [{'}])
    assert (len(source_of(broken.encode()).rows), source_of(broken.encode()).others) == (1, 1)


@pytest.mark.parametrize("number", [0, 5, -1])
def test_that_a_row_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(InputError) as caught:
        read_source(EXAMPLES / "cassette.yaml").plan(counted_ids(), (1, number))
    assert (caught.value.code, caught.value.parameters["count"]) == ("import.no_such_row", 4)


def test_that_a_place_counts_from_the_file() -> None:
    value = {"requests": [{"custom_id": "a", "params": {"model": "m", "messages": [{"role": "wizard"}]}}]}
    with pytest.raises(MalformedError) as caught:
        source_of(json.dumps(value).encode()).plan(counted_ids(), ())
    assert caught.value.parameters["where"] == "requests[0].params.messages[0].role"


def test_that_converse_s_parts_are_read() -> None:
    plan = read_source(EXAMPLES / "bedrock-converse.json").plan(counted_ids(), ())
    (agent,) = found(plan, CreateAgent)
    assert (agent.provider, agent.instructions, agent.tools) == ("bedrock", ("Be brief.",), ("weather",))
    parameters = json.loads(agent.parameters)
    extra = parameters.pop("extra_body")["bedrock-converse"]
    assert parameters == {"max_tokens": 300, "temperature": 0.5, "top_p": 0.9, "stop": ["END"]}
    assert extra == {
        "additionalModelRequestFields": {"top_k": 50},
        "toolConfig": {"toolChoice": {"auto": {}}},
    }
    (tool,) = found(plan, PutTool)
    assert json.loads(tool.tool.parameters)["required"] == ["city"]
    messages = found(plan, AppendMessage)
    assert [message.role.value for message in messages] == ["user", "assistant", "tool"]
    assert messages[1].content == (
        TextPart("Let me look."),
        ToolCallPart("tooluse_1", "weather", '{"city":"Oslo"}'),
    )
    assert messages[2].content == (ToolResultPart("tooluse_1", '{"celsius":4}', False),)


def test_that_tools_of_one_name_that_differ_are_told() -> None:
    def body(description: str) -> dict[str, object]:
        function = {"name": "look", "description": description, "parameters": {}}
        return {
            "messages": [{"role": "user", "content": "Hi"}],
            "tools": [{"type": "function", "function": function}],
        }

    same = source_of(json.dumps([body("a"), body("a")]).encode()).plan(counted_ids(), ())
    assert len(found(same, PutTool)) == 1
    assert "import.tool_differs" not in codes(same)
    other = source_of(json.dumps([body("a"), body("b")]).encode()).plan(counted_ids(), ())
    assert [each.tool.description for each in found(other, PutTool)] == ["a"]
    assert codes(other).count("import.tool_differs") == 1


BODY = {"messages": [{"role": "user", "content": "x" * 2_000_000}]}


def test_that_all_bodies_of_a_file_together_keep_the_limits() -> None:
    entry = {"request": {"body": json.dumps(BODY)}}
    limits = JsonLimits(max_memory=15_000_000)
    assert len(source_of(json.dumps([entry] * 2).encode(), limits=limits).rows) == 2
    with pytest.raises(MalformedError) as caught:
        source_of(json.dumps([entry] * 3).encode(), limits=limits)
    assert caught.value.code == "import.too_heavy"
    assert str(caught.value.parameters["where"]).startswith("[1].request.body")


def test_that_a_packed_body_is_unpacked_within_the_limits_alone() -> None:
    bomb = base64.b64encode(gzip.compress(b" " * 50_000_000)).decode()
    with pytest.raises(MalformedError) as caught:
        source_of(json.dumps({"body": bomb}).encode(), limits=JsonLimits(max_memory=10_000_000))
    assert (caught.value.code, caught.value.parameters["where"]) == ("import.too_heavy", "body")


@pytest.mark.parametrize(
    ("content", "looks"),
    [
        (b'{"name": "x", "version": 1}', "a JSON object with the keys name, version"),
        (b"- a\n- b\n", "a YAML list of 2"),
        (b'{"id": 1}\n{"id": 2}\n', "a JSON Lines list of 2 that begins with an object with the key id"),
        (b"Just some words.\n", "plain text"),
        (b"{}", "a JSON object with no keys"),
        (b"[]", "an empty JSON list"),
        (b"null", "nothing but null"),
    ],
)
def test_that_an_unknown_file_is_told_by_its_looks_with_what_is_known(content: bytes, looks: str) -> None:
    with pytest.raises(MalformedError) as caught:
        source_of(content)
    assert caught.value.code == "import.unknown_format"
    assert caught.value.parameters["why"] == looks
    assert "VCR cassettes" in str(caught.value.parameters["understood"])


def test_that_a_broken_line_is_refused_with_its_place() -> None:
    with pytest.raises(MalformedError) as caught:
        source_of(b'{"messages": []}\n\n{"messages": [}\n')
    assert (caught.value.code, caught.value.parameters["where"]) == ("import.malformed_json", "3:15")


@pytest.mark.parametrize(
    ("content", "others"),
    [
        (b"interactions: []\nversion: 1\n", 0),
        (b'{"log": {"entries": [{"request": {"method": "GET", "url": "https://example.org"}}]}}', 1),
    ],
)
def test_that_a_recording_without_a_request_to_a_model_says_so(content: bytes, others: int) -> None:
    with pytest.raises(MalformedError) as caught:
        source_of(content)
    assert (caught.value.code, caught.value.parameters["count"]) == ("import.no_requests", others)


def test_that_keys_in_the_address_of_a_browser_s_recording_are_left_out() -> None:
    pairs = [{"name": "key", "value": "a-key-of-mine"}, {"name": "alt", "value": "sse"}]
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]})
    request = {"url": "https://example.org/", "queryString": pairs, "postData": {"text": body}}
    source = source_of(json.dumps({"log": {"entries": [{"request": request}]}}).encode())
    plan = source.plan(counted_ids(), (1,))
    assert "a-key-of-mine" not in repr(plan)
    assert "sse" in repr(plan)
    assert "import.secret_left_out" in [problem.code for problem in plan.problems]
