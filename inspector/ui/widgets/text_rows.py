"""Cuts texts into rows that fit a width: lines, parts of long lines, and long encoded data as one row.

Values only, so that a worker thread can do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from inspector.ui.safe_text import show_controls

_WIDE = (
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)
"""A pattern that takes as long to compile as a whole module to load, and most text needs it not."""
TAB_COLUMNS = 4
_WORD_SEARCH = 24
"""How far back from the edge a row looks for a space to end at."""
LEAST_DATA = 400
"""Characters from which a run without spaces is taken for encoded data, such as an image's."""
_DATA_STEP = 100_000
"""Characters that are searched for data at once."""
_DATA = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{LEAST_DATA},}}={{0,2}}")


class TextRowKind(IntEnum):
    """What a row of a Request shows. Heads stand for the frame line of a message, a call or a result."""

    TEXT = 0
    QUIET = 1
    """Text that the model thought, or that was put in place of other messages."""
    JSON = 2
    """A line of formatted JSON."""
    STRING = 3
    """The same, beginning inside a string."""
    DATA = 4
    """Long encoded data, shown by its beginning and its size."""
    MESSAGE = 5
    CALL = 6
    RESULT = 7
    PART = 8
    """A part without text, such as an image."""
    TOOL = 9
    """A tool's name, which stands in no line of the text."""

    @property
    def is_head(self) -> bool:
        return self >= TextRowKind.MESSAGE


class TextRow(NamedTuple):
    """One shown row: offsets in the piece's text, the number of its line in the piece (from 0), and its looks.

    `indent` is in columns.
    """

    start: int
    end: int
    line: int
    begins_line: bool
    kind: TextRowKind = TextRowKind.TEXT
    indent: int = 0


class CutPlace(NamedTuple):
    """Where rows are cut: the offset of a text in its piece, its line there, the columns there are and the looks."""

    start: int
    line: int
    width: int
    indent: int = 0
    kind: TextRowKind = TextRowKind.TEXT
    shortens_data: bool = True


def columns_of(text: str) -> int:
    """The columns that a text takes in a fixed-width font, hidden characters taking those of their marks."""
    if text.isascii():
        shown = text if text.isprintable() else show_controls(text)
        return len(shown) + (TAB_COLUMNS - 1) * shown.count("\t")
    shown = show_controls(text)
    return len(shown) + (TAB_COLUMNS - 1) * shown.count("\t") + len(re.findall(_WIDE, shown))


def cut_text(text: str, place: CutPlace) -> Iterator[TextRow]:
    """The rows of a text's lines, at spaces where there are some. A newline at its end begins no further line."""
    start, lines = place.start, text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, place.line):
        if fits(line, place.width - place.indent):
            yield TextRow(start, start + len(line), number, True, place.kind, place.indent)
        else:
            yield from cut_line(line, place._replace(start=start, line=number))
        start += len(line) + 1


def cut_line(line: str, place: CutPlace) -> Iterator[TextRow]:
    """The rows of a line that is longer than a row."""
    at = 0
    for first, last in _data_in(line) if place.shortens_data else ():
        yield from _cut_stretch(line, (at, first), place)
        start, end = place.start + first, place.start + last
        yield TextRow(start, end, place.line, first == 0, TextRowKind.DATA, place.indent)
        at = last
    yield from _cut_stretch(line, (at, len(line)), place)


def fits(text: str, columns: int) -> bool:
    """Whether a text takes at most so many columns."""
    # No character takes none, so most that are too long need no closer look.
    return len(text) <= columns and columns_of(text) <= columns


def _data_in(line: str) -> Iterator[tuple[int, int]]:
    """Where long encoded data stands in a line."""
    at = 0
    while at < len(line):
        # In steps, as nothing else runs meanwhile; data has no space in it, so none is cut in two.
        space = line.find(" ", at + _DATA_STEP)
        end = len(line) if space < 0 else space
        for found in _DATA.finditer(line, at, end):
            yield found.span()
        at = end


def _cut_stretch(line: str, stretch: tuple[int, int], place: CutPlace) -> Iterator[TextRow]:
    start, last = stretch
    width = max(1, place.width - place.indent)
    while start < last:
        end = _fitting(line, start, last, width)
        if end < last:
            space = line.rfind(" ", max(start + 1, end - _WORD_SEARCH), end)
            end = space + 1 if space > start else end
        yield TextRow(
            place.start + start, place.start + end, place.line, start == 0, place.kind, place.indent
        )
        start = end


def _fitting(line: str, start: int, last: int, width: int) -> int:
    end = min(last, start + width)
    while end > start + 1:
        columns = columns_of(line[start:end])
        if columns <= width:
            break
        end = max(start + 1, min(end - 1, start + (end - start) * width // columns))
    return end
