"""A change of schema is taken back and made again with what it converted."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import (
    OBSERVATION_LOG,
    CompositeSchema,
    EntrySchema,
    FieldDef,
    ListSchema,
    LogSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.items import AddNode, AppendEntry, InSection, UpdateItem
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from tests.fixtures import OpenEngine
from tests.runtime.undo_world import BOB, Desk

ENTRIES = LogContent((LogEntry("e", "2026-01-01T00:00:00.000000Z", "Ann", {"observation": "fog"}),))


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        (TextSchema(), TextContent("one\n\ntwo"), ListSchema()),
        (OBSERVATION_LOG, ENTRIES, TextSchema()),
        (OBSERVATION_LOG, ENTRIES, ListSchema()),
        (TextSchema(), TextContent("one"), OBSERVATION_LOG),
    ],
)
async def test_that_undo_brings_back_what_a_change_of_schema_converted(
    engine: OpenEngine, old: Schema, content: Content, new: Schema
) -> None:
    async with engine() as opened:
        person = opened.actor
        _, receipt = await opened.apply(
            [
                Intent(Edit(Ref(RefKind.AGENT, "agt"), CreateAgent("One")), person),
                Intent(Edit(Ref(RefKind.BLOCK, ""), CreateBlock("agt", "b", old, content=content)), person),
            ]
        )
        block = receipt.ref.id
        await opened.edit(block, SetSchema(new, accept_loss=True))
        converted = await opened.memory.content(block)
        assert converted != content
        await opened.edits.undo(person)
        state = await opened.memory.get(block)
        assert state is not None
        assert (state.block.schema, state.content) == (old, content)
        await opened.edits.redo(person)
        state = await opened.memory.get(block)
        assert state is not None
        assert state.block.schema == new
        assert type(state.content) is type(converted)


KEPT, REMOVED = FieldDef("title"), FieldDef("token", default="none")
BOTH, LEFT = {"title": "Queue", "token": "sk-1"}, {"title": "Queue"}


def items(value: dict[str, str]) -> ListContent:
    return ListContent((ListItem("i", value),))


def nodes(value: dict[str, str]) -> TreeContent:
    return TreeContent((TreeNode("r", value, (TreeNode("s", value),)),))


def entries(value: dict[str, str]) -> LogContent:
    return LogContent((LogEntry("e", "2026-01-01T00:00:00Z", "Ann", value),))


def section(schema: ListSchema) -> CompositeSchema:
    return CompositeSchema((SectionDef("s", schema),))


OLD_LIST, NEW_LIST = ListSchema((KEPT, REMOVED)), ListSchema((KEPT,))
REMOVALS = [
    (OLD_LIST, NEW_LIST, items(BOTH), items(LEFT), UpdateItem("i", {"title": "Line"})),
    (
        LogSchema(9, EntrySchema(fields=(KEPT, REMOVED))),
        LogSchema(9, EntrySchema(fields=(KEPT,))),
        entries(BOTH),
        entries(LEFT),
        AppendEntry({"title": "Line"}, "f"),
    ),
    (
        TreeSchema((KEPT, REMOVED)),
        TreeSchema((KEPT,)),
        nodes(BOTH),
        nodes(LEFT),
        AddNode({"title": "Line"}, "r"),
    ),
    (
        section(OLD_LIST),
        section(NEW_LIST),
        CompositeContent({"s": items(BOTH)}),
        CompositeContent({"s": items(LEFT)}),
        InSection("s", UpdateItem("i", {"title": "Line"})),
    ),
]


@pytest.mark.parametrize(("old", "new", "had", "has", "later"), REMOVALS)
async def test_that_a_removed_field_takes_its_values_along_and_undo_brings_them_back(
    desk: Desk, old: Schema, new: Schema, had: Content, has: Content, later: Operation
) -> None:
    block = await desk.world.make("b", had, old)
    assert (await desk.world.memory.schema_conversion(block, new)).lost in (("token",), ("s.token",))
    await desk.do(Ref(RefKind.BLOCK, block), SetSchema(new, accept_loss=True))
    assert await desk.world.memory.content(block) == has
    await desk.undo()
    assert await desk.world.memory.content(block) == had
    await desk.redo()
    assert await desk.world.memory.content(block) == has
    await desk.do(Ref(RefKind.BLOCK, block), later, BOB)
    await desk.undo()
    said = str(await desk.world.memory.content(block))
    assert "Line" in said
    assert "sk-1" in said
