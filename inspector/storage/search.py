"""The search index: one row for each thing that can be found, kept by whoever changes the thing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from inspector.domain.codec import read_time, write_time
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection

# Scripts that put no space between words: Thai to Khmer, Kana, Han, Hangul and their compatibility forms.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f"
_UNSPACED += "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
_UNSPACED += "\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_UNSPACED}]+")

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


@dataclass(frozen=True, slots=True)
class Indexed:
    """What is found: the whole text, never only a rendered part of it. `role` is a message's."""

    kind: RefKind
    ref_id: str
    owner: str | None
    role: str | None
    at: datetime
    title: str
    body: str
    is_deleted: bool = False


async def put(transaction: Connection, entry: Indexed) -> None:
    """Add a thing, or replace what was there of it."""
    row = await transaction.fetch_one(_FIND, (entry.kind.value, entry.ref_id))
    words = (entry.title, entry.body, spaced(f"{entry.title}\n{entry.body}"))
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


async def retitle(transaction: Connection, kind: RefKind, ref_id: str, title: str, *, deleted: bool) -> None:
    """Give a thing another title or state; its text stays. What is not in the index is passed over."""
    row = await transaction.fetch_one(_FIND, (kind.value, ref_id))
    if row is not None:
        at = read_time(row["at"])
        entry = Indexed(kind, ref_id, row["owner"], row["role"], at, title, row["body"], deleted)
        await put(transaction, entry)


async def mark(transaction: Connection, kind: RefKind, ref_id: str, *, deleted: bool) -> None:
    """Tell a deleted thing from others; it stays in the index."""
    await transaction.fetch_all(_MARK, (int(deleted), kind.value, ref_id))


def spaced(text: str) -> str:
    """The runs of scripts without spaces, with a space between all characters, so that each is a word."""
    return "\n".join(" ".join(run) for run in _RUN.findall(text))
