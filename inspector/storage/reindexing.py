"""Checks and rebuilds the search index of blocks, messages and summaries.

Each kind of thing that is found has one way from its row to its entry; looking and mending go the same way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from inspector.domain.codec import write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import (
    SearchEntry,
    content_text,
    found_of_block,
    found_of_entry,
    found_of_message,
    found_of_summary,
)
from inspector.storage import archival, blocks, messages, summaries
from inspector.storage.connection import Row
from inspector.storage.search import put, words_of
from inspector.storage.transaction import Transaction

_PAGE = 500
_STORED = "SELECT * FROM search_texts WHERE kind = ? AND ref_id = ?"
_STRAY = """
    SELECT kind, ref_id FROM search_texts AS t WHERE NOT CASE t.kind
        WHEN 'block' THEN EXISTS (SELECT 1 FROM blocks WHERE id = t.ref_id)
        WHEN 'archival' THEN EXISTS (SELECT 1 FROM archival_entries WHERE id = t.ref_id)
        WHEN 'message' THEN EXISTS (SELECT 1 FROM messages WHERE id = t.ref_id)
        WHEN 'summary' THEN EXISTS (SELECT 1 FROM summaries WHERE id = t.ref_id)
        ELSE 0 END
"""
# The index keeps one row here for each text that it has taken in.
_WORDLESS = """
    SELECT kind, ref_id FROM search_texts WHERE id NOT IN (SELECT id FROM search_words_docsize)
"""
_FORGET_STRAY = "DELETE FROM search_texts WHERE kind = ? AND ref_id = ?"
_REBUILD = "INSERT INTO search_words (search_words) VALUES ('rebuild')"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where things of a kind come from: rows behind a rowid, and what each is in the index."""

    kind: RefKind
    rows: str
    read: Callable[[Row], SearchEntry | None]


def _block(row: Row) -> SearchEntry | None:
    state = blocks.state_of(row)
    if state.content is None or state.written is None:
        return None
    return found_of_block(state.block, content_text(state.content), state.block.updated_at)


def _message(row: Row) -> SearchEntry | None:
    (message,) = messages.decode((row,))
    return None if message.problem else found_of_message(message)


_SOURCES = (
    _Source(RefKind.BLOCK, blocks.AFTER_ROWID, _block),
    _Source(RefKind.ARCHIVAL, archival.AFTER_ROWID, lambda row: found_of_entry(archival.entry_of(row))),
    _Source(RefKind.MESSAGE, messages.AFTER_ROWID, _message),
    _Source(RefKind.SUMMARY, summaries.AFTER_ROWID, lambda row: found_of_summary(summaries.summary_of(row))),
)


def index_problems(connection: sqlite3.Connection) -> Iterator[Problem]:
    """What the index says otherwise than its source; what cannot be read there is not compared."""
    for source in _SOURCES:
        after = 0
        while rows := connection.execute(source.rows, (after, _PAGE)).fetchall():
            after = rows[-1]["rowid"]
            for entry in _entries(source, rows):
                row = connection.execute(_STORED, (entry.kind.value, entry.ref_id)).fetchone()
                if row is None:
                    yield _problem("check.not_in_index", entry.kind.value, entry.ref_id)
                elif _facts(row) != _wanted(entry):
                    yield _problem("check.index_differs", entry.kind.value, entry.ref_id)
    for code, question in (("check.index_stray", _STRAY), ("check.not_in_index", _WORDLESS)):
        for row in connection.execute(question):
            yield _problem(code, row["kind"], row["ref_id"])


async def reindex(transaction: Transaction) -> int:
    """Make the index anew from what it is made from; gives how many entries were missing, wrong or stray.

    An entry of something that cannot be read stays as it was.
    """
    mended = 0
    for source in _SOURCES:
        after = 0
        while rows := await transaction.fetch_all(source.rows, (after, _PAGE)):
            after = rows[-1]["rowid"]
            for entry in _entries(source, rows):
                row = await transaction.fetch_one(_STORED, (entry.kind.value, entry.ref_id))
                if row is None or _facts(row) != _wanted(entry):
                    put(transaction, entry)
                    mended += 1
    for row in await transaction.fetch_all(_STRAY):
        await transaction.fetch_all(_FORGET_STRAY, (row["kind"], row["ref_id"]))
        mended += 1
    mended += len(await transaction.fetch_all(_WORDLESS))
    await transaction.fetch_all(_REBUILD)
    return mended


def _entries(source: _Source, rows: list[Row]) -> Iterator[SearchEntry]:
    for row in rows:
        try:
            entry = source.read(row)
        except (MalformedError, ValueError, KeyError, TypeError):
            # What cannot be read is a problem of its own, told elsewhere.
            continue
        if entry is not None:
            yield entry


def _facts(row: Row) -> tuple[object, ...]:
    facts = (row["owner"], row["role"], row["at"], row["is_deleted"])
    return *facts, row["title"], row["body"], row["spaced"]


def _wanted(entry: SearchEntry) -> tuple[object, ...]:
    return entry.owner, entry.role, write_time(entry.at), int(entry.is_deleted), *words_of(entry)


def _problem(code: str, kind: str, ref_id: str) -> Problem:
    try:
        where = str(Ref(RefKind(kind), ref_id))
    except ValueError:
        where = f"{kind}:{ref_id}"
    return Problem(code, Severity.WARNING, where)
