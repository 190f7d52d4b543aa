"""The power fails at any moment of a redaction: it is done wholly or not at all, and what is left to clean is known."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections import Counter
from pathlib import Path

from inspector.domain.content import TextContent
from inspector.domain.edits.text import AppendText, ReplaceText
from inspector.storage.redaction import clean
from tests.faulty_disk import Event, watched_disk
from tests.file_checks import problems_in
from tests.memory.world import HUMAN, World, new_world, open_world, opened_world
from tests.power_cut import PowerCut

CANARY = "canary-9f3kQ7zLx2VwT8"
CUTS = 10
_TO_CLEAN = "SELECT count(*) FROM meta WHERE name = 'uncleaned'"


async def _redacted(world: World, block: str) -> None:
    await world.memory.redactor.redact(block, (2,), HUMAN, "")
    await asyncio.to_thread(clean, world.database.path)
    async with world.database.write() as tx:
        await tx.execute("DELETE FROM meta WHERE name = 'uncleaned'")


async def test_that_a_redaction_is_done_wholly_or_not_at_all(tmp_db_dir: Path) -> None:
    work = tmp_db_dir / "work"
    work.mkdir()
    async with new_world(work) as world:
        block = await world.make(content="kept ")
        await world.edit(block, AppendText(CANARY), actor=HUMAN)
        await world.edit(block, ReplaceText(CANARY, "gone"), actor=HUMAN)
        path = world.database.path
    before = tmp_db_dir / path.name
    shutil.copy(path, before)
    with watched_disk(work) as plan:
        plan.recording = True
        async with opened_world(path, prefix="w") as world:
            await _redacted(world, block)

    seen = Counter[str]()
    for number in range(1, CUTS + 1):
        folder = tmp_db_dir / str(number)
        folder.mkdir()
        events = plan.events[: number * len(plan.events) // CUTS]
        seen[await _restarted(before, events, folder, block)] += 1
    assert set(seen) == {"as before", "to be cleaned", "clean"}


async def _restarted(before: Path, events: list[Event], folder: Path, block: str) -> str:
    """What a restart finds after those calls; each of the states is a whole one."""
    left = PowerCut(before, names_are_safe=False)
    left.play(events)
    left.restart(folder, random.Random(2))
    path = folder / before.name
    assert problems_in(path) == ()
    world = await open_world(path)
    try:
        versions = await world.memory.versions.versions(block)
        is_redacted = versions[1].redacted is not None
        ((to_clean,),) = await world.rows(_TO_CLEAN)
        assert len(versions) == (4 if is_redacted else 3)
        assert await world.text(block) == "kept gone"
        if not is_redacted:
            assert to_clean == 0
            said = (await world.memory.versions.content_at(block, versions[1].version)).content
            assert said == TextContent(f"kept {CANARY}")
            return "as before"
        if to_clean:
            await asyncio.to_thread(clean, path)
    finally:
        await world.close()
    assert CANARY.encode() not in path.read_bytes()
    return "to be cleaned" if to_clean else "clean"
