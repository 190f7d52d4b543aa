"""Undo beneath a limit: it goes back to what stood under the limit already, and to nothing that the limit forbids."""

from __future__ import annotations

from pathlib import Path

from inspector.domain.blocks import ListSchema
from inspector.domain.edits.block_rows import SetCharLimit, SetSchema
from inspector.domain.edits.items import InsertItem, RemoveItem
from inspector.domain.edits.text import SetText
from tests.memory.world import AGENT, HUMAN
from tests.runtime.undo_world import block, new_desk

LONG = "a text that is longer than ten"


async def test_that_undo_passes_a_limit_that_was_lowered_before(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content=LONG)
        await desk.do(block(made), SetCharLimit(10))
        await desk.do(block(made), SetText("abc"))
        await desk.undo()
        assert await desk.world.text(made) == LONG
        await desk.undo()
        assert (await desk.world.state(made)).block.char_limit == 5000
        await desk.redo()
        await desk.redo()
        assert await desk.world.text(made) == "abc"
        await desk.undo()
        assert await desk.world.text(made) == LONG


async def test_that_undo_keeps_to_a_limit_that_came_after(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content=LONG)
        await desk.do(block(made), SetText("abc"), AGENT)
        await desk.do(block(made), SetCharLimit(10), HUMAN)
        assert await desk.refusal("undo", AGENT) == "refused.char_limit"
        assert await desk.world.text(made) == "abc"


async def test_that_undo_does_not_go_beyond_what_stood_there(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content=LONG)
        await desk.do(block(made), SetCharLimit(10))
        await desk.do(block(made), SetText("a"))
        await desk.do(block(made), SetText("a tex more"), AGENT)
        assert await desk.refusal("undo", HUMAN) == "refused.char_limit"


async def test_that_undo_passes_a_number_of_items_that_was_lowered_before(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content=None, schema=ListSchema())
        for number in range(3):
            await desk.do(block(made), InsertItem("x", id=f"i{number}"))
        await desk.do(block(made), SetSchema(ListSchema(max_items=1), accept_loss=True))
        await desk.do(block(made), RemoveItem("i0"))
        await desk.do(block(made), RemoveItem("i1"))
        await desk.undo()
        await desk.undo()
        await desk.undo()
        state = await desk.world.state(made)
        assert state.block.schema == ListSchema()
        assert [each.id for each in state.content.items] == ["i0", "i1", "i2"]  # type: ignore[union-attr]
