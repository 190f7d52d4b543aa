"""Two programs that write one block at once, neither having heard of the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from inspector.domain.blocks import FieldDef, FieldType, ListSchema, MapSchema
from inspector.domain.content import FieldEntry, ListContent, ListItem, MapContent
from inspector.domain.edits.fields import AppendToField, Increment
from inspector.domain.edits.items import InsertItem, UpdateItem
from inspector.domain.edits.text import SetText
from tests.memory.world import AGENT, HUMAN, World, new_world, open_world

COUNTED = MapSchema((FieldDef("n", FieldType.COUNTER), FieldDef("l", FieldType.LIST)))


@asynccontextmanager
async def two(folder: Path) -> AsyncIterator[tuple[World, World]]:
    """One file, opened twice."""
    async with new_world(folder) as one:
        other = await open_world(one.database.path, prefix="z")
        try:
            yield one, other
        finally:
            await other.close()


async def test_that_counting_at_once_counts_everything(tmp_db_dir: Path) -> None:
    async with two(tmp_db_dir) as (one, other):
        block = await one.make("map", MapContent({"n": 1}), COUNTED)

        async def count(world: World, by: int) -> None:
            for _ in range(40):
                await world.edit(block, Increment("n", by), actor=AGENT)

        await asyncio.gather(count(one, 1), count(other, 10))
        assert await one.memory.content(block) == MapContent({"n": 441})


async def test_that_both_elements_appended_at_once_are_there(tmp_db_dir: Path) -> None:
    async with two(tmp_db_dir) as (one, other):
        block = await one.make("map", None, COUNTED)
        await asyncio.gather(
            one.edit(block, AppendToField("l", "a", "first"), actor=AGENT),
            other.edit(block, AppendToField("l", "b", "second"), actor=HUMAN),
        )
        content = await one.memory.content(block)
        assert isinstance(content, MapContent)
        elements = content.fields["l"]
        assert isinstance(elements, tuple)
        assert set(elements) == {FieldEntry("first", "a"), FieldEntry("second", "b")}


async def test_that_an_edit_hits_its_item_whatever_another_program_put_before_it(tmp_db_dir: Path) -> None:
    async with two(tmp_db_dir) as (one, other):
        block = await one.make("list", ListContent((ListItem("i", "old"),)), ListSchema())
        base = (await other.state(block)).version
        await one.edit(block, InsertItem("before", "i", "j"), actor=AGENT)
        await other.edit(block, UpdateItem("i", "new"), actor=HUMAN, base=base)
        assert await one.memory.content(block) == ListContent((ListItem("j", "before"), ListItem("i", "new")))


async def test_that_two_whole_texts_at_once_merge(tmp_db_dir: Path) -> None:
    async with two(tmp_db_dir) as (one, other):
        block = await one.make("text", "one two three")
        base = (await one.state(block)).version
        await asyncio.gather(
            one.edit(block, SetText("ONE two three"), actor=AGENT, base=base),
            other.edit(block, SetText("one two THREE"), actor=HUMAN, base=base),
        )
        assert await one.text(block) == await other.text(block) == "ONE two THREE"
