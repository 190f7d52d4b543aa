import json

import pytest

from inspector.domain.blocks import BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.exchange import ImportPlan
from tests.exchange.builders import Fields, agent, block, codes, file_of, found, intents_of, plan_of
from tests.hostile_texts import HOSTILE_TEXTS


def one_agent_with(*blocks: Fields) -> ImportPlan:
    return plan_of(file_of(agent(block_ids=[each["id"] for each in blocks]), blocks=list(blocks)))


@pytest.mark.parametrize(
    "label", ["/note_directory", "system/human/work", "memory_filesystem", "core", "</persona>", "a b"]
)
def test_that_any_printable_label_is_imported_as_it_is(label: str) -> None:
    plan = one_agent_with(block(0, label))
    assert [each.label for each in found(plan, CreateBlock)] == [label]
    assert codes(plan) == []


def test_that_a_label_used_twice_by_one_owner_gets_a_number_and_the_preview_says_so() -> None:
    plan = one_agent_with(block(0, "notes"), block(1, "notes_2"), block(2, "notes"), block(3, "notes"))
    labels = [each.label for each in found(plan, CreateBlock)]
    assert labels == ["notes", "notes_2", "notes_3", "notes_4"]
    assert [dict(each.parameters) for each in plan.problems] == [
        {"label": "notes", "new": "notes_3"},
        {"label": "notes", "new": "notes_4"},
    ]


def test_that_labels_of_one_owner_that_look_the_same_are_told_apart() -> None:
    plan = one_agent_with(block(0, "caf\u00e9"), block(1, "cafe\u0301"), block(2, "caf\u00e9 "))
    labels = [each.label for each in found(plan, CreateBlock)]
    assert labels == ["caf\u00e9", "cafe\u0301_2", "caf\u00e9 _2"]
    assert codes(plan) == ["import.label_numbered"] * 2


def test_that_two_owners_may_use_one_label() -> None:
    blocks = [block(0, "notes"), block(1, "notes")]
    plan = plan_of(file_of(agent(0, block_ids=["block-0"]), agent(1, block_ids=["block-1"]), blocks=blocks))
    assert [each.label for each in found(plan, CreateBlock)] == ["notes", "notes"]
    assert codes(plan) == []


def test_that_a_label_that_cannot_be_printed_is_replaced_and_told() -> None:
    plan = one_agent_with(block(0, "a\nb\u2028c"), block(1, "   "), block(2, ""))
    assert [each.label for each in found(plan, CreateBlock)] == ["a_b_c", "unlabelled", "unlabelled_2"]
    assert codes(plan).count("import.label_changed") == 3
    assert plan.problems[0].parameters["label"] == "a\\u000ab\\u2028c"


def test_that_a_block_of_several_agents_is_one_block_attached_to_the_others() -> None:
    blocks = [block(0, "shared", read_only=True), block(1, "own"), block(2, "open")]
    plan = plan_of(
        file_of(
            agent(0, block_ids=["block-0", "block-2"]),
            agent(1, block_ids=["block-1", "block-0", "block-2"]),
            agent(2, block_ids=["block-0"]),
            blocks=blocks,
        )
    )
    first, second, third = (each.id for each in plan.agents)
    owners = {each.label: each.owner for each in found(plan, CreateBlock)}
    assert owners == {"shared": first, "open": first, "own": second}
    target = {intent.edit.operation.label: intent.edit.target for intent in intents_of(plan, CreateBlock)}  # type: ignore[attr-defined]
    attached = {(intent.edit.target, intent.edit.operation) for intent in intents_of(plan, AttachBlock)}
    assert attached == {
        (target["shared"], AttachBlock(second, Permission.READ_ONLY)),
        (target["shared"], AttachBlock(third, Permission.READ_ONLY)),
        (target["open"], AttachBlock(second, Permission.READ_WRITE)),
    }
    assert [(each.blocks, each.shared_blocks) for each in plan.agents] == [(2, 0), (1, 2), (0, 1)]


def test_that_flags_and_limits_become_permissions_and_limits() -> None:
    plan = one_agent_with(
        block(0, "locked", read_only=True, limit=100, description="What it is"),
        block(1, "free", limit=None),
        block(2, "empty", value=""),
    )
    locked, free, empty = found(plan, CreateBlock)
    assert (locked.permission, locked.char_limit, locked.description) == (
        Permission.READ_ONLY,
        100,
        "What it is",
    )
    assert (free.permission, free.char_limit) == (Permission.READ_WRITE, 0)
    assert (empty.content, empty.block_type) == (TextContent(""), BlockType.CORE)


def test_that_a_value_longer_than_its_limit_is_kept_whole_and_told() -> None:
    plan = one_agent_with(block(0, "long", value="x" * 101, limit=100))
    assert found(plan, CreateBlock)[0].content == TextContent("x" * 101)
    assert codes(plan) == ["import.over_limit"]


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_that_a_value_is_imported_character_for_character(text: str) -> None:
    plan = one_agent_with(block(0, "hostile", value=text, limit=0))
    assert found(plan, CreateBlock)[0].content == TextContent(text)


def test_that_a_block_that_no_agent_uses_is_kept_as_archival_and_told() -> None:
    plan = plan_of(file_of(agent(), blocks=[block(0, "orphan")]))
    orphan = found(plan, CreateBlock)[0]
    assert (orphan.owner, orphan.block_type) == (plan.agents[0].id, BlockType.ARCHIVAL)
    assert codes(plan) == ["import.unused_block"]


def test_that_a_file_without_blocks_or_messages_makes_an_agent() -> None:
    plan = plan_of({"agents": [{"id": "agent-0", "name": "Bare"}]})
    assert [each.name for each in found(plan, CreateAgent)] == ["Bare"]
    assert (plan.agents[0].blocks, plan.agents[0].messages) == (0, 0)


def test_that_unknown_fields_are_kept_in_metadata_and_named() -> None:
    plan = one_agent_with(block(0, "notes", colour="green", hidden=None, metadata={"a": [1]}))
    kept = json.loads(found(plan, CreateBlock)[0].metadata)["letta"]
    assert kept == {"id": "block-0", "colour": "green", "metadata": {"a": [1]}}
    assert {"blocks[].colour", "blocks[].metadata"} <= set(plan.kept_in_metadata)


def test_that_a_field_of_another_type_is_kept_as_metadata_and_told() -> None:
    plan = one_agent_with(block(0, "notes", description=["a", "list"], limit="many"))
    made = found(plan, CreateBlock)[0]
    assert (made.description, made.char_limit) == ("", 0)
    assert json.loads(made.metadata)["letta"]["limit"] == "many"
    assert codes(plan) == ["import.wrong_type", "import.wrong_type"]


def test_that_a_block_id_without_a_block_is_told() -> None:
    plan = plan_of(file_of(agent(block_ids=["block-7"])))
    assert codes(plan) == ["import.missing_block"]


def test_that_blocks_written_inside_an_agent_are_its_own() -> None:
    plan = plan_of(file_of(agent(memory_blocks=[{"label": "inline", "value": "v", "limit": 10}])))
    assert [(each.label, each.owner) for each in found(plan, CreateBlock)] == [("inline", plan.agents[0].id)]
