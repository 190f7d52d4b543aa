"""Sorts the rows of a damaged file by table, for a salvage."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from functools import cache

from inspector.domain.dataclass import dataclass
from inspector.storage.salvage_pages import (
    PageImage,
    SalvagedRecord,
    SalvagedTree,
    Value,
    table_roots,
)
from inspector.storage.schema import STATEMENTS

Row = dict[str, Value]

_INDEX = ("search_texts",)
"""Derived from other tables, and made anew."""
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)'
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
_COUNTERS = "sqlite_sequence"
_OWN = re.compile(r"sqlite_|search_words")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_PYTHON_TYPES: Mapping[str, type] = {"TEXT": str, "INTEGER": int, "BLOB": bytes}
_FACTS = frozenset({"constellation_id", "created_at", "name", "partner_id", "partner_name"})
_FACT_NAME = re.compile("|".join(sorted(_FACTS)) + r"\Z")
# Tables whose rows look alike are told apart by what is in these columns.
_LOOKS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "meta": {"name": _FACT_NAME},
    "request_texts": {"hash": re.compile(r"[0-9a-f]{64}\Z")},
    "attachments": {"permission": re.compile(r"[a-z_]{4,12}\Z")},
    "layouts": {"definition": re.compile(r'(?!\{"kind":)')},
    "user_schemas": {"schema": re.compile(r'\{"kind":')},
}


@dataclass(frozen=True, slots=True)
class ColumnShape:
    """One column: what its cells must be."""

    name: str
    kind: type
    optional: bool
    is_rowid: bool

    def takes(self, value: Value) -> bool:
        if value is None:
            return self.optional or self.is_rowid
        return type(value) is self.kind and (not self.name.endswith("_at") or bool(_TIME.match(str(value))))


@dataclass(frozen=True, slots=True)
class TableShape:
    """One table of a whole file."""

    name: str
    columns: tuple[ColumnShape, ...]
    key: tuple[str, ...]

    def row(self, cell: SalvagedRecord) -> Row | None:
        """The row that a record is, None when it cannot be one of this table.

        What stands behind our columns is of a newer version, which is told of the whole file.
        """
        if len(cell.values) < len(self.columns):
            return None
        row: Row = {}
        for column, value in zip(self.columns, cell.values, strict=False):
            if not column.takes(value):
                return None
            row[column.name] = cell.rowid if column.is_rowid else value
        return row

    def looks_right(self, row: Row) -> bool:
        """Whether a row that fits may really be one of this table."""
        looks = _LOOKS.get(self.name, {})
        return all(pattern.match(str(row[name])) for name, pattern in looks.items())


@dataclass
class FoundRows:
    """What a damaged file holds.

    `missing` counts the pages that the file says it has and that are not there; `version` is the number that its
    program has given to its form. `unknown` are tables that this version does not know. `damaged` names the table
    of each page that should be there and cannot be read, by number; `unreadable` counts records that cannot be read
    or fit no table. `order` has the rowids of the rows; `pages_of` says on which pages a row lies, by table and key.
    `given` has the last number that SQLite gave to a row, by table.
    """

    tables: dict[str, list[Row]] = field(default_factory=dict)
    damaged: dict[int, str] = field(default_factory=dict)
    unreadable: int = 0
    pages: int = 0
    named: int = 0
    version: int = 0
    unknown: list[str] = field(default_factory=list)
    order: dict[str, list[int]] = field(default_factory=dict)
    pages_of: dict[tuple[str, tuple[Value, ...]], frozenset[int]] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many pages the file says that it has and has not."""
        return max(0, self.named - self.pages)

    def of(self, table: str) -> list[Row]:
        return self.tables.get(table, [])


@cache
def shapes() -> Mapping[str, TableShape]:
    """Our tables, but those that are derived."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
        names = [row[0] for row in connection.execute(_TABLES)]
        return {
            name: _shape(connection, name) for name in names if not _OWN.match(name) and name not in _INDEX
        }


def read_rows(image: PageImage) -> FoundRows:
    """All rows of a file that can be read, each once."""
    found = FoundRows(pages=image.count, named=image.named, version=image.user_version)
    existing = shapes()
    trees = [image.tree(name, root) for name, root in table_roots(image).items()]
    for tree in trees:
        if tree.name in existing:
            _take_table(image, existing[tree.name], tree, found)
        elif tree.name == _COUNTERS:
            found.given.update(_given(image, tree))
        elif tree.name not in _INDEX and not _OWN.match(tree.name):
            found.unknown.append(tree.name)
    found.unknown.sort()
    found.damaged.update(
        (page, tree.name) for tree in trees for page in tree.broken if page not in found.damaged
    )
    if image.ends_within:
        found.damaged.setdefault(image.count, "")
    reached = {number for tree in trees for number in tree.pages} | {1}
    for number in _strays(image, reached):
        _take_stray(image, number, existing, found)
    for name, rows in found.tables.items():
        # As they were added.
        order = found.order[name]
        found.tables[name] = [
            row for _, row in sorted(zip(order, rows, strict=True), key=lambda each: each[0])
        ]
    return found


def _given(image: PageImage, tree: SalvagedTree) -> Iterator[tuple[str, int]]:
    for page in tree.pages:
        for cell in image.cells(page):
            name, number = (*cell.values, None, None)[:2] if cell is not None else (None, None)
            if isinstance(name, str) and isinstance(number, int):
                yield name, number


def _take_table(image: PageImage, shape: TableShape, tree: SalvagedTree, found: FoundRows) -> None:
    for number in tree.pages:
        for cell in image.cells(number):
            row = None if cell is None else shape.row(cell)
            if cell is None or row is None:
                found.unreadable += 1
            else:
                _keep(found, shape, row, cell)


def _strays(image: PageImage, reached: Iterable[int]) -> Iterator[int]:
    """Pages with records that no tree leads to. Those on the list of free pages hold what was removed."""
    passed = {*reached, *image.free_pages()}
    for number in range(1, image.count + 1):
        if number not in passed and image.is_leaf(number):
            yield number


def _take_stray(image: PageImage, number: int, existing: Mapping[str, TableShape], found: FoundRows) -> None:
    """The rows of a page that nothing leads to: it belongs to the table that most of them fit."""
    cells = [cell for cell in image.cells(number) if cell is not None]
    votes: Counter[str] = Counter()
    for cell in cells:
        for shape in existing.values():
            row = shape.row(cell)
            if row is not None and shape.looks_right(row):
                votes[shape.name] += 1
    if not votes:
        return
    shape = existing[votes.most_common(1)[0][0]]
    for cell in cells:
        row = shape.row(cell)
        if row is not None and shape.looks_right(row):
            _keep(found, shape, row, cell)


def _keep(found: FoundRows, shape: TableShape, row: Row, cell: SalvagedRecord) -> None:
    key = (shape.name, tuple(row[name] for name in shape.key))
    # What a tree leads to comes first, and a stray page may be an old one.
    if key not in found.pages_of:
        found.pages_of[key] = cell.pages
        found.tables.setdefault(shape.name, []).append(row)
        found.order.setdefault(shape.name, []).append(cell.rowid)


def _shape(connection: sqlite3.Connection, name: str) -> TableShape:
    rows = connection.execute(_COLUMNS, (name,)).fetchall()
    keys = sorted((pk, column) for column, _, _, pk in rows if pk)
    columns = tuple(
        ColumnShape(
            column,
            _PYTHON_TYPES[kind],
            not required and not pk,
            kind == "INTEGER" and len(keys) == 1 and bool(pk),
        )
        for column, kind, required, pk in rows
    )
    return TableShape(name, columns, tuple(column for _, column in keys))
