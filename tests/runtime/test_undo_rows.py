"""Undo of everything but contents: the rows of blocks, sharing, agents, messages, summaries, entries, tools."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.agents import AgentStatus, ContextConfig, Tool, ToolRuleKind
from inspector.domain.blocks import (
    SCRATCHPAD,
    BlockType,
    FieldDef,
    MapSchema,
    Permission,
    TextSchema,
    Viewport,
)
from inspector.domain.content import MapContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    AttachBlock,
    CreateBlock,
    DeleteBlock,
    DeleteRow,
    DetachBlock,
    InsertArchival,
    RestoreBlock,
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
from inspector.domain.edits.consent import SetPartner
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.rows import (
    AppendMessage,
    ArchiveMessage,
    ConfigureAgent,
    CreateAgent,
    EditMessage,
    EditSummary,
    LogEvent,
    PutTool,
    PutToolRule,
    SetMeta,
    SetWakeup,
    StoreSummary,
)
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import SummaryDetails
from tests.memory.world import AGENT, HUMAN, OTHER, START
from tests.runtime.undo_world import BOB, Desk, block, new_desk

NEW_MESSAGE = Ref(RefKind.MESSAGE, "")
NEW_SUMMARY = Ref(RefKind.SUMMARY, "")
NEW_ENTRY = Ref(RefKind.ARCHIVAL, "")
SAID = AppendMessage(AGENT.id, "bat_1", Role.USER, (TextPart("hello"),))
TOLD = StoreSummary(AGENT.id, "They met.", ("people",), START, START + timedelta(hours=1), 4)
NOTED = InsertArchival(AGENT.id, "quartz is hard", ("stone",))

# Columns that say when a row was written last, and the seals over them; a change that is taken back is a write too.
TIMES = frozenset({"updated_at", "attached_at", "seal"})
TABLES = (
    *("blocks", "attachments", "agents", "archival_entries", "messages", "summaries", "tools", "tool_rules"),
    *("wakeups", "meta"),
)


async def state(desk: Desk) -> dict[str, list[dict[str, object]]]:
    """All rows that people edit, without their times of writing."""
    found: dict[str, list[dict[str, object]]] = {}
    async with desk.world.database.read() as connection:
        for table in TABLES:
            rows = await connection.fetch_all("SELECT * FROM " + table + " ORDER BY 1, 2")
            found[table] = [
                {name: value for name, value in dict(row).items() if name not in TIMES} for row in rows
            ]
    return found


async def seen(desk: Desk) -> list[tuple[object, ...]]:
    """What search finds, with whether it is deleted."""
    return await desk.world.rows(
        "SELECT kind, ref_id, title, body, is_deleted FROM search_texts ORDER BY 1, 2"
    )


BLOCK_CHANGES: list[Operation] = [
    SetLabel("stones"),
    SetDescription("what is hard"),
    SetBlockType(BlockType.CORE),
    SetCharLimit(77),
    SetPinned(pinned=True),
    SetPermission(Permission.READ_ONLY),
    SetSchema(TextSchema(Viewport(1, 3))),
    SetSchema(MapSchema((FieldDef("name"),)), accept_loss=True),
    DeleteBlock(),
    AttachBlock(OTHER.id, Permission.APPEND),
]


@pytest.mark.parametrize("operation", BLOCK_CHANGES, ids=lambda operation: operation.op)
async def test_that_every_change_of_a_block_is_undone_and_redone(
    tmp_db_dir: Path, operation: Operation
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes", "quartz")
        before, found_before = await state(desk), await seen(desk)
        receipt = await desk.do(block(made), operation)
        after, found_after = await state(desk), await seen(desk)
        assert after != before

        undone = await desk.undo()
        assert (await state(desk), await seen(desk)) == (before, found_before)
        assert [each.seq for each in undone.step.changes] == [receipt.seq]
        assert undone.step.op == operation.op
        assert undone.skipped == ()

        await desk.redo()
        assert (await state(desk), await seen(desk)) == (after, found_after)
        await desk.undo()
        assert (await state(desk), await seen(desk)) == (before, found_before)


async def test_that_an_undone_change_is_a_change_that_names_the_one_it_takes_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes", "quartz")
        first = await desk.do(block(made), SetLabel("stones"))
        back = (await desk.undo(reason="wrong", tool_call_id="call_1", batch_id="bat_1")).receipts[0]
        again = (await desk.redo()).receipts[0]
        once_more = (await desk.undo()).receipts[0]
        rows = await desk.world.rows(
            "SELECT seq, undo_of, kind, actor_id, reason, tool_call_id, batch_id FROM changes "
            "WHERE kind = 'set_label' ORDER BY seq"
        )
        assert rows == [
            (first.seq, None, "set_label", "ada", "", None, None),
            (back.seq, first.seq, "set_label", "ada", "wrong", "call_1", "bat_1"),
            (again.seq, back.seq, "set_label", "ada", "", None, None),
            (once_more.seq, first.seq, "set_label", "ada", "", None, None),
        ]
        assert back.ref == block(made)
        assert back.changed
        assert back.actor == HUMAN


async def made_rows(desk: Desk) -> dict[str, Ref]:
    """One of each thing, made by the system so that nobody's undo reaches it."""
    tool = Tool("search", "finds", "{}")
    return {
        "message": (await desk.do(NEW_MESSAGE, SAID, BOB)).ref,
        "summary": (await desk.do(NEW_SUMMARY, TOLD, BOB)).ref,
        "archival": (await desk.do(NEW_ENTRY, NOTED, BOB)).ref,
        "agent": Ref(RefKind.AGENT, AGENT.id),
        "tool": (await desk.do(Ref(RefKind.TOOL, "search"), PutTool(tool), BOB)).ref,
        "rule": (
            await desk.do(
                Ref(RefKind.TOOL_RULE, ""),
                PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 3}'),
                BOB,
            )
        ).ref,
        "wakeup": (
            await desk.do(Ref(RefKind.WAKEUP, ""), SetWakeup(AGENT.id, "tea", START + timedelta(1)), BOB)
        ).ref,
        "file": Ref(RefKind.CONSTELLATION, ""),
    }


ROW_CHANGES: list[tuple[str, Operation]] = [
    ("message", EditMessage((TextPart("goodbye"),))),
    ("message", ArchiveMessage()),
    ("message", DeleteRow()),
    ("summary", EditSummary("They parted.", ("ends",), SummaryDetails(facts=("it rained",)))),
    ("summary", DeleteRow()),
    ("archival", UpdateArchival("topaz is harder", ("stone", "gem"))),
    ("archival", DeleteRow()),
    ("agent", ConfigureAgent(name="Uno", persona="I was one", instructions=("be kind", "be brief"))),
    ("agent", ConfigureAgent(config=ContextConfig(include_schemas=True), parameters='{"temperature": 1}')),
    ("agent", ConfigureAgent(status=AgentStatus.PAUSED, tools=("search",), model="m", provider="p")),
    ("agent", DeleteRow()),
    ("tool", PutTool(Tool("search", "finds all", '{"type": "object"}', ("find x",)))),
    ("tool", DeleteRow()),
    ("rule", PutToolRule(AGENT.id, "search", ToolRuleKind.MAX_CALLS, '{"max": 5}')),
    ("rule", DeleteRow()),
    ("wakeup", SetWakeup(AGENT.id, "coffee", START + timedelta(2), 60)),
    ("wakeup", DeleteRow()),
    ("file", SetMeta("name", "Stones")),
    ("file", SetPartner("paula", "Paula")),
]


@pytest.mark.parametrize(("thing", "operation"), ROW_CHANGES, ids=lambda each: getattr(each, "op", each))
async def test_that_every_change_of_a_row_is_undone_and_redone(
    tmp_db_dir: Path, thing: str, operation: Operation
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        refs = await made_rows(desk)
        if thing == "file":
            await desk.do(refs["file"], SetMeta("name", "Gems"), BOB)
            await desk.do(refs["file"], SetPartner("pat", "Pat"), BOB)
        before, found_before = await state(desk), await seen(desk)
        await desk.do(refs[thing], operation)
        after, found_after = await state(desk), await seen(desk)
        assert after != before
        for _ in range(2):
            await desk.undo()
            assert (await state(desk), await seen(desk)) == (before, found_before)
            await desk.redo()
            assert (await state(desk), await seen(desk)) == (after, found_after)


MAKING: list[tuple[str, Ref, Operation]] = [
    ("blocks", block(""), CreateBlock(AGENT.id, "notes", SCRATCHPAD)),
    ("messages", NEW_MESSAGE, SAID),
    ("summaries", NEW_SUMMARY, TOLD),
    ("archival_entries", NEW_ENTRY, NOTED),
    ("agents", Ref(RefKind.AGENT, ""), CreateAgent("Three")),
    ("tools", Ref(RefKind.TOOL, "search"), PutTool(Tool("search", "finds", "{}"))),
    ("tool_rules", Ref(RefKind.TOOL_RULE, ""), PutToolRule(AGENT.id, "search", ToolRuleKind.EXIT)),
    ("wakeups", Ref(RefKind.WAKEUP, ""), SetWakeup(AGENT.id, "tea", START + timedelta(1))),
]


@pytest.mark.parametrize(("table", "target", "operation"), MAKING, ids=lambda each: getattr(each, "op", None))
async def test_that_what_was_made_is_put_away_and_nothing_is_removed(
    tmp_db_dir: Path, table: str, target: Ref, operation: Operation
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        await desk.do(target, operation)
        made = await state(desk)
        await desk.undo()
        away = await state(desk)
        assert len(away[table]) == len(made[table])
        assert away != made
        await desk.redo()
        assert await state(desk) == made


async def test_that_detaching_is_undone_with_the_level_that_was(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), AttachBlock(OTHER.id, Permission.APPEND), BOB)
        await desk.do(block(made), DetachBlock(OTHER.id))
        await desk.undo()
        (attachment,) = await desk.world.memory.attachments(made)
        assert attachment.permission is Permission.APPEND
        await desk.redo()
        assert await desk.world.memory.attachments(made) == ()


async def test_that_a_changed_level_of_sharing_goes_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), AttachBlock(OTHER.id, Permission.APPEND), BOB)
        await desk.do(block(made), AttachBlock(OTHER.id, Permission.READ_ONLY))
        await desk.undo(ref=block(made))
        (attachment,) = await desk.world.memory.attachments(made)
        assert attachment.permission is Permission.APPEND


async def test_that_a_column_somebody_else_has_changed_stays(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        agent = Ref(RefKind.AGENT, AGENT.id)
        await desk.do(agent, ConfigureAgent(name="Uno", persona="I was one"))
        await desk.do(agent, ConfigureAgent(name="Bob's"), BOB)
        undone = await desk.undo()
        found = await desk.world.agents.get(AGENT.id)
        assert found is not None
        assert (found.name, found.persona) == ("Bob's", "")
        assert undone.skipped == (Ref(RefKind.AGENT, AGENT.id, "name"),)


async def test_that_what_others_have_changed_wholly_cannot_be_taken_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), SetLabel("mine"))
        await desk.do(block(made), SetLabel("bobs"), BOB)
        change = (await desk.edits.undo_stack(HUMAN)).undo[0].seq
        assert await desk.refusal("undo", change=change) == "refused.undo_overtaken"
        await desk.undo(BOB)
        await desk.undo(change=change)
        assert (await desk.world.state(made)).block.label == "notes"


async def test_that_a_step_without_anything_left_is_passed_over_and_named(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        older = await desk.do(block(made), SetDescription("hard"))
        newer = await desk.do(block(made), SetLabel("mine"))
        await desk.do(block(made), SetLabel("bobs"), BOB)
        undone = await desk.undo()
        assert undone.step.seq == older.seq
        assert [each.seq for each in undone.passed] == [newer.seq]
        found = (await desk.world.state(made)).block
        assert (found.label, found.description) == ("bobs", "")


async def test_that_what_was_made_stays_when_somebody_else_has_written_it(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        message = (await desk.do(NEW_MESSAGE, SAID)).ref
        await desk.do(message, EditMessage((TextPart("hello all"),)), BOB)
        assert await desk.refusal("undo", ref=message) == "refused.undo_overtaken"
        found = await desk.conversation.message(message.id)
        assert found is not None
        assert not found.is_deleted


async def test_that_a_label_taken_meanwhile_forbids_the_undo_of_a_deletion(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes")
        await desk.do(block(made), DeleteBlock())
        await desk.do(block(""), CreateBlock(AGENT.id, "notes"), BOB)
        assert await desk.refusal("undo") == "refused.label_taken"


async def test_that_a_block_restored_under_another_label_is_deleted_again_under_it(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes")
        await desk.do(block(made), DeleteBlock(), BOB)
        await desk.world.make("notes")
        await desk.do(block(made), RestoreBlock("notes again"))
        await desk.undo()
        found = (await desk.world.state(made)).block
        assert (found.is_active, found.label) == (False, "notes again")
        await desk.redo()
        assert (await desk.world.state(made)).block.is_active


async def test_that_an_agents_undo_needs_what_its_edit_would(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), SetDescription("mine"), AGENT)
        await desk.do(block(made), SetPermission(Permission.READ_ONLY))
        assert await desk.refusal("undo", AGENT) == "refused.permission"
        await desk.undo()
        await desk.undo(AGENT)
        assert (await desk.world.state(made)).block.description == ""


async def test_that_a_schema_goes_back_unless_others_would_lose_by_it(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        fields = MapSchema((FieldDef("name", required=True),))
        made = await desk.world.make("who", MapContent({}), fields)
        wider = MapSchema((FieldDef("name", required=True), FieldDef("town")))
        await desk.do(block(made), SetSchema(wider, accept_loss=True))
        await desk.undo()
        assert (await desk.world.state(made)).block.schema == fields
        await desk.redo()
        await desk.do(block(made), SetField("town", "Bern"), BOB)
        assert await desk.refusal("undo") == "refused.schema_would_lose"
        assert (await desk.world.state(made)).content == MapContent({"town": "Bern"})


async def test_that_telemetry_is_no_step(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), SetLabel("mine"))
        await desk.do(Ref(RefKind.EVENT, ""), LogEvent(None, "custom", "{}"))
        undone = await desk.undo()
        assert undone.step.op == "set_label"
        await desk.do(Ref(RefKind.EVENT, ""), LogEvent(None, "custom", "{}"))
        await desk.redo()
        assert (await desk.world.state(made)).block.label == "mine"


async def test_that_a_deleted_row_can_be_brought_back_by_undo_only_by_its_deleter(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        entry = (await desk.do(NEW_ENTRY, NOTED, BOB)).ref
        await desk.do(entry, DeleteRow())
        assert await desk.refusal("undo", BOB, entry) == "refused.undo_overtaken"
        await desk.undo(ref=entry)
        found = await desk.world.memory.archival_entry(entry.id)
        assert found is not None
        assert not found.is_deleted
        await desk.do(entry, DeleteRow())
        await desk.do(entry, RestoreRow(), BOB)
        assert await desk.refusal("undo", ref=entry, change=None) == "refused.undo_overtaken"
