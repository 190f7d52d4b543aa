"""Turns unreadable rows into problems, so that the others can still be listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from inspector.domain.codec import read_time
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Row, Undecodable

T = TypeVar("T")


def behind(stored: str | None, moment: datetime) -> datetime:
    """A moment, or the next one behind a stored time that it should follow: the clock may have been set back."""
    if stored is None:
        return moment
    try:
        return max(moment, read_time(stored) + timedelta(microseconds=1))
    except (ValueError, OverflowError):
        # Nothing comes behind what is no time, or behind the end of all times.
        return moment


def problem_of(row: Row, kind: RefKind, error: Exception, key: str = "id") -> Problem:
    """The problem of a row that is no value."""
    why = str(error.parameters.get("why", error.code)) if isinstance(error, MalformedError) else str(error)
    return Problem("row.unreadable", Severity.ERROR, str(Ref(kind, str(row[key]))), {"why": why})


def require_text(row: Row) -> None:
    """Refuse a row with a text that is no UTF-8.

    Raises:
        MalformedError: with the column's name as the place.
    """
    for name in row.keys():  # noqa: SIM118  a row iterates over its values
        if isinstance(row[name], Undecodable):
            raise MalformedError("malformed.text", where=name, why="not UTF-8")


def read_rows(
    rows: Sequence[Row], read: Callable[[Row], T], kind: RefKind, key: str = "id"
) -> tuple[tuple[T, ...], tuple[Problem, ...]]:
    """The values of rows, and a problem for each row that is none."""
    values: list[T] = []
    problems: list[Problem] = []
    for row in rows:
        try:
            require_text(row)
            values.append(read(row))
        except (MalformedError, ValueError, KeyError, TypeError) as error:
            problems.append(problem_of(row, kind, error, key))
    return tuple(values), tuple(problems)
