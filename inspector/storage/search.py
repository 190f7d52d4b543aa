"""The search index: one row for each thing that can be found, kept by whoever changes the thing."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.codec import write_time
from inspector.domain.findable import Indexed
from inspector.domain.ref import RefKind
from inspector.domain.search_terms import spaced
from inspector.storage.connection import Connection

__all__ = ["Indexed", "mark", "put", "retitle", "words_of"]

_FIND = "SELECT id, title, body, at, role, owner, is_deleted FROM search_texts WHERE kind = ? AND ref_id = ?"
_ADD = """
    INSERT INTO search_texts (kind, ref_id, owner, role, at, is_deleted, title, body, spaced)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""
_CHANGE = """
    UPDATE search_texts SET owner = ?, role = ?, at = ?, is_deleted = ?, title = ?, body = ?, spaced = ?
    WHERE id = ?
"""
_MARK = "UPDATE search_texts SET is_deleted = ? WHERE kind = ? AND ref_id = ?"
_ADD_WORDS = "INSERT INTO search_words (rowid, title, body, spaced) VALUES (?, ?, ?, ?)"
_REMOVE_WORDS = """
    INSERT INTO search_words (search_words, rowid, title, body, spaced)
    SELECT 'delete', id, title, body, spaced FROM search_texts WHERE id = ?
"""


async def put(transaction: Connection, entry: Indexed) -> None:
    """Add a thing, or replace what was there of it."""
    row = await transaction.fetch_one(_FIND, (entry.kind.value, entry.ref_id))
    words = words_of(entry)
    facts = (entry.owner, entry.role, write_time(entry.at), int(entry.is_deleted))
    if row is None:
        added = await transaction.fetch_all(_ADD, (entry.kind.value, entry.ref_id, *facts, *words))
        await transaction.fetch_all(_ADD_WORDS, (added[0]["id"], *words))
        return
    same = (row["title"], row["body"]) == words[:2]
    if not same:
        await transaction.fetch_all(_REMOVE_WORDS, (row["id"],))
    await transaction.fetch_all(_CHANGE, (*facts, *words, row["id"]))
    if not same:
        await transaction.fetch_all(_ADD_WORDS, (row["id"], *words))


async def retitle(transaction: Connection, entry: Indexed) -> None:
    """Give a thing all of `entry` but its body, which stays. What is not in the index is passed over."""
    row = await transaction.fetch_one(_FIND, (entry.kind.value, entry.ref_id))
    if row is not None:
        await put(transaction, replace(entry, body=row["body"]))


async def mark(transaction: Connection, kind: RefKind, ref_id: str, *, deleted: bool) -> None:
    """Tell a deleted thing from others; it stays in the index."""
    await transaction.fetch_all(_MARK, (int(deleted), kind.value, ref_id))


def words_of(entry: Indexed) -> tuple[str, str, str]:
    """What the index holds of a thing: title, body, and what of both is taken apart otherwise than it is read."""
    return entry.title, entry.body, spaced(f"{entry.title}\n{entry.body}")
