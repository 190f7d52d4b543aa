"""Rows of archival entries."""

from __future__ import annotations

from inspector.domain.archival import ArchivalEntry
from inspector.domain.codec import read_time, write_time
from inspector.domain.health import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, texts
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of

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
_PUT = """
    INSERT INTO archival_entries (id, agent_id, content, tags, metadata, created_at, updated_at, is_deleted,
                                  content_hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET content = excluded.content, tags = excluded.tags,
        metadata = excluded.metadata, updated_at = excluded.updated_at, is_deleted = excluded.is_deleted,
        content_hash = excluded.content_hash
"""


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
    return read_rows(rows, entry_of, RefKind.ARCHIVAL)


async def counts(connection: Connection) -> dict[str, int]:
    """Entries that are not deleted, by agent id."""
    return {row["agent_id"]: row["entries"] for row in await connection.fetch_all(_COUNTS)}


async def put(transaction: Connection, entry: ArchivalEntry) -> None:
    """Add an entry, or replace the one of that id."""
    tags = dump(entry.tags)
    await transaction.fetch_all(
        _PUT,
        (
            entry.id,
            entry.agent_id,
            entry.content,
            tags,
            entry.metadata,
            write_time(entry.created_at),
            write_time(entry.updated_at),
            int(entry.is_deleted),
            seal_of(entry.content, tags, entry.metadata),
        ),
    )


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
