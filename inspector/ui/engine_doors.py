"""What the window asks for, answered by the real engine. Imported after the window has shown itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.errors import FileError
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.catalogues import shipped_layouts, shipped_models
from inspector.runtime.engine import Engine
from inspector.runtime.files import import_into, make_empty, make_sample, plan_of
from inspector.runtime.surroundings import Surroundings, usual_surroundings
from inspector.ui.doors import Doors, EditOptions, Holdings, RestoredDraft
from inspector.ui.left_work import LeftWork


class EngineDoors:
    """One open file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._left = LeftWork(engine)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._engine.path

    @property
    def actor(self) -> Actor:
        """Who edits."""
        return self._engine.actor

    @property
    def read_only(self) -> Problem | None:
        """Why nothing can be written, None when it can."""
        return self._engine.database.read_only

    @property
    def models(self) -> Sequence[str]:
        """Models whose facts are known."""
        return shipped_models().ids

    def now(self) -> datetime:
        """The present moment in UTC."""
        return self._engine.surroundings.clock()

    async def agents(self) -> Sequence[Agent]:
        """All agents that are not archived away, in their order."""
        agents, problems = await self._engine.agents.list()
        self._engine.health.tell("agents", problems)
        return tuple(agent for agent in agents if agent.status is not AgentStatus.ARCHIVED)

    async def layouts(self) -> Sequence[str]:
        """Layouts that can be chosen, by name: the shipped ones, then the file's own."""
        # One that cannot be read is told with each Request.
        own, _ = await self._engine.layouts.list()
        return tuple(dict.fromkeys([*shipped_layouts(), *(layout.name for layout in own)]))

    async def holdings(self, agent_id: str) -> Holdings:
        """What is under an agent."""
        engine = self._engine
        snapshot = await engine.context.snapshot(agent_id)
        states = await engine.memory.states(agent_id, deleted=True)
        archival, archival_problems = await engine.memory.archival_entries(agent_id)
        queue, queue_problems = await engine.agents.queue()
        consent, consent_problems = await engine.agents.consent_requests()
        activity = await engine.conversation.event_count()
        return Holdings(
            own=snapshot.own,
            shared=snapshot.shared,
            deleted=tuple(state for state in states if not state.block.is_active),
            archival=len(archival),
            messages=sum(len(batch.messages) for batch in snapshot.history),
            summaries=sum(not each.is_deleted for each in snapshot.summaries),
            activity=activity,
            queue=sum(each.target_agent_id == agent_id and each.processed_at is None for each in queue),
            consent=sum(each.agent_id == agent_id and each.answered_at is None for each in consent),
            problems=(*snapshot.problems, *archival_problems, *queue_problems, *consent_problems),
        )

    async def request(self, agent_id: str, spec: RequestSpec, drafts: Mapping[str, Content]) -> Request:
        """What a model call would send."""
        return await self._engine.context.request(agent_id, spec, drafts)

    async def preview(self, edit: Edit) -> Content:
        """The content that an edit would give; nothing is stored."""
        return await self._engine.memory.preview(edit)

    async def edit(self, block_id: str, operation: Operation, options: EditOptions) -> Receipt:
        """Apply an operation to a block."""
        return await self._engine.edit(
            block_id, operation, reason=options.reason, base=options.base, unlock=options.unlock
        )

    async def apply(self, intents: Sequence[Intent]) -> Sequence[Receipt]:
        """Apply intents as one, or none of them."""
        return await self._engine.apply(intents)

    async def drafts(self) -> Sequence[RestoredDraft]:
        """Unsaved work of an earlier session on this file. What no longer fits is told as `Health`."""
        return await self._left.restore()

    async def keep_draft(self, edit: Edit) -> None:
        """Keep unsaved work through a crash: the edit that a save would make."""
        await self._engine.drafts.keep(edit)

    async def drop_draft(self, draft_id: str) -> None:
        """Forget unsaved work: that on a block by its id, one that no longer fits by the id in its `Health`."""
        if not await self._left.discard(draft_id):
            await self._engine.drafts.drop(Ref(RefKind.BLOCK, draft_id))

    async def save_copy(self, path: Path) -> None:
        """Write everything to a new file."""
        await self._engine.save_copy(path)

    def changes(self) -> AsyncIterator[Change | FileMoved | Health]:
        """What is wrong with the file now, then everything that changes from now on."""
        moved = self._engine.database.moved
        first: tuple[Health | FileMoved, ...] = self._engine.health.present
        return _beginning_with((*first, *(() if moved is None else (FileMoved(moved),))), self._engine.news())

    async def close(self) -> None:
        """Finish what runs and close the file."""
        await self._engine.close()


class EngineOpener:
    """Opens, makes and imports files."""

    def __init__(self, surroundings: Surroundings | None = None) -> None:
        self._surroundings = surroundings or usual_surroundings()
        self.settings = self._surroundings.settings
        self.jobs = self._surroundings.jobs

    async def open(self, path: Path) -> Doors:
        """Open a constellation file."""
        with self.jobs.begin("job.open", file=path.name):
            return EngineDoors(await Engine.open(path, self._surroundings, watch=True))

    async def create(self, path: Path) -> Doors:
        """Make a new, empty constellation file."""
        await make_empty(path, self._surroundings)
        return await self.open(path)

    async def create_sample(self, path: Path) -> Doors:
        """Make the sample constellation."""
        await make_sample(path, self._surroundings)
        return await self.open(path)

    async def plan_import(self, source: Path) -> ImportPlan:
        """What importing a foreign file would make."""
        return await plan_of(source, self._surroundings)

    async def import_into(self, plan: ImportPlan, path: Path) -> Doors:
        """Make what a plan says, in a new file or in one that is there, and open it."""
        await import_into(path, plan, self._surroundings)
        return await self.open(path)

    async def is_constellation(self, path: Path) -> bool:
        """Whether a file is one of ours, so that it is opened and not imported."""
        try:
            engine = await Engine.open(path, self._surroundings, older="copy")
        except FileError as error:
            return error.code != "file.not_a_constellation"
        await engine.close()
        return True


async def _beginning_with(
    first: Sequence[Health | FileMoved], then: AsyncIterator[Change | FileMoved | Health]
) -> AsyncIterator[Change | FileMoved | Health]:
    for each in first:
        yield each
    async for news in then:
        yield news
