"""One agent's view, kept up to date by the news of what changed: only that is read again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import ClassVar

from inspector.conversation.store import ConversationStore
from inspector.domain.activity import Event
from inspector.domain.changes import Change, Health
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import NotFoundError
from inspector.domain.health import Problem, Severity
from inspector.domain.messages import Batch
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, Snapshot
from inspector.memory.layouts import LayoutStore
from inspector.memory.registry import AgentStore
from inspector.memory.store import MemoryStore
from inspector.storage.database import Database

EVENTS_READ = 2000
"""The newest events of all agents that a view holds: more than any look-back shows."""


class Family(Enum):
    """What is read together."""

    AGENT = auto()
    BLOCKS = auto()
    HISTORY = auto()
    SUMMARIES = auto()
    EVENTS = auto()


_FAMILY_OF_REF: dict[RefKind, Family] = {
    RefKind.AGENT: Family.AGENT,
    RefKind.TOOL: Family.AGENT,
    RefKind.TOOL_RULE: Family.AGENT,
    RefKind.LAYOUT: Family.AGENT,
    RefKind.BLOCK: Family.BLOCKS,
    RefKind.ATTACHMENT: Family.BLOCKS,
    RefKind.BATCH: Family.HISTORY,
    RefKind.SUMMARY: Family.SUMMARIES,
    # Both may say how far the history was shortened.
    RefKind.CONTEXT_STATE: Family.AGENT,
    RefKind.RUN: Family.AGENT,
}
_TOLD_BY_EVENTS = frozenset(
    {
        *(
            RefKind.AGENT,
            RefKind.BLOCK,
            RefKind.ATTACHMENT,
            RefKind.ARCHIVAL,
            RefKind.MESSAGE,
            RefKind.SUMMARY,
        ),
        RefKind.EVENT,
    }
)
"""The kinds of thing whose changes may leave an event, of whatever agent they are."""


Read = tuple[Snapshot, tuple[Problem, ...]]
"""A snapshot with one family read into it, and what of that family could not be read."""


@dataclass(slots=True)
class _View:
    snapshot: Snapshot | None = None
    problems: dict[Family, tuple[Problem, ...]] = field(default_factory=dict)
    stale: set[Family] = field(default_factory=lambda: set(Family))
    blocks: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)

    def note(self, change: Change, agent_id: str) -> None:
        """Remember what a change makes stale."""
        kind = change.ref.kind
        if kind in _TOLD_BY_EVENTS:
            self.stale.add(Family.EVENTS)
        if kind is RefKind.MESSAGE:
            if change.owner == agent_id:
                self.messages.add(change.ref.id)
            return
        if kind is RefKind.BLOCK and change.kind in CONTENT_OPERATIONS:
            self.blocks.add(change.ref.id)
            return
        if kind is RefKind.FILE:
            self.stale.update(Family)
        if kind in _FAMILY_OF_REF:
            self.stale.add(_FAMILY_OF_REF[kind])


class _Events:
    """The newest events of all agents. They only ever come to be, so that those that are known are not read again."""

    def __init__(self, conversation: ConversationStore) -> None:
        self._conversation = conversation
        self._known: tuple[Event, ...] = ()
        self._problems: dict[str, Problem] = {}

    async def read(self) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """They, and what of them cannot be read; the same object where there is nothing new."""
        after = self._known[-1].seq if self._known else 0
        fresh, problems = await self._conversation.recent_events(EVENTS_READ, after)
        if fresh:
            self._known = (*self._known, *fresh)[-EVENTS_READ:]
        self._problems.update((each.where, each) for each in problems)
        return self._known, tuple(self._problems.values())

    def forget(self) -> None:
        """Read all of them the next time: the file is not what it was."""
        self._known = ()
        self._problems.clear()


class Snapshots:
    """Snapshots by agent. Asking twice without a change between gives the same object."""

    def __init__(
        self,
        database: Database,
        memory: MemoryStore,
        agents: AgentStore,
        conversation: ConversationStore,
        layouts: LayoutStore,
    ) -> None:
        self._database = database
        self._layouts = layouts
        self._memory = memory
        self._agents = agents
        self._conversation = conversation
        self._news = database.feed.subscribe()
        self._views: dict[str, _View] = {}
        self._events = _Events(conversation)
        self._lock = asyncio.Lock()

    async def of(self, agent_id: str) -> Snapshot:
        """An agent's view as of the last change that is known.

        Raises:
            NotFoundError: there is no such agent.
        """
        async with self._lock:
            self._note_news()
            view = self._views.setdefault(agent_id, _View())
            if view.snapshot is None:
                view.snapshot = await self._read_all(view, agent_id)
            elif view.stale or view.blocks or view.messages:
                view.snapshot = await self._read_again(view, view.snapshot)
            view.stale.clear()
            view.blocks.clear()
            view.messages.clear()
            return view.snapshot

    def _note_news(self) -> None:
        for news in self._news.waiting():
            if isinstance(news, Change):
                if news.ref.kind is RefKind.FILE:
                    self._events.forget()
                for agent_id, view in self._views.items():
                    view.note(news, agent_id)
            elif isinstance(news, Health) and news.ref is not None and news.ref.kind is RefKind.BLOCK:
                for view in self._views.values():
                    view.blocks.add(news.ref.id)

    async def _read_all(self, view: _View, agent_id: str) -> Snapshot:
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise NotFoundError("not_found.agent", name=agent_id)
        facts = await self._agents.facts()
        empty = Snapshot(facts["constellation_id"], 0, agent, ())
        return await self._read_families(view, empty, Family)

    async def _read_again(self, view: _View, snapshot: Snapshot) -> Snapshot:
        fresh = await self._read_families(view, snapshot, view.stale)
        if view.blocks and Family.BLOCKS not in view.stale:
            fresh = await self._with_blocks(fresh, view.blocks)
        if view.messages and Family.HISTORY not in view.stale:
            fresh = await self._with_messages(fresh, view.messages)
            view.problems[Family.HISTORY] = _unreadable(fresh.history)
        return self._told(view, fresh)

    async def _read_families(self, view: _View, snapshot: Snapshot, families: Iterable[Family]) -> Snapshot:
        for family in families:
            snapshot, view.problems[family] = await self._readers[family](self, snapshot)
        return self._told(view, snapshot)

    def _told(self, view: _View, snapshot: Snapshot) -> Snapshot:
        problems = tuple(each for family in Family for each in view.problems.get(family, ()))
        return replace(snapshot, seq=self._database.feed.last_seq, problems=problems)

    async def _with_agent(self, snapshot: Snapshot) -> Read:
        agent_id = snapshot.agent.id
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise NotFoundError("not_found.agent", name=agent_id)
        registered, bad_tools = await self._agents.tools()
        by_name = {tool.name: tool for tool in registered}
        tools = tuple(by_name[name] for name in agent.tools if name in by_name)
        rules, bad_rules = await self._agents.rules(agent_id)
        everyone, bad_agents = await self._agents.list()
        state, bad_state = await self._agents.history_state(agent_id)
        names = {each.id: each.name for each in everyone}
        read = replace(snapshot, agent=agent, tools=tools, tool_rules=rules, agent_names=names)
        own_layouts, bad_layouts = await self._layouts.list()
        layouts = {layout.name: layout for layout in own_layouts}
        calibrations = await self._agents.calibrations()
        read = replace(read, history_state=state, layouts=layouts, calibrations=calibrations)
        return read, (*bad_agents, *bad_tools, *bad_rules, *bad_state, *bad_layouts)

    async def _with_memory(self, snapshot: Snapshot) -> Read:
        own = await self._memory.states(snapshot.agent.id)
        shared = await self._memory.shared_with(snapshot.agent.id)
        # A block that cannot be read carries its problem itself.
        return replace(snapshot, own=own, shared=shared), ()

    async def _with_history(self, snapshot: Snapshot) -> Read:
        history = await self._conversation.batches(snapshot.agent.id)
        return replace(snapshot, history=history), _unreadable(history)

    async def _with_summaries(self, snapshot: Snapshot) -> Read:
        summaries, problems = await self._conversation.summaries(snapshot.agent.id)
        return replace(snapshot, summaries=summaries), problems

    async def _with_events(self, snapshot: Snapshot) -> Read:
        events, problems = await self._events.read()
        return replace(snapshot, events=events), problems

    async def _with_blocks(self, snapshot: Snapshot, block_ids: set[str]) -> Snapshot:
        known = {state.block.id for state in snapshot.own} | {each.state.block.id for each in snapshot.shared}
        read = [await self._memory.get(block_id) for block_id in sorted(block_ids & known)]
        fresh = {state.block.id: state for state in read if state is not None}

        def newer(state: BlockState) -> BlockState:
            return fresh.get(state.block.id, state)

        return replace(
            snapshot,
            own=tuple(newer(state) for state in snapshot.own),
            shared=tuple(replace(each, state=newer(each.state)) for each in snapshot.shared),
        )

    async def _with_messages(self, snapshot: Snapshot, message_ids: set[str]) -> Snapshot:
        batches = {batch.id: batch for batch in snapshot.history}
        touched: set[str] = set()
        for message_id in message_ids:
            message = await self._conversation.message(message_id)
            if message is not None:
                touched.add(message.batch_id)
        for batch_id in touched:
            batch = await self._conversation.batch(snapshot.agent.id, batch_id)
            if batch is None:
                batches.pop(batch_id, None)
            else:
                batches[batch_id] = batch
        return replace(snapshot, history=tuple(sorted(batches.values(), key=_place)))

    _readers: ClassVar[Mapping[Family, Callable[[Snapshots, Snapshot], Awaitable[Read]]]] = {
        Family.AGENT: _with_agent,
        Family.BLOCKS: _with_memory,
        Family.HISTORY: _with_history,
        Family.SUMMARIES: _with_summaries,
        Family.EVENTS: _with_events,
    }


def _unreadable(history: Iterable[Batch]) -> tuple[Problem, ...]:
    """A problem for each message that cannot be read; it stands in its batch without its parts."""
    return tuple(
        Problem(
            "row.unreadable", Severity.ERROR, str(Ref(RefKind.MESSAGE, message.id)), {"why": message.problem}
        )
        for batch in history
        for message in batch.messages
        if message.problem
    )


def _place(batch: Batch) -> int:
    return batch.messages[0].position
