"""A list with more items than it may have stands, is told of, and takes only edits that take items away."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.blocks import CompositeSchema, ListSchema, SectionDef, TextSchema
from inspector.domain.content import CompositeContent, ListContent, ListItem, TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.items import InSection, InsertItem, MoveItem, RemoveItem, UpdateItem
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import RefusedError
from tests.memory.world import AGENT, IMPORTER
from tests.runtime.undo_world import Desk, block, new_desk

TWO = ListSchema(max_items=2)


def items(names: str) -> ListContent:
    return ListContent(tuple(ListItem(name, name) for name in names))


async def refused(desk: Desk, made: str, operation: Operation) -> dict[str, object]:
    """The numbers with which an operation is refused for its items; nothing may be stored."""
    before = await desk.world.dump()
    with pytest.raises(RefusedError) as caught:
        await desk.do(block(made), operation)
    assert caught.value.code == "refused.max_items"
    assert await desk.world.dump() == before
    return dict(caught.value.parameters)


async def problem(desk: Desk, made: str) -> tuple[str, str] | None:
    found = (await desk.world.state(made)).problem
    return None if found is None else (found.code, found.where)


async def test_that_no_edit_goes_past_the_most_items(desk: Desk) -> None:
    made = await desk.world.make("todo", items("ab"), TWO)
    assert await refused(desk, made, InsertItem("c")) == {"count": 3, "max_items": 2}
    with pytest.raises(RefusedError):
        await desk.world.make("more", items("abc"), TWO)
    await desk.do(block(made), RemoveItem("a"))
    await desk.do(block(made), InsertItem("c", id="c"))
    assert (await desk.world.state(made)).content == items("bc")


async def test_that_after_an_import_only_what_takes_items_away_passes(desk: Desk) -> None:
    made = "blk_imported"
    await desk.do(block(made), CreateBlock(AGENT.id, "todo", TWO, content=items("abc")), IMPORTER)
    full = (await desk.world.state(made)).version
    await desk.do(block(made), InsertItem("d", id="d"), IMPORTER)
    assert await problem(desk, made) == ("block.over_items", f"block:{made}")
    for operation in (InsertItem("x"), UpdateItem("a", "A"), MoveItem("a")):
        assert await refused(desk, made, operation) == {
            "count": 5 if isinstance(operation, InsertItem) else 4,
            "max_items": 2,
        }
    # Without effect, it is no edit.
    assert not (await desk.do(block(made), UpdateItem("a", "a"))).changed
    await desk.do(block(made), RestoreVersion(full))
    assert (await desk.world.state(made)).content == items("abc")
    # An undo may go back to what its change found.
    await desk.undo()
    assert (await desk.world.state(made)).content == items("abcd")
    await desk.redo()
    await desk.do(block(made), RemoveItem("c"))
    assert await problem(desk, made) is None
    await desk.do(block(made), UpdateItem("a", "A"))


async def test_that_after_an_accepted_change_of_schema_only_what_takes_items_away_passes(desk: Desk) -> None:
    made = await desk.world.make("todo", items("abc"), ListSchema())
    await desk.do(block(made), SetSchema(TWO, accept_loss=True))
    assert (await desk.world.state(made)).content == items("abc")
    assert await problem(desk, made) == ("block.over_items", f"block:{made}")
    assert await refused(desk, made, UpdateItem("a", "A")) == {"count": 3, "max_items": 2}
    await desk.undo()
    assert await problem(desk, made) is None
    await desk.do(block(made), UpdateItem("a", "A"))


async def test_that_a_sections_list_binds_edits_of_that_section_alone(tmp_db_dir: Path) -> None:
    schema = CompositeSchema((SectionDef("todo", TWO), SectionDef("notes", TextSchema())))
    content = CompositeContent({"todo": items("abc"), "notes": TextContent("n")})
    async with new_desk(tmp_db_dir) as desk:
        made = "blk_imported"
        await desk.do(block(made), CreateBlock(AGENT.id, "both", schema, content=content), IMPORTER)
        assert await problem(desk, made) == ("block.over_items", f"block:{made}#todo")
        assert await refused(desk, made, InSection("todo", UpdateItem("a", "A"))) == {
            "count": 3,
            "max_items": 2,
        }
        await desk.do(block(made), InSection("notes", AppendText("!")))
        await desk.do(block(made), InSection("todo", RemoveItem("b")))
        assert await problem(desk, made) is None
