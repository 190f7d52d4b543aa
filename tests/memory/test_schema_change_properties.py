"""Any change of schema loses only what it says, and there and back in a file loses nothing."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings

from inspector.domain.blocks import (
    CompositeSchema,
    Schema,
)
from inspector.domain.content import (
    Content,
)
from inspector.domain.rendering.render import render_whole
from inspector.domain.search_index import content_text
from tests.memory.schema_changes import CHANGES, changed, made
from tests.memory.world import new_world


@settings(max_examples=150, deadline=None)
@given(CHANGES)
def test_that_what_is_not_said_to_be_lost_is_there(change: tuple[Schema, Schema, Content]) -> None:
    old, new, content = change
    done, lost = made(old, new, content)
    if lost:
        return
    words = content_text(content).replace("True", "true").replace("False", "false").split()
    there = render_whole(new, done).replace(";", " ").replace("(", " ").replace(")", " ").replace(",", " ")
    found = (there + "\n" + content_text(done)).replace("True", "true").replace("False", "false").split()
    assert [word for word in words if word not in found] == []


IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@settings(max_examples=20, deadline=None)
@given(CHANGES)
def test_that_there_and_back_in_a_file_loses_nothing(change: tuple[Schema, Schema, Content]) -> None:
    old, new, content = change

    async def run() -> None:
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            async with new_world(Path(folder)) as world:
                block = await world.make("block", content, old, char_limit=0)
                first = await world.memory.content(block)
                assert first is not None
                told = await world.memory.schema_losses(block, new)
                assert told == made(old, new, first)[1]
                there = await changed(world, block, new, accept=True)
                assert await world.memory.rendered(block) is not None
                assert await changed(world, block, new, accept=True) == there
                back = await changed(world, block, old, accept=True)
                # Of one kind, values are changed in their place, and a type may not be what it was.
                if type(old) is not type(new) and not any(
                    isinstance(each, CompositeSchema) for each in (old, new)
                ):
                    assert back == first

    asyncio.run(run())
