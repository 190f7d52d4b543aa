"""A block that another agent sees: found by itself, written by its receiver under its own name."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.block_rows import AttachBlock, DeleteBlock
from inspector.domain.edits.text import AppendText, ReplaceText
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoRequest
from inspector.memory.undo import Undoer
from inspector.storage.connection import Connection
from inspector.storage.transaction import Transaction
from tests.memory.world import AGENT, OTHER, World


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """All rows that are read from now on."""
    read: list[object] = []
    for kind in (Connection, Transaction):
        real = kind.fetch_all

        async def fetch_all(self: Any, sql: str, parameters: Any = (), real: Any = real) -> Any:
            found = await real(self, sql, parameters)
            read.extend(found)
            return found

        monkeypatch.setattr(kind, "fetch_all", fetch_all)
    return read


async def test_that_one_block_is_asked_for_without_reading_the_others(
    world: World, rows_read: list[object]
) -> None:
    blocks = [await world.make(f"block {number}") for number in range(40)]
    for block in blocks[:20]:
        await world.do(Ref(RefKind.BLOCK, block), AttachBlock(OTHER.id, Permission.APPEND))
    shared = await world.memory.shared_block(blocks[7], OTHER.id)
    assert shared is not None
    assert shared.state.block.id == blocks[7]
    assert shared == next(
        each for each in await world.memory.shared_with(OTHER.id) if each.state.block.id == blocks[7]
    )
    rows_read.clear()
    assert await world.memory.shared_block(blocks[7], OTHER.id) == shared
    assert await world.memory.shared_block(blocks[30], OTHER.id) is None
    assert await world.memory.shared_block(blocks[7], AGENT.id) is None
    assert len(rows_read) < 10
    rows_read.clear()
    await world.edit(blocks[7], AppendText("!"), actor=OTHER)
    assert len(rows_read) < 30


async def test_that_a_block_of_all_and_one_that_is_gone_are_asked_for_alone_too(world: World) -> None:
    everyones = await world.make("for all", owner=CONSTELLATION_OWNER)
    gone = await world.make("gone")
    await world.do(Ref(RefKind.BLOCK, gone), AttachBlock(OTHER.id))
    await world.do(Ref(RefKind.BLOCK, gone), DeleteBlock())
    (seen,) = await world.memory.shared_with(OTHER.id)
    assert seen.state.block.id == everyones
    assert await world.memory.shared_block(everyones, OTHER.id) == seen
    for block in (gone, "blk_none"):
        assert await world.memory.shared_block(block, OTHER.id) is None


async def test_that_a_receiver_writes_under_its_own_name_and_takes_back_only_its_own(world: World) -> None:
    block = await world.make(content="one two three")
    await world.do(Ref(RefKind.BLOCK, block), AttachBlock(OTHER.id, Permission.READ_WRITE))
    await world.edit(block, ReplaceText("two", "2"), actor=OTHER, reason="mine too")
    await world.edit(block, AppendText(" four"), actor=AGENT)
    told = [(each.actor, each.reason) for each in await world.memory.versions.versions(block)]
    assert told[1:] == [(OTHER, "mine too"), (AGENT, "")]
    memory = world.memory
    undoer = Undoer(world.database, world.ids, memory, memory, memory.ahead)
    await undoer.undo(UndoRequest(OTHER, Ref(RefKind.BLOCK, block)))
    assert await world.text(block) == "one two three four"
