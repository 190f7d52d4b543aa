import json
from pathlib import Path

import pytest

from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import AppendMessage, CreateAgent, PutTool
from inspector.domain.errors import MalformedError
from inspector.exchange.formats import AGENT_FORMATS, REQUEST_FORMS, SEVERAL, UNDERSTOOD
from inspector.shipped.words import load_words
from tests.exchange.builders import (
    Fields,
    agent,
    assistant,
    block,
    codes,
    counted_ids,
    file_of,
    found,
    plan_import,
    plan_import_of,
    plan_of,
    result,
    system,
    tool,
    user,
)


def version_1(**more: object) -> Fields:
    base: Fields = {
        "agent_type": "memgpt_agent",
        "name": "Old",
        "system": "Be old.",
        "version": "0.6.47",
        "core_memory": [
            {"label": "persona", "value": "I am.", "limit": 5000},
            {"label": "human", "value": "", "limit": 10},
        ],
        "llm_config": {"model": "gpt-4.1", "model_endpoint_type": "openai", "context_window": 128000},
        "messages": [
            system("compiled"),
            user("a"),
            assistant("", {"c1": "look"}),
            system("more"),
            result("c1"),
            user("b"),
        ],
        "in_context_message_indices": [3, 5],
        "tools": [tool(0, "look")],
        "tool_rules": [],
        "tool_exec_environment_variables": [],
    }
    return {**base, **more}


def test_that_version_1_is_read() -> None:
    plan = plan_of(version_1())
    assert plan.source_format == "letta-agent-file-1"
    assert [each.label for each in found(plan, CreateBlock)] == ["persona", "human"]
    assert found(plan, CreateAgent)[0].tools == ("look",)
    assert len(found(plan, PutTool)) == 1
    (shown,) = plan.agents
    assert (shown.name, shown.model, shown.blocks, shown.messages, shown.messages_in_context) == (
        "Old",
        "gpt-4.1",
        2,
        6,
        1,
    )
    assert [message.is_archived for message in found(plan, AppendMessage)] == [
        True,
        True,
        True,
        True,
        True,
        False,
    ]


def test_that_indices_outside_the_messages_are_told() -> None:
    plan = plan_of(version_1(in_context_message_indices=[5, 99, -1, True]))
    assert codes(plan).count("import.missing_message") == 3


def test_that_a_file_whose_value_is_a_text_holding_json_is_read() -> None:
    inner = json.dumps(file_of(agent(block_ids=["block-0"]), blocks=[block(0, "notes")]))
    plan = plan_of(inner)
    assert plan.agents[0].blocks == 1
    assert codes(plan) == ["import.encoded_twice"]


def test_that_texts_around_texts_come_to_an_end() -> None:
    value: object = "{}"
    for _ in range(10):
        value = json.dumps(value)
    with pytest.raises(MalformedError):
        plan_of(value)


@pytest.mark.parametrize("value", [None, 3, "words", [], {}, {"messages": []}, {"agents": {}}])
def test_that_an_unknown_format_is_refused_with_the_known_ones(value: object) -> None:
    with pytest.raises(MalformedError) as caught:
        plan_of(value)
    if caught.value.code == "import.unknown_format":
        assert caught.value.parameters["understood"] == UNDERSTOOD
    else:
        assert (value, caught.value.code) == ("words", "import.malformed_json")


def test_that_a_key_that_stands_twice_is_told() -> None:
    plan = plan_import_of(b'{"agents": [{"name": "a",\n "name": "b"}]}', counted_ids())
    assert [(each.code, each.where) for each in plan.problems] == [("import.duplicate_key", "2:2")]
    assert plan.agents[0].name == "b"


def test_that_one_file_with_one_generator_gives_one_plan(tmp_path: Path) -> None:
    path = tmp_path / "agent.af"
    path.write_text(json.dumps(version_1()))
    assert plan_import(path, counted_ids()) == plan_import(path, counted_ids())


def test_that_very_many_messages_are_refused() -> None:
    with pytest.raises(MalformedError) as caught:
        plan_of(version_1(messages=[{"role": "user"}] * 100_001, in_context_message_indices=None))
    assert caught.value.code == "import.too_many_messages"


def test_that_very_many_problems_are_counted_and_not_listed() -> None:
    plan = plan_of(file_of(agent(block_ids=[f"block-{number}" for number in range(1500)])))
    assert len(plan.problems) == 1001
    assert (plan.problems[-1].code, plan.problems[-1].parameters["count"]) == ("import.more_problems", 500)


def test_that_every_format_has_a_name_that_people_read() -> None:
    ids = {SEVERAL, *(each.id for each in AGENT_FORMATS), *(each.id for each in REQUEST_FORMS)}
    assert {f"format.{each}" for each in ids} <= load_words().keys()
