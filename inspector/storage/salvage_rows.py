"""Sorts the rows of a damaged file by table, for a salvage."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field, replace
from functools import cache

from inspector.domain.dataclass import dataclass
from inspector.storage.salvage_columns import columns_of
from inspector.storage.salvage_pages import (
    PageImage,
    SalvagedRecord,
    SalvagedTree,
    TableDefinition,
    Value,
    definitions,
)
from inspector.storage.schema import STATEMENTS

Row = dict[str, Value]

_INDEX = ("search_texts",)
"""Derived from other tables, and made anew."""
_COLUMNS = """
    SELECT name, type, "notnull", pk, dflt_value, (SELECT wr FROM pragma_table_list(?1)) AS without_rowid
    FROM pragma_table_xinfo(?1)
"""
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
    default: Value
    """What stands in the rows that are older than the column."""

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
    in_index: bool
    """Its rows lie in an index (``WITHOUT ROWID``)."""
    more: tuple[str, ...] = ()
    """Columns behind ours that the file has and this version does not know."""

    def row(self, cell: SalvagedRecord) -> Row | None:
        """The row that a record is, None when it cannot be one of this table."""
        missing = len(self.columns) - len(cell.values)
        if (cell.rowid is None) is not self.in_index or missing < -len(self.more):
            return None
        added = [column.default for column in self.columns[len(cell.values) :]]
        row: Row = {}
        for column, value in zip(self.columns, (*cell.values[: len(self.columns)], *added), strict=True):
            if not column.takes(value):
                return None
            row[column.name] = cell.rowid if column.is_rowid else value
        return row

    def left_out(self, cell: SalvagedRecord) -> Iterator[str]:
        """The columns of a record that hold something and are not ours."""
        for name, value in zip(self.more, cell.values[len(self.columns) :], strict=False):
            if value is not None:
                yield f"{self.name}.{name}"

    def looks_right(self, row: Row) -> bool:
        """Whether a row that fits may really be one of this table."""
        looks = _LOOKS.get(self.name, {})
        return all(pattern.match(str(row[name])) for name, pattern in looks.items())


@dataclass
class FoundRows:
    """What a damaged file holds.

    `missing` counts the pages that the file says it has and that are not there; `version` is the number that its
    program has given to its form. `unknown` are tables and columns that this version does not know, `left_out`
    counts what they hold. `damaged` names the table of each page that should be there and cannot be read, by number;
    `unreadable` counts records that cannot be read or fit no table. `order` has the rowids of the rows; `pages_of`
    says on which pages a row lies, by table and key. `given` has the last number that SQLite gave to a row, by table.
    """

    tables: dict[str, list[Row]] = field(default_factory=dict)
    damaged: dict[int, str] = field(default_factory=dict)
    unreadable: int = 0
    pages: int = 0
    named: int = 0
    version: int = 0
    unknown: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
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
    tables = definitions(image)
    existing = _expected(tables, found)
    trees = [image.tree(name, definition.root) for name, definition in tables.items()]
    for tree in trees:
        if tree.name in existing:
            _take_table(image, existing[tree.name], tree, found)
        elif tree.name in found.unknown:
            found.left_out[tree.name] += _records(image, tree)
        elif tree.name == _COUNTERS:
            found.given.update(_given(image, tree))
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


def _expected(tables: Mapping[str, TableDefinition], found: FoundRows) -> Mapping[str, TableShape]:
    """Our tables, with what the file's have behind our columns; what is not ours is noted."""
    existing = dict(shapes())
    for name, definition in tables.items():
        if name in existing:
            ours = tuple(column.name for column in existing[name].columns)
            theirs = columns_of(definition.statement)
            if theirs[: len(ours)] == ours:
                existing[name] = replace(existing[name], more=theirs[len(ours) :])
            found.unknown += [f"{name}.{column}" for column in theirs if column not in ours]
        elif name not in _INDEX and not _OWN.match(name):
            found.unknown.append(name)
    found.unknown.sort()
    return existing


def _given(image: PageImage, tree: SalvagedTree) -> Iterator[tuple[str, int]]:
    for page in tree.pages:
        for cell in image.cells(page) if image.holds_records(page) else ():
            name, number = (*cell.values, None, None)[:2] if cell is not None else (None, None)
            if isinstance(name, str) and isinstance(number, int):
                yield name, number


def _records(image: PageImage, tree: SalvagedTree) -> int:
    pages = [number for number in tree.pages if image.holds_records(number)]
    return sum(1 for number in pages for cell in image.cells(number) if cell is not None)


def _take_table(image: PageImage, shape: TableShape, tree: SalvagedTree, found: FoundRows) -> None:
    for number in tree.pages:
        if not image.holds_records(number) or image.is_index(number) is not shape.in_index:
            continue
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
        if number not in passed and image.holds_records(number):
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
        found.order.setdefault(shape.name, []).append(cell.rowid or 0)
        found.left_out.update(shape.left_out(cell))


def _shape(connection: sqlite3.Connection, name: str) -> TableShape:
    rows = connection.execute(_COLUMNS, (name,)).fetchall()
    keys = sorted((pk, column) for column, _, _, pk, _, _ in rows if pk)
    in_index = bool(rows[0][5])
    columns = tuple(
        ColumnShape(
            column,
            _PYTHON_TYPES[kind],
            not required and not pk,
            kind == "INTEGER" and len(keys) == 1 and bool(pk) and not in_index,
            _default(default),
        )
        for column, kind, required, pk, default, _ in rows
    )
    return TableShape(name, columns, tuple(column for _, column in keys), in_index)


def _default(written: str | None) -> Value:
    """A default as it is written in a table's definition: a number or a text without quotes in it."""
    if written is None:
        return None
    return written[1:-1] if written.startswith("'") else int(written)
