"""Builds snapshots and Requests of the past and compares them with what was sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from inspector.conversation.store import ConversationStore, group_batches
from inspector.domain.activity import Event
from inspector.domain.agents import Agent, Tool, ToolRule
from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment
from inspector.domain.changeset_previews import Entity
from inspector.domain.errors import NotFoundError, Problem
from inspector.domain.layouts import Layout
from inspector.domain.messages import Batch, Message
from inspector.domain.past_requests import JournalMoment, PastView
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, SharedBlock, Snapshot
from inspector.domain.summaries import Summary
from inspector.memory.agent_store import AgentStore
from inspector.memory.past_entities import PastState
from inspector.memory.reader import CONSTELLATION_NAME, as_shared
from inspector.memory.store import MemoryStore
from inspector.runtime.snapshots import EVENTS_READ, Snapshots


class PastViews:
    """Lays what was otherwise then over an agent's view of now."""

    def __init__(
        self,
        snapshots: Snapshots,
        memory: MemoryStore,
        agents: AgentStore,
        conversation: ConversationStore,
    ) -> None:
        self._snapshots = snapshots
        self._memory = memory
        self._agents = agents
        self._conversation = conversation

    async def moment(self, at: datetime) -> JournalMoment:
        """The place in the journal of a time.

        Raises:
            NotFoundError: ``not_found.moment``, there was nothing yet.
        """
        return await self._memory.past.moment(at)

    async def moments(self, agent_id: str) -> tuple[JournalMoment, ...]:
        """When something changed that the agent sees, oldest first."""
        return await self._memory.past.moments(agent_id)

    async def of(self, agent_id: str, moment: JournalMoment, *, before_run: bool = False) -> PastView:
        """An agent's view as of a moment; with `before_run` without what the run of that moment left.

        Raises:
            NotFoundError: there is no such agent, or there was none then.
        """
        present = await self._snapshots.of(agent_id)
        then = await self._memory.past.then(moment)
        agent = _value(then, Ref(RefKind.AGENT, agent_id), present.agent)
        if not isinstance(agent, Agent):
            raise NotFoundError("not_found.agent_then", name=present.agent.name)
        laid = _Laid(present, then, agent)
        tools, bad_tools = await self._agents.tools()
        own = await self._memory.states(agent_id, deleted=True)
        attached = await self._memory.all_attachments()
        everything = await self._memory.list(deleted=True)
        events, bad_events = await self._events(moment, then)
        # The state that a run leaves has the run's own place in the journal, which is behind this moment.
        until = replace(moment, at=moment.at - timedelta(microseconds=1)) if before_run else moment
        state, bad_state = await self._agents.history_state(agent_id, until)
        names = laid.names()
        snapshot = replace(
            present,
            seq=moment.seq,
            agent=agent,
            own=laid.own(own),
            shared=laid.shared(everything, attached, names),
            history=laid.history(),
            summaries=laid.summaries(),
            events=events,
            tools=laid.tools(tools),
            tool_rules=laid.rules(),
            agent_names=names,
            history_state=state,
            layouts=laid.layouts(),
        )
        return PastView(moment, snapshot, (*then.doubts, *bad_tools, *bad_events, *bad_state))

    async def _events(
        self, moment: JournalMoment, then: PastState
    ) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """The newest events of then. Where times do not tell the order, they are looked for from the end on."""
        if not then.is_disordered:
            found, problems = await self._conversation.events_until(moment.at, EVENTS_READ)
            return tuple(each for each in found if _was_written(each, then)), problems
        limit = EVENTS_READ
        while True:
            found, problems = await self._conversation.recent_events(limit)
            written = tuple(each for each in found if _was_written(each, then))
            if len(written) >= EVENTS_READ or len(found) + len(problems) < limit:
                return written[-EVENTS_READ:], problems
            limit *= 2


def _value(then: PastState, ref: Ref, present: object) -> object | None:
    """What a thing was, as far as it was there and not put away."""
    if ref not in then.entities:
        return present
    entity = then.entities[ref]
    return None if entity is None or entity.is_away else entity.value


def _was_written(event: Event, then: PastState) -> bool:
    """Whether an event with a time of before was written before: it may have been dated back."""
    return event.id not in then.later_events and event.timestamp not in then.later_times


class _Laid:
    def __init__(self, present: Snapshot, then: PastState, agent: Agent) -> None:
        self._present = present
        self._then = then
        self._agent = agent

    def names(self) -> Mapping[str, str]:
        found = dict(self._present.agent_names)
        for ref, entity in self._entities(RefKind.AGENT):
            if entity is None:
                found.pop(ref.id, None)
            elif isinstance(entity.value, Agent):
                found[ref.id] = entity.value.name
        return found

    def own(self, states: Iterable[BlockState]) -> tuple[BlockState, ...]:
        return tuple(state for state in map(self._state, states) if state is not None)

    def shared(
        self,
        states: Sequence[BlockState],
        attached: Sequence[Attachment],
        names: Mapping[str, str],
    ) -> tuple[SharedBlock, ...]:
        """The blocks of others that the agent saw: those for all first, then those attached to it."""
        agent_id = self._agent.id
        existing = {each.block.id: each for each in states}
        everyones = [each for each in states if each.block.owner == CONSTELLATION_OWNER]
        found = [
            as_shared(state, agent_id, CONSTELLATION_NAME, None)
            for state in map(self._state, everyones)
            if state
        ]
        for attachment in self._attachments(attached):
            stored = existing.get(attachment.block_id)
            state = None if stored is None else self._state(stored)
            if state is not None and state.block.owner not in (agent_id, CONSTELLATION_OWNER):
                name = names.get(state.block.owner, state.block.owner)
                found.append(as_shared(state, agent_id, name, attachment))
        return tuple(found)

    def history(self) -> tuple[Batch, ...]:
        """The conversation of then, without what was deleted."""
        messages = {each.id: each for batch in self._present.history for each in batch.messages}
        changed = False
        for ref, entity in self._entities(RefKind.MESSAGE):
            value = None if entity is None or entity.is_away else entity.value
            if isinstance(value, Message) and value.agent_id == self._agent.id:
                messages[ref.id] = value
                changed = True
            else:
                changed = messages.pop(ref.id, None) is not None or changed
        if not changed:
            return self._present.history
        return group_batches(sorted(messages.values(), key=lambda each: each.position))

    def summaries(self) -> tuple[Summary, ...]:
        """The summaries of then in the order in which they were written, with those that were deleted."""
        # All that there are now are present, in that order: deleted ones too.
        found = {each.id: each for each in self._present.summaries}
        for ref, entity in self._entities(RefKind.SUMMARY):
            value = None if entity is None else entity.value
            if isinstance(value, Summary) and value.agent_id == self._agent.id:
                found[ref.id] = value
            else:
                found.pop(ref.id, None)
        return tuple(found.values())

    def tools(self, offered: Sequence[Tool]) -> tuple[Tool, ...]:
        """The tools of the agent's that were registered, in its own order."""
        existing = {tool.name: tool for tool in offered}
        for ref, entity in self._entities(RefKind.TOOL):
            if entity is None or entity.is_away:
                existing.pop(ref.id, None)
            elif isinstance(entity.value, Tool):
                existing[ref.id] = entity.value
        return tuple(existing[name] for name in self._agent.tools if name in existing)

    def layouts(self) -> Mapping[str, Layout]:
        existing = dict(self._present.layouts)
        for ref, entity in self._entities(RefKind.LAYOUT):
            if entity is None or entity.is_away:
                existing.pop(ref.id, None)
            elif isinstance(entity.value, Layout):
                existing[ref.id] = entity.value
        return existing

    def rules(self) -> tuple[ToolRule, ...]:
        existing = {rule.id: rule for rule in self._present.tool_rules}
        for ref, entity in self._entities(RefKind.TOOL_RULE):
            value = None if entity is None or entity.is_away else entity.value
            if isinstance(value, ToolRule) and value.agent_id == self._agent.id:
                existing[ref.id] = value
            else:
                existing.pop(ref.id, None)
        return tuple(sorted(existing.values(), key=lambda rule: (rule.tool, rule.kind.value, rule.id)))

    def _state(self, state: BlockState) -> BlockState | None:
        value = _value(self._then, Ref(RefKind.BLOCK, state.block.id), state)
        return value if isinstance(value, BlockState) and value.block.is_active else None

    def _attachments(self, attached: Sequence[Attachment]) -> list[Attachment]:
        existing = {each.block_id: each for each in attached if each.agent_id == self._agent.id}
        for ref, entity in self._entities(RefKind.ATTACHMENT):
            if ref.part != self._agent.id:
                continue
            if entity is not None and isinstance(entity.value, Attachment):
                existing[ref.id] = entity.value
            else:
                existing.pop(ref.id, None)
        return sorted(existing.values(), key=lambda each: (each.attached_at, each.block_id))

    def _entities(self, kind: RefKind) -> list[tuple[Ref, Entity | None]]:
        return [(ref, entity) for ref, entity in self._then.entities.items() if ref.kind is kind]
