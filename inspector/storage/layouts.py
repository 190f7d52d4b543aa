"""Reads and writes rows of a user's own layouts."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from inspector.domain.codec import from_plain, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError, Problem
from inspector.domain.layout_rules import check_layout
from inspector.domain.layouts import Layout
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, parse
from inspector.storage.reading import read_rows
from inspector.storage.sealing import seal_of

_SELECT = "SELECT name, definition, is_deleted FROM layouts "
_ALL = _SELECT + "WHERE is_deleted = 0 ORDER BY name"
_ONE = _SELECT + "WHERE name = ?"
_PUT = """
    INSERT INTO layouts (name, definition, is_deleted, updated_at, seal) VALUES (?, ?, 0, ?, ?)
    ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, is_deleted = 0,
        updated_at = excluded.updated_at, seal = excluded.seal
"""
_DELETE = "UPDATE layouts SET is_deleted = ?, updated_at = ? WHERE name = ?"


@dataclass(frozen=True, slots=True)
class StoredLayout:
    """A layout with whether it is deleted."""

    layout: Layout
    is_away: bool


async def read_all(connection: Connection) -> tuple[tuple[Layout, ...], tuple[Problem, ...]]:
    """All layouts that are not deleted, by name, and a problem for each that cannot be used."""
    return read_rows(await connection.fetch_all(_ALL), layout_of, RefKind.LAYOUT, "name")


async def get(connection: Connection, name: str) -> StoredLayout | None:
    """One layout, deleted ones included.

    Raises:
        MalformedError: it cannot be used.
    """
    row = await connection.fetch_one(_ONE, (name,))
    return None if row is None else StoredLayout(layout_of(row), bool(row["is_deleted"]))


async def is_away(connection: Connection, name: str) -> bool | None:
    """Whether a layout is deleted, readable or not; None where there is none of that name."""
    row = await connection.fetch_one(_ONE, (name,))
    return None if row is None else bool(row["is_deleted"])


async def put(transaction: Connection, layout: Layout, at: datetime) -> None:
    """Add a layout, or replace the one of that name."""
    definition = dump(layout)
    await transaction.fetch_all(_PUT, (layout.name, definition, write_time(at), seal_of(definition)))


async def set_deleted(transaction: Connection, name: str, at: datetime, *, deleted: bool) -> None:
    """Delete a layout or take it back."""
    await transaction.fetch_all(_DELETE, (int(deleted), write_time(at), name))


def layout_of(row: Row) -> Layout:
    """The layout of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    plain = parse(row["definition"])
    if not isinstance(plain, dict):
        raise MalformedError("malformed.layout", where="$", why="an object is needed")
    # The row's name counts: an import may have given the layout another one than it was written with.
    layout: Layout = from_plain(Layout, {**plain, "name": row["name"]})
    check_layout(layout)
    return replace(layout, name=row["name"])
