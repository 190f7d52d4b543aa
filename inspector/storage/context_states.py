"""Reads and writes rows of how far agents' histories were shortened."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.codec import write_time
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.limits import HistoryState
from inspector.domain.past_requests import JournalMoment
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Connection
from inspector.storage.json_columns import dump, load
from inspector.storage.reading import behind

_LATEST = "SELECT at, state FROM context_states WHERE agent_id = ? ORDER BY at DESC LIMIT 1"
# A run knows its place in the journal, unless an import brought it without history; the clock may have been set back.
_LATEST_UNTIL = """
    SELECT s.at, s.state FROM context_states AS s LEFT JOIN runs AS r ON r.id = s.run_id
    WHERE s.agent_id = ?1 AND CASE WHEN r.changes_seq > 0 THEN r.changes_seq < ?2 ELSE s.at <= ?3 END
    ORDER BY s.at DESC LIMIT 1
"""
_INSERT = "INSERT INTO context_states (agent_id, at, run_id, state) VALUES (?, ?, ?, ?)"


async def latest(
    connection: Connection, agent_id: str, until: JournalMoment | None = None
) -> tuple[HistoryState | None, tuple[Problem, ...]]:
    """The state that an agent's history was last left in, as of now or of a moment, and whether it cannot be read."""
    row = await (
        connection.fetch_one(_LATEST, (agent_id,))
        if until is None
        else connection.fetch_one(_LATEST_UNTIL, (agent_id, until.seq, write_time(until.at)))
    )
    if row is None:
        return None, ()
    try:
        return load(HistoryState, row["state"]), ()
    except MalformedError as error:
        where = str(Ref(RefKind.CONTEXT_STATE, agent_id))
        why = error.parameters.get("why")
        return None, (Problem("row.unreadable", Severity.ERROR, where, {"why": why}),)


async def insert(
    transaction: Connection, agent_id: str, at: datetime, state: HistoryState, run_id: str | None = None
) -> None:
    """Add a state as the latest, also where the clock was set back."""
    row = await transaction.fetch_one(_LATEST, (agent_id,))
    at = behind(None if row is None else row["at"], at)
    await transaction.fetch_all(_INSERT, (agent_id, write_time(at), run_id, dump(state)))
