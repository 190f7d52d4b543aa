"""Reads and writes rows of activity events."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.activity import Event, Importance
from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of
from inspector.storage.transaction import Transaction

EVENT_COLUMNS = "SELECT seq, id, agent_id, kind, details, importance, timestamp, batch_id FROM activity "
# The order in which they were written: times may be those of a clock that was set back.
_RECENT = EVENT_COLUMNS + "WHERE seq > ? ORDER BY seq DESC LIMIT ?"
_BY_ID = EVENT_COLUMNS + "WHERE id = ?"
_UNTIL = EVENT_COLUMNS + "WHERE timestamp <= ? ORDER BY seq DESC LIMIT ?"
_INSERT = """
    INSERT INTO activity (id, agent_id, kind, details, importance, timestamp, batch_id, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_COUNT = "SELECT count(*) AS events FROM activity"
_COUNT_OF_AGENT = f"{_COUNT} WHERE agent_id = ?"


async def recent(
    source: Connection, limit: int, after: int = 0
) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
    """The newest events in the order in which they were written, and a problem for each that cannot be read.

    Args:
        source: Where to read.
        limit: At most so many.
        after: Only those behind this `seq`.
    """
    rows = await source.fetch_all(_RECENT, (after, limit))
    return read_rows(rows[::-1], read_event, RefKind.EVENT)


async def get(source: Connection, event_id: str) -> Event | None:
    """One event as it is stored.

    Raises:
        MalformedError, ValueError: it cannot be read.
    """
    row = await source.fetch_one(_BY_ID, (event_id,))
    return None if row is None else read_event(row)


async def until(
    source: Connection, moment: datetime, limit: int
) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
    """The newest events that have a time up to a moment, in the order in which they were written."""
    rows = await source.fetch_all(_UNTIL, (write_time(moment), limit))
    return read_rows(rows[::-1], read_event, RefKind.EVENT)


async def count(source: Connection, agent_id: str | None = None) -> int:
    """How many events there are, of all agents or of one."""
    row = await (
        source.fetch_one(_COUNT) if agent_id is None else source.fetch_one(_COUNT_OF_AGENT, (agent_id,))
    )
    return 0 if row is None else int(row["events"])


def insert(transaction: Transaction, event: Event) -> None:
    """Add a row; the file gives out its `seq`."""
    cells = (
        *(event.agent_id, event.kind, event.details, int(event.importance)),
        *(write_time(event.timestamp), event.batch_id),
    )
    transaction.later(_INSERT, (event.id, *cells, seal_of(*cells)))


def read_event(row: Row) -> Event:
    """The event that a row is.

    Raises:
        MalformedError, ValueError: it cannot be read.
    """
    highest = max(Importance)
    return Event(
        id=row["id"],
        seq=row["seq"],
        agent_id=row["agent_id"],
        kind=row["kind"],
        details=row["details"],
        importance=Importance(min(max(row["importance"], 0), highest)),
        timestamp=read_time(row["timestamp"]),
        batch_id=row["batch_id"],
    )
