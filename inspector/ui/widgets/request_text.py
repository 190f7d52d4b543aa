"""Prepares one row of a Request's text: hidden characters as marks, colours and highlights."""

from __future__ import annotations

import re
from bisect import bisect_right

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextLayout

from inspector.ui.safe_text import show_controls
from inspector.ui.widgets.request_rows import TAB_COLUMNS, RowPosition

_TAG = re.compile(r"</?[^\s<>]+(?: [^<>]*)?>\s*$")
_COMMENT = re.compile(r"<!--.*-->\s*$")
_TAB = " " * TAB_COLUMNS
_LONGEST = 10_000
"""Characters that are looked at for the end of a comment or tag."""
_UNBOUNDED = 1e7


class ShownRow:
    """A row's text as it is painted, and where each of its characters stands in UTF-16 units of that."""

    def __init__(self, text: str) -> None:
        self.characters = len(text)
        self._plain = text.isascii() and text.isprintable()
        self.text = text if self._plain else show_controls(text).replace("\t", _TAB)
        self._starts = [] if self._plain else _unit_starts(text)
        self.units = len(text) if self._plain else self._starts[-1]

    def unit_of(self, character: int) -> int:
        """Where a character begins; the row's end for the one after the last."""
        return character if self._plain else self._starts[character]

    def character_of(self, unit: int) -> int:
        if self._plain:
            return min(unit, self.characters)
        return max(0, bisect_right(self._starts, unit) - 1)


def shown_text(place: RowPosition) -> str:
    """The text that stands in a row, with its own characters."""
    if place.piece is None or place.row is None:
        return ""
    return place.piece.text[place.row.start : place.row.end]


def _line_of(place: RowPosition) -> str:
    """The whole line that a row is of, as far as a comment or tag may be long."""
    if place.piece is None or place.row is None:
        return ""
    text = place.piece.text
    start = text.rfind("\n", 0, place.row.start) + 1
    if place.row.start - start > _LONGEST or text[start : start + 1] != "<":
        return ""
    end = text.find("\n", start, start + _LONGEST)
    return text[start : start + _LONGEST if end < 0 else end]


def is_quiet(place: RowPosition) -> bool:
    """Whether a row is a comment, or structure that is not sent as it stands."""
    if is_comment(place):
        return True
    return place.piece is not None and not _is_sent(place)


def is_comment(place: RowPosition) -> bool:
    """Whether a row is a comment as blocks' descriptions are written."""
    return _COMMENT.match(_line_of(place)) is not None


def is_tag(place: RowPosition) -> bool:
    """Whether a row is nothing but a tag."""
    return _TAG.match(_line_of(place)) is not None


def laid_out(shown: ShownRow, font: QFont, formats: list[QTextLayout.FormatRange]) -> QTextLayout:
    """The row as one line that is as long as it is."""
    layout = QTextLayout(shown.text, font)
    layout.setFormats(formats)
    layout.beginLayout()
    layout.createLine().setLineWidth(_UNBOUNDED)
    layout.endLayout()
    return layout


def in_colour(shown: ShownRow, colour: QColor, *, italic: bool) -> QTextLayout.FormatRange:
    """The look of a whole row."""
    look = QTextCharFormat()
    look.setForeground(colour)
    look.setFontItalic(italic)
    return _range(0, shown.units, look)


def on_ground(
    shown: ShownRow, first: int, last: int, colours: tuple[QColor, QColor]
) -> QTextLayout.FormatRange:
    """A ground under some characters of a row, and the colour that is legible on it."""
    look = QTextCharFormat()
    ground, ink = colours
    look.setBackground(ground)
    look.setForeground(ink)
    start = shown.unit_of(first)
    return _range(start, shown.unit_of(last) - start, look)


def _range(start: int, length: int, look: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    for name, value in (("start", start), ("length", length), ("format", look)):
        setattr(made, name, value)
    return made


def _is_sent(place: RowPosition) -> bool:
    if place.piece is None or place.row is None:
        return False
    end = 0
    for run in place.piece.runs:
        end += len(run.text)
        if place.row.start < end:
            return run.sent
    return False


def _unit_starts(text: str) -> list[int]:
    starts, unit = [], 0
    for character in text:
        starts.append(unit)
        shown = _TAB if character == "\t" else show_controls(character)
        unit += sum(2 if ord(each) > 0xFFFF else 1 for each in shown)
    return [*starts, unit]
