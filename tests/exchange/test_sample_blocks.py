"""The blocks of the sample constellation: their variety, and that every edit in their histories could happen."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.exchange.sample_source import (
    AGENTS,
    ATTACHMENTS,
    BLOCKS,
    CONSTELLATION,
    HISTORY,
    MESSAGES,
    TEXT_BLOCKS,
    Row,
    fields_of,
    parts,
    schema_and_operation,
    seconds,
    set_values,
    texts_over_time,
)

LEVELS = ("read_only", "partner", "human", "append", "read_write", "admin")
APPENDING = {"append_text", "append_item", "append_entry", "add_node", "append_to_field"}
OPERATIONS: dict[str, dict[str, set[str]]] = {
    "text": {"set_text": {"text"}, "append_text": {"text"}, "replace_text": {"find", "replace"}},
    "map": {
        "set_field": {"field", "value"},
        "append_to_field": {"field", "value"},
        "remove_from_field": {"field", "value"},
        "increment": {"field", "by"},
    },
    "list": {
        "append_item": {"key", "value"},
        "update_item": {"key", "value"},
        "remove_item": {"key"},
        "move_item": {"key", "before"},
    },
    "log": {"append_entry": {"key", "fields"}},
    "tree": {
        "add_node": {"key", "parent", "value"},
        "update_node": {"key", "value"},
        "move_node": {"key", "parent"},
        "remove_node": {"key"},
    },
}


def test_that_all_block_types_schemas_and_levels_occur() -> None:
    assert {each["block_type"] for each in BLOCKS.values()} == {"core", "working", "log", "archival"}
    assert {each["schema"]["kind"] for each in BLOCKS.values()} == {
        "text",
        "map",
        "list",
        "log",
        "tree",
        "composite",
    }
    assert {each["permission"] for each in BLOCKS.values()} == set(LEVELS)
    viewed = [each for each in TEXT_BLOCKS.values() if "viewport" in each["schema"]]
    assert viewed
    for block in viewed:
        viewport = block["schema"]["viewport"]
        lines = texts_over_time(block)[-1].count("\n") + 1
        assert 1 < viewport["start_line"] <= viewport["start_line"] + viewport["display_lines"] - 1 < lines


def test_that_the_ready_made_schemas_occur() -> None:
    names = [tuple(fields_of(each["schema"])) for each in BLOCKS.values()]
    assert ("name", "preferences", "energy_level", "current_focus", "last_interaction") in names
    assert ("title", "done", "priority", "due") in names
    assert ("observation", "context") in names


def test_that_active_labels_are_unique_for_their_owner() -> None:
    owned = Counter((each["owner"], each["label"]) for each in BLOCKS.values() if not each["deleted"])
    assert max(owned.values()) == 1
    assert any("/" in label for _, label in owned)
    assert max(Counter(label for _, label in owned).values()) > 1, "no label that two owners use"
    assert any(each["deleted"] for each in BLOCKS.values())


def test_that_blocks_are_shared_but_not_with_their_owner() -> None:
    pairs = [(each["block_id"], each["agent_id"]) for each in ATTACHMENTS]
    assert len(set(pairs)) == len(pairs)
    assert all(BLOCKS[block]["owner"] != agent for block, agent in pairs)
    assert not any(BLOCKS[block]["deleted"] for block, _ in pairs)
    # What every agent sees already cannot be attached as well.
    assert CONSTELLATION not in {BLOCKS[block]["owner"] for block, _ in pairs}
    assert CONSTELLATION in {block["owner"] for block in BLOCKS.values()}
    assert len({each["permission"] for each in ATTACHMENTS}) >= 3


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_that_operations_fit_the_schema(block: Row) -> None:
    assert block["history"]
    for row in block["history"]:
        assert set(row) == {"at", "actor", "reason", "tool_call", "operation"}
        schema, operation = schema_and_operation(block, row["operation"])
        expected = OPERATIONS[schema["kind"]][operation["op"]]
        assert set(operation) == {"op", *expected}
        defined = fields_of(schema)
        assert set(set_values(operation)) <= set(defined)
        for name, value in set_values(operation).items():
            assert not defined[name]["choices"] or value in defined[name]["choices"]
        if operation["op"] in ("append_item", "append_entry", "add_node") and defined:
            required = {name for name, each in defined.items() if each["required"]}
            assert required <= set(set_values(operation))


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_that_handles_are_made_before_they_are_used(block: Row) -> None:
    alive: set[tuple[str, str]] = set()
    for row in block["history"]:
        section = row["operation"].get("section", "")
        _, operation = schema_and_operation(block, row["operation"])
        used = {operation.get("before"), operation.get("parent")} - {None}
        if operation["op"] in ("append_item", "append_entry", "add_node"):
            assert (section, operation["key"]) not in alive
            alive.add((section, operation["key"]))
        elif "key" in operation:
            used.add(operation["key"])
        assert {(section, each) for each in used} <= alive
        if operation["op"] in ("remove_item", "remove_node"):
            alive.remove((section, operation["key"]))


def level_of(block: Row, agent: str, at: int) -> int:
    """What an agent may do at that time: the lower of the block's level and the attachment's; -1 is nothing."""
    level = LEVELS.index(block["permission"])
    if block["owner"] in (agent, CONSTELLATION):
        return level
    attached = [
        LEVELS.index(each["permission"])
        for each in ATTACHMENTS
        if (each["block_id"], each["agent_id"]) == (block["id"], agent) and seconds(each["at"]) <= at
    ]
    return min([level, *attached]) if attached else -1


def test_that_no_history_holds_an_edit_that_would_be_refused() -> None:
    for block, row in HISTORY:
        actor = row["actor"]
        if actor["kind"] == "agent":
            _, operation = schema_and_operation(block, row["operation"])
            needed = "append" if operation["op"] in APPENDING else "read_write"
            level = level_of(block, actor["id"], seconds(row["at"]))
            assert level >= LEVELS.index(needed), (block["label"], row)
        if block["permission"] == "partner":
            assert actor["kind"] == "partner", (block["label"], row)


def test_that_a_tool_call_in_a_history_is_a_block_edit_of_the_same_moment() -> None:
    calls = {call["id"]: (each["agent_id"], call) for each in MESSAGES for call in parts([each], "tool_call")}
    answered = {part["call_id"]: each["at"] for each in MESSAGES for part in parts([each], "tool_result")}
    linked = [(block, row) for block, row in HISTORY if row["tool_call"] is not None]
    assert len(linked) >= 20
    for block, row in linked:
        agent, call = calls[row["tool_call"]]
        assert row["actor"]["id"] == agent
        assert call["name"] == "block_edit"
        assert call["arguments"]["block"] == block["label"]
        _, operation = schema_and_operation(block, row["operation"])
        assert call["arguments"]["operation"] == operation["op"]
        assert call["arguments"].get("text") == operation.get("text")
        assert answered[row["tool_call"]] == row["at"]


def test_that_a_block_edit_that_succeeded_stands_in_a_history() -> None:
    failed = {part["call_id"] for part in parts(MESSAGES, "tool_result") if part["is_error"]}
    edits = {call["id"] for call in parts(MESSAGES, "tool_call") if call["name"] == "block_edit"}
    assert {row["tool_call"] for _, row in HISTORY} - {None} == edits - failed


@pytest.mark.parametrize("block", TEXT_BLOCKS.values(), ids=TEXT_BLOCKS)
def test_that_a_text_stays_within_its_limit(block: Row) -> None:
    bodies = texts_over_time(block)
    assert max(map(len, bodies)) <= block["char_limit"]
    assert all(before != after for before, after in pairwise(["", *bodies])), "an edit that changes nothing"


def test_that_one_block_is_near_its_limit_and_one_is_too_large() -> None:
    ends = {name: texts_over_time(block)[-1] for name, block in TEXT_BLOCKS.items()}
    near = [name for name, body in ends.items() if len(body) >= 0.95 * TEXT_BLOCKS[name]["char_limit"]]
    assert len(near) == 1
    budgets = {name: each["limits"]["memory_tokens"] for name, each in AGENTS.items()}
    too_large = [
        name
        for name, body in ends.items()
        if TEXT_BLOCKS[name]["block_type"] == "working"
        and len(body) > 3 * (budgets.get(TEXT_BLOCKS[name]["owner"]) or len(body))
    ]
    assert len(too_large) == 1


def test_that_a_text_stands_twice() -> None:
    paragraphs = Counter(
        paragraph
        for block in TEXT_BLOCKS.values()
        if not block["deleted"]
        for paragraph in set(texts_over_time(block)[-1].split("\n\n"))
        if len(paragraph) >= 120
    )
    assert max(paragraphs.values()) == 2


def test_that_one_block_was_edited_by_many() -> None:
    writers = [{row["actor"]["name"] for row in block["history"]} for block in BLOCKS.values()]
    assert max(map(len, writers)) >= 4
    assert max(len(block["history"]) for block in BLOCKS.values()) >= 15
