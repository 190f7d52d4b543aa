"""Writes activity events that come from outside, and renders what an agent is shown of all of them.

What the engine does itself it tells in the transaction that does it; nothing here is needed for that.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from inspector.domain.activity import Event, default_importance
from inspector.domain.actor import ActorKind
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.edits.rows import LogEvent
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.recent_activity import recent_events
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import activity_lines
from inspector.storage import activity as rows
from inspector.storage import agents
from inspector.storage.connection import Connection
from inspector.storage.journal import Journal
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


async def render_recent(source: Connection, agent: Agent, now: datetime, zone: tzinfo) -> str:
    """What the agent is shown of what happened, as the section of the prompt reads; empty when nothing is."""
    settings = agent.config.activity
    events, _ = await rows.recent(source, EVENTS_LOOKED_AT)
    shown = recent_events(events, settings, agent.id, now).shown
    lines = activity_lines(shown, agent.id, await agents.names(source), zone, date_lines=settings.date_lines)
    lead = (settings.lead_line,) if lines and settings.lead_line else ()
    return "\n".join((*lead, *lines))
