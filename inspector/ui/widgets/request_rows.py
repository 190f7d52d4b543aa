"""Cuts a Request into rows: section heads, and lines of text that fit the width.

Values only, so the rows of a large Request can be prepared in a worker thread. What was cut once is kept by the
piece's id and text, so a build in which one piece changed cuts one piece.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece, Request, Section
from inspector.ui.safe_text import show_controls

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)
TAB_COLUMNS = 4
_WORD_SEARCH = 24
"""How far back from the edge a row looks for a space to end at."""


class TextRow(NamedTuple):
    """One shown row: offsets in the piece's text, and the number of its line in the piece (from 0)."""

    start: int
    end: int
    line: int
    begins_line: bool


class RowPosition(NamedTuple):
    """What stands in a row. `row` None: the head of `section`."""

    section: Section
    piece: Piece | None
    row: TextRow | None
    line_number: int
    start: int
    """The row's offset in the Request's text form."""


@dataclass(frozen=True, slots=True)
class CutPiece:
    """A piece's rows for one width."""

    piece: Piece
    rows: tuple[TextRow, ...]
    lines: int


def columns_of(text: str) -> int:
    """The columns that a text takes in a fixed-width font, hidden characters taking those of their marks."""
    if text.isascii():
        shown = text if text.isprintable() else show_controls(text)
        return len(shown) + (TAB_COLUMNS - 1) * shown.count("\t")
    shown = show_controls(text)
    return len(shown) + (TAB_COLUMNS - 1) * shown.count("\t") + len(_WIDE.findall(shown))


def cut(piece: Piece, width: int) -> CutPiece:
    """A piece cut into rows of at most `width` columns, at spaces where there are some."""
    rows: list[TextRow] = []
    start = 0
    lines = piece.text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines):
        if columns_of(line) <= width:
            rows.append(TextRow(start, start + len(line), number, True))
        else:
            rows.extend(_cut_line(line, start, number, width))
        start += len(line) + 1
    return CutPiece(piece, tuple(rows), len(lines))


def _cut_line(line: str, offset: int, number: int, width: int) -> Iterator[TextRow]:
    start = 0
    while start < len(line):
        end = _fitting(line, start, width)
        if end < len(line):
            space = line.rfind(" ", max(start + 1, end - _WORD_SEARCH), end)
            end = space + 1 if space > start else end
        yield TextRow(offset + start, offset + end, number, start == 0)
        start = end


def _fitting(line: str, start: int, width: int) -> int:
    end = min(len(line), start + width)
    while end > start + 1:
        columns = columns_of(line[start:end])
        if columns <= width:
            break
        end = max(start + 1, min(end - 1, start + (end - start) * width // columns))
    return end


class RowCutter:
    """Cuts pieces and keeps what was cut, for one width at a time. Any thread may use it, also two at once."""

    def __init__(self) -> None:
        self._last: tuple[int, dict[str, CutPiece]] = (0, {})

    def rows(self, request: Request, width: int, folded: frozenset[str] = frozenset()) -> RequestRows:
        """The rows of a Request; pieces that the Request before had with the same text are not cut again."""
        last_width, last = self._last
        kept = last if width == last_width else {}
        fresh: dict[str, CutPiece] = {}
        sections: list[_CutSection] = []
        start, line = 0, 1
        for section in request.sections:
            pieces = [_kept_or_cut(kept.get(piece.id), piece, width) for piece in section.pieces]
            fresh.update((each.piece.id, each) for each in pieces)
            sections.append(_CutSection(section, tuple(pieces), start, line, section.name in folded))
            start += section.length
            line += sum(each.lines for each in pieces)
        self._last = (width, fresh)
        return RequestRows(request, tuple(sections))


def _kept_or_cut(existing: CutPiece | None, piece: Piece, width: int) -> CutPiece:
    if existing is None:
        return cut(piece, width)
    if existing.piece is piece:
        return existing
    return (
        CutPiece(piece, existing.rows, existing.lines)
        if existing.piece.text == piece.text
        else cut(piece, width)
    )


class _CutSection:
    """A section's rows: a head, then its pieces' rows unless it is folded."""

    def __init__(
        self, section: Section, pieces: tuple[CutPiece, ...], start: int, line: int, folded: bool
    ) -> None:
        self.section = section
        self.pieces = pieces
        self.folded = folded
        self.first_rows = list(accumulate((len(each.rows) for each in pieces), initial=1))
        self.first_offsets = list(accumulate((each.piece.length for each in pieces), initial=start))
        self.first_lines = list(accumulate((each.lines for each in pieces), initial=line))
        self.count = 1 if folded else self.first_rows[-1]

    def place(self, row: int) -> RowPosition:
        if row == 0:
            return RowPosition(self.section, None, None, 0, self.first_offsets[0])
        index = bisect_right(self.first_rows, row) - 1
        cut_piece = self.pieces[index]
        text_row = cut_piece.rows[row - self.first_rows[index]]
        return RowPosition(
            self.section,
            cut_piece.piece,
            text_row,
            self.first_lines[index] + text_row.line,
            self.first_offsets[index] + text_row.start,
        )

    def row_of(self, offset: int) -> int:
        index = max(0, bisect_right(self.first_offsets, offset) - 1)
        index = min(index, len(self.pieces) - 1)
        within = offset - self.first_offsets[index]
        found = bisect_right(self.pieces[index].rows, within, key=lambda row: row.start) - 1
        return self.first_rows[index] + max(0, found)


class RequestRows:
    """All rows of a Request, found by number in time that grows with the logarithm of its size."""

    def __init__(self, request: Request, sections: tuple[_CutSection, ...]) -> None:
        self.request = request
        self._sections = sections
        self._first = list(accumulate((each.count for each in sections), initial=0))
        self._where = {
            cut_piece.piece.id: (index, number)
            for index, each in enumerate(sections)
            for number, cut_piece in enumerate(each.pieces)
        }

    @property
    def count(self) -> int:
        return self._first[-1]

    @property
    def line_count(self) -> int:
        """How many lines the whole text has, folded sections included."""
        return self._sections[-1].first_lines[-1] - 1 if self._sections else 0

    @property
    def piece_ids(self) -> Sequence[str]:
        return tuple(self._where)

    def piece(self, piece_id: str) -> Piece | None:
        where = self._where.get(piece_id)
        return None if where is None else self._sections[where[0]].pieces[where[1]].piece

    def start_of(self, piece_id: str) -> int | None:
        where = self._where.get(piece_id)
        return None if where is None else self._sections[where[0]].first_offsets[where[1]]

    def place(self, row: int) -> RowPosition:
        """What stands in a row. Raises IndexError outside."""
        if not 0 <= row < self.count:
            raise IndexError(row)
        index = bisect_right(self._first, row) - 1
        return self._sections[index].place(row - self._first[index])

    def section_head(self, name: str) -> int | None:
        index = self._index_of(name)
        return None if index is None else self._first[index]

    def is_folded(self, name: str) -> bool:
        index = self._index_of(name)
        return index is not None and self._sections[index].folded

    def row_of_offset(self, offset: int) -> int | None:
        """The row that shows an offset of the text form; a folded section's head stands for all of it."""
        for index, each in enumerate(self._sections):
            if each.first_offsets[0] <= offset < each.first_offsets[-1]:
                return self._first[index] if each.folded else self._first[index] + each.row_of(offset)
        return None

    def rows_of_piece(self, piece_id: str) -> range | None:
        """The rows of a piece; its section's head when that is folded."""
        where = self._where.get(piece_id)
        if where is None:
            return None
        index, number = where
        each = self._sections[index]
        if each.folded:
            return range(self._first[index], self._first[index] + 1)
        first = self._first[index] + each.first_rows[number]
        return range(first, first + len(each.pieces[number].rows))

    def _index_of(self, name: str) -> int | None:
        return next((index for index, each in enumerate(self._sections) if each.section.name == name), None)
