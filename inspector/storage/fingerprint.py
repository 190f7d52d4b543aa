"""Checks that a file holds this program's tables and nothing else that could act by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from functools import cache

from inspector.domain.dataclass import dataclass
from inspector.storage.schema import STATEMENTS

Name = tuple[str, str]
"""The kind of an object (``table``, ``index``, ``trigger``, ``view``) and its name."""

# Made by SQLite itself; ANALYZE leaves the second kind.
_OWN_TABLES = frozenset({"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"})

_NAMES = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_autoindex_%'"
_OTHERS = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'table'"
_VIRTUAL = "SELECT type, name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0"
# Tables that do not keep the types of their columns would look the same.
_KINDS = """
    SELECT m.name, l.type, l.strict, l.wr
    FROM sqlite_schema AS m, pragma_table_list(m.name) AS l
    WHERE m.type = 'table' AND l.schema = 'main' ORDER BY m.name
"""
_COLUMNS = """
    SELECT m.name, x.cid, x.name, x.type, x."notnull", x.pk, x.hidden
    FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS x
    WHERE m.type = 'table' AND m.rootpage <> 0 ORDER BY m.name, x.cid
"""


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """What a file holds, in comparable form."""

    names: frozenset[Name]
    definitions: frozenset[tuple[str, str, str]]
    columns: frozenset[tuple[object, ...]]
    kinds: frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """How a file's objects differ from those expected; each a text like ``trigger t``."""

    foreign: tuple[str, ...]
    missing: tuple[str, ...]
    changed: tuple[str, ...]
    acting: tuple[str, ...]
    """Triggers and views, which would run by themselves."""


def compare(connection: sqlite3.Connection, statements: tuple[str, ...] = STATEMENTS) -> SchemaDifference:
    """Compare a file with what `statements` make.

    Names are looked at first; only when they are the expected ones is more of the file's schema read.
    """
    expected = _expected(statements)
    names = _names(connection)
    foreign, missing = names - expected.names, expected.names - names
    changed: Iterable[str] = ()
    if not foreign and not missing:
        changed = _changed(_shape(connection, names), expected)
    acting = [each for each in names if each[0] in ("trigger", "view")]
    return SchemaDifference(
        _sorted_names(foreign), _sorted_names(missing), tuple(sorted(changed)), _sorted_names(acting)
    )


def _changed(found: SchemaShape, expected: SchemaShape) -> set[str]:
    definitions = {f"{kind} {name}" for kind, name, _ in found.definitions ^ expected.definitions}
    differing = (found.columns ^ expected.columns) | (found.kinds ^ expected.kinds)
    return definitions | {f"table {row[0]}" for row in differing}


@cache
def _expected(statements: tuple[str, ...]) -> SchemaShape:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        return _shape(connection, _names(connection))


def _names(connection: sqlite3.Connection) -> frozenset[Name]:
    return frozenset((kind, name) for kind, name in connection.execute(_NAMES) if name not in _OWN_TABLES)


def _shape(connection: sqlite3.Connection, names: frozenset[Name]) -> SchemaShape:
    definitions = (*connection.execute(_OTHERS), *connection.execute(_VIRTUAL))
    return SchemaShape(
        names,
        frozenset((kind, name, " ".join(sql.split())) for kind, name, sql in definitions),
        frozenset(tuple(row) for row in connection.execute(_COLUMNS) if row[0] not in _OWN_TABLES),
        frozenset(tuple(row) for row in connection.execute(_KINDS) if row[0] not in _OWN_TABLES),
    )


def _sorted_names(names: Iterable[Name]) -> tuple[str, ...]:
    return tuple(sorted(f"{kind} {name}" for kind, name in names))
