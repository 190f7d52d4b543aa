"""Keeps the search index: one row for each block, message, summary and archival entry."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.codec import write_time
from inspector.domain.ref import RefKind
from inspector.domain.search_index import SearchEntry, spaced
from inspector.storage.connection import Connection
from inspector.storage.transaction import Transaction

__all__ = ["SearchEntry", "mark", "put", "retitle", "words_of"]

_FIND = "SELECT title, body FROM search_texts WHERE kind = ? AND ref_id = ?"
_REMOVE_WORDS = """
    INSERT INTO search_words (search_words, rowid, title, body, spaced)
    SELECT 'delete', id, title, body, spaced FROM search_texts WHERE kind = ? AND ref_id = ?
"""
_PUT = """
    INSERT INTO search_texts (owner, role, at, is_deleted, title, body, spaced, kind, ref_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (kind, ref_id) DO UPDATE SET owner = excluded.owner, role = excluded.role, at = excluded.at,
        is_deleted = excluded.is_deleted, title = excluded.title, body = excluded.body, spaced = excluded.spaced
"""
_ADD_WORDS = """
    INSERT INTO search_words (title, body, spaced, rowid)
    SELECT ?, ?, ?, id FROM search_texts WHERE kind = ? AND ref_id = ?
"""
_FACTS = "UPDATE search_texts SET owner = ?, role = ?, at = ?, is_deleted = ? WHERE kind = ? AND ref_id = ?"
_MARK = "UPDATE search_texts SET is_deleted = ? WHERE kind = ? AND ref_id = ?"


def put(transaction: Transaction, entry: SearchEntry) -> None:
    """Add a thing, or replace what was there of it."""
    which = (entry.kind.value, entry.ref_id)
    words = words_of(entry)
    transaction.later(_REMOVE_WORDS, which)
    transaction.later(_PUT, (*_facts(entry), *words, *which))
    transaction.later(_ADD_WORDS, (*words, *which))


async def retitle(transaction: Transaction, entry: SearchEntry) -> None:
    """Give a thing all of `entry` but its body, which stays. What is not in the index is passed over."""
    which = (entry.kind.value, entry.ref_id)
    row = await transaction.fetch_one(_FIND, which)
    if row is None:
        return
    if row["title"] == entry.title:
        transaction.later(_FACTS, (*_facts(entry), *which))
    else:
        put(transaction, replace(entry, body=row["body"]))


async def mark(transaction: Connection, kind: RefKind, ref_id: str, *, deleted: bool) -> None:
    """Tell a deleted thing from others; it stays in the index."""
    await transaction.fetch_all(_MARK, (int(deleted), kind.value, ref_id))


def words_of(entry: SearchEntry) -> tuple[str, str, str]:
    """What the index holds of a thing: title, body, and what of both is taken apart otherwise than it is read."""
    return entry.title, entry.body, spaced(f"{entry.title}\n{entry.body}")


def _facts(entry: SearchEntry) -> tuple[object, ...]:
    return entry.owner, entry.role, write_time(entry.at), int(entry.is_deleted)
