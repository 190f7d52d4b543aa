"""Logs and reads an agent's activity events for programs outside the engine.

What the engine does itself it tells in the transaction that does it; nothing here is needed for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, tzinfo

from inspector.domain.activity import (
    FAILURE_IMPORTANCE,
    PREVIEW_KEPT,
    Event,
    EventKind,
    Importance,
    NewEvent,
    default_importance,
)
from inspector.domain.actor import SYSTEM, Actor, ActorKind, Clock, IdGenerator
from inspector.domain.agents import ActivitySettings, Agent
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.edits.rows import LogEvent
from inspector.domain.errors import Problem, Refusal, RefusedError
from inspector.domain.recent_activity import recent_events
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import activity_lines, shorten
from inspector.storage import activity as rows
from inspector.storage import agents
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.json_columns import dump
from inspector.storage.transaction import Transaction

EVENTS_LOOKED_AT = 2000
"""The newest events of all agents that one rendering chooses from."""


class EventWriter:
    """Writes events that come from outside: an embedding program's, an importer's. Agents and their tools may not."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def log(self, tx: Transaction, intent: Intent, operation: LogEvent) -> Receipt:
        """Add an event. Details of an unknown kind, and such as cannot be read, are kept as they are.

        Raises:
            RefusedError: ``refused.activity_by_agents``.
        """
        if intent.actor.kind is ActorKind.AGENT:
            raise RefusedError(Refusal("refused.activity_by_agents", {"agent": intent.actor.name}))
        importance = operation.importance
        event = Event(
            id=intent.edit.target.id or self._journal.ids("evt"),
            seq=0,
            agent_id=operation.agent_id,
            kind=operation.kind,
            details=operation.details,
            importance=default_importance(operation.kind) if importance is None else importance,
            timestamp=self._journal.moment(intent),
            batch_id=operation.batch_id,
        )
        rows.insert(tx, event)
        ref = Ref(RefKind.EVENT, event.id)
        return await self._journal.recorded(tx, intent, ref, event.agent_id)


class ActivityLogger:
    """Logs for one agent, and reads what happened as that agent is shown it.

    Args:
        database: The open file.
        clock: The time of what is logged, and the moment to look back from.
        ids: The ids of what is logged.
        agent: Whose events they are.
        actor: Who logs; an agent may not.
    """

    def __init__(
        self, database: Database, clock: Clock, ids: IdGenerator, agent: Agent, actor: Actor = SYSTEM
    ) -> None:
        self._database = database
        self._clock = clock
        self._journal = Journal(clock, ids)
        self._writer = EventWriter(self._journal)
        self._agent = agent
        self._actor = actor

    async def log(
        self, kind: str, details: Mapping[str, object] | None = None, importance: Importance | None = None
    ) -> Event:
        """Log an event of any kind, and give it as it is stored.

        Raises:
            RefusedError: ``refused.activity_by_agents``. MalformedError: details that have no JSON form.
            FileError: the file cannot be written.
        """
        return await self._log(NewEvent(self._agent.id, kind, details or {}, importance))

    async def log_with_batch(
        self,
        batch_id: str,
        kind: str,
        details: Mapping[str, object] | None = None,
        importance: Importance | None = None,
    ) -> Event:
        """As `log`, for an event of one batch of messages."""
        return await self._log(NewEvent(self._agent.id, kind, details or {}, importance, batch_id))

    async def log_message_received(self, source: str, preview: str) -> Event:
        """Log that a message came in, from whom, and how it begins."""
        details = {"source": source, "preview": shorten(preview, PREVIEW_KEPT)}
        return await self.log(EventKind.MESSAGE_RECEIVED, details)

    async def log_message_sent(self, preview: str) -> Event:
        """Log that the agent said something, and how it begins."""
        return await self.log(EventKind.MESSAGE_SENT, {"preview": shorten(preview, PREVIEW_KEPT)})

    async def log_tool_called(self, tool: str, *, success: bool) -> Event:
        """Log that a tool was called, and how that went; a failure is of high importance."""
        details = {"tool": tool, "success": success}
        return await self.log(EventKind.TOOL_CALLED, details, None if success else FAILURE_IMPORTANCE)

    async def log_memory_modified(self, label: str, operation: str, actor: str | None = None) -> Event:
        """Log that a block was changed outside of the store, which tells of its own changes itself."""
        who = self._agent.name if actor is None else actor
        details = {"label": label, "operation": operation, "actor": who}
        return await self.log(EventKind.MEMORY_MODIFIED, details)

    async def recent(self, limit: int) -> tuple[Event, ...]:
        """The newest events of the whole constellation, in the order in which they were written."""
        return (await self.recent_with_problems(limit))[0]

    async def recent_with_problems(self, limit: int) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """As `recent`, with a problem for each that cannot be read at all."""
        async with self._database.read() as source:
            return await rows.recent(source, max(0, limit))

    async def render_recent(
        self, limit: int | None = None, zone: tzinfo | None = None, settings: ActivitySettings | None = None
    ) -> str:
        """What the agent is shown of what happened, as the section of the prompt reads; empty when nothing is.

        Args:
            limit: At most so many events; the settings' own number otherwise.
            zone: The zone of the times; UTC otherwise.
            settings: Others than the agent's own.
        """
        now = self._clock()
        given = self._agent.config.activity if settings is None else settings
        async with self._database.read() as source:
            events, _ = await rows.recent(source, EVENTS_LOOKED_AT)
            names = await agents.names(source)
        if limit is not None:
            given = replace(given, entries_limit=limit)
        shown = recent_events(events, given, self._agent.id, now).shown
        lines = activity_lines(shown, self._agent.id, names, zone or UTC, date_lines=given.date_lines)
        lead = (given.lead_line,) if lines and given.lead_line else ()
        return "\n".join((*lead, *lines))

    async def _log(self, new_event: NewEvent) -> Event:
        operation = LogEvent(
            new_event.agent_id,
            new_event.kind,
            dump(dict(new_event.details)),
            new_event.importance,
            new_event.batch_id,
        )
        intent = Intent(Edit(Ref(RefKind.EVENT, ""), operation), self._actor)
        async with self._database.write() as tx:
            receipt = await self._writer.log(tx, self._journal.at_a_moment(intent), operation)
            event = await rows.get(tx, receipt.ref.id)
        if event is None:
            raise LookupError(receipt.ref.id)
        return event
