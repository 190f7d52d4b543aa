"""Reads and writes rows of an agent's message queue and wakeups."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import Problem
from inspector.domain.records import QueuedMessage, QueueState, Wakeup
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of

_SELECT = """
    SELECT id, from_agent_id, target_agent_id, content, priority, metadata, origin, state, attempts,
           created_at, next_attempt_at, processed_at, lease_until, last_error
    FROM queue WHERE id <> 'turn:' || target_agent_id
"""
_ALL = _SELECT + "ORDER BY state, priority DESC, rowid"
_BY_ID = _SELECT + "AND id = ?"
_IS_THERE = "SELECT 1 FROM queue WHERE id = ?"
_SET_STATE = (
    "UPDATE queue SET state = ?, next_attempt_at = ?, lease_until = NULL, lease_process = NULL WHERE id = ?"
)
_INSERT = """
    INSERT INTO queue (id, from_agent_id, target_agent_id, content, priority, metadata, origin, state,
                       attempts, created_at, next_attempt_at, processed_at, lease_until, last_error)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_WAKEUPS = """
    SELECT id, agent_id, content, wake_at, every_seconds
    FROM wakeups WHERE is_deleted = 0 ORDER BY wake_at, id
"""
_PUT_WAKEUP = """
    INSERT INTO wakeups (id, agent_id, content, wake_at, every_seconds, is_deleted, seal) VALUES (?, ?, ?, ?, ?, 0, ?)
    ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, content = excluded.content,
        wake_at = excluded.wake_at, every_seconds = excluded.every_seconds, is_deleted = 0,
        seal = excluded.seal
"""
_WAKEUP = "SELECT id, agent_id, content, wake_at, every_seconds, is_deleted FROM wakeups WHERE id = ?"
_DELETE_WAKEUP = "UPDATE wakeups SET is_deleted = ? WHERE id = ?"


async def read_all(connection: Connection) -> tuple[tuple[QueuedMessage, ...], tuple[Problem, ...]]:
    """All queued messages by state, priority and arrival; and a problem for each that cannot be read."""
    return read_rows(await connection.fetch_all(_ALL), _queued, RefKind.QUEUE)


async def get(connection: Connection, message_id: str) -> QueuedMessage | None:
    """Read one queued message by its id.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await connection.fetch_one(_BY_ID, (message_id,))
    return None if row is None else _queued(row)


async def is_there(connection: Connection, message_id: str) -> bool:
    """Whether a queued message has that id, readable or not."""
    return await connection.fetch_one(_IS_THERE, (message_id,)) is not None


async def set_state(
    transaction: Connection, message_id: str, state: QueueState, next_attempt_at: datetime | None
) -> None:
    """Give a queued message another state and next try; nobody has it in hand then."""
    await transaction.fetch_all(_SET_STATE, (state.value, _write(next_attempt_at), message_id))


async def insert(transaction: Connection, message: QueuedMessage) -> None:
    """Insert the row of a queued message."""
    await transaction.fetch_all(
        _INSERT,
        (
            message.id,
            message.from_agent_id,
            message.target_agent_id,
            message.content,
            message.priority,
            message.metadata,
            message.origin,
            message.state.value,
            message.attempts,
            write_time(message.created_at),
            _write(message.next_attempt_at),
            _write(message.processed_at),
            _write(message.lease_until),
            message.last_error,
        ),
    )


async def wakeups(connection: Connection) -> tuple[tuple[Wakeup, ...], tuple[Problem, ...]]:
    """All wakeups by time, and a problem for each that cannot be read."""
    return read_rows(await connection.fetch_all(_WAKEUPS), _wakeup, RefKind.WAKEUP)


async def wakeup(connection: Connection, wakeup_id: str) -> tuple[Wakeup, bool] | None:
    """One wakeup and whether it is deleted."""
    row = await connection.fetch_one(_WAKEUP, (wakeup_id,))
    return None if row is None else (_wakeup(row), bool(row["is_deleted"]))


async def put_wakeup(transaction: Connection, wakeup: Wakeup) -> None:
    """Add a wakeup, or replace the one of that id."""
    cells = (wakeup.agent_id, wakeup.content, write_time(wakeup.at), wakeup.every_seconds)
    await transaction.fetch_all(_PUT_WAKEUP, (wakeup.id, *cells, seal_of(*cells)))


async def set_wakeup_deleted(transaction: Connection, wakeup_id: str, *, deleted: bool) -> None:
    """Put a wakeup away or take it back."""
    await transaction.fetch_all(_DELETE_WAKEUP, (int(deleted), wakeup_id))


def _queued(row: Row) -> QueuedMessage:
    return QueuedMessage(
        id=row["id"],
        from_agent_id=row["from_agent_id"],
        target_agent_id=row["target_agent_id"],
        content=row["content"],
        priority=row["priority"],
        metadata=row["metadata"],
        origin=row["origin"],
        state=QueueState(row["state"]),
        attempts=row["attempts"],
        created_at=read_time(row["created_at"]),
        next_attempt_at=_read(row["next_attempt_at"]),
        processed_at=_read(row["processed_at"]),
        lease_until=_read(row["lease_until"]),
        last_error=row["last_error"],
    )


def _wakeup(row: Row) -> Wakeup:
    return Wakeup(row["id"], row["agent_id"], row["content"], read_time(row["wake_at"]), row["every_seconds"])


def _read(text: str | None) -> datetime | None:
    return None if text is None else read_time(text)


def _write(moment: datetime | None) -> str | None:
    return None if moment is None else write_time(moment)
