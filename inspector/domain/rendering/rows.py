"""Renders the rows of a list, log or tree; what is the same as in a rendering of before is taken from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from inspector.domain.dataclass import dataclass
from inspector.domain.differences.contents import joint, joint_behind
from inspector.domain.rendering.text import Rendered
from inspector.domain.requests import Mark

LineOf = Callable[[int], str]
"""The text of the row at a place."""

_LONG = 200
"""Rows from which a rendering is remembered; fewer are made as quickly."""
_KEPT = 4
_kept: list[_Kept] = []
"""The renderings of last, the newest first. Every key in a long list asks for nearly the same one again."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A rendering, and what it was made of; `marks` has a place for each row, None where its line is empty."""

    key: object
    rows: Sequence[object]
    lines: list[str]
    marks: list[Mark | None]


def render_rows(
    kind: str, key: object, rows: Sequence[object], names: Sequence[str], line_of: LineOf, *, numbered: bool
) -> Rendered:
    """A line for each row, with a mark over it.

    Args:
        kind: That of the marks.
        key: Equal where the same row at the same place gives the same line.
        rows: Told apart by identity, and held while the rendering is remembered.
        names: Of the marks, one for each row.
        line_of: Gives a row's text by its place.
        numbered: Whether a row's line says its place, so that rows of before are the same only at their place.
    """
    if len(rows) < _LONG:
        lines = [line_of(at) for at in range(len(rows))]
        return Rendered("\n".join(lines), _given(_marks(kind, names, lines, 0, 0)))
    was = next((each for each in _kept if each.key == key and _is_alike(each.rows, rows)), None)
    before, old = ([], []) if was is None else (was.lines, was.marks)
    above = 0 if was is None else joint(was.rows, rows)
    below = 0
    if was is not None and (not numbered or len(was.rows) == len(rows)):
        below = joint_behind(was.rows, rows, min(len(was.rows), len(rows)) - above)
    changed = [line_of(at) for at in range(above, len(rows) - below)]
    lines = [*before[:above], *changed, *before[len(before) - below :]]
    marks = old[:above]
    start = sum(map(len, before[:above])) + above
    middle = _marks(kind, names, changed, above, start)
    moved = sum(map(len, lines)) + len(lines) - sum(map(len, before)) - len(before)
    if moved:
        end = start + sum(map(len, changed)) + len(changed)
        rest = _marks(kind, names, before[len(before) - below :], len(rows) - below, end)
    else:
        rest = old[len(old) - below :]
    marks = [*marks, *middle, *rest]
    _kept[:] = [_Kept(key, rows, lines, marks), *(each for each in _kept if each is not was)][:_KEPT]
    return Rendered("\n".join(lines), _given(marks))


def _is_alike(before: Sequence[object], after: Sequence[object]) -> bool:
    """Whether two rows are likely those of one content: they begin or end with the very same."""
    return bool(before) and (before[0] is after[0] or before[-1] is after[-1])


def _marks(
    kind: str, names: Sequence[str], lines: Sequence[str], first: int, start: int
) -> list[Mark | None]:
    """The marks of lines, of which the first is the row at `first` and begins at `start`."""
    ends = accumulate((len(line) + 1 for line in lines), initial=start)
    named = names[first : first + len(lines)]
    return [
        Mark(kind, name, at, at + len(line)) if line else None
        for name, line, at in zip(named, lines, ends, strict=False)
    ]


def _given(marks: Sequence[Mark | None]) -> tuple[Mark, ...]:
    return tuple(mark for mark in marks if mark is not None)
