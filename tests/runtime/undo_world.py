"""A constellation with the one door for edits, undo and previews."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoneStep, UndoRequest
from tests.memory.world import HUMAN, World, open_world

BOB = Actor(ActorKind.HUMAN, "bob", "Bob")


class Desk:
    """An open world, and what can be done at its door."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.conversation = world.conversation
        self.consent = world.consent
        self.edits = world.edits

    async def do(self, target: Ref, operation: Operation, actor: Actor = HUMAN, **given: Any) -> Receipt:
        """Apply one intent."""
        return (await self.edits.apply([Intent(Edit(target, operation), actor, **given)]))[0]

    async def together(self, *edits: tuple[Ref, Operation], actor: Actor = HUMAN) -> tuple[Receipt, ...]:
        """Apply several as one changeset."""
        return await self.edits.apply([Intent(Edit(*each), actor) for each in edits])

    async def undo(self, actor: Actor = HUMAN, ref: Ref | None = None, **given: Any) -> UndoneStep:
        """Undo as an actor."""
        return await self.edits.undo_wish(UndoRequest(actor, ref, **given))

    async def redo(self, actor: Actor = HUMAN, ref: Ref | None = None, **given: Any) -> UndoneStep:
        """Redo as an actor."""
        return await self.edits.redo_wish(UndoRequest(actor, ref, **given))

    async def refusal(self, attempt: str, actor: Actor = HUMAN, ref: Ref | None = None, **given: Any) -> str:
        """The code with which an undo or redo is refused; nothing may be stored."""
        before = await self.world.dump()
        with pytest.raises(InspectorError) as caught:
            await (self.undo if attempt == "undo" else self.redo)(actor, ref, **given)
        assert await self.world.dump() == before
        return caught.value.code

    async def rows(self, table: str) -> list[tuple[object, ...]]:
        """All rows of a table."""
        return await self.world.rows("SELECT * FROM " + table)


def block(block_id: str) -> Ref:
    """What points at a block."""
    return Ref(RefKind.BLOCK, block_id)


@asynccontextmanager
async def new_desk(folder: Path) -> AsyncIterator[Desk]:
    """A new constellation in a folder, closed at the end."""
    async with reopened(folder, create=True) as desk:
        yield desk


@asynccontextmanager
async def reopened(folder: Path, *, create: bool = False, prefix: str = "") -> AsyncIterator[Desk]:
    """The constellation of a folder, as another process opens it."""
    world = await open_world(folder / "a.constellation", create=create, prefix=prefix)
    try:
        yield Desk(world)
    finally:
        await world.close()
