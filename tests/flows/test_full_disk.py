"""The disk is full while somebody has unsaved work: it is refused, kept, read on, and saved once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import SetText
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from tests.faulty_disk import watched_disk
from tests.fixtures import NOOR, OpenEngine

BLOCK = Ref(RefKind.BLOCK, "blk_notes")


async def test_that_work_that_finds_no_room_stays_a_draft_and_is_saved_once_there_is_some(
    engine: OpenEngine, tmp_db_dir: Path
) -> None:
    place = tmp_db_dir / "disk"
    place.mkdir(mode=0o700)
    path = place / "a.constellation"
    async with engine(path) as opened:
        await opened.apply(
            [
                Intent(Edit(Ref(RefKind.AGENT, "agt_a"), CreateAgent("Ada")), NOOR),
                Intent(Edit(BLOCK, CreateBlock("agt_a", "notes", char_limit=0)), NOOR),
            ]
        )
    with watched_disk(place) as plan:
        async with engine(path) as opened:
            state = await opened.memory.get(BLOCK.id)
            assert state is not None
            work = Edit(BLOCK, SetText("what was typed " * 20_000), state.version)
            await opened.drafts.keep(work)
            plan.quota = path.stat().st_size + 50_000
            with pytest.raises(FileError) as caught:
                await opened.edit(BLOCK.id, work.operation, base=work.base)
            assert caught.value.code == "file.disk_full"
            assert await opened.memory.content(BLOCK.id) == TextContent("")
            assert len(await opened.memory.versions.versions(BLOCK.id)) == 1
            assert (await opened.memory.get(BLOCK.id)).version == state.version
        # The program ends: what was typed outlives it, and nothing of it is in the file.
        async with engine(path) as opened:
            (kept,), problems = await opened.drafts.left()
            assert (kept.draft.edit, problems) == (work, ())
            plan.quota = None
            await opened.edit(BLOCK.id, kept.draft.edit.operation, base=kept.draft.edit.base)
            await opened.drafts.forget(kept)
            assert await opened.memory.content(BLOCK.id) == TextContent("what was typed " * 20_000)
            assert await opened.drafts.left() == ((), ())
