"""A constellation on disk with its stores, a clock that is moved by hand, and ids that count."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inspector.conversation.store import ConversationStore
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Schema, TextSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.memory.agent_store import AgentStore
from inspector.memory.consent import ConsentStore
from inspector.memory.store import MemoryStore
from inspector.runtime.edits import EditService
from inspector.storage.database import Database
from inspector.storage.json_columns import dump

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HUMAN = Actor(ActorKind.HUMAN, "ada", "Ada")
PARTNER = Actor(ActorKind.PARTNER, "paula", "Paula")
AGENT = Actor(ActorKind.AGENT, "agt_one", "One")
OTHER = Actor(ActorKind.AGENT, "agt_two", "Two")
SYSTEM = Actor(ActorKind.SYSTEM, "system", "system")
IMPORTER = Actor(ActorKind.IMPORT, "import", "import")


class Clock:
    """Goes a second further at each look, and by hand."""

    def __init__(self, start: datetime = START) -> None:
        self.now = start

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


class Ids:
    """Counts, with a prefix of its own so that two processes never give the same id."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._numbers = itertools.count(1)

    def __call__(self, kind: str) -> str:
        return f"{kind}_{self._prefix}{next(self._numbers):06d}"


class World:
    """An open constellation with two agents."""

    def __init__(self, database: Database, clock: Clock, ids: Ids) -> None:
        self.database = database
        self.clock = clock
        self.ids = ids
        self.memory = MemoryStore(database, clock, ids)
        self.agents = AgentStore(database, clock, ids)
        self.conversation = ConversationStore(database, clock, ids)
        self.consent = ConsentStore(database, self.memory, clock, ids, HUMAN)
        others = (self.agents, self.conversation, self.consent)
        self.edits = EditService(database, ids, self.memory, others)

    async def make(
        self,
        label: str = "notes",
        content: Content | str | None = "one two three",
        schema: Schema | None = None,
        **given: object,
    ) -> str:
        """Make a block of the first agent's, and give its id."""
        known = TextContent(content) if isinstance(content, str) else content
        values: dict[str, object] = {"owner": AGENT.id, **given}
        operation = CreateBlock(label=label, schema=schema or TextSchema(), content=known, **values)  # type: ignore[arg-type]
        return (await self.do(Ref(RefKind.BLOCK, ""), operation)).ref.id

    async def do(self, target: Ref, operation: Operation, actor: Actor = HUMAN, **given: object) -> Receipt:
        """Apply one intent."""
        return (await self.apply((Intent(Edit(target, operation), actor, **given),)))[0]  # type: ignore[arg-type]

    async def edit(
        self,
        block_id: str,
        operation: Operation,
        *,
        actor: Actor,
        base: Version | None = None,
        **given: object,
    ) -> Receipt:
        """Apply one operation to a block."""
        edit = Edit(Ref(RefKind.BLOCK, block_id), operation, base)
        return (await self.apply((Intent(edit, actor, **given),)))[0]  # type: ignore[arg-type]

    async def apply(self, intents: Sequence[Intent]) -> tuple[Receipt, ...]:
        """Apply intents as one."""
        return await self.edits.apply(intents)

    async def refusal(self, target: Ref, operation: Operation, **given: object) -> str:
        """The code with which an intent is refused; nothing may be stored."""
        before = await self.dump()
        with pytest.raises(InspectorError) as caught:
            await self.do(target, operation, **given)  # type: ignore[arg-type]
        assert await self.dump() == before
        return caught.value.code

    async def state(self, block_id: str) -> BlockState:
        """The block as it is stored."""
        state = await self.memory.get(block_id)
        assert state is not None
        return state

    async def text(self, block_id: str) -> str:
        """A text block's text."""
        content = (await self.state(block_id)).content
        assert isinstance(content, TextContent)
        return content.text

    async def rows(self, sql: str) -> list[tuple[object, ...]]:
        """What a query gives."""
        async with self.database.read() as connection:
            return [tuple(row) for row in await connection.fetch_all(sql)]

    async def dump(self) -> list[tuple[str, list[tuple[object, ...]]]]:
        """All rows of all tables."""
        names = await self.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        tables = [str(name) for (name,) in names]
        return [(each, await self.rows("SELECT * FROM " + each)) for each in tables]

    async def take_delta_away(self, block_id: str, seq: int, text: str) -> tuple[object, ...]:
        """As if a delta had not come yet, and the text had never said more than `text`. Gives the row."""
        async with self.database.write() as tx:
            (row,) = await tx.fetch_all(
                "SELECT * FROM updates WHERE block_id = ? AND seq = ?", (block_id, seq)
            )
            await tx.execute("DELETE FROM updates WHERE block_id = ? AND seq = ?", (block_id, seq))
            await tx.execute(
                "UPDATE block_contents SET version = ?, revision = ?, content = ?, rendered = ? WHERE block_id = ?",
                (row["version_before"], seq - 1, dump(TextContent(text)), text, block_id),
            )
            return tuple(row)

    async def close(self) -> None:
        """Close all."""
        try:
            await self.memory.close()
        finally:
            await self.database.close()


async def open_world(path: Path, *, create: bool = False, prefix: str = "", actor: Actor = HUMAN) -> World:
    """Open a file, or make one with two agents in it."""
    clock = Clock()
    database = await Database.open(path, create=create, clock=clock, actor=actor, program="tests")
    world = World(database, clock, Ids(prefix))
    try:
        for agent in (AGENT, OTHER) if create else ():
            await world.do(Ref(RefKind.AGENT, agent.id), CreateAgent(agent.name))
    except BaseException:
        await world.close()
        raise
    return world


@asynccontextmanager
async def opened_world(path: Path, **given: Any) -> AsyncIterator[World]:
    """As `open_world`, closed at the end."""
    world = await open_world(path, **given)
    try:
        yield world
    finally:
        await world.close()


def new_world(folder: Path, prefix: str = "") -> AbstractAsyncContextManager[World]:
    """A new constellation in a folder, closed at the end."""
    return opened_world(folder / "a.constellation", create=True, prefix=prefix)
