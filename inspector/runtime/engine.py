"""The engine: opens a constellation, connects its services, closes it.

Each part is imported and made when somebody first asks for it: a command that lists agents loads neither documents nor
tokenizers nor providers.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from inspector.domain.actor import Actor
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment
from inspector.runtime.health import HealthService
from inspector.storage import meta
from inspector.storage.database import Database
from inspector.storage.feed import Subscription

if TYPE_CHECKING:
    from inspector.conversation.store import ConversationStore
    from inspector.domain.agents import Agent
    from inspector.domain.counts import Count
    from inspector.domain.errors import Problem
    from inspector.memory.agent_store import AgentStore
    from inspector.memory.consent import ConsentStore
    from inspector.memory.layouts import LayoutStore
    from inspector.memory.queue_store import QueueStore
    from inspector.memory.reader import MemoryReader
    from inspector.memory.store import MemoryStore
    from inspector.runtime.agent_settings import AgentSettingsService
    from inspector.runtime.backups import BackupService
    from inspector.runtime.calls import CallService
    from inspector.runtime.context import ContextService
    from inspector.runtime.drafts import DraftService
    from inspector.runtime.edits import EditService, OnProgress
    from inspector.runtime.exchange import ExchangeService
    from inspector.runtime.history import HistoryService
    from inspector.runtime.inspection import InspectionService
    from inspector.runtime.past_requests import PastRequestService
    from inspector.runtime.queue_worker import Handle, QueueWorker
    from inspector.runtime.redaction import RedactionService
    from inspector.runtime.search import SearchService
    from inspector.runtime.sharing import SharingService
    from inspector.runtime.snapshots import Snapshots
    from inspector.runtime.summarise import SummaryService
    from inspector.runtime.summary_checks import SummaryChecks
    from inspector.runtime.timeline import TimelineService
    from inspector.runtime.turns import TurnService
    from inspector.runtime.wire import WireService
    from inspector.shipped.models import ModelTable

LOOK_OVER_SECONDS = 1.0
"""After this the documents of a file are looked over: showing the file comes first."""

SEALS_SECONDS = 3.0
"""After this its rows are."""


class Engine:
    """One open constellation. Its attributes are the doors; nothing else wires them."""

    def __init__(self, database: Database, surroundings: Environment) -> None:
        self.surroundings = surroundings
        self.actor = surroundings.actor
        self.path = database.path
        self.database = database
        self.settings = surroundings.settings
        self.jobs = surroundings.jobs
        self._watches: tuple[asyncio.Task[None], ...] = ()

    @cached_property
    def memory(self) -> MemoryStore:
        """Blocks, attachments and archival entries."""
        from inspector.memory.store import MemoryStore

        return MemoryStore(self.database, self.surroundings.clock, self.surroundings.ids)

    @cached_property
    def blocks(self) -> MemoryReader:
        """Blocks and who sees them; `memory` reads the same and loads what writes as well."""
        from inspector.memory.reader import MemoryReader

        return MemoryReader(self.database, self._document_problem)

    def _document_problem(self, block_id: str, label: str) -> Problem | None:
        return self.memory.problem(block_id, label) if "memory" in vars(self) else None

    @cached_property
    def agents(self) -> AgentStore:
        """Agents, their tools, queues and runs."""
        from inspector.memory.agent_store import AgentStore

        return AgentStore(self.database, self.surroundings.clock, self.surroundings.ids)

    @cached_property
    def queue(self) -> QueueStore:
        """Leases of queued messages, and wakeups that are due; a `QueueWorker` works on them."""
        from inspector.memory.queue_store import QueueStore

        return QueueStore(self.database, self.agents, self.surroundings.clock, self.surroundings.ids)

    def queue_worker(
        self, handle: Handle, agents: Collection[str] | None = None, *, auto_start: bool = True
    ) -> QueueWorker:
        """A worker that hands queued messages to `handle`, of the given agents or all; nothing begins before `run`.

        Without `auto_start` it works for nobody before its `serve`: opening a file makes no agent act.
        """
        from inspector.runtime.queue_worker import QueueWorker, queue_options

        options = queue_options(self.settings, auto_start=auto_start)
        return QueueWorker(self.queue, handle, options, agents=agents)

    @cached_property
    def conversation(self) -> ConversationStore:
        """Messages, summaries and activity of agents."""
        from inspector.conversation.store import ConversationStore

        return ConversationStore(self.database, self.surroundings.clock, self.surroundings.ids)

    @cached_property
    def timeline(self) -> TimelineService:
        """Events by number, time and in sums."""
        from inspector.runtime.timeline import TimelineService

        return TimelineService(self.database, self.models)

    @cached_property
    def layouts(self) -> LayoutStore:
        """Layouts of the file's own."""
        from inspector.memory.layouts import LayoutStore

        return LayoutStore(self.database, self.surroundings.clock, self.surroundings.ids)

    @cached_property
    def exchange(self) -> ExchangeService:
        """Imports and exports of the file."""
        from inspector.runtime.exchange import ExchangeService

        clock, ids = self.surroundings.clock, self.surroundings.ids
        return ExchangeService(self.database, self.agents, clock, ids, self.memory.airlock)

    @cached_property
    def edits(self) -> EditService:
        """Where every change of any family is applied, undone and previewed."""
        from inspector.runtime.edits import EditService

        others = (
            *(self.layouts, self.agents, self.queue, self.conversation, self.consent),
            self.exchange.store,
        )
        return EditService(self.database, self.surroundings.ids, self.memory, others)

    @cached_property
    def consent(self) -> ConsentStore:
        """What agents may do, and what they ask for."""
        from inspector.memory.consent import ConsentStore

        clock, ids = self.surroundings.clock, self.surroundings.ids
        return ConsentStore(self.database, self.memory, clock, ids, self.actor)

    @cached_property
    def history(self) -> HistoryService:
        """Versions with their tokens, and the journal by pages."""
        from inspector.memory.change_log import ChangeLog
        from inspector.runtime.catalogues import shipped_counters
        from inspector.runtime.history import HistoryService

        log = ChangeLog(self.database)
        return HistoryService(self.memory.versions, log, self.models, shipped_counters())

    @cached_property
    def redaction(self) -> RedactionService:
        """Removes versions of blocks for good."""
        from inspector.runtime.redaction import RedactionService

        tell = partial(self.health.tell, "redaction")
        return RedactionService(self.database, self.memory.redactor, self.backups, tell)

    @cached_property
    def search(self) -> SearchService:
        """Search over everything in the file."""
        from inspector.runtime.search import SearchService

        async def agents() -> Sequence[Agent]:
            return (await self.agents.list())[0]

        return SearchService(self.database, lambda: self.memory.versions, agents, self._text_counts)

    async def _text_counts(self, model: str, texts: Sequence[str]) -> Sequence[Count]:
        return await self.context.counts(model, texts)

    @cached_property
    def _snapshots(self) -> Snapshots:
        from inspector.runtime.snapshots import Snapshots

        return Snapshots(self.database, self.blocks, self.agents, self.conversation, self.layouts)

    @cached_property
    def _models(self) -> tuple[ModelTable, tuple[Problem, ...]]:
        from inspector.runtime.catalogues import models_of_user

        return models_of_user(self.settings.path)

    @property
    def models(self) -> ModelTable:
        """Facts about models, with what the user knows better."""
        return self._models[0]

    @cached_property
    def context(self) -> ContextService:
        """Snapshots and the Requests built from them."""
        from inspector.context.builder import ContextBuilder
        from inspector.context.counting.pool import counter_for
        from inspector.runtime.catalogues import shipped_counters, shipped_layouts
        from inspector.runtime.context import ContextService

        models, counters = self.models, shipped_counters()
        builder = ContextBuilder(models, shipped_layouts(), counters)
        counter_of = partial(counter_for, models=models, pool=counters)
        return ContextService(self._snapshots, builder, self.surroundings.clock, counter_of)

    @cached_property
    def agent_settings(self) -> AgentSettingsService:
        """Settings of agents before they are saved."""
        from inspector.runtime.agent_settings import AgentSettingsService
        from inspector.runtime.catalogues import shipped_layouts

        return AgentSettingsService(self.agents, self.layouts, self.context, self.models, shipped_layouts())

    @cached_property
    def past(self) -> PastRequestService:
        """Requests as of an earlier moment."""
        from inspector.runtime.past_requests import PastRequestService
        from inspector.runtime.past_views import PastViews

        views = PastViews(self._snapshots, self.memory, self.agents, self.conversation)
        return PastRequestService(views, self.context, self.agents)

    @cached_property
    def inspection(self) -> InspectionService:
        """Compares, lints and accounts for Requests."""
        from inspector.runtime.catalogues import shipped_counters
        from inspector.runtime.inspection import InspectionService

        return InspectionService(self.context, self.past, self.models, shipped_counters())

    @cached_property
    def sharing(self) -> SharingService:
        """Who sees which block, what it costs them, and what an edit changes for them."""
        from inspector.runtime.sharing import SharingService

        return SharingService(self.blocks, lambda: self.memory, self.context)

    @cached_property
    def wire(self) -> WireService:
        """Requests as each provider takes them."""
        from inspector.runtime.wire import WireService

        return WireService(self.models, self.settings)

    @cached_property
    def calls(self) -> CallService:
        """Prepares, makes and records model calls."""
        from inspector.runtime.call_records import CallRecords
        from inspector.runtime.calls import CallService

        records = CallRecords(self.edits, self.surroundings.ids, self.actor)
        return CallService(self.context, self.wire, self.models, self.surroundings, records)

    @cached_property
    def turns(self) -> TurnService:
        """Turns of agents: the loop of calls and tools, and the tools themselves."""
        from inspector.runtime.tools.memory import memory_tools
        from inspector.runtime.tools.memory_access import MemoryAccess
        from inspector.runtime.tools.messages import Endpoints
        from inspector.runtime.turn_leases import TurnLeases
        from inspector.runtime.turn_loop import TurnParts
        from inspector.runtime.turns import TurnService

        given, endpoints = self.surroundings, Endpoints()
        access = MemoryAccess(self.memory, self.edits, self.consent, self.search, self.agents, given.clock)
        services = (self.agents, self.conversation, self.context, self.calls, self.edits, self.models)
        registry = memory_tools(access, endpoints)
        leases = TurnLeases(self.database, given.clock)
        return TurnService(TurnParts(*services, given, registry, self.summaries, endpoints, leases))

    @cached_property
    def drafts(self) -> DraftService:
        """Edits that are not saved yet."""
        from inspector.runtime.drafts import DraftService

        return DraftService(
            self.agents, self.surroundings.clock, self.database.path, self.surroundings.state_folder
        )

    @cached_property
    def summaries(self) -> SummaryService:
        """Writes and stores summaries of messages."""
        from inspector.runtime.catalogues import shipped_counter
        from inspector.runtime.summarise import SummaryEnvironment, SummaryService

        clock, ids = self.surroundings.clock, self.surroundings.ids
        given = SummaryEnvironment(clock, ids, self.actor, self.jobs, self.settings, shipped_counter)
        return SummaryService(self.database, self.context, given)

    @cached_property
    def summary_checks(self) -> SummaryChecks:
        """What is wrong with stored summaries, what they lost, and how they'd be made anew."""
        from inspector.runtime.summary_checks import SummaryChecks

        return SummaryChecks(self.database, self.summaries, self.context, self.jobs)

    @cached_property
    def health(self) -> HealthService:
        """What is wrong with the file and with the user's own model facts."""
        health = HealthService(self.database)
        health.tell("models", self._models[1])
        return health

    @cached_property
    def backups(self) -> BackupService:
        """Copies made by plan and by hand."""
        from inspector.runtime.backups import BackupPlace, BackupService

        place = BackupPlace(
            self.surroundings.clock, partial(self.health.tell, "backups"), self.surroundings.backups
        )
        return BackupService(self.database, self.agents, place)

    @classmethod
    async def open(
        cls,
        path: Path,
        surroundings: Environment | None = None,
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
        given = surroundings or Environment()
        clock, actor, program = given.clock, given.actor, given.program
        try:
            database = await Database.open(
                path,
                create=create,
                leave_wal=older == "refuse",
                check_later=watch or older == "copy",
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
            looks = (engine._look_over(), engine._watch_seals(), engine._clean())
            tasks = (database.watch(), engine.backups.watch(), *looks)
            engine._watches = tuple(map(asyncio.ensure_future, tasks))
        return engine

    async def _look_over(self) -> None:
        await asyncio.sleep(LOOK_OVER_SECONDS)
        # Loading what reads documents takes long enough to be felt in the thread of a window.
        await asyncio.to_thread(import_module, "inspector.memory.store")
        await self.memory.look_over()

    async def _clean(self) -> None:
        await asyncio.sleep(SEALS_SECONDS)
        async with self.database.read() as connection:
            is_clean = await meta.get(connection, meta.UNCLEANED) is None
        if not is_clean:
            with contextlib.suppress(FileError):
                await self.redaction.clean()

    async def _watch_seals(self) -> None:
        await asyncio.sleep(SEALS_SECONDS)
        from inspector.runtime.seals import SealWatch

        await SealWatch(self.database, partial(self.health.tell, "seals")).watch(after=0)

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
        (receipt,) = await self.edits.apply([Intent(edit, actor or self.actor, reason, unlock=unlock)])
        return receipt

    async def apply(
        self, intents: Sequence[Intent], changeset: str | None = None, on_progress: OnProgress | None = None
    ) -> tuple[Receipt, ...]:
        """Apply intents of any family as one, or none of them; see `EditService.apply`."""
        return await self.edits.apply(intents, changeset, on_progress)

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
        made = vars(self)
        if "turns" in made:
            await self.turns.close()
        if "context" in made:
            self.context.close()
        if "memory" in made:
            await self.memory.close()
        if "drafts" in made:
            await self.drafts.close()
        await self.database.close()
