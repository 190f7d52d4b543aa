"""Blocks themselves, their sharing, and archival entries."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    BlockType,
    Permission,
    TextSchema,
    UnreadableSchema,
    Viewport,
)
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    SetBlockType,
    SetCharLimit,
    SetDescription,
    SetLabel,
    SetPermission,
    SetPinned,
    SetSchema,
)
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, OTHER, World


def ref(block: str) -> Ref:
    """What points at a block."""
    return Ref(RefKind.BLOCK, block)


async def test_that_any_printable_label_is_legal(world: World) -> None:
    for label in ("/note_directory", "system/human/work", "a</b>", "'; DROP", "👩‍👧", "\u00a0x", "漢"):
        block = await world.make(label)
        found = await world.memory.find(AGENT.id, label)
        assert found is not None
        assert found.block.id == block


async def test_that_an_unprintable_label_is_refused(world: World) -> None:
    block = await world.make()
    for label in ("", "  ", "a\nb", "a\x00", "\u2028x", "\ud800"):
        assert (await world.refusal(ref(block), SetLabel(label))).startswith("refused.label_")
        assert (await world.refusal(ref(""), CreateBlock(AGENT.id, label))).startswith("refused.label_")


@pytest.mark.parametrize(
    ("operation", "name", "value"),
    [
        (SetLabel("other"), "label", "other"),
        (SetDescription("what it is"), "description", "what it is"),
        (SetBlockType(BlockType.CORE), "block_type", BlockType.CORE),
        (SetCharLimit(7), "char_limit", 7),
        (SetPinned(True), "pinned", True),
        (SetPermission(Permission.ADMIN), "permission", Permission.ADMIN),
        (SetSchema(TextSchema(Viewport(2, 3))), "schema", TextSchema(Viewport(2, 3))),
        (DeleteBlock(), "is_active", False),
    ],
)
async def test_that_every_property_can_be_set_and_its_change_is_recorded(
    world: World, operation: Operation, name: str, value: object
) -> None:
    block = await world.make(content="one\ntwo\nthree")
    receipt = await world.do(ref(block), operation, reason="why")
    state = await world.state(block)
    assert getattr(state.block, name) == value
    assert state.block.updated_at == receipt.at
    ((kind, before, after),) = await world.rows(
        "SELECT kind, before, after FROM changes ORDER BY seq DESC LIMIT 1"
    )
    assert kind == operation.op
    assert name in str(before)
    assert name in str(after)
    again = await world.do(ref(block), operation)
    assert not again.changed
    assert again.seq is None


async def test_that_an_unreadable_schema_is_a_problem_of_that_block_alone(world: World) -> None:
    broken, whole = await world.make("broken"), await world.make("whole")
    async with world.database.write() as tx:
        await tx.execute('UPDATE blocks SET schema = \'{"kind": "spiral"}\' WHERE id = ?', (broken,))
    states = {state.block.id: state for state in await world.memory.states(AGENT.id)}
    assert isinstance(states[broken].block.schema, UnreadableSchema)
    problem = states[broken].problem
    assert problem is not None
    assert problem.code == "block.unreadable_schema"
    assert states[whole].problem is None
    assert await world.refusal(ref(broken), SetText("x")) == "refused.unreadable_schema"
    await world.do(ref(broken), SetSchema(TextSchema()))
    assert (await world.state(broken)).problem is None
    assert await world.text(broken) == "one two three"


@pytest.mark.parametrize(
    ("column", "level"),
    [
        ("permission = 'king'", Permission.READ_ONLY),
        ("created_at = 'soon'", Permission.READ_WRITE),
        ("block_type = 'x'", Permission.READ_WRITE),
    ],
)
async def test_that_an_unreadable_column_replaces_itself_alone_and_an_unreadable_level_allows_nothing(
    world: World, column: str, level: Permission
) -> None:
    broken, whole = await world.make("broken"), await world.make("whole")
    async with world.database.write() as tx:
        await tx.execute("UPDATE blocks SET " + column + " WHERE id = ?", (broken,))
    states = {state.block.id: state for state in await world.memory.states(AGENT.id)}
    problem = states[broken].problem
    assert problem is not None
    assert problem.code == "row.unreadable"
    assert states[broken].block.permission is level
    assert states[whole].problem is None


async def test_that_unreadable_content_is_a_problem_of_that_block_alone(world: World) -> None:
    broken, whole = await world.make("broken"), await world.make("whole")
    for damage in ("content = '{'", "content = CAST(x'ff' AS TEXT)"):
        async with world.database.write() as tx:
            await tx.execute("UPDATE block_contents SET " + damage + " WHERE block_id = ?", (broken,))
        states = {state.block.id: state for state in await world.memory.states(AGENT.id)}
        assert states[broken].content is None
        problem = states[broken].problem
        assert problem is not None
        assert problem.code == "block.unreadable_content"
        assert states[whole].content is not None


async def test_that_sharing_goes_by_id_whatever_the_label_is(world: World) -> None:
    shared, hidden, own = [
        await world.make(label, owner=owner)
        for label, owner in (("notes", AGENT.id), ("other", AGENT.id), ("notes", OTHER.id))
    ]
    await world.do(ref(shared), AttachBlock(OTHER.id, Permission.APPEND))
    assert [each.state.block.id for each in await world.memory.shared_with(OTHER.id)] == [shared]
    await world.do(ref(shared), SetLabel("renamed"))
    await world.do(ref(hidden), SetLabel("notes"))
    assert [each.state.block.id for each in await world.memory.shared_with(OTHER.id)] == [shared]
    assert await world.memory.shared_block(hidden, OTHER.id) is None
    assert await world.refusal(ref(hidden), AppendText("x"), actor=OTHER) == "refused.no_access"
    await world.edit(own, SetText("mine"), actor=OTHER)
    assert [await world.text(each) for each in (shared, hidden)] == ["one two three"] * 2


async def test_that_attaching_again_replaces_the_level_and_keeps_the_time(world: World) -> None:
    block = await world.make()
    await world.do(ref(block), AttachBlock(OTHER.id))
    (first,) = await world.memory.attachments(block)
    await world.do(ref(block), AttachBlock(OTHER.id, Permission.ADMIN))
    (second,) = await world.memory.attachments(block)
    assert (first.permission, second.permission) == (Permission.READ_ONLY, Permission.ADMIN)
    assert first.attached_at == second.attached_at
    again = await world.do(ref(block), AttachBlock(OTHER.id, Permission.ADMIN))
    assert not again.changed


async def test_that_the_constellations_blocks_are_seen_by_all(world: World) -> None:
    block = await world.make("for all", owner=CONSTELLATION_OWNER)
    for agent in (AGENT, OTHER):
        (shared,) = await world.memory.shared_with(agent.id)
        assert (shared.state.block.id, shared.level) == (block, Permission.READ_WRITE)
        assert shared.attachment is None
    assert await world.refusal(ref(block), AttachBlock(OTHER.id)) == "refused.seen_by_all"
    own = await world.make("own")
    assert await world.refusal(ref(own), AttachBlock(AGENT.id)) == "refused.own_block"
    assert await world.refusal(ref(own), AttachBlock("agt_none")) == "not_found.agent"
