"""Cuts a Request into rows: section heads, heads of messages and tools, and lines of text that fit the width.

Values only, so the rows of a large Request can be prepared in a worker thread. What was cut once is kept by the
piece's id and text, so a build in which one piece changed cuts one piece.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from inspector.domain.requests import Piece, Request, Section
from inspector.ui.widgets.piece_rows import CutPiece, cut
from inspector.ui.widgets.request_folds import PieceForm, RequestFolds, is_message
from inspector.ui.widgets.text_rows import TextRow, TextRowKind

_UNFOLDED = RequestFolds()


class RowPosition(NamedTuple):
    """What stands in a row. `row` None: the head of `section`."""

    section: Section
    piece: Piece | None
    row: TextRow | None
    line_number: int
    start: int
    """The row's offset in the Request's text form."""
    cut: CutPiece | None = None
    begins_turn: bool = False
    """Whether it is the head of a message, and the message before it belongs to another turn."""

    @property
    def kind(self) -> TextRowKind:
        return TextRowKind.TEXT if self.row is None else self.row.kind

    @property
    def is_message_head(self) -> bool:
        """Whether a message begins with it."""
        return self.cut is not None and self.row == self.cut.rows[0] and is_message(self.cut.piece)


class RowCutter:
    """Cuts pieces and keeps what was cut, for one width at a time. Any thread may use it, also two at once."""

    def __init__(self) -> None:
        self._last: tuple[int, dict[str, CutPiece]] = (0, {})

    def rows(self, request: Request, width: int, folds: RequestFolds = _UNFOLDED) -> RequestRows:
        """The rows of a Request; pieces that the Request before had with the same text are not cut again."""
        last_width, last = self._last
        kept = last if width == last_width else {}
        fresh: dict[str, CutPiece] = {}
        sections: list[_CutSection] = []
        start, line = 0, 1
        for section in request.sections:
            pieces = [
                _kept_or_cut(kept.get(piece.id), piece, width, folds.form(piece)) for piece in section.pieces
            ]
            fresh.update((each.piece.id, each) for each in pieces)
            sections.append(_CutSection(section, tuple(pieces), start, line, section.name in folds.sections))
            start += section.length
            line += sum(each.lines for each in pieces)
        self._last = (width, fresh)
        return RequestRows(request, tuple(sections))


def _kept_or_cut(existing: CutPiece | None, piece: Piece, width: int, form: PieceForm) -> CutPiece:
    if existing is None or existing.form != form:
        return cut(piece, width, form)
    if existing.piece is piece:
        return existing
    if existing.piece.text != piece.text or existing.piece.marks != piece.marks:
        return cut(piece, width, form)
    return CutPiece(piece, existing.rows, existing.lines, form, existing.has_json, existing.calls)


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
        within = row - self.first_rows[index]
        text_row = cut_piece.rows[within]
        return RowPosition(
            self.section,
            cut_piece.piece,
            text_row,
            self.first_lines[index] + text_row.line,
            self.first_offsets[index] + text_row.start,
            cut_piece,
            within == 0 and self._begins_turn(index),
        )

    def row_of(self, offset: int) -> int:
        index = max(0, bisect_right(self.first_offsets, offset) - 1)
        index = min(index, len(self.pieces) - 1)
        within = offset - self.first_offsets[index]
        found = bisect_right(self.pieces[index].rows, within, key=lambda row: row.start) - 1
        return self.first_rows[index] + max(0, found)

    def _begins_turn(self, index: int) -> bool:
        if index == 0:
            return False
        piece, before = self.pieces[index].piece, self.pieces[index - 1].piece
        both = is_message(piece) and is_message(before)
        return both and piece.parameters.get("batch") != before.parameters.get("batch")


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
        self.called: Mapping[str, str] = {
            call_id: name
            for each in sections
            for cut_piece in each.pieces
            if cut_piece.calls
            for call_id, name in cut_piece.calls
        }
        """The names of the tools that are called, by the calls' ids."""

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

    @property
    def message_ids(self) -> Sequence[str]:
        """The ids of the pieces that are messages, in order."""
        pieces = (each.piece for section in self._sections for each in section.pieces)
        return tuple(piece.id for piece in pieces if is_message(piece))

    def piece(self, piece_id: str) -> Piece | None:
        found = self.cut_piece(piece_id)
        return None if found is None else found.piece

    def cut_piece(self, piece_id: str) -> CutPiece | None:
        where = self._where.get(piece_id)
        return None if where is None else self._sections[where[0]].pieces[where[1]]

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
        """The row that shows an offset of the text form; the head of what is folded stands for all of it."""
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
