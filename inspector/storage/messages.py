"""Rows of messages, read page by page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import MalformedError
from inspector.domain.messages import BatchType, Message, Part, Role
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load
from inspector.storage.reading import require_text
from inspector.storage.sealing import SEALS, Cell, set_cells

_SELECT = """
    SELECT id, agent_id, position, batch_id, sequence_in_batch, role, content, batch_type, created_at, source,
           name, metadata, is_archived, is_deleted, compiled
    FROM messages
"""
_PAGE = _SELECT + "WHERE agent_id = ? AND position > ? ORDER BY position LIMIT ?"
_BY_ID = _SELECT + "WHERE id = ?"
_BY_BATCH = _SELECT + "WHERE agent_id = ? AND batch_id = ? ORDER BY position"
_POSITIONS = """
    SELECT position FROM messages WHERE agent_id = ? AND is_deleted = 0 AND compiled = 0 ORDER BY position
"""
_PLACE = """
    SELECT (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE agent_id = ?) AS position,
           (SELECT coalesce(max(sequence_in_batch), -1) + 1 FROM messages WHERE agent_id = ? AND batch_id = ?)
               AS sequence_in_batch
"""
_INSERT = """
    INSERT INTO messages (id, agent_id, position, batch_id, sequence_in_batch, role, content, batch_type,
                          created_at, source, name, metadata, compiled, is_archived, is_deleted, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
AFTER_ROWID = """
    SELECT rowid, id, agent_id, position, batch_id, sequence_in_batch, role, content, batch_type, created_at,
           source, name, metadata, is_archived, is_deleted, compiled
    FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?
"""
"""Messages behind a rowid, for going through all of them."""
_SET_ARCHIVED = "UPDATE messages SET is_archived = ? WHERE id = ?"
_SET_DELETED = "UPDATE messages SET is_deleted = ? WHERE id = ?"
_NO_TIME = "1970-01-01T00:00:00Z"
_COUNTS = "SELECT agent_id, count(*) AS messages FROM messages WHERE is_deleted = 0 GROUP BY agent_id"


async def page(source: Connection, agent_id: str, after_position: int, limit: int) -> Sequence[Row]:
    """At most `limit` rows of an agent behind a position, in order; `decode` makes them messages."""
    return await source.fetch_all(_PAGE, (agent_id, after_position, limit))


async def of_batch(source: Connection, agent_id: str, batch_id: str) -> Sequence[Row]:
    """The rows of one batch, in order."""
    return await source.fetch_all(_BY_BATCH, (agent_id, batch_id))


async def get(source: Connection, message_id: str) -> Message | None:
    """One message, deleted ones included."""
    row = await source.fetch_one(_BY_ID, (message_id,))
    return None if row is None else _message(row)


async def positions(source: Connection, agent_id: str) -> tuple[int, ...]:
    """Where an agent's messages stand, in order; deleted ones and stored prompts of other programs are passed over."""
    return tuple(row["position"] for row in await source.fetch_all(_POSITIONS, (agent_id,)))


async def counts(source: Connection) -> dict[str, int]:
    """Messages that are not deleted, by agent id."""
    return {row["agent_id"]: row["messages"] for row in await source.fetch_all(_COUNTS)}


async def next_place(source: Connection, agent_id: str, batch_id: str) -> tuple[int, int]:
    """The next position of an agent and the next sequence number of a batch."""
    row = await source.fetch_one(_PLACE, (agent_id, agent_id, batch_id))
    return (1, 0) if row is None else (row["position"], row["sequence_in_batch"])


async def insert(source: Connection, message: Message) -> None:
    """Add a row."""
    cells: dict[str, Cell] = {
        "agent_id": message.agent_id,
        "position": message.position,
        "batch_id": message.batch_id,
        "sequence_in_batch": message.sequence_in_batch,
        "role": message.role.value,
        "content": dump(message.content),
        "batch_type": message.batch_type.value,
        "created_at": write_time(message.created_at),
        "source": message.source,
        "name": message.name,
        "metadata": message.metadata,
        "compiled": int(message.compiled),
    }
    flags = (int(message.is_archived), int(message.is_deleted))
    await source.fetch_all(_INSERT, (message.id, *cells.values(), *flags, SEALS["messages"].of(cells)))


async def set_content(source: Connection, message_id: str, content: tuple[Part, ...]) -> None:
    """Replace a message's parts."""
    await set_cells(source, "messages", (message_id,), {"content": dump(content)})


async def set_archived(source: Connection, message_id: str, *, archived: bool) -> None:
    """Archive or bring back."""
    await source.fetch_all(_SET_ARCHIVED, (int(archived), message_id))


async def set_deleted(source: Connection, message_id: str, *, deleted: bool) -> None:
    """Delete or bring back."""
    await source.fetch_all(_SET_DELETED, (int(deleted), message_id))


def decode(rows: Iterable[Row]) -> list[Message]:
    """Rows as messages; a row that cannot be read carries its problem and has no parts."""
    return [_message(row) for row in rows]


def _message(row: Row) -> Message:
    try:
        require_text(row)
        created_at = read_time(row["created_at"])
        role, batch_type = Role(row["role"]), BatchType(row["batch_type"])
        return _bare(row, created_at, role, batch_type, load(tuple[Part, ...], row["content"]))
    except (MalformedError, ValueError, TypeError) as error:
        why = error.parameters.get("why") if isinstance(error, MalformedError) else error
        bare = _bare(row, read_time(_NO_TIME), Role.SYSTEM, BatchType.USER_REQUEST, ())
        return replace(bare, problem=str(why))


def _bare(
    row: Row, created_at: datetime, role: Role, batch_type: BatchType, content: tuple[Part, ...]
) -> Message:
    return Message(
        id=row["id"],
        agent_id=row["agent_id"],
        position=row["position"],
        batch_id=row["batch_id"],
        sequence_in_batch=row["sequence_in_batch"],
        role=role,
        content=content,
        batch_type=batch_type,
        created_at=created_at,
        source=row["source"],
        name=row["name"],
        metadata=row["metadata"],
        is_archived=bool(row["is_archived"]),
        is_deleted=bool(row["is_deleted"]),
        compiled=bool(row["compiled"]),
    )
