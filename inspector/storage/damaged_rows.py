"""Finds damaged rows by their seals: those of an open file a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from inspector.domain.errors import Problem, Severity
from inspector.storage.connection import Connection, Row
from inspector.storage.database import Database
from inspector.storage.row_validation import place_of
from inspector.storage.sealing import SEALS
from inspector.storage.table_catalogue import TABLES, TableRows

Key = tuple[Any, ...]
AnyRow = Mapping[str, Any] | Row
PAGE = 200
"""Rows that are read at once: no commit can pass a read."""

_CODES = {
    "block_contents": "check.writer_damaged",
    "updates": "check.version_damaged",
    "changes": "check.change_damaged",
}
_BY_NAME = {table.name: table for table in TABLES}


def row_problem(table: TableRows, row: AnyRow, stored: str, unread: Collection[str] = ()) -> Problem | None:
    """What to tell of a row that is not what was written; `unread` are cells of which more is told already."""
    seal = SEALS[table.name]
    columns = tuple(name for name in seal.damaged(stored, row) if name not in unread)
    if not columns or (unread and not seal.each):
        return None
    parameters: dict[str, str | int] = {"columns": ", ".join(columns)}
    if table.name == "updates":
        parameters = {"seq": row["seq"]}
    elif table.name in _CODES:
        parameters = {}
    code = _CODES.get(table.name, "check.text_damaged")
    return Problem(code, Severity.ERROR, place_of(table, row), parameters)


async def damaged_rows(database: Database) -> tuple[Problem, ...]:
    """The rows with cells that are not what was written, of all that have a hash for each cell.

    Documents have their own look, see `memory.vetting`; of the journal only `check` tells.

    Raises:
        FileError: the file cannot be read.
    """
    found: list[Problem] = []
    for table in TABLES:
        if table.name in SEALS and SEALS[table.name].each:
            async for rows in _pages(database, table):
                found += await asyncio.to_thread(partial(_damaged, table, rows))
    return tuple(found)


async def seals(connection: Connection, tables: Iterable[str]) -> Mapping[str, Mapping[Key, str]]:
    """The seals of all rows of tables, by key."""
    found: dict[str, Mapping[Key, str]] = {}
    for name in tables:
        if name in SEALS:
            rows = await connection.fetch_all(SEALS[name].select)
            found[name] = {tuple(row)[:-1]: str(row["seal"]) for row in rows}
    return found


def damaged_among(
    seals: Mapping[str, Mapping[Key, str]],
    rows: Mapping[str, Sequence[AnyRow]],
    wanted: Mapping[str, Container[Key]],
) -> Iterator[Problem]:
    """What is damaged of rows that were read together with their seals, as far as they are wanted.

    Takes a while where there is much of them, and touches no file.
    """
    for name, by_key in seals.items():
        for row in rows.get(name, ()):
            key: Key = tuple(row[column] for column in SEALS[name].key)
            stored = by_key.get(key) if key in wanted.get(name, ()) else None
            problem = None if stored is None else row_problem(_BY_NAME[name], row, stored)
            if problem is not None:
                yield problem


async def _pages(database: Database, table: TableRows) -> AsyncIterator[Sequence[Row]]:
    place = 0
    while True:
        async with database.read() as connection:
            rows = await connection.fetch_all(table.select_page, (place, PAGE))
        if not rows:
            return
        yield rows
        place = rows[-1]["place"]


def _damaged(table: TableRows, rows: Sequence[AnyRow]) -> list[Problem]:
    found = (row_problem(table, row, str(row["seal"])) for row in rows)
    return [problem for problem in found if problem is not None]
