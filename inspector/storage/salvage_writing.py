"""Writes the new file of a salvage with the rows that came back.

Its search index is empty; whoever opens it next makes that anew.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.storage.creation import create_database, set_header
from inspector.storage.salvage_mending import Tables, mend
from inspector.storage.salvage_rows import Row, shapes
from inspector.storage.schema import CURRENT, STATEMENTS

# Rows that can do without what they referred to.
_LET_GO = {
    "context_states": "UPDATE context_states SET run_id = NULL WHERE run_id NOT IN (SELECT id FROM runs)",
    "calibrations": "UPDATE calibrations SET run_id = NULL WHERE run_id NOT IN (SELECT id FROM runs)",
    "queue": "UPDATE queue SET lease_process = NULL WHERE lease_process NOT IN (SELECT id FROM processes)",
}
_WITHOUT_PARENT = {
    "attachments": """
        DELETE FROM attachments
        WHERE block_id NOT IN (SELECT id FROM blocks) OR agent_id NOT IN (SELECT id FROM agents)
    """,
    "context_states": "DELETE FROM context_states WHERE agent_id NOT IN (SELECT id FROM agents)",
}
"""Tables whose rows have no number that a check of references could name."""


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """How many rows are in the new file, and how many were left out or made up, by table."""

    kept: Counter[str]
    lost: Counter[str]
    made_up: Counter[str]


def write_salvaged(path: Path, tables: Tables, at: str) -> WrittenRows:
    """Make a constellation of salvaged rows, whole or not at all. Runs in the caller's thread.

    Raises:
        FileError: ``file.exists``, or why the file cannot be made.
    """
    made_up = mend(tables, at)
    lost: Counter[str] = Counter()
    kept: Counter[str] = Counter()

    def fill(connection: sqlite3.Connection) -> None:
        for statement in STATEMENTS:
            connection.execute(statement)
        for name in shapes():
            lost[name] += _add(connection, name, tables.get(name, ()))
        lost.update(_drop_what_refers_to_nothing(connection))
        for name in shapes():
            kept[name] = connection.execute(_count(name)).fetchone()[0]
        set_header(connection, CURRENT.packed)

    create_database(path, fill)
    return WrittenRows(+kept, +lost, made_up)


def _add(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> int:
    """Add rows; gives how many break a rule of their table."""
    refused = 0
    # Rows that get a number come after those that have one, so that none is given out twice.
    for row in sorted(rows, key=len, reverse=True):
        try:
            connection.execute(_insert(table, tuple(row)), tuple(row.values()))
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError):
            refused += 1
    return refused


def _drop_what_refers_to_nothing(connection: sqlite3.Connection) -> Counter[str]:
    """Remove rows whose parents are lost, until none is left: each may be a parent itself."""
    lost: Counter[str] = Counter()
    for statement in _LET_GO.values():
        connection.execute(statement)
    while True:
        broken = {(row[0], row[1]) for row in connection.execute("PRAGMA foreign_key_check")}
        if not broken:
            return lost
        for table, rowid in broken:
            if rowid is None:
                lost[table] += connection.execute(_WITHOUT_PARENT[table]).rowcount
            else:
                lost[table] += connection.execute(_delete(table), (rowid,)).rowcount


# The names below are those of our own tables and columns, never a file's.


def _insert(table: str, columns: tuple[str, ...]) -> str:
    places = ", ".join("?" * len(columns))
    return " ".join(("INSERT INTO", table, "(", ", ".join(columns), ") VALUES (", places, ")"))


def _delete(table: str) -> str:
    return " ".join(("DELETE FROM", table, "WHERE rowid = ?"))


def _count(table: str) -> str:
    return " ".join(("SELECT count(*) FROM", table))
