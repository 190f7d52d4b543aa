"""Prepares one row of a Request's text: hidden characters as marks, colours and highlights."""

from __future__ import annotations

import re
from bisect import bisect_right

from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextLayout

from inspector.ui.safe_text import show_controls
from inspector.ui.widgets.json_rows import gap_after_key
from inspector.ui.widgets.request_rows import RowPosition
from inspector.ui.widgets.text_rows import TAB_COLUMNS, TextRowKind
from inspector.ui.wording import tr_count

_TAG = re.compile(r"</?[^\s<>]+(?: [^<>]*)?>\s*$")
_COMMENT = re.compile(r"<!--.*-->\s*$")
_TAB = " " * TAB_COLUMNS
_LONGEST = 10_000
"""Characters that are looked at for the end of a comment or tag."""
_UNBOUNDED = 1e7
DATA_SHOWN = 40
"""Characters that are shown of long data."""


class ShownRow:
    """A row's text as it is painted, and where each of its characters stands in UTF-16 units of that.

    Args:
        text: The text.
        gap: Behind which character a space is shown that is not in the text, -1 for none.
        note: What is shown in place of all but the beginning of long data, nothing to show all of it.
    """

    def __init__(self, text: str, gap: int = -1, note: str = "") -> None:
        self.characters = len(text)
        self._last = DATA_SHOWN if note else len(text)
        self._plain = (text.isascii() and text.isprintable() and gap < 0) or bool(note)
        if note:
            self.text = text[:DATA_SHOWN] + note
        elif self._plain:
            self.text = text
        else:
            shown = text if gap < 0 else f"{text[: gap + 1]} {text[gap + 1 :]}"
            self.text = show_controls(shown).replace("\t", _TAB)
        self._starts = [] if self._plain else _unit_starts(text, gap)
        self.units = len(self.text) if self._plain else self._starts[-1]

    def unit_of(self, character: int) -> int:
        """Where a character begins; the row's end for the one after the last."""
        if not self._plain:
            return self._starts[character]
        return self.units if character >= self.characters else min(character, self._last)

    def character_of(self, unit: int) -> int:
        if not self._plain:
            return max(0, bisect_right(self._starts, unit) - 1)
        return self.characters if unit >= self.units else min(unit, self._last)


def shown_text(place: RowPosition) -> str:
    """The text that stands in a row, with its own characters."""
    if place.piece is None or place.row is None:
        return ""
    return place.piece.text[place.row.start : place.row.end]


def shown_row(place: RowPosition) -> ShownRow:
    """A row as it is painted; a head as its frame line."""
    text = shown_text(place)
    if place.kind is TextRowKind.DATA:
        count = tr_count("{count} character of data", "{count} characters of data", len(text))
        return ShownRow(text, note=f" … {count}")
    return ShownRow(text, gap_after_key(text, place.kind))


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
    if is_comment(place) or place.kind in (TextRowKind.QUIET, TextRowKind.DATA):
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


def stretch_in_colour(shown: ShownRow, first: int, last: int, colour: QColor) -> QTextLayout.FormatRange:
    """The look of some characters of a row."""
    look = QTextCharFormat()
    look.setForeground(colour)
    start = shown.unit_of(first)
    return _range(start, shown.unit_of(last) - start, look)


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


def _unit_starts(text: str, gap: int) -> list[int]:
    starts, unit = [], 0
    for number, character in enumerate(text):
        starts.append(unit)
        shown = _TAB if character == "\t" else show_controls(character)
        unit += sum(2 if ord(each) > 0xFFFF else 1 for each in shown) + (number == gap)
    return [*starts, unit]
