"""The engine: opens a constellation, wires its parts, closes it."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from inspector.context.builder import ContextBuilder
from inspector.conversation.store import ConversationStore
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.errors import FileError
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.memory.registry import AgentStore
from inspector.memory.store import MemoryStore
from inspector.runtime.catalogues import shipped_counters, shipped_layouts, shipped_models
from inspector.runtime.context import ContextDoor
from inspector.runtime.drafts import DraftDoor
from inspector.runtime.edits import EditDoor
from inspector.runtime.jobs import Jobs
from inspector.runtime.moments import sortable_ids, system_clock
from inspector.runtime.snapshots import Snapshots
from inspector.storage.copying import copy_database
from inspector.storage.database import Database
from inspector.storage.feed import Subscription

PROGRAM = "context-inspector"


def human_actor() -> Actor:
    """The person at this machine, by login name."""
    login = getpass.getuser()
    return Actor(ActorKind.HUMAN, f"human:{login}", login)


@dataclass(frozen=True)
class Surroundings:
    """What comes from outside: time, ids, who acts, where private files live. Tests pass their own."""

    clock: Clock = system_clock
    ids: IdGenerator = field(default_factory=sortable_ids)
    actor: Actor = field(default_factory=human_actor)
    program: str = PROGRAM
    state_folder: Path | None = None


class Engine:
    """One open constellation. Its attributes are the doors; nothing else wires them."""

    def __init__(self, database: Database, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.actor = surroundings.actor
        self.path = database.path
        self.database = database
        clock, ids = surroundings.clock, surroundings.ids
        self.memory = MemoryStore(database, clock, ids)
        self.agents = AgentStore(database, clock, ids)
        self.conversation = ConversationStore(database, clock, ids)
        self.edits = EditDoor(database, ids, (self.memory, self.agents, self.conversation))
        snapshots = Snapshots(database, self.memory, self.agents, self.conversation)
        builder = ContextBuilder(shipped_models(), shipped_layouts(), shipped_counters())
        self.context = ContextDoor(snapshots, builder, clock)
        self.drafts = DraftDoor(self.agents, clock, surroundings.state_folder)
        self.jobs = Jobs(ids)
        self._watch: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        path: Path,
        surroundings: Surroundings | None = None,
        *,
        create: bool = False,
        older: Literal["refuse", "copy"] = "refuse",
        watch: bool = False,
    ) -> Engine:
        """Open a constellation file; not a byte of it changes before the first write.

        With `watch`, other processes' changes and a file that moves away are noticed by themselves.

        Raises:
            FileError: the file cannot be opened, with the reason.
        """
        given = surroundings or Surroundings()
        clock, actor, program = given.clock, given.actor, given.program
        try:
            database = await Database.open(path, create=create, clock=clock, actor=actor, program=program)
        except FileError as error:
            if error.code != "file.older_version" or older == "refuse":
                raise
            database = await Database.open_copy(path, clock=clock, actor=actor, program=program)
        engine = cls(database, given)
        if watch:
            engine._watch = asyncio.ensure_future(database.watch())
        return engine

    def news(self) -> Subscription:
        """Every change from now on, after it is on disk: own ones, and others' while watching."""
        return self.database.feed.subscribe()

    async def edit(
        self,
        block_id: str,
        operation: Operation,
        *,
        reason: str = "",
        base: Version | None = None,
        unlock: bool = False,
        actor: Actor | None = None,
    ) -> Receipt:
        """Apply one operation to one block, as the person at this machine unless `actor` is given.

        Raises:
            RefusedError: a rule said no. NotFoundError: there is no such block. FileError: the file cannot be
                written. Nothing was changed then.
        """
        edit = Edit(Ref(RefKind.BLOCK, block_id), operation, base)
        (receipt,) = await self.apply([Intent(edit, actor or self.actor, reason, unlock=unlock)])
        return receipt

    async def apply(self, intents: Sequence[Intent], changeset: str | None = None) -> tuple[Receipt, ...]:
        """Apply intents of any family as one, or none of them; see `EditDoor.apply`."""
        return await self.edits.apply(intents, changeset)

    async def save_copy(self, path: Path) -> None:
        """Write everything to a new file, whole or not at all.

        Raises:
            FileError: something is there already, or the place cannot be written.
        """
        await asyncio.to_thread(copy_database, self.path, path)

    async def close(self) -> None:
        """Finish what runs and close the file."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        self.context.close()
        await self.memory.close()
        await self.drafts.close()
        await self.database.close()
