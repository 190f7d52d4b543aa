"""One open file as the window uses it: the engine, and what is read from several services at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.changes import Change, FileMoved, Health
from inspector.domain.consent import Partner
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, UnreadJson
from inspector.domain.errors import FileError, Problem
from inspector.domain.exchange import ImportPlan, ImportSource
from inspector.domain.model_offers import ModelOffer
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState, RequestSpec, SharedBlock
from inspector.memory.consent_grants import read_partner
from inspector.runtime.catalogues import model_offers, shipped_layouts
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment, usual_surroundings
from inspector.runtime.recovered_drafts import RecoveredDrafts, RestoredDraft


@dataclass(frozen=True, slots=True)
class AgentContents:
    """What an agent has, apart from its Request. A count of None is not known."""

    own: tuple[BlockState, ...] = ()
    shared: tuple[SharedBlock, ...] = ()
    deleted: tuple[BlockState, ...] = ()
    archival: int | None = None
    messages: int | None = None
    summaries: int | None = None
    activity: int | None = None
    queue: int | None = None
    consent: int | None = None
    problems: tuple[Problem, ...] = ()


class FileSession:
    """One open file. Edits, builds and previews are asked of its `engine`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.read_only = engine.database.read_only
        self._recovered = RecoveredDrafts(engine)

    async def agents(self) -> tuple[Agent, ...]:
        """All agents that are not archived away, in their order."""
        agents, problems = await self.engine.agents.list()
        self.engine.health.tell("agents", problems)
        return tuple(agent for agent in agents if agent.status is not AgentStatus.ARCHIVED)

    async def models(self) -> tuple[ModelOffer, ...]:
        """All models whose facts are known, with what the user knows better."""
        return await asyncio.to_thread(lambda: model_offers(self.engine.models))

    async def layouts(self) -> tuple[str, ...]:
        """Layouts that can be chosen, by name: the shipped ones, then the file's own."""
        # One that cannot be read is told with each Request.
        own, _ = await self.engine.layouts.list()
        return tuple(dict.fromkeys([*shipped_layouts(), *(layout.name for layout in own)]))

    async def partner(self) -> Partner | None:
        """Who alone may edit blocks of the level partner."""
        # Not by the store of consent: loading that would delay every start.
        async with self.engine.database.read() as connection:
            return await read_partner(connection)

    async def contents(self, agent_id: str) -> AgentContents:
        """What is under an agent."""
        engine = self.engine
        snapshot = await engine.context.recent(agent_id)
        states = await engine.blocks.states(agent_id, deleted=True)
        archival, archival_problems = await engine.blocks.archival_entries(agent_id)
        queue, queue_problems = await engine.agents.queue()
        consent, consent_problems = await engine.agents.consent_requests()
        activity = await engine.conversation.event_count(agent_id)
        return AgentContents(
            own=snapshot.own,
            shared=snapshot.shared,
            deleted=tuple(state for state in states if not state.block.is_active),
            archival=len(archival),
            messages=snapshot.message_count,
            summaries=sum(not each.is_deleted for each in snapshot.summaries),
            activity=activity,
            queue=sum(each.target_agent_id == agent_id and each.processed_at is None for each in queue),
            consent=sum(each.agent_id == agent_id and each.answered_at is None for each in consent),
            problems=(*snapshot.problems, *archival_problems, *queue_problems, *consent_problems),
        )

    async def restore_drafts(self) -> tuple[RestoredDraft, ...]:
        """Unsaved edits of earlier sessions on this file. What no longer fits becomes `Health`."""
        return await self._recovered.restore()

    async def restore_records(self) -> tuple[Edit, ...]:
        """Unsaved edits of messages, archival entries and other records, those of earlier sessions too."""
        try:
            return tuple(draft.edit for draft in await self.engine.drafts.take_over_records())
        except FileError:
            # What is wrong with the drafts' file is said with those of blocks.
            return ()

    async def restore_unread(self) -> tuple[UnreadJson, ...]:
        """JSON that could not be read when it was typed, that of earlier sessions too."""
        try:
            return await self.engine.drafts.take_over_unread()
        except FileError:
            # What is wrong with the drafts' file is said with those of blocks.
            return ()

    async def drop_draft(self, draft_id: str) -> None:
        """Forget an unsaved edit: that on a block by its id, one that no longer fits by the id in its `Health`."""
        if not await self._recovered.discard(draft_id):
            await self.engine.drafts.drop(Ref(RefKind.BLOCK, draft_id))

    async def request_of_file(self, path: Path, spec: RequestSpec) -> Request:
        """What a foreign file would send, such as a recorded request; nothing of it is kept.

        Raises: as `foreign_request.request_of_file`.
        """
        from inspector.runtime.foreign_request import request_of_file

        return await request_of_file(path, spec, self.engine.surroundings)

    async def write_debug_bundle(self, path: Path) -> None:
        """Write how the file is made, without its texts, to a new ZIP.

        Raises: as `debug_bundle.write_debug_bundle`.
        """
        from inspector.runtime.debug_bundle import write_debug_bundle

        await write_debug_bundle(self.engine, path)

    def news(self) -> AsyncIterator[Change | FileMoved | Health]:
        """What is wrong with the file now, then everything that changes from this call on."""
        moved = self.engine.database.moved
        present = (*self.engine.health.present, *(() if moved is None else (FileMoved(moved),)))
        return _preceded(present, self.engine.news())


class SessionFactory:
    """Opens, makes and imports files."""

    def __init__(self, surroundings: Environment | None = None) -> None:
        self.surroundings = surroundings or usual_surroundings()
        self.settings = self.surroundings.settings
        self.jobs = self.surroundings.jobs
        self.keys = self.surroundings.keys

    async def open(self, path: Path) -> FileSession:
        with self.jobs.begin("job.open", file=path.name):
            return FileSession(await Engine.open(path, self.surroundings, watch=True))

    async def create(self, path: Path) -> FileSession:
        """Make a new, empty constellation file."""
        from inspector.runtime.files import make_empty

        await make_empty(path, self.surroundings)
        return await self.open(path)

    async def create_sample(self, path: Path) -> FileSession:
        from inspector.runtime.files import make_sample

        await make_sample(path, self.surroundings)
        return await self.open(path)

    async def read_import(self, path: Path) -> ImportSource:
        """What a foreign file holds to import."""
        from inspector.runtime.files import source_of

        return await source_of(path, self.surroundings)

    async def plan_import(self, source: ImportSource, numbers: Sequence[int]) -> ImportPlan:
        """What importing the rows of these numbers would do; without rows, the whole file."""
        return await asyncio.to_thread(source.plan, self.surroundings.ids, tuple(numbers))

    async def import_into(self, plan: ImportPlan, path: Path) -> FileSession:
        """Make what a plan says, in a new file or in one that is there, and open it."""
        from inspector.runtime.files import import_into

        await import_into(path, plan, self.surroundings)
        return await self.open(path)

    async def is_constellation(self, path: Path) -> bool:
        """Whether a file is one of ours, so that it is opened and not imported."""
        try:
            engine = await Engine.open(path, self.surroundings, older="copy")
        except FileError as error:
            return error.code != "file.not_a_constellation"
        await engine.close()
        return True


async def _preceded(
    present: Sequence[Health | FileMoved], later: AsyncIterator[Change | FileMoved | Health]
) -> AsyncIterator[Change | FileMoved | Health]:
    for each in present:
        yield each
    async for news in later:
        yield news
