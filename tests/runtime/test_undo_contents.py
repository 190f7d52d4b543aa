"""Undo and redo of contents, by every schema's operations."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, DeleteBlock, SetCharLimit, SetSchema
from inspector.domain.edits.fields import (
    AppendToField,
    ClearField,
    Increment,
    MoveInField,
    RemoveFromField,
    SetField,
)
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    MoveItem,
    MoveNode,
    RemoveEntry,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import AppendText, InsertText, ReplaceText, SetText
from inspector.domain.ref import Ref, RefKind
from inspector.memory import folding
from tests.memory.world import AGENT, HUMAN, OTHER
from tests.runtime.undo_world import BOB, Desk, block, new_desk, reopened

FIELDS = (
    FieldDef("name", required=True),
    FieldDef("town", default="Bern"),
    FieldDef("energy", FieldType.COUNTER, minimum=0, maximum=10),
    FieldDef("likes", FieldType.LIST),
)
MAP = MapSchema(FIELDS)
MAP_CONTENT = MapContent(
    {"town": "Bern", "energy": 5, "likes": (FieldEntry("l1", "tea"), FieldEntry("l2", "rain"))}
)
ITEMS = ListSchema((FieldDef("title", required=True), FieldDef("done", FieldType.BOOLEAN, default=False)))
ITEMS_CONTENT = ListContent(
    (
        ListItem("a", {"title": "one", "done": False}),
        ListItem("b", {"title": "two", "done": True}),
        ListItem("c", {"title": "three", "done": False}),
    )
)
LOG = LogSchema(20, EntrySchema(fields=(FieldDef("seen", required=True),)))
LOG_CONTENT = LogContent(
    (
        LogEntry("e1", "2026-11-19T08:00:00.000000Z", "Zoe", {"seen": "fog"}),
        LogEntry("e2", "2026-11-19T08:00:00.000000Z", "Zoe", {"seen": "frost"}),
    )
)
TREE_CONTENT = TreeContent(
    (
        TreeNode("r", "root", (TreeNode("x", "left", (TreeNode("y", "deep"),)), TreeNode("z", "right"))),
        TreeNode("s", "second"),
    )
)
TEXT_CONTENT = TextContent("one two\nthree four\n")
COMPOSITE = CompositeSchema(
    (SectionDef("plan", TextSchema()), SectionDef("who", MAP), SectionDef("todo", ListSchema()))
)
COMPOSITE_CONTENT = CompositeContent(
    {"plan": TEXT_CONTENT, "who": MAP_CONTENT, "todo": ListContent((ListItem("t", "rest"),))}
)

CASES: list[tuple[Schema, Content, Operation]] = [
    (TextSchema(), TEXT_CONTENT, SetText("all new")),
    (TextSchema(), TEXT_CONTENT, SetText("")),
    (TextSchema(), TEXT_CONTENT, AppendText("five 🙂")),
    (TextSchema(), TEXT_CONTENT, ReplaceText("three", "3")),
    (MAP, MAP_CONTENT, SetField("name", "Ada")),
    (MAP, MAP_CONTENT, SetField("town", "Ulm")),
    (MAP, MAP_CONTENT, ClearField("town")),
    (MAP, MAP_CONTENT, Increment("energy", 3)),
    (MAP, MAP_CONTENT, Increment("energy", 0.1)),
    (MAP, MAP_CONTENT, ClearField("energy")),
    (MAP, MAP_CONTENT, SetField("likes", ("rain", "snow"))),
    (MAP, MAP_CONTENT, AppendToField("likes", "sun")),
    (MAP, MAP_CONTENT, RemoveFromField("likes", "l1")),
    (MAP, MAP_CONTENT, MoveInField("likes", "l1")),
    (ITEMS, ITEMS_CONTENT, InsertItem({"title": "four"}, before="b")),
    (ITEMS, ITEMS_CONTENT, UpdateItem("b", {"title": "2", "done": None})),
    (ITEMS, ITEMS_CONTENT, MoveItem("c", before="a")),
    (ITEMS, ITEMS_CONTENT, RemoveItem("b")),
    (LOG, LOG_CONTENT, AppendEntry({"seen": "hail"})),
    (LOG, LOG_CONTENT, RemoveEntry("e1")),
    (TreeSchema(), TREE_CONTENT, AddNode("new", parent="r", before="z")),
    (TreeSchema(), TREE_CONTENT, UpdateNode("y", "deeper")),
    (TreeSchema(), TREE_CONTENT, MoveNode("x", parent="s")),
    (TreeSchema(), TREE_CONTENT, MoveNode("z", parent="r", before="x")),
    (TreeSchema(), TREE_CONTENT, RemoveNode("r")),
    (COMPOSITE, COMPOSITE_CONTENT, InSection("plan", AppendText("five"))),
    (COMPOSITE, COMPOSITE_CONTENT, InSection("who", SetField("name", "Ada"))),
    (COMPOSITE, COMPOSITE_CONTENT, InSection("todo", RemoveItem("t"))),
]


async def content(desk: Desk, made: str) -> Content:
    """What a block holds."""
    found = (await desk.world.state(made)).content
    assert found is not None
    return found


async def fields(desk: Desk, made: str) -> dict[str, Any]:
    """A map's fields, its lists as plain values."""
    found = await content(desk, made)
    assert isinstance(found, MapContent)
    return {
        name: tuple(entry.value for entry in value) if isinstance(value, tuple) else value
        for name, value in found.fields.items()
    }


async def items(desk: Desk, made: str) -> list[tuple[str, object]]:
    """A list's items."""
    found = await content(desk, made)
    assert isinstance(found, ListContent)
    return [(item.id, item.value) for item in found.items]


@pytest.mark.parametrize(("schema", "start", "operation"), CASES, ids=lambda case: getattr(case, "op", ""))
async def test_that_every_operation_is_undone_and_redone(
    tmp_db_dir: Path, schema: Schema, start: Content, operation: Operation
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", start, schema)
        rendered = await desk.world.memory.rendered(made)
        done = await desk.do(block(made), operation)
        after, rendered_after = await content(desk, made), await desk.world.memory.rendered(made)
        assert after != start
        for _ in range(2):
            undone = await desk.undo()
            assert await content(desk, made) == start
            assert await desk.world.memory.rendered(made) == rendered
            await desk.redo()
            assert await content(desk, made) == after
            assert await desk.world.memory.rendered(made) == rendered_after
        (receipt,) = undone.receipts
        assert receipt.ref == block(made)
        assert receipt.version is not None
        assert undone.step.op == operation.op
        stored = await desk.world.rows("SELECT undo_of FROM updates ORDER BY seq")
        assert stored[2] == (done.seq,)
        assert stored[4] == (done.seq,)
        assert None not in (stored[3][0], stored[5][0])


async def test_that_contents_are_undone_after_a_restart_and_after_folding(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "FOLD_DELTAS", 55)
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", MAP_CONTENT, MAP)
        for number in range(70):
            await desk.do(block(made), SetField("name", str(number)))
            desk.world.clock.now += timedelta(days=1)
        assert await desk.world.rows("SELECT count(*) FROM updates WHERE blob IS NULL") != [(0,)]
    async with reopened(tmp_db_dir, prefix="b") as desk:
        desk.world.clock.now += timedelta(days=200)
        for number in reversed(range(69)):
            await desk.undo()
            assert (await fields(desk, made))["name"] == str(number)
        await desk.undo()
        assert await content(desk, made) == MAP_CONTENT
    async with reopened(tmp_db_dir, prefix="c") as desk:
        for number in range(70):
            await desk.redo()
            assert (await fields(desk, made))["name"] == str(number)


async def test_that_the_undo_of_an_increment_is_a_decrement(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", MAP_CONTENT, MAP)
        await desk.do(block(made), Increment("energy", 2))
        await desk.do(block(made), Increment("energy", 1), BOB)
        await desk.undo()
        assert (await fields(desk, made))["energy"] == 6
        await desk.redo()
        assert (await fields(desk, made))["energy"] == 8
        await desk.undo(BOB)
        assert (await fields(desk, made))["energy"] == 7


async def test_that_fractions_are_taken_back_exactly(tmp_db_dir: Path) -> None:
    schema = MapSchema((FieldDef("sum", FieldType.COUNTER),))
    steps = (0.1, 0.3, -2, 5.7, -1.7, 0.1)
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", MapContent({"sum": 0.1}), schema)
        seen = [(await fields(desk, made))["sum"]]
        for step in steps:
            await desk.do(block(made), Increment("sum", step))
            seen.append((await fields(desk, made))["sum"])
        assert seen == [0.1, 0.2, 0.5, -1.5, 4.2, 2.5, 2.6]
        await desk.do(block(made), Increment("sum", 0.7), BOB)
        for was in (3.2, 4.9, -0.8, 1.2, 0.9, 0.8):
            await desk.undo()
            assert (await fields(desk, made))["sum"] == was
        await desk.undo(BOB)
        assert (await fields(desk, made))["sum"] == 0.1


async def test_that_another_writers_value_stays(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", MAP_CONTENT, MAP)
        await desk.do(block(made), SetField("town", "Ulm"))
        await desk.do(block(made), SetField("town", "Graz"), BOB)
        assert await desk.refusal("undo", change=None, ref=block(made)) == "refused.undo_overtaken"
        assert (await fields(desk, made))["town"] == "Graz"


async def test_that_a_text_keeps_what_others_wrote_into_it(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "start end")
        await desk.do(block(made), InsertText(6, "my own "))
        await desk.do(block(made), InsertText(9, "(Bob's) "), BOB)
        assert await desk.world.text(made) == "start my (Bob's) own end"
        await desk.undo()
        assert await desk.world.text(made) == "start (Bob's) end"
        await desk.redo()
        text = await desk.world.text(made)
        assert "(Bob's) " in text
        assert sorted(text) == sorted("start my (Bob's) own end")


async def test_that_an_item_somebody_else_has_edited_is_not_taken_away(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", ITEMS_CONTENT, ITEMS)
        await desk.do(block(made), InsertItem({"title": "mine"}, id="d"))
        await desk.do(block(made), UpdateItem("d", {"done": True}), BOB)
        assert await desk.refusal("undo", change=None, ref=block(made)) == "refused.undo_overtaken"
        assert ("d", {"title": "mine", "done": True}) in await items(desk, made)
        await desk.undo(BOB)
        await desk.undo()
        assert await content(desk, made) == ITEMS_CONTENT


async def test_that_a_node_with_somebody_elses_under_it_is_not_taken_away(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", TREE_CONTENT, TreeSchema())
        await desk.do(block(made), AddNode("mine", id="m"))
        await desk.do(block(made), AddNode("Bob's", parent="m", id="n"), BOB)
        assert await desk.refusal("undo", ref=block(made)) == "refused.undo_overtaken"
        await desk.undo(BOB)
        await desk.undo()
        assert await content(desk, made) == TREE_CONTENT


async def test_that_what_stays_is_said(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", ITEMS_CONTENT, ITEMS)
        await desk.do(block(made), UpdateItem("b", {"title": "mine", "done": None}))
        await desk.do(block(made), UpdateItem("b", {"title": "Bob's"}), BOB)
        undone = await desk.undo()
        assert dict(await items(desk, made))["b"] == {"title": "Bob's", "done": True}
        assert undone.skipped == (Ref(RefKind.BLOCK, made, "b"),)
        assert undone.receipts[0].skipped == ("b",)


async def test_that_edits_of_what_was_made_again_are_made_again_too(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", ITEMS_CONTENT, ITEMS)
        await desk.do(block(made), InsertItem({"title": "mine"}, id="d"))
        await desk.do(block(made), UpdateItem("d", {"title": "my own"}))
        await desk.do(block(made), MoveItem("d", before="a"))
        after = await content(desk, made)
        for _ in range(2):
            for _ in range(3):
                await desk.undo()
            assert await content(desk, made) == ITEMS_CONTENT
            for _ in range(3):
                await desk.redo()
            assert await content(desk, made) == after


async def test_that_an_item_comes_back_beside_its_neighbour(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", ITEMS_CONTENT, ITEMS)
        await desk.do(block(made), RemoveItem("b"))
        await desk.do(block(made), InsertItem({"title": "first"}, before="a", id="f"), BOB)
        await desk.do(block(made), InsertItem({"title": "last"}, id="l"), BOB)
        await desk.undo()
        assert [item for item, _ in await items(desk, made)] == ["f", "a", "b", "c", "l"]


async def test_that_a_stale_writer_after_an_undo_keeps_the_undo_and_its_own_words(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one\ntwo\n")
        await desk.do(block(made), AppendText("agent's\n"), AGENT)
        opened = await desk.world.state(made)
        await desk.undo(AGENT)
        stale = Edit(block(made), SetText("ONE\ntwo\nagent's\n"), opened.version)
        await desk.edits.apply([Intent(stale, HUMAN)])
        assert await desk.world.text(made) == "ONE\ntwo\n"
        # And the writer's undo and the agent's redo do not cross.
        await desk.redo(AGENT)
        assert await desk.world.text(made) == "ONE\ntwo\nagent's\n"
        await desk.undo()
        assert await desk.world.text(made) == "one\ntwo\nagent's\n"


async def test_that_a_redo_after_a_branch_is_refused_and_leaves_the_branch(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one")
        await desk.do(block(made), AppendText(" two"))
        await desk.undo()
        await desk.do(block(made), AppendText(" three"))
        assert await desk.refusal("redo") == "refused.nothing_to_redo"
        assert await desk.refusal("redo", ref=block(made)) == "refused.nothing_to_redo"
        assert await desk.world.text(made) == "one three"
        await desk.undo()
        assert await desk.world.text(made) == "one"


async def test_that_two_processes_share_one_stack(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as here, reopened(tmp_db_dir, prefix="b") as there:
        made = await here.world.make("block", "one")
        await here.do(block(made), AppendText(" two"))
        await there.do(block(made), AppendText(" three"))
        await here.undo()
        assert await there.world.text(made) == "one two"
        await there.undo()
        await here.redo()
        await there.redo()
        assert await here.world.text(made) == "one two three"


async def test_that_an_agent_may_take_its_own_log_entry_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("log", LOG_CONTENT, LOG)
        await desk.do(block(made), AppendEntry({"seen": "hail"}), AGENT)
        after = await content(desk, made)
        await desk.undo(AGENT)
        assert await content(desk, made) == LOG_CONTENT
        await desk.redo(AGENT)
        assert await content(desk, made) == after


async def test_that_what_an_agent_appended_where_it_may_only_append_stays(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("log", LOG_CONTENT, LOG, permission=Permission.APPEND)
        await desk.do(block(made), AppendEntry({"seen": "hail"}), AGENT)
        assert await desk.refusal("undo", AGENT) == "refused.permission"


async def test_that_an_attached_agents_undo_needs_its_level_still(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one")
        attach = AttachBlock(OTHER.id, Permission.READ_WRITE)
        await desk.do(block(made), attach)
        await desk.do(block(made), AppendText(" two"), OTHER)
        await desk.do(block(made), AppendText(" three"), AGENT)
        await desk.do(block(made), AttachBlock(OTHER.id, Permission.READ_ONLY))
        assert await desk.refusal("undo", OTHER) == "refused.permission"
        await desk.do(block(made), attach)
        await desk.undo(OTHER)
        assert await desk.world.text(made) == "one three"


async def test_that_a_part_that_became_read_only_is_not_written_by_an_undo(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", MAP_CONTENT, MAP)
        for actor in (AGENT, HUMAN):
            await desk.do(block(made), SetField("town", "Ulm " + actor.name), actor)
        closed = tuple(FieldDef(each.name, each.field_type, read_only=each.name == "town") for each in FIELDS)
        await desk.do(block(made), SetSchema(MapSchema(closed), accept_loss=True), BOB)
        assert await desk.refusal("undo", AGENT) == "refused.read_only_part"
        assert await desk.refusal("undo") == "refused.locked"
        await desk.undo(unlock=True)
        assert (await fields(desk, made))["town"] == "Ulm One"


async def test_that_a_limit_holds_for_an_undo(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one two three")
        await desk.do(block(made), SetText("one"))
        await desk.do(block(made), SetCharLimit(5), BOB)
        assert await desk.refusal("undo") == "refused.char_limit"
        await desk.undo(BOB)
        await desk.undo()
        assert await desk.world.text(made) == "one two three"


async def test_that_a_deleted_block_is_not_written_by_an_undo(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one")
        await desk.do(block(made), AppendText(" two"))
        await desk.do(block(made), DeleteBlock(), BOB)
        assert await desk.refusal("undo") == "refused.deleted"


async def test_that_an_edit_under_another_schema_is_overtaken_by_it(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one")
        await desk.do(block(made), AppendText(" two"))
        await desk.do(block(made), SetSchema(ListSchema(), accept_loss=True), BOB)
        change = (await desk.edits.undo_stack(HUMAN)).undo[0].seq
        assert await desk.refusal("undo", change=change) == "refused.undo_overtaken"
        await desk.undo(BOB)
        await desk.undo()
        assert await desk.world.text(made) == "one"


async def test_that_undo_removes_no_version(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("block", "one")
        for word in (" two", " three"):
            await desk.do(block(made), AppendText(word))
        await desk.undo()
        await desk.undo()
        await desk.redo()
        versions = await desk.world.memory.versions.versions(made)
        texts = [
            (await desk.world.memory.versions.content_at(made, each.version)).content for each in versions
        ]
        assert texts == [
            TextContent(text) for text in ("one", "one two", "one two three", "one two", "one", "one two")
        ]
