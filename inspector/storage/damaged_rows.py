"""Finds damaged rows in an open file, a few at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.database import Database
from inspector.storage.sealing import SEALS, Seal

Key = tuple[Any, ...]
PAGE = 200
"""Rows that are read at once: no commit can pass a read."""

_KINDS: Mapping[str, RefKind] = MappingProxyType(
    {
        "agents": RefKind.AGENT,
        "blocks": RefKind.BLOCK,
        "attachments": RefKind.ATTACHMENT,
        "messages": RefKind.MESSAGE,
        "archival_entries": RefKind.ARCHIVAL,
        "summaries": RefKind.SUMMARY,
        "tools": RefKind.TOOL,
        "tool_rules": RefKind.TOOL_RULE,
        "layouts": RefKind.LAYOUT,
        "user_schemas": RefKind.SCHEMA,
        "activity": RefKind.EVENT,
        "wakeups": RefKind.WAKEUP,
        "runs": RefKind.RUN,
    }
)
"""What the rows are that have a seal, but for versions and changes."""


def row_problem(seal: Seal, key: Key, stored: str, columns: Sequence[str]) -> Problem:
    """What to tell of a row with damaged cells; one without a seal says nothing of its cells."""
    if seal.table == "updates":
        return Problem(
            "check.version_damaged", Severity.ERROR, str(Ref(RefKind.BLOCK, str(key[0]))), {"seq": key[1]}
        )
    if seal.table == "changes":
        return Problem("check.change_damaged", Severity.ERROR, f"changes:{key[0]}")
    where = str(Ref(_KINDS[seal.table], *map(str, key)))
    if not stored:
        return Problem("check.text_unsealed", Severity.ERROR, where)
    return Problem("check.text_damaged", Severity.ERROR, where, {"columns": ", ".join(columns)})


async def damaged_rows(database: Database) -> tuple[Problem, ...]:
    """The rows with cells that are not what was written, of all that have a hash for each cell.

    Documents have their own look, see `memory.trust`; of the journal only `check` tells.

    Raises:
        FileError: the file cannot be read.
    """
    found: list[Problem] = []
    for seal in SEALS.values():
        if seal.each:
            async for rows in _pages(database, seal):
                found += await asyncio.to_thread(partial(_damaged, seal, rows))
    return tuple(found)


async def seals(connection: Connection, tables: Iterable[str]) -> Mapping[str, Mapping[Key, str]]:
    """The seals of all rows of tables, by key."""
    found: dict[str, Mapping[Key, str]] = {}
    for name in tables:
        if name in SEALS:
            seal = SEALS[name]
            rows = await connection.fetch_all(seal.select_seals)
            found[name] = {tuple(row)[:-1]: str(row[seal.column]) for row in rows}
    return found


def damaged_among(
    seals: Mapping[str, Mapping[Key, str]],
    rows: Mapping[str, Sequence[Mapping[str, object]]],
    wanted: Mapping[str, Container[Key]],
) -> Iterator[Problem]:
    """What is damaged of rows that were read together with their seals, as far as they are wanted.

    Takes a while where there is much of them, and touches no file.
    """
    for name, by_key in seals.items():
        seal = SEALS[name]
        for row in rows.get(name, ()):
            key: Key = tuple(row[column] for column in seal.key)
            stored = by_key.get(key, "") if key in wanted.get(name, ()) else ""
            columns = seal.damaged_in(stored, row) if stored else ()
            if columns:
                yield row_problem(seal, key, stored, columns)


async def _pages(database: Database, seal: Seal) -> AsyncIterator[list[Row]]:
    if len(seal.key) > 1:
        # Without rowids, and few.
        async with database.read() as connection:
            rows = await connection.fetch_all(seal.select_bytes)
        yield rows
        return
    place = 0
    while True:
        async with database.read() as connection:
            rows = await connection.fetch_all(seal.select_page, (place, PAGE))
        if not rows:
            return
        yield rows
        place = rows[-1]["place"]


def _damaged(seal: Seal, rows: Sequence[Row]) -> list[Problem]:
    found: list[Problem] = []
    for row in rows:
        stored, cells = row[seal.column], [row[at] for at in range(len(row) - len(seal.cells), len(row))]
        columns = seal.damaged(stored, cells) if stored else ()
        if columns:
            found.append(row_problem(seal, tuple(row[name] for name in seal.key), stored, columns))
    return found
