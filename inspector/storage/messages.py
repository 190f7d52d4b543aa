"""Reads and writes rows of messages, page by page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import MalformedError
from inspector.domain.messages import BatchType, Message, Part, Role
from inspector.domain.snapshot import OlderMessages
from inspector.storage.connection import LAST_OF_ALL, Connection, Row
from inspector.storage.json_columns import dump, load
from inspector.storage.reading import require_text
from inspector.storage.sealing import SEALS, Cell, set_cells
from inspector.storage.transaction import Transaction

_SELECT = """
    SELECT id, agent_id, position, batch_id, sequence_in_batch, role, content, batch_type, created_at, source,
           name, metadata, is_archived, is_deleted, compiled
    FROM messages
"""
_PAGE = _SELECT + "WHERE agent_id = ? AND position > ? ORDER BY position LIMIT ?"
_OF_BATCHES = (
    _SELECT
    + """
    INDEXED BY messages_by_agent_batch
    WHERE agent_id = ? AND is_deleted <= ? AND batch_id IN (SELECT value FROM json_each(?)) ORDER BY position
"""
)
# Both are answered by an index alone: what a hundred thousand messages say is not gone through.
_OUTLINE = """
    SELECT batch_id, json_group_array(position) AS positions FROM messages INDEXED BY messages_by_agent_batch
    WHERE agent_id = ? GROUP BY batch_id ORDER BY min(position)
"""
_PUT_AWAY = """
    SELECT position, is_deleted FROM messages INDEXED BY messages_by_state
    WHERE agent_id = ? AND (is_deleted = 1 OR is_archived = 1)
"""
_PLACES = "SELECT id, position FROM messages WHERE id IN (SELECT value FROM json_each(?))"
# The sign keeps SQLite from an index that has them by their state, and would have to be sorted.
_NTH_NEWEST = """
    SELECT position FROM messages WHERE agent_id = ? AND +is_deleted = 0
    ORDER BY position DESC LIMIT 1 OFFSET ?
"""
_NTH_NEWEST_LIVE = """
    SELECT position FROM messages
    WHERE agent_id = ? AND is_deleted = 0 AND is_archived = 0 AND compiled = 0
    ORDER BY position DESC LIMIT 1 OFFSET ?
"""
# Of a batch that begins before those places nothing is taken: it stands where its first message does.
_BATCHES_SINCE = """
    SELECT batch_id FROM messages
    WHERE agent_id = ?1 AND +is_deleted = 0 AND batch_id IN (
        SELECT batch_id FROM messages WHERE agent_id = ?1 AND +is_deleted = 0 AND position >= ?2
        UNION
        SELECT batch_id FROM messages
        WHERE agent_id = ?1 AND is_deleted = 0 AND is_archived = 0 AND compiled = 0 AND position >= ?3
    )
    GROUP BY batch_id HAVING min(position) >= min(?2, ?3)
"""
# One by one, each is a walk along an index that looks into no row; grouped, they take ten times as long.
_IN_STATE = """
    SELECT count(*) AS messages FROM messages
    WHERE agent_id = ? AND is_deleted = 0 AND is_archived = ? AND compiled = ?
"""
_RESULT_BEFORE = """
    SELECT 1 FROM messages
    WHERE agent_id = ? AND is_deleted = 0 AND is_archived = 0 AND compiled = 0 AND position < ? AND role = 'tool'
    LIMIT 1
"""
_FIRST_LIVE = """
    SELECT position FROM messages
    WHERE agent_id = ? AND is_deleted = 0 AND is_archived = 0 AND compiled = 0 ORDER BY position LIMIT 1
"""
_LATEST_BEFORE = """
    SELECT created_at FROM messages INDEXED BY messages_by_time
    WHERE agent_id = ? AND position < ? AND is_deleted = 0 AND is_archived = 0 AND compiled = 0
    ORDER BY created_at DESC LIMIT 1
"""
_BY_ID = _SELECT + "WHERE id = ?"
_BY_BATCH = _SELECT + "WHERE agent_id = ? AND batch_id = ? ORDER BY position"
_BY_BATCH_BEFORE = (
    _SELECT + "WHERE agent_id = ? AND batch_id = ? AND position < ? ORDER BY position DESC LIMIT ?"
)
_POSITIONS = """
    SELECT position FROM messages WHERE agent_id = ? AND is_deleted = 0 AND compiled = 0 ORDER BY position
"""
_PLACE = """
    SELECT (SELECT coalesce(max(position), 0) + 1 FROM messages WHERE agent_id = ?) AS position,
           coalesce((SELECT sequence_in_batch FROM messages INDEXED BY messages_by_batch
                     WHERE batch_id = ? AND agent_id = ? ORDER BY sequence_in_batch DESC LIMIT 1), -1) + 1
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


async def newest_batches(source: Connection, agent_id: str, least: int) -> list[str]:
    """The ids of the newest batches that have `least` messages, and of those that have as many that may be sent."""
    found = [await source.fetch_one(each, (agent_id, least - 1)) for each in (_NTH_NEWEST, _NTH_NEWEST_LIVE)]
    since = [0 if row is None else int(row["position"]) for row in found]
    return [row["batch_id"] for row in await source.fetch_all(_BATCHES_SINCE, (agent_id, *since))]


async def of_batches(
    source: Connection, agent_id: str, batch_ids: Sequence[str], *, deleted: bool = False
) -> Sequence[Row]:
    """The rows of some batches in order, with `deleted` those of deleted messages too; `decode` makes them messages."""
    return await source.fetch_all(_OF_BATCHES, (agent_id, int(deleted), json.dumps(batch_ids)))


async def outline(source: Connection, agent_id: str) -> tuple[Sequence[Row], Sequence[Row]]:
    """An agent's batches with the positions of their messages (a JSON list); and the positions of those put away."""
    return await source.fetch_all(_OUTLINE, (agent_id,)), await source.fetch_all(_PUT_AWAY, (agent_id,))


async def places(source: Connection, message_ids: Sequence[str]) -> dict[str, int]:
    """The positions of some messages by id; an unknown one has none."""
    rows = await source.fetch_all(_PLACES, (json.dumps(message_ids),))
    return {row["id"]: row["position"] for row in rows}


async def older_than(source: Connection, agent_id: str, read: Sequence[Message]) -> OlderMessages | None:
    """Figures of all that is not among the messages that were read; None where there is nothing else."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for archived, compiled in product((False, True), repeat=2):
        row = await source.fetch_one(_IN_STATE, (agent_id, archived, compiled))
        counts[archived, compiled] = 0 if row is None else row["messages"]
    counts.subtract((each.is_archived, each.compiled) for each in read)
    if not counts.total():
        return None
    live, end = counts[False, False], min((each.position for each in read), default=LAST_OF_ALL)
    first = await source.fetch_one(_FIRST_LIVE, (agent_id,)) if live else None
    latest = await source.fetch_one(_LATEST_BEFORE, (agent_id, end)) if live else None
    return OlderMessages(
        live=live,
        archived=counts[True, False],
        compiled=counts[False, True] + counts[True, True],
        has_results=bool(live and await source.fetch_one(_RESULT_BEFORE, (agent_id, end))),
        first=0 if first is None else int(first["position"]),
        end=end,
        latest=None if latest is None else _time_or_end(latest["created_at"]),
    )


async def before_in_batch(source: Connection, message: Message, position: int, limit: int) -> Sequence[Row]:
    """At most `limit` rows of a message's batch before a position, the newest first."""
    return await source.fetch_all(_BY_BATCH_BEFORE, (message.agent_id, message.batch_id, position, limit))


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


async def next_place(transaction: Transaction, agent_id: str, batch_id: str) -> tuple[int, int]:
    """The next position of an agent and the next sequence number of a batch."""
    if counted := transaction.counted(*_place_keys(agent_id, batch_id)):
        position, sequence = counted
        return position, sequence
    row = await transaction.fetch_one(_PLACE, (agent_id, batch_id, agent_id))
    return (1, 0) if row is None else (row["position"], row["sequence_in_batch"])


def _place_keys(agent_id: str, batch_id: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ("position", agent_id), ("sequence", agent_id, batch_id)


def insert(transaction: Transaction, message: Message) -> None:
    """Insert the row of a message, with the next statement."""
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
    transaction.later(_INSERT, (message.id, *cells.values(), *flags, SEALS["messages"].of(cells)))
    at, within = _place_keys(message.agent_id, message.batch_id)
    transaction.count(at, message.position + 1)
    transaction.count(within, message.sequence_in_batch + 1)


async def set_content(source: Connection, message_id: str, content: tuple[Part, ...]) -> None:
    """Replace the parts of a message."""
    await set_cells(source, "messages", (message_id,), {"content": dump(content)})


async def set_archived(source: Connection, message_id: str, *, archived: bool) -> None:
    """Archive a message or restore it."""
    await source.fetch_all(_SET_ARCHIVED, (int(archived), message_id))


async def set_deleted(source: Connection, message_id: str, *, deleted: bool) -> None:
    """Delete a message or restore it."""
    await source.fetch_all(_SET_DELETED, (int(deleted), message_id))


def _time_or_end(text: str) -> datetime:
    """A moment; the end of time for what is none, which nothing can be said to be later than."""
    try:
        return read_time(text)
    except (MalformedError, ValueError):
        return datetime.max.replace(tzinfo=UTC)


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
