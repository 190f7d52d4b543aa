"""Cuts one piece of a Request into rows: heads of messages, calls, results and tools, and the text under them.

A head stands for the frame line of the text form, so every character of the text has its row still.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece, TextRun
from inspector.ui.widgets.json_rows import code_rows, json_rows, looks_like_json
from inspector.ui.widgets.request_folds import PieceForm, is_message, is_tool
from inspector.ui.widgets.text_rows import CutPlace, TextRow, TextRowKind, cut_text

_FRAME = "=== "
_CALL, _RESULT = "=== call ", "=== result "
_FRAME_END = " ===\n"
_INDENTS = {TextRowKind.MESSAGE: 0, TextRowKind.PART: 0, TextRowKind.CALL: 5, TextRowKind.RESULT: 5}
"""Columns by which the text under a head stands further right."""
_PLAIN = PieceForm()


@dataclass(frozen=True, slots=True)
class CutPiece:
    """A piece's rows for one width. `lines` are those of its text; `calls` names the tools by the calls' ids."""

    piece: Piece
    rows: tuple[TextRow, ...]
    lines: int
    form: PieceForm = _PLAIN
    has_json: bool = False
    calls: tuple[tuple[str, str], ...] = ()


def cut(piece: Piece, width: int, form: PieceForm = _PLAIN) -> CutPiece:
    """A piece cut into rows of at most `width` columns, at spaces where there are some."""
    if is_message(piece):
        return _MessageCutter(piece, width, form).cut()
    place = CutPlace(0, 0, width, shortens_data=not form.whole)
    if is_tool(piece):
        return _cut_tool(piece, place, form)
    rows = tuple(code_rows(piece.text, place) if form.formatted else cut_text(piece.text, place))
    return CutPiece(piece, rows, _lines_of(piece.text), form)


def head_words(piece: Piece, row: TextRow) -> str:
    """What stands in the frame line of a head."""
    return piece.text[row.start : row.end].removeprefix(_FRAME).removesuffix(_FRAME_END.rstrip("\n"))


def call_words(piece: Piece, row: TextRow) -> tuple[str, str]:
    """The name and the id that stand in the frame line of a call; of a result an empty name."""
    words = head_words(piece, row)
    if row.kind is TextRowKind.RESULT:
        return "", words.removeprefix("result ")
    name, _, call_id = words.removeprefix("call ").rpartition(" ")
    return name, call_id


def excerpt(piece: Piece, length: int) -> str:
    """The beginning of what a message says: its first texts, and the tools that it calls."""
    found: list[str] = []
    room = length
    for run in piece.runs:
        if run.sent:
            found.append(run.text[:room])
        elif run.text.startswith(_CALL):
            found.append(run.text.removeprefix(_CALL).removesuffix(_FRAME_END).rpartition(" ")[0] + "()")
        room = length - sum(map(len, found))
        if room <= 0:
            break
    return " ".join(found)


def _lines_of(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _cut_tool(piece: Piece, place: CutPlace, form: PieceForm) -> CutPiece:
    lines = _lines_of(piece.text)
    text = "".join(run.text for run in piece.runs if run.sent)
    is_json = looks_like_json(text)
    rows = None if form.folded or not is_json or not form.formatted else json_rows(text, place)
    if rows is None:
        rows = () if form.folded else tuple(cut_text(piece.text, place))
    head = TextRow(0, 0, 0, False, TextRowKind.TOOL)
    return CutPiece(piece, (head, *rows), lines, form, is_json)


class _MessageCutter:
    """Goes through the runs of a message: frames become heads, strings the rows under them."""

    def __init__(self, piece: Piece, width: int, form: PieceForm) -> None:
        self._piece, self._width, self._form = piece, width, form
        self._quiet = {each.start for each in piece.marks if each.kind in ("thinking", "gap")}
        self._offset = self._line = self._indent = 0
        self._calls: list[tuple[str, str]] = []
        self._has_json = False

    def cut(self) -> CutPiece:
        rows: list[TextRow] = []
        for number, run in enumerate(self._piece.runs):
            rows += self._rows(run, is_first=number == 0)
            self._offset += len(run.text)
            self._line += run.text.count("\n")
        if self._form.folded:
            del rows[1:]
        piece = self._piece
        return CutPiece(
            piece, tuple(rows), _lines_of(piece.text), self._form, self._has_json, tuple(self._calls)
        )

    def _rows(self, run: TextRun, *, is_first: bool) -> Iterator[TextRow]:
        if run.sent:
            yield from self._text_rows(run.text)
        elif run.text.startswith(_FRAME):
            yield self._head(run.text, is_first=is_first)
        elif run.text != "\n":
            yield from cut_text(run.text, self._place(TextRowKind.QUIET))

    def _head(self, text: str, *, is_first: bool) -> TextRow:
        kind = TextRowKind.MESSAGE if is_first else TextRowKind.PART
        if text.startswith(_CALL):
            kind = TextRowKind.CALL
        elif text.startswith(_RESULT):
            kind = TextRowKind.RESULT
        end = self._offset + len(text) - text.endswith("\n")
        row = TextRow(self._offset, end, self._line, True, kind)
        self._indent = _INDENTS[kind]
        if kind is TextRowKind.CALL:
            name, _, call_id = text.removeprefix(_CALL).removesuffix(_FRAME_END).rpartition(" ")
            self._calls.append((call_id, name))
        return row

    def _text_rows(self, text: str) -> Iterator[TextRow]:
        if looks_like_json(text):
            rows = json_rows(text, self._place()) if self._form.formatted and not self._form.folded else None
            self._has_json = True
            if rows is not None:
                yield from rows
                return
        if self._form.folded:
            return
        kind = TextRowKind.QUIET if self._offset in self._quiet else TextRowKind.TEXT
        # The newline behind a string is a run of its own: one at the string's end begins a line.
        yield from cut_text(text + "\n", self._place(kind))

    def _place(self, kind: TextRowKind = TextRowKind.TEXT) -> CutPlace:
        shortens = not self._form.whole
        return CutPlace(self._offset, self._line, self._width, self._indent, kind, shortens)
