"""The list of what a file holds, held against the tables themselves."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from inspector.storage.packing import add_functions
from inspector.storage.schema import STATEMENTS
from inspector.storage.sealing import SEALS
from inspector.storage.table_catalogue import CONSENT_CHANGES, TABLES, CellForm, TableRows

_SQL_TYPES = {
    CellForm.TEXT: "TEXT",
    CellForm.TIME: "TEXT",
    CellForm.JSON: "TEXT",
    CellForm.NUMBER: "INTEGER",
    CellForm.FLAG: "INTEGER",
    CellForm.BYTES: "BLOB",
    CellForm.PACKED: "TEXT",
}
LEFT_OUT = {
    "block_contents": {"version", "revision", "problem", "rendered"},
    "activity": {"seq"},
    "calibrations": {"id"},
    "queue": {"lease_process"},
    "updates": {"id"},
}


def empty() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    add_functions(connection)
    for statement in STATEMENTS:
        connection.execute(statement)
    return connection


def real_tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in rows if not name.startswith(("sqlite_", "search_"))}


def test_that_every_table_but_the_search_index_is_taken_out() -> None:
    with closing(empty()) as connection:
        assert real_tables(connection) == {table.name for table in TABLES} - {CONSENT_CHANGES.name}


@pytest.mark.parametrize(
    "table", [table for table in TABLES if not table.source], ids=lambda table: table.name
)
def test_that_every_column_is_taken_out_or_named_as_left_out(table: TableRows) -> None:
    with closing(empty()) as connection:
        found = connection.execute("SELECT * FROM pragma_table_info(?)", (table.name,)).fetchall()
    real = {name: (kind, not_null or key) for _, name, kind, not_null, _, key in found}
    taken = {column.name: column for column in table.columns}
    left_out = LEFT_OUT.get(table.name, set()) | ({"seal"} if table.name in SEALS else set())
    assert not left_out & taken.keys()
    assert left_out | taken.keys() == real.keys()
    for name, column in taken.items():
        kind, needed = real[name]
        assert (_SQL_TYPES[column.form], not column.optional) == (kind, bool(needed)), name


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_that_the_statement_that_reads_a_table_is_sound(table: TableRows) -> None:
    with closing(empty()) as connection:
        cursor = connection.execute(table.select)
        assert [each[0] for each in cursor.description] == [column.name for column in table.columns]
