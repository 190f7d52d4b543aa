"""Blocks themselves, their sharing, and archival entries."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    OBSERVATION_LOG,
    PARTNER_PROFILE,
    BlockType,
    FieldDef,
    FieldType,
    MapSchema,
    Permission,
    TextSchema,
    UnreadableSchema,
    Viewport,
)
from inspector.domain.content import LogContent, MapContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    DeleteRow,
    DetachBlock,
    InsertArchival,
    RestoreRow,
    SetBlockType,
    SetCharLimit,
    SetDescription,
    SetLabel,
    SetPermission,
    SetPinned,
    SetSchema,
    UpdateArchival,
)
from inspector.domain.edits.rows import SetMeta
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, HUMAN, OTHER, PARTNER, World


def ref(block: str) -> Ref:
    """What points at a block."""
    return Ref(RefKind.BLOCK, block)


@pytest.mark.parametrize(
    "label", ["/note_directory", "system/human/work", "a</b>", "'; DROP", "👩‍👧", "\u00a0x", "漢"]
)
async def test_that_any_printable_label_is_legal(world: World, label: str) -> None:
    block = await world.make(label)
    found = await world.memory.find(AGENT.id, label)
    assert found is not None
    assert found.block.id == block


@pytest.mark.parametrize("label", ["", "  ", "a\nb", "a\x00", "\u2028x", "\ud800"])
async def test_that_an_unprintable_label_is_refused(world: World, label: str) -> None:
    block = await world.make()
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


async def test_that_a_viewport_changes_what_is_rendered(world: World) -> None:
    block = await world.make(content="one\ntwo\nthree")
    await world.do(ref(block), SetSchema(TextSchema(Viewport(2, 1))))
    rendered = await world.memory.rendered(block)
    assert rendered is not None
    assert "two" in rendered
    assert "three" not in rendered
    await world.edit(block, AppendText("!"), actor=HUMAN)
    assert await world.text(block) == "one\ntwo\nthree!"


async def test_that_a_schema_that_would_lose_data_says_what(world: World) -> None:
    content = MapContent({"name": "Ann", "current_focus": "rest"})
    block = await world.make("profile", content, PARTNER_PROFILE)
    narrower = MapSchema(
        (FieldDef("name", required=True), FieldDef("energy_level", FieldType.COUNTER, default=5))
    )
    with pytest.raises(RefusedError) as caught:
        await world.do(ref(block), SetSchema(narrower))
    assert caught.value.code == "refused.schema_would_lose"
    assert caught.value.parameters["lost"] == ("current_focus",)
    await world.do(ref(block), SetSchema(narrower, accept_loss=True))
    content_after = await world.memory.content(block)
    assert isinstance(content_after, MapContent)
    assert content_after.fields["name"] == "Ann"
    assert "current_focus" not in content_after.fields


async def test_that_an_empty_text_can_become_a_log(world: World) -> None:
    block = await world.make("was text", "")
    await world.do(ref(block), SetSchema(OBSERVATION_LOG))
    assert await world.memory.content(block) == LogContent()
    full = await world.make("text", "something")
    assert await world.refusal(ref(full), SetSchema(OBSERVATION_LOG)) == "refused.schema_would_lose"


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


async def test_that_a_block_needs_an_owner_who_is_there(world: World) -> None:
    assert await world.refusal(ref(""), CreateBlock("agt_none", "x")) == "not_found.agent"
    mine = CreateBlock(OTHER.id, "x")
    assert await world.refusal(ref(""), mine, actor=AGENT) == "refused.not_owner"
    block = await world.make()
    assert await world.refusal(ref(block), CreateBlock(AGENT.id, "y")) == "refused.exists"
    assert await world.refusal(ref(block), SetCharLimit(-1)) == "refused.char_limit_negative"


async def test_that_a_shared_block_is_seen_and_written_at_the_lower_level(world: World) -> None:
    block = await world.make()
    assert await world.memory.shared_block(block, OTHER.id) is None
    await world.do(ref(block), AttachBlock(OTHER.id, Permission.APPEND))
    (shared,) = await world.memory.shared_with(OTHER.id)
    assert (shared.state.block.id, shared.owner_name, shared.level) == (block, "One", Permission.APPEND)
    assert shared.attachment is not None
    await world.edit(block, AppendText("!"), actor=OTHER)
    written = (await world.state(block)).written
    assert written is not None
    assert written.actor == OTHER
    assert await world.refusal(ref(block), SetText("x"), actor=OTHER) == "refused.permission"
    assert (shared.state.block.owner, shared.state.block.label) == (AGENT.id, "notes")


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


async def test_that_sharing_and_its_end_leave_who_did_it_in_the_journal(world: World) -> None:
    block = await world.make()
    await world.do(ref(block), AttachBlock(OTHER.id), actor=PARTNER)
    await world.do(ref(block), AttachBlock(OTHER.id, Permission.ADMIN))
    await world.do(ref(block), DetachBlock(OTHER.id), actor=PARTNER)
    told = await world.rows(
        "SELECT kind, ref_id, ref_part, actor_id, before IS NULL, after IS NULL FROM changes"
        " WHERE ref_kind = 'attachment' ORDER BY seq"
    )
    assert told == [
        ("attach_block", block, OTHER.id, PARTNER.id, 1, 0),
        ("attach_block", block, OTHER.id, HUMAN.id, 0, 0),
        ("detach_block", block, OTHER.id, PARTNER.id, 0, 1),
    ]


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


async def test_that_detaching_and_deleting_end_the_sharing(world: World) -> None:
    one, two = await world.make("one"), await world.make("two")
    for block in (one, two):
        await world.do(ref(block), AttachBlock(OTHER.id))
    await world.do(ref(one), DetachBlock(OTHER.id))
    assert [each.state.block.id for each in await world.memory.shared_with(OTHER.id)] == [two]
    await world.do(ref(two), DeleteBlock())
    assert await world.memory.shared_with(OTHER.id) == ()
    assert not (await world.do(ref(one), DetachBlock(OTHER.id))).changed


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


async def test_that_a_partner_block_takes_the_identity_set_as_partner(world: World) -> None:
    block = await world.make(permission=Permission.PARTNER)
    assert await world.refusal(ref(block), SetText("x"), actor=PARTNER) == "refused.partner_only"
    await world.do(Ref(RefKind.CONSTELLATION, ""), SetMeta("partner_id", PARTNER.id))
    await world.do(ref(block), SetText("mine"), actor=PARTNER)
    assert await world.refusal(ref(block), SetText("x"), actor=HUMAN) == "refused.partner_only"
    assert await world.refusal(ref(block), SetText("x"), actor=AGENT) == "refused.needs_consent"
    assert await world.text(block) == "mine"


async def test_that_archival_entries_come_and_go(world: World) -> None:
    add = InsertArchival(AGENT.id, "The river froze", ("winter",))
    entry = (await world.do(Ref(RefKind.ARCHIVAL, ""), add, AGENT)).ref
    await world.do(entry, UpdateArchival(tags=("winter", "river")), AGENT)
    ((found,), problems) = await world.memory.archival_entries(AGENT.id)
    assert problems == ()
    assert (found.content, found.tags) == ("The river froze", ("winter", "river"))
    assert found.updated_at > found.created_at
    await world.do(entry, DeleteRow())
    assert await world.memory.archival_entries(AGENT.id) == ((), ())
    kept = await world.memory.archival_entry(entry.id)
    assert kept is not None
    assert kept.is_deleted
    assert not (await world.do(entry, DeleteRow())).changed
    await world.do(entry, RestoreRow())
    assert len((await world.memory.archival_entries(AGENT.id))[0]) == 1
    kinds = await world.rows("SELECT kind FROM activity")
    assert kinds == [("archival_operation",)] * 4
