"""Reads and writes rows of archival entries."""

from __future__ import annotations

import asyncio

from inspector.domain.blocks import ArchivalEntry
from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, texts
from inspector.storage.reading import read_rows
from inspector.storage.sealing import SEALS, Cell, differing, set_cells

_SELECT = """
    SELECT id, agent_id, content, tags, metadata, created_at, updated_at, is_deleted FROM archival_entries
"""
_ONE = _SELECT + "WHERE id = ?"
# By the row's number: a clock that was set back gives a later entry an earlier time, and an earlier id with it.
_OF_AGENT = _SELECT + "WHERE agent_id = ? AND is_deleted <= ? ORDER BY rowid"
AFTER_ROWID = """
    SELECT rowid, id, agent_id, content, tags, metadata, created_at, updated_at, is_deleted
    FROM archival_entries WHERE rowid > ? ORDER BY rowid LIMIT ?
"""
"""Entries behind a rowid, for going through all of them."""
_COUNTS = "SELECT agent_id, count(*) AS entries FROM archival_entries WHERE is_deleted = 0 GROUP BY agent_id"
_INSERT = """
    INSERT INTO archival_entries (id, agent_id, content, tags, metadata, created_at, updated_at, is_deleted, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SET_STATE = "UPDATE archival_entries SET updated_at = ?, is_deleted = ? WHERE id = ?"


async def get(connection: Connection, entry_id: str) -> ArchivalEntry | None:
    """One entry, deleted ones included.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await connection.fetch_one(_ONE, (entry_id,))
    return None if row is None else entry_of(row)


async def of_agent(
    connection: Connection, agent_id: str, *, deleted: bool = False
) -> tuple[tuple[ArchivalEntry, ...], tuple[Problem, ...]]:
    """An agent's entries as they were written, with `deleted` the deleted ones too; and what cannot be read."""
    rows = await connection.fetch_all(_OF_AGENT, (agent_id, int(deleted)))
    return await asyncio.to_thread(read_rows, rows, entry_of, RefKind.ARCHIVAL)


async def counts(connection: Connection) -> dict[str, int]:
    """Entries that are not deleted, by agent id."""
    return {row["agent_id"]: row["entries"] for row in await connection.fetch_all(_COUNTS)}


async def insert(transaction: Connection, entry: ArchivalEntry) -> None:
    """Insert the row of an archival entry."""
    cells = _cells(entry)
    times = (write_time(entry.created_at), write_time(entry.updated_at))
    fixed: dict[str, Cell] = {"agent_id": entry.agent_id, "created_at": times[0]}
    seal = SEALS["archival_entries"].of(cells | fixed)
    values = (entry.id, entry.agent_id, *cells.values(), *times, int(entry.is_deleted), seal)
    await transaction.fetch_all(_INSERT, values)


async def update(transaction: Connection, before: ArchivalEntry, after: ArchivalEntry) -> None:
    """Write what differs of an entry."""
    await set_cells(transaction, "archival_entries", (after.id,), differing(_cells(before), _cells(after)))
    state = (write_time(after.updated_at), int(after.is_deleted), after.id)
    await transaction.fetch_all(_SET_STATE, state)


def entry_of(row: Row) -> ArchivalEntry:
    """The entry of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    return ArchivalEntry(
        row["id"],
        row["agent_id"],
        row["content"],
        texts(row["tags"]),
        row["metadata"],
        read_time(row["created_at"]),
        read_time(row["updated_at"]),
        bool(row["is_deleted"]),
    )


def _cells(entry: ArchivalEntry) -> dict[str, Cell]:
    """What is sealed and may be set again, in its order."""
    return {"content": entry.content, "tags": dump(entry.tags), "metadata": entry.metadata}
