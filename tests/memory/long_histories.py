"""Going back in a block's history, and making it long enough to be folded."""

from __future__ import annotations

from datetime import timedelta

from inspector.domain.actor import Actor
from inspector.domain.edits.base import Version
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.text import AppendText
from tests.memory.world import HUMAN, World


async def restore(world: World, block: str, version: Version, actor: Actor = HUMAN, **given: object) -> None:
    await world.edit(block, RestoreVersion(version), actor=actor, **given)  # type: ignore[arg-type]


async def force_fold(world: World, block: str) -> None:
    world.clock.now += timedelta(days=8)
    for _ in range(101):
        await world.edit(block, AppendText("."), actor=HUMAN)
