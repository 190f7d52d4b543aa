"""Reads and writes all rows of a file, for export and import."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.domain.codec import write_time
from inspector.domain.edits.row_import import Cell, Row
from inspector.domain.errors import Problem, Severity
from inspector.domain.search_index import SearchEntry
from inspector.storage.connection import Connection, Undecodable
from inspector.storage.sealing import SEALS
from inspector.storage.search import words_of
from inspector.storage.table_catalogue import CONSENT_CHANGES, TableRows
from inspector.storage.transaction import Transaction

_ADD_CONSENT_CHANGE = """
    INSERT INTO changes (ref_kind, kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
                         batch_id, tool_call_id, before, after, process, seal)
    VALUES ('consent', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INDEX = """
    INSERT INTO search_texts (kind, ref_id, owner, role, at, is_deleted, title, body, spaced)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INDEX_WORDS = """
    INSERT INTO search_words (rowid, title, body, spaced)
    SELECT id, title, body, spaced FROM search_texts WHERE kind = ? AND ref_id = ?
"""
_LAST_PROCESS = "SELECT coalesce(max(id), 0) FROM processes"
_LAST_CHANGE = "SELECT coalesce(max(seq), 0) FROM changes"


async def read_rows(connection: Connection, table: TableRows) -> tuple[list[dict[str, Cell]], list[Problem]]:
    """All rows of a table, and a problem for each text that is no UTF-8: it has replacement characters here."""
    rows: list[dict[str, Cell]] = []
    problems: list[Problem] = []
    names = [column.name for column in table.columns]
    for found in await connection.fetch_all(table.select):
        row: dict[str, Cell] = dict(zip(names, found, strict=True))
        for name, cell in row.items():
            if isinstance(cell, Undecodable):
                row[name] = str(cell)
                where = f"{table.name}.{name}"
                problems.append(
                    Problem("export.not_utf8", Severity.WARNING, where, {"row": str(row[names[0]])})
                )
        rows.append(row)
    return rows, problems


async def add_rows(tx: Transaction, table: TableRows, rows: Iterable[Row]) -> None:
    """Add rows; references are checked at the commit.

    Raises:
        FileError: a row breaks a rule of the table.
    """
    names = [column.name for column in table.columns]
    seal = SEALS.get(table.name)
    values: Iterable[tuple[Cell, ...]] = (tuple(row[name] for name in names) for row in rows)
    if seal is not None:
        values = ((*(row[name] for name in names), seal.of(row)) for row in rows)
    await tx.execute_many(table.insert, values)


async def add_consent_changes(tx: Transaction, rows: Iterable[Row]) -> None:
    """Add to the journal what became of requests: by whom and when it was, from this process."""
    process = await tx.process_id()
    names = [column.name for column in CONSENT_CHANGES.columns]
    seal, others = SEALS["changes"], {"ref_kind": "consent", "changeset": None, "undo_of": None}
    values = [(*(row[name] for name in names), process, seal.of({**row, **others})) for row in rows]
    await tx.execute_many(_ADD_CONSENT_CHANGE, values)


async def add_to_index(tx: Transaction, entries: Iterable[SearchEntry]) -> None:
    """Make things findable that nothing in the file knew before."""
    rows = [(each, words_of(each)) for each in entries]
    await tx.execute_many(
        _INDEX,
        [
            (
                each.kind.value,
                each.ref_id,
                each.owner,
                each.role,
                write_time(each.at),
                each.is_deleted,
                *words,
            )
            for each, words in rows
        ],
    )
    await tx.execute_many(_INDEX_WORDS, [(each.kind.value, each.ref_id) for each, _ in rows])


async def last_numbers(connection: Connection) -> tuple[int, int]:
    """The numbers of the last process and the last change, 0 where there is none."""
    process = await connection.fetch_one(_LAST_PROCESS)
    change = await connection.fetch_one(_LAST_CHANGE)
    return (0 if process is None else int(process[0])), (0 if change is None else int(change[0]))
