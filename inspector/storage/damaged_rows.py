"""Rows that are not what was written: looked for in an open file, a few at a time, so that nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Row
from inspector.storage.database import Database
from inspector.storage.sealing import SEALS, Seal

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
    }
)
"""What the rows are that have a hash for each cell."""


def cells_problem(seal: Seal, key: Sequence[str], stored: str, columns: Sequence[str]) -> Problem:
    """What to tell of a row with damaged cells; one without a seal says nothing of its cells."""
    where = str(Ref(_KINDS[seal.table], *key))
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
            found.append(cells_problem(seal, [str(row[name]) for name in seal.key], stored, columns))
    return found
