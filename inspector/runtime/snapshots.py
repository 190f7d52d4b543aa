"""Keeps each agent's snapshot up to date by rereading only what a change touched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum, auto
from typing import ClassVar

from inspector.conversation.store import ConversationStore
from inspector.domain.activity import Event
from inspector.domain.changes import Change, Health
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import NotFoundError, Problem, Severity
from inspector.domain.messages import Batch
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, Snapshot
from inspector.memory.agent_store import AgentStore
from inspector.memory.layouts import LayoutStore
from inspector.memory.reader import MemoryReader
from inspector.storage.database import Database

EVENTS_READ = 2000
"""The newest events of all agents that a view holds: more than any look-back shows."""


class RowFamily(Enum):
    """The rows of a snapshot that are read together."""

    AGENT = auto()
    BLOCKS = auto()
    HISTORY = auto()
    SUMMARIES = auto()
    EVENTS = auto()


_FAMILY_OF_REF: dict[RefKind, RowFamily] = {
    RefKind.AGENT: RowFamily.AGENT,
    RefKind.TOOL: RowFamily.AGENT,
    RefKind.TOOL_RULE: RowFamily.AGENT,
    RefKind.LAYOUT: RowFamily.AGENT,
    RefKind.BLOCK: RowFamily.BLOCKS,
    RefKind.ATTACHMENT: RowFamily.BLOCKS,
    RefKind.BATCH: RowFamily.HISTORY,
    RefKind.SUMMARY: RowFamily.SUMMARIES,
    # Both may say how far the history was shortened.
    RefKind.CONTEXT_STATE: RowFamily.AGENT,
    RefKind.RUN: RowFamily.AGENT,
}
_READ_BY_EVENTS = frozenset(
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


_FEW = 200
"""Where more messages than these were written since, the newest are read again instead of each of them."""
FEWEST_READ = 640
"""Messages that may be sent which a view begins with: more than the most that an agent's own settings begin with."""
Read = tuple[Snapshot, tuple[Problem, ...]]
"""A snapshot with one family read into it, and what of that family could not be read."""


@dataclass(slots=True)
class _View:
    snapshot: Snapshot | None = None
    problems: dict[RowFamily, tuple[Problem, ...]] = field(default_factory=dict)
    stale: set[RowFamily] = field(default_factory=lambda: set(RowFamily))
    blocks: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    least: int | None = 0
    longest: int = 0

    def reach(self, least: int | None) -> None:
        """Let so many messages be read, None for all; what was read already stays."""
        if self.least is None or (least is not None and least <= self.least):
            return
        self.least = least
        if self.snapshot is not None and self.snapshot.older is not None:
            self.stale.add(RowFamily.HISTORY)

    def note(self, change: Change, agent_id: str) -> None:
        kind = change.ref.kind
        if kind in _READ_BY_EVENTS:
            self.stale.add(RowFamily.EVENTS)
        if kind is RefKind.MESSAGE:
            if change.owner == agent_id:
                self.messages.add(change.ref.id)
            if len(self.messages) > _FEW:
                self.stale.add(RowFamily.HISTORY)
            return
        if kind is RefKind.BLOCK and change.kind in CONTENT_OPERATIONS:
            self.blocks.add(change.ref.id)
            return
        if kind is RefKind.AGENT and change.ref.id != agent_id:
            # Blocks that it shares have its name.
            self.stale.add(RowFamily.BLOCKS)
        if kind is RefKind.FILE:
            self.stale.update(RowFamily)
        if kind in _FAMILY_OF_REF:
            self.stale.add(_FAMILY_OF_REF[kind])


class _Events:
    """The newest events of all agents. They only ever come to be, so that those that are known are not read again."""

    def __init__(self, conversation: ConversationStore) -> None:
        self._conversation = conversation
        self._events: tuple[Event, ...] = ()
        self._problems: dict[str, Problem] = {}

    async def read(self) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """They, and what of them cannot be read; the same object where there is nothing new."""
        after = self._events[-1].seq if self._events else 0
        fresh, problems = await self._conversation.recent_events(EVENTS_READ, after)
        if fresh:
            self._events = (*self._events, *fresh)[-EVENTS_READ:]
        self._problems.update((each.where, each) for each in problems)
        return self._events, tuple(self._problems.values())

    def forget(self) -> None:
        """Read all of them the next time: the file is not what it was."""
        self._events = ()
        self._problems.clear()


class Snapshots:
    """Snapshots by agent. Asking twice without a change between gives the same object."""

    def __init__(
        self,
        database: Database,
        memory: MemoryReader,
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

    async def of(self, agent_id: str, least: int | None = None) -> Snapshot:
        """An agent's view as of the last change that is known.

        Args:
            agent_id: Whose.
            least: So many of the newest messages that may be sent are in it, or more; None takes all.

        Raises:
            NotFoundError: there is no such agent.
        """
        async with self._lock:
            self._note_news()
            view = self._views.setdefault(agent_id, _View())
            view.reach(least)
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
        empty = Snapshot(await self._agents.constellation_id(), 0, agent, ())
        return await self._read_families(view, empty, RowFamily)

    async def _read_again(self, view: _View, snapshot: Snapshot) -> Snapshot:
        fresh = await self._read_families(view, snapshot, view.stale)
        if view.blocks and RowFamily.BLOCKS not in view.stale:
            fresh = await self._with_blocks(fresh, view.blocks)
        if view.messages and RowFamily.HISTORY not in view.stale:
            fresh = await self._with_messages(fresh, view.messages)
            if view.least is not None and _messages_in(fresh) > view.longest:
                # An agent that runs all day would have all its messages in memory.
                fresh, _ = await self._with_history(fresh)
            view.problems[RowFamily.HISTORY] = _unreadable(fresh.history)
        return self._with_problems(view, fresh)

    async def _read_families(
        self, view: _View, snapshot: Snapshot, families: Iterable[RowFamily]
    ) -> Snapshot:
        for family in families:
            snapshot, view.problems[family] = await self._readers[family](self, snapshot)
        return self._with_problems(view, snapshot)

    def _with_problems(self, view: _View, snapshot: Snapshot) -> Snapshot:
        problems = tuple(each for family in RowFamily for each in view.problems.get(family, ()))
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
        agent_id, older = snapshot.agent.id, None
        least = self._views[agent_id].least
        if least is None:
            history = await self._conversation.batches(agent_id)
        else:
            history, older = await self._conversation.recent_batches(agent_id, least)
        # What is made of a batch is remembered by its identity.
        before = {batch.id: batch for batch in snapshot.history}
        history = tuple(existing if (existing := before.get(each.id)) == each else each for each in history)
        read = replace(snapshot, history=history, older=older)
        self._views[agent_id].longest = 2 * max(_messages_in(read), FEWEST_READ)
        return read, _unreadable(history)

    async def _with_summaries(self, snapshot: Snapshot) -> Read:
        summaries, problems = await self._conversation.summaries(snapshot.agent.id)
        return replace(snapshot, summaries=summaries), problems

    async def _with_events(self, snapshot: Snapshot) -> Read:
        events, problems = await self._events.read()
        return replace(snapshot, events=events), problems

    async def _with_blocks(self, snapshot: Snapshot, block_ids: set[str]) -> Snapshot:
        existing = {state.block.id for state in snapshot.own} | {
            each.state.block.id for each in snapshot.shared
        }
        read = [await self._memory.get(block_id) for block_id in sorted(block_ids & existing)]
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
        read = [await self._conversation.message(each) for each in message_ids]
        touched: set[str] = set()
        for message in sorted(filter(None, read), key=lambda each: each.position):
            cached = batches.get(message.batch_id)
            if (
                cached is not None
                and message.position > cached.messages[-1].position
                and not message.is_deleted
            ):
                # A turn may have thousands: one message more costs itself.
                batches[cached.id] = Batch(cached.id, (*cached.messages, message))
            else:
                touched.add(message.batch_id)
        for batch_id in touched:
            cached = batches.pop(batch_id, None)
            batch = await self._conversation.batch(snapshot.agent.id, batch_id)
            if cached is None and snapshot.older is not None and not _is_new(batch, snapshot.history):
                # It may be one of those that are only counted.
                return (await self._with_history(snapshot))[0]
            if batch is not None:
                batches[batch_id] = batch
        return replace(snapshot, history=tuple(sorted(batches.values(), key=_place)))

    _readers: ClassVar[Mapping[RowFamily, Callable[[Snapshots, Snapshot], Awaitable[Read]]]] = {
        RowFamily.AGENT: _with_agent,
        RowFamily.BLOCKS: _with_memory,
        RowFamily.HISTORY: _with_history,
        RowFamily.SUMMARIES: _with_summaries,
        RowFamily.EVENTS: _with_events,
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


def _messages_in(snapshot: Snapshot) -> int:
    return sum(len(batch.messages) for batch in snapshot.history)


def _is_new(batch: Batch | None, history: Sequence[Batch]) -> bool:
    return batch is not None and _place(batch) > max(map(_place, history), default=0)


def _place(batch: Batch) -> int:
    return batch.messages[0].position
