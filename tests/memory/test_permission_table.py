"""Every operation at every level, for owners, receivers and strangers: what the table says is what happens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest

from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    Attachment,
    BlockType,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.content import (
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
from inspector.domain.edits import block_rows, fields, history, items, text
from inspector.domain.edits.access import (
    OPERATION_ACCESS,
    PEOPLE_ONLY,
    PERMISSION_TABLE,
    Access,
    AccessVerdict,
    operation_table,
    verdict_of,
)
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.errors import RefusedError
from inspector.domain.search_index import content_text
from inspector.memory.permissions import WriteContext, check
from tests.memory.test_permissions import MOMENT, block
from tests.memory.world import AGENT, HUMAN, OTHER, World

TEXT = (TextSchema(), TextContent("one two\nthree"))
FIELDS = (
    MapSchema((FieldDef("a"), FieldDef("l", FieldType.LIST), FieldDef("n", FieldType.COUNTER))),
    MapContent({"a": "x", "l": (FieldEntry("e1", "p"), FieldEntry("e2", "q")), "n": 1}),
)
ITEMS = (ListSchema(), ListContent((ListItem("i1", "p"), ListItem("i2", "q"))))
LOG = (
    LogSchema(5, EntrySchema(False, False, (FieldDef("o"),))),
    LogContent((LogEntry("e", None, None, {"o": "x"}),)),
)
TREE = (TreeSchema(), TreeContent((TreeNode("n1", "p"), TreeNode("n2", "q"))))

# One of each operation that does something to the content beside it.
EXAMPLES: list[tuple[Operation, tuple[Schema, Content]]] = [
    (text.SetText("other"), TEXT),
    (text.AppendText(" four"), TEXT),
    (text.InsertText(3, "!"), TEXT),
    (text.SpliceText((text.Splice(0, 3, "ONE"),)), TEXT),
    (text.ReplaceText("one", "ONE"), TEXT),
    (text.ReplaceLines(1, 1, "ONE"), TEXT),
    (text.PatchText("@@ -1,2 +1,2 @@\n one two\n-three\n+THREE\n"), TEXT),
    (fields.SetField("a", "y"), FIELDS),
    (fields.ClearField("a"), FIELDS),
    (fields.AppendToField("l", "r"), FIELDS),
    (fields.RemoveFromField("l", "e1"), FIELDS),
    (fields.MoveInField("l", "e1"), FIELDS),
    (fields.Increment("n"), FIELDS),
    (items.InsertItem("r"), ITEMS),
    (items.UpdateItem("i1", "z"), ITEMS),
    (items.MoveItem("i1"), ITEMS),
    (items.RemoveItem("i1"), ITEMS),
    (items.AppendEntry({"o": "y"}), LOG),
    (items.RemoveEntry("e"), LOG),
    (items.AddNode("r"), TREE),
    (items.UpdateNode("n1", "z"), TREE),
    (items.MoveNode("n1", "n2"), TREE),
    (items.RemoveNode("n1"), TREE),
    (block_rows.SetLabel("renamed"), TEXT),
    (block_rows.SetDescription("what it is"), TEXT),
    (block_rows.SetBlockType(BlockType.CORE), TEXT),
    (block_rows.SetCharLimit(77), TEXT),
    (block_rows.SetPinned(True), TEXT),
    (block_rows.SetPermission(Permission.APPEND), TEXT),
    (block_rows.SetSchema(TextSchema(Viewport(1, 1))), TEXT),
    (block_rows.DeleteBlock(), TEXT),
    (block_rows.AttachBlock("agt_three", Permission.READ_ONLY), TEXT),
]
# These need a past, or a state, of their own.
ELSEWHERE = {block_rows.RestoreBlock, block_rows.DetachBlock, history.RestoreVersion, history.TakeBack}
# No operations on a block that is there.
NOT_ON_BLOCKS = {
    block_rows.CreateBlock,
    block_rows.InsertArchival,
    block_rows.UpdateArchival,
    block_rows.DeleteRow,
    block_rows.RestoreRow,
}
CODES = {
    AccessVerdict.ALLOW: "",
    AccessVerdict.DENY: "refused.permission",
    AccessVerdict.ASK_HUMAN: "refused.needs_consent",
    AccessVerdict.ASK_PARTNER: "refused.needs_consent",
}
LEVELS = tuple(Permission)


def named(value: object) -> str:
    """An operation by its name."""
    return value.op if isinstance(value, Operation) else ""


def samples() -> Iterator[Operation]:
    """One operation of each row of the table."""
    yield from (operation for operation, _ in EXAMPLES)
    yield block_rows.RestoreBlock()
    yield block_rows.DetachBlock("x")
    yield history.RestoreVersion(Version("00"))
    yield history.TakeBack(Version("00"), Version("00"))


def expected(operation: Operation, level: Permission | None) -> str:
    """The code of the refusal that the two tables call for; None is a level for nobody."""
    if level is None:
        return "refused.no_access"
    if type(operation) in PEOPLE_ONLY:
        return "refused.people_only"
    return CODES[PERMISSION_TABLE[level][OPERATION_ACCESS[type(operation)]]]


def found(operation: Operation, standing: WriteContext, level: Permission, owner: str) -> str:
    """The code of the refusal, empty when it may be done."""
    try:
        check(block(level, owner=owner), operation, standing)
    except RefusedError as error:
        return error.code
    return ""


def test_that_every_operation_on_a_block_is_in_the_table() -> None:
    on_blocks = {
        kind
        for kind in OPERATIONS.values()
        if kind.__module__.rpartition(".")[2] in ("text", "fields", "items", "history", "block_rows")
    }
    assert set(OPERATION_ACCESS) == on_blocks - NOT_ON_BLOCKS - {items.InSection, items.EditParts}
    assert {type(each) for each in samples()} == set(OPERATION_ACCESS)
    assert {type(each) for each, _ in EXAMPLES} == set(OPERATION_ACCESS) - ELSEWHERE


def test_that_the_table_on_screen_is_the_one_that_is_obeyed() -> None:
    rows = {row.op: row for row in operation_table()}
    assert len(rows) == len(OPERATION_ACCESS)
    for operation in samples():
        row = rows[operation.op]
        assert row.access is OPERATION_ACCESS[type(operation)]
        assert row.people_only == (type(operation) in PEOPLE_ONLY)
        for level in LEVELS:
            assert row.verdicts[level] is verdict_of(operation, level)
            code = found(operation, WriteContext(AGENT, None, None, False), level, AGENT.id)
            wanted = {"", "refused.permission", "refused.needs_consent", "refused.people_only"}
            assert code in wanted
            assert (row.verdicts[level] is AccessVerdict.ALLOW) == (code == "")
            assert (row.verdicts[level] is AccessVerdict.DENY) == (
                code in ("refused.permission", "refused.people_only")
            )


@pytest.mark.parametrize("operation", tuple(samples()), ids=lambda each: each.op)
def test_that_every_operation_at_every_level_gets_what_the_table_says(operation: Operation) -> None:
    for inside in (operation, items.InSection("s", operation)):
        for level in LEVELS:
            alone = WriteContext(AGENT, None, None, False)
            for owner in (AGENT.id, CONSTELLATION_OWNER):
                assert found(inside, alone, level, owner) == expected(operation, level)
            assert found(inside, alone, level, OTHER.id) == expected(operation, None)
            # A word given for this edit, or before, opens what asks and nothing else.
            asked = expected(operation, level) == "refused.needs_consent"
            opened = "" if asked else expected(operation, level)
            assert found(inside, replace(alone, consented=True), level, AGENT.id) == opened
        for own, attached in itertools.product(LEVELS, LEVELS):
            receiver = WriteContext(AGENT, Attachment("b", AGENT.id, attached, MOMENT), None, False)
            assert found(inside, receiver, own, OTHER.id) == expected(operation, min(own, attached))


@pytest.mark.parametrize(
    ("operation", "lived"),
    [each for each in EXAMPLES if OPERATION_ACCESS[type(each[0])] is Access.APPEND],
    ids=named,
)
async def test_that_what_is_called_appending_takes_nothing_away(
    world: World, operation: Operation, lived: tuple[Schema, Content]
) -> None:
    schema, content = lived
    made = await world.make("notes", content, schema)
    before = (await world.state(made)).content
    await world.edit(made, operation, actor=HUMAN)
    after = (await world.state(made)).content
    assert before is not None
    assert after is not None
    words = content_text(after).split()
    assert [each for each in content_text(before).split() if each not in words] == []
    assert len(content_text(after)) > len(content_text(before))
