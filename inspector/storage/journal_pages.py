"""Reads pages of the journal, and who wrote it."""

from __future__ import annotations

from inspector.domain.actor import Actor
from inspector.domain.changes import JournalEntry
from inspector.storage.changes import actor_of, change_of, role_of
from inspector.storage.connection import LAST_OF_ALL, Connection, Row

# As in an actor's steps: `parent` and `first` are all that there is above a row.
_SELECT = """
    SELECT c.seq, c.kind, c.ref_kind, c.ref_id, c.ref_part, c.owner, c.actor_kind, c.actor_id, c.actor_name,
           c.reason, c.at, c.changeset, c.process, c.undo_of, parent.undo_of AS undone,
           coalesce(first.seq, c.seq) AS first, first.actor_kind AS first_kind, first.actor_id AS first_id,
           first.actor_name AS first_name,
           EXISTS (SELECT 1 FROM changes AS back WHERE back.undo_of = coalesce(first.seq, c.seq)
                   AND NOT EXISTS (SELECT 1 FROM changes AS again WHERE again.undo_of = back.seq)) AS is_undone
    FROM changes AS c
    LEFT JOIN changes AS parent ON parent.seq = c.undo_of
    LEFT JOIN changes AS first ON first.seq = coalesce(parent.undo_of, c.undo_of)
"""
_PAGE = f"{_SELECT} WHERE c.seq < ?1 ORDER BY c.seq DESC LIMIT ?2"
_PAGE_OF_ACTOR = f"{_SELECT} WHERE c.seq < ?1 AND c.actor_id = ?3 ORDER BY c.seq DESC LIMIT ?2"
# From one id to the next, for there are few of them in a long journal.
_ACTORS = """
    WITH RECURSIVE ids (id) AS (
        SELECT min(actor_id) FROM changes
        UNION ALL
        SELECT (SELECT min(actor_id) FROM changes WHERE actor_id > ids.id) FROM ids WHERE ids.id IS NOT NULL
    )
    SELECT actor_kind, actor_id, actor_name FROM changes
    WHERE seq IN (SELECT (SELECT max(seq) FROM changes WHERE actor_id = ids.id) FROM ids)
    ORDER BY actor_name, actor_id
"""


async def entries(
    connection: Connection, before: int | None, limit: int, actor_id: str | None
) -> tuple[JournalEntry, ...]:
    """The changes numbered below `before`, newest first: of all, or of one actor. What can be turned is not said."""
    values = (LAST_OF_ALL if before is None else before, limit)
    if actor_id is None:
        rows = await connection.fetch_all(_PAGE, values)
    else:
        rows = await connection.fetch_all(_PAGE_OF_ACTOR, (*values, actor_id))
    return tuple(_entry(row) for row in rows)


async def actors(connection: Connection) -> tuple[Actor, ...]:
    """Everybody who wrote, by name, as they were called last."""
    return tuple(actor_of(row) for row in await connection.fetch_all(_ACTORS))


def _entry(row: Row) -> JournalEntry:
    change = change_of(row, None)
    author = change.actor if row["first_id"] is None else _author(row)
    return JournalEntry(change, role_of(row), row["first"], author, bool(row["is_undone"]))


def _author(row: Row) -> Actor:
    names = {f"actor_{name}": row[f"first_{name}"] for name in ("kind", "id", "name")}
    return actor_of(names)
