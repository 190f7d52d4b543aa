"""A block whose stored changes are not all there keeps what it shows, until somebody salvages it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.blocks import ListSchema
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import DocumentError
from tests.memory.world import HUMAN, new_world, opened_world


@pytest.mark.parametrize("lost", [1, 2, 3])
async def test_that_a_block_that_lacks_changes_says_so_and_is_not_written(
    tmp_db_dir: Path, lost: int
) -> None:
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block = await world.make(content="one")
        for text in (" two", " three"):
            await world.edit(block, AppendText(text), actor=HUMAN)
        first = (await world.memory.versions.versions(block))[0].version
        assert (await world.state(block)).problem is None
        async with world.database.write() as tx:
            await tx.execute("DELETE FROM updates WHERE block_id = ? AND seq = ?", (block, lost))
    async with opened_world(path, prefix="later") as world:
        state = await world.state(block)
        assert state.problem is not None
        assert state.problem.code == "block.missing_updates"
        before = await world.dump()
        edits: tuple[Operation, ...] = (
            *(AppendText("!"), SetText("new"), SetText("x" * 100_000)),
            *(RestoreVersion(first), SetSchema(ListSchema(), accept_loss=True)),
        )
        for operation in edits:
            with pytest.raises(DocumentError):
                await world.edit(block, operation, actor=HUMAN)
        assert await world.text(block) == "one two three"
        assert await world.dump() == before
