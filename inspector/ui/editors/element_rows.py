"""Rows of a content's elements moved, taken out and read from a table that was copied elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar


class Element(Protocol):
    """An item, an entry or an element of a list field."""

    @property
    def id(self) -> str: ...


_E = TypeVar("_E", bound=Element)


def without(rows: Sequence[_E], ids: Collection[str]) -> tuple[_E, ...]:
    """The rows that are left when some are taken out."""
    return tuple(each for each in rows if each.id not in ids)


def inserted(rows: Sequence[_E], new: Sequence[_E], after: str | None) -> tuple[_E, ...]:
    """The rows with new ones behind one of them, or at the end."""
    at = next((place for place, each in enumerate(rows, 1) if each.id == after), len(rows))
    return (*rows[:at], *new, *rows[at:])


def moved_before(rows: Sequence[_E], ids: Collection[str], before: str | None) -> tuple[_E, ...]:
    """The rows with some of them together before one that stays, or at the end."""
    first = next((at for at, each in enumerate(rows) if each.id == before), len(rows))
    going = [each for each in rows if each.id in ids]
    return (
        *(each for each in rows[:first] if each.id not in ids),
        *going,
        *(each for each in rows[first:] if each.id not in ids),
    )


def moved_by(rows: Sequence[_E], ids: Collection[str], step: int) -> tuple[_E, ...]:
    """The rows with some of them one place further up (-1) or down (1); at the edge they stay."""
    result = list(rows)
    places = [at for at, each in enumerate(rows) if each.id in ids]
    free = 0 if step < 0 else len(rows) - 1
    for at in places if step < 0 else reversed(places):
        to = at + step
        if (to >= free) if step < 0 else (to <= free):
            result[at], result[to] = result[to], result[at]
            at = to
        free = at - step
    return tuple(result)


def read_table(text: str) -> list[list[str]]:
    """The cells of tab-separated lines as spreadsheets copy them: quoted where a cell has line ends in it."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    try:
        return [row for row in rows if row]
    except csv.Error:
        return [line.split("\t") for line in text.splitlines() if line]


def written_table(rows: Sequence[Sequence[str]]) -> str:
    """Cells as tab-separated lines, to be copied elsewhere."""
    # A line without anything would be read as none.
    return "".join(("\t".join(map(_quoted, row)) or '""') + "\n" for row in rows)


def _quoted(text: str) -> str:
    """A cell, in quotes where it would be read as several. Python's writer leaves a lone carriage return as it is."""
    if not any(each in text for each in '\t\n\r"'):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
