"""Finds rows that the journal names and the file no longer has.

A salvage can't bring lost rows back, and an export of one agent takes only a part of the journal along. The new file
of either notes in its journal what it lacks, so that this is no problem later.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage.json_columns import parse
from inspector.storage.meta import CONSTELLATION_ID, CREATED_AT
from inspector.storage.row_validation import LARGEST_NUMBER
from inspector.storage.transaction import Transaction

ENTRIES_MISSING = "check.entries_missing"
_CODES = ("check.row_missing", "check.more_rows_missing", ENTRIES_MISSING)
MOST_NAMED = 100
"""Missing rows of a kind that are named one by one."""

NOTE_MISSING = "note_missing"
"""The kind of the change that notes how many rows are missing, by table; earlier changes may speak of lost rows."""

_KEYS: Mapping[RefKind, tuple[str, str]] = {
    RefKind.AGENT: ("agents", "id"),
    RefKind.TOOL: ("tools", "name"),
    RefKind.TOOL_RULE: ("tool_rules", "id"),
    RefKind.LAYOUT: ("layouts", "name"),
    RefKind.SCHEMA: ("user_schemas", "name"),
    RefKind.BLOCK: ("blocks", "id"),
    RefKind.ARCHIVAL: ("archival_entries", "id"),
    RefKind.MESSAGE: ("messages", "id"),
    RefKind.SUMMARY: ("summaries", "id"),
    RefKind.EVENT: ("activity", "id"),
    RefKind.CONSENT: ("consent_requests", "id"),
    RefKind.GRANT: ("consent_grants", "id"),
    RefKind.QUEUE: ("queue", "id"),
    RefKind.WAKEUP: ("wakeups", "id"),
    RefKind.RUN: ("runs", "id"),
}
"""Where the rows lie that the journal speaks of, and the column that names them; none is ever removed."""

_COUNTS = {
    "changes": "SELECT count(*), max(seq) FROM changes",
    "activity": "SELECT count(*), max(seq) FROM activity",
}
"""Tables whose numbers have no gaps: a number is given back if its transaction fails."""
_COUNTED = "SELECT seq FROM sqlite_sequence WHERE name = ?"
_FACTS = "SELECT name FROM meta"
_FACT_CHANGES = """
    SELECT DISTINCT ref_part FROM changes
    WHERE ref_kind = 'constellation' AND ref_part IS NOT NULL AND kind = 'set_meta' AND after IS NOT NULL
"""
_NOTED = "SELECT seq, after FROM changes WHERE ref_kind = 'constellation' AND kind = ? ORDER BY seq"


def missing_rows(connection: sqlite3.Connection, path: str) -> Iterator[Problem]:
    """Rows that the journal says were written and that aren't there, and gaps in the journal itself."""
    yield from _missing_facts(connection, path)
    noted_at, noted = _noted(connection)
    for kind in _KEYS:
        rows = connection.execute(_gone(kind), (kind.value, noted_at)).fetchall()
        for row in rows[:MOST_NAMED]:
            yield Problem(
                "check.row_missing", Severity.ERROR, str(Ref(kind, str(row[0]))), {"change": row[1]}
            )
        if len(rows) > MOST_NAMED:
            yield _missing(path, _KEYS[kind][0], len(rows) - MOST_NAMED, "check.more_rows_missing")
    for table, gaps in _gaps(connection):
        if gaps > noted[table]:
            yield _missing(path, table, gaps - noted[table], ENTRIES_MISSING)


async def note_gaps(tx: Transaction, actor: Actor, at: datetime) -> int | None:
    """Note the gaps in a journal that came with an import; gives the number of the change, None without gaps."""
    row = await tx.fetch_one(_COUNTS["changes"])
    gaps = 0 if row is None else _int(row[1]) - row[0]
    return await note_missing(tx, {"changes": gaps}, actor, at) if gaps > 0 else None


async def note_missing(tx: Transaction, noted: Mapping[str, int], actor: Actor, at: datetime) -> int:
    """Note how many rows of which tables are missing; gives the number of the change."""
    ref = Ref(RefKind.CONSTELLATION, "")
    return await tx.record(kind=NOTE_MISSING, ref=ref, actor=actor, reason="", at=at, after=noted)


def to_note(problems: Iterable[Problem]) -> dict[str, int]:
    """What is to be noted of the problems of a new file; empty when no row is missing there."""
    missing = [each for each in problems if each.code in _CODES]
    counted = (each.parameters for each in missing if each.code == ENTRIES_MISSING)
    return {table: 0 for table in _COUNTS if missing} | {
        str(each["table"]): _int(each["count"]) for each in counted
    }


def _missing(path: str, table: str, count: int, code: str) -> Problem:
    return Problem(code, Severity.ERROR, path, {"table": table, "count": count})


def _missing_facts(connection: sqlite3.Connection, path: str) -> Iterator[Problem]:
    facts = {str(row[0]) for row in connection.execute(_FACTS)}
    written = {str(row[0]) for row in connection.execute(_FACT_CHANGES)}
    for name in sorted({CONSTELLATION_ID, CREATED_AT} | written):
        if name not in facts:
            yield Problem("check.fact_missing", Severity.ERROR, path, {"name": name})


def _gone(kind: RefKind) -> str:
    # All names are constants of this module.
    table, key = _KEYS[kind]
    there = ("SELECT 1 FROM", table, "WHERE", key, "= changes.ref_id")
    what = (
        "SELECT ref_id, min(seq) FROM changes WHERE ref_kind = ? AND seq > ? AND NOT EXISTS (",
        *there,
        ")",
    )
    return " ".join((*what, "GROUP BY ref_id ORDER BY 2"))


def _gaps(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """How many numbers of a table were given out and have no row."""
    for table, statement in _COUNTS.items():
        count, last = connection.execute(statement).fetchone()
        row = connection.execute(_COUNTED, (table,)).fetchone()
        given = max(_int(last), _int(row[0]) if row else 0)
        # Beyond the largest number the counter itself is wrong, and that is a problem of its own.
        if given <= LARGEST_NUMBER:
            yield table, given - count


def _noted(connection: sqlite3.Connection) -> tuple[int, Counter[str]]:
    """The last change that notes what is missing, and what all of them do."""
    seq, noted = 0, Counter[str]()
    for row in connection.execute(_NOTED, (NOTE_MISSING,)):
        seq = row[0]
        with suppress(MalformedError):
            plain = parse(str(row[1]))
            if isinstance(plain, dict):
                noted.update({table: _int(plain.get(table)) for table in _COUNTS})
    return seq, noted


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0
