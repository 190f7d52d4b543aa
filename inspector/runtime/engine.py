"""The engine: opens a constellation, wires its parts, closes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from inspector.context.builder import ContextBuilder
from inspector.conversation.store import ConversationStore
from inspector.domain.actor import Actor
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.asking import Asking
from inspector.memory.consent import ConsentStore
from inspector.memory.layouts import LayoutStore
from inspector.memory.registry import AgentStore
from inspector.memory.store import MemoryStore
from inspector.runtime.backups import BackupDoor, BackupPlace
from inspector.runtime.catalogues import models_of_user, shipped_counter, shipped_counters, shipped_layouts
from inspector.runtime.compaction import CompactionDoor
from inspector.runtime.consent import ConsentDoor
from inspector.runtime.context import ContextDoor
from inspector.runtime.drafts import DraftDoor
from inspector.runtime.edits import EditDoor, Told
from inspector.runtime.exchange import ExchangeDoor
from inspector.runtime.health import HealthDoor
from inspector.runtime.looking import LookingDoor
from inspector.runtime.past import PastViews
from inspector.runtime.rebuilding import PastDoor
from inspector.runtime.seals import SealWatch
from inspector.runtime.search import SearchDoor
from inspector.runtime.snapshots import Snapshots
from inspector.runtime.summarise import Circumstances, SummaryDoor
from inspector.runtime.surroundings import Surroundings
from inspector.runtime.wire import WireDoor
from inspector.storage.database import Database
from inspector.storage.feed import Subscription

LOOK_OVER_SECONDS = 1.0
"""After this the documents of a file are looked over: showing the file comes first."""

SEALS_SECONDS = 3.0
"""After this its rows are."""


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
        consent = ConsentStore(database, self.memory, clock, ids)
        self.exchange = ExchangeDoor(database, self.agents, clock, ids, self.memory.airlock)
        self.layouts = LayoutStore(database, clock, ids)
        others = (self.layouts, self.agents, self.conversation, consent, self.exchange.store)
        self.edits = EditDoor(database, ids, self.memory, others)
        asking = Asking(database, ids, consent, self.edits, self.edits.undoer)
        self.consent = ConsentDoor(consent, self.edits, asking, self.actor)
        self.search = SearchDoor(database)
        snapshots = Snapshots(database, self.memory, self.agents, self.conversation, self.layouts)
        self.models, model_problems = models_of_user(surroundings.settings.path)
        builder = ContextBuilder(self.models, shipped_layouts(), shipped_counters())
        self.context = ContextDoor(snapshots, builder, clock)
        self.compaction = CompactionDoor(self.context, self.agents, self.edits, self.actor)
        views = PastViews(snapshots, self.memory, self.agents, self.conversation)
        self.past = PastDoor(views, self.context, self.agents)
        self.looking = LookingDoor(self.context, self.past, self.models, shipped_counters())
        self.wire = WireDoor(self.models, surroundings.settings)
        self.drafts = DraftDoor(self.agents, clock, surroundings.state_folder)
        self.settings = surroundings.settings
        self.jobs = surroundings.jobs
        given = Circumstances(clock, ids, self.actor, self.jobs, self.settings, shipped_counter)
        self.summaries = SummaryDoor(database, self.context, given)
        self.health = HealthDoor(database)
        self.health.tell("models", model_problems)
        place = BackupPlace(clock, partial(self.health.tell, "backups"), surroundings.backups)
        self.backups = BackupDoor(database, self.agents, place)
        self._watches: tuple[asyncio.Task[None], ...] = ()

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

        With `older` "copy" it is only to be read: an older version as a copy that is brought to this one, one in
        WAL mode as it is. With `watch`, other processes' changes and a file that moves away are noticed by
        themselves, backups are made by plan, and damaged rows and documents that nobody should read are found
        before anybody needs them.

        Raises:
            FileError: the file cannot be opened, with the reason.
        """
        given = surroundings or Surroundings()
        clock, actor, program = given.clock, given.actor, given.program
        try:
            database = await Database.open(
                path,
                create=create,
                leave_wal=older == "refuse",
                clock=clock,
                actor=actor,
                program=program,
            )
        except FileError as error:
            if error.code != "file.older_version" or older == "refuse":
                raise
            database = await Database.open_copy(path, clock=clock, actor=actor, program=program)
        try:
            engine = cls(database, given)
        except BaseException:
            # Its threads would keep the program from ending.
            await asyncio.shield(database.close())
            raise
        if watch:
            looking = engine.memory.look_over(after=LOOK_OVER_SECONDS)
            seals = SealWatch(database, partial(engine.health.tell, "seals")).watch(after=SEALS_SECONDS)
            tasks = (database.watch(), engine.backups.watch(), looking, seals)
            engine._watches = tuple(map(asyncio.ensure_future, tasks))
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

    async def apply(
        self, intents: Sequence[Intent], changeset: str | None = None, told: Told | None = None
    ) -> tuple[Receipt, ...]:
        """Apply intents of any family as one, or none of them; see `EditDoor.apply`."""
        return await self.edits.apply(intents, changeset, told)

    async def save_copy(self, path: Path) -> None:
        """Write everything to a new file, whole or not at all: of the file that was opened, wherever it is now.

        Raises:
            FileError: something is there already, or the place cannot be written.
        """
        await self.database.copy_to(path)

    async def close(self) -> None:
        """Finish what runs and close the file."""
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        self.context.close()
        await self.memory.close()
        await self.drafts.close()
        await self.database.close()
