"""A read-only editor that shows the difference of two versions line by line, with the words that differ tinted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from enum import StrEnum

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.editors.line_layout import PitchedLayout
from inspector.ui.editors.line_numbers import LineNumbers
from inspector.ui.editors.shadow import units_in
from inspector.ui.safe_text import show_controls

_KEYBOARD = Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
Stretch = tuple[int, int]
"""A changed stretch, by the number of its hunk and its own number in it."""


class LineKind(StrEnum):
    """What a line of a difference is: on both sides, on one, or between the lines."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    HEAD = "head"
    GAP = "gap"
    FILLER = "filler"


@dataclass(frozen=True, slots=True)
class LinePart:
    """A run of characters of one line; `stretch` is the changed stretch that it belongs to, if any.

    `offset` is where the run begins in its stretch, None where it isn't shown character by character.
    """

    text: str
    stretch: Stretch | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class SelectedRun:
    """What is selected of a changed stretch, from one offset in it to another; without these it is all of it."""

    stretch: Stretch
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """One line as it is shown. `hunk` is the number of the hunk that it belongs to, None between hunks."""

    kind: LineKind
    parts: tuple[LinePart, ...] = ()
    name: str = ""
    hunk: int | None = field(default=None)

    @property
    def length(self) -> int:
        """How many characters the line has."""
        return sum(len(each.text) for each in self.parts)


class DifferencePane(QPlainTextEdit):
    """Shows the lines of a difference. What is selected can be asked for as changed stretches."""

    def __init__(self, appearance: Appearance, name: str) -> None:
        super().__init__()
        self._appearance = appearance
        self._lines: tuple[DifferenceLine, ...] = ()
        self._shows_spaces = False
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setProperty("role", "page")
        self.setAccessibleName(name)
        # With a cursor, so that the keyboard can select.
        self.setTextInteractionFlags(self.textInteractionFlags() | _KEYBOARD)
        self._rows = PitchedLayout(self.document())
        self.document().setDocumentLayout(self._rows)
        self._margin = LineNumbers(self, appearance, self._name_of)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._margin.follow)
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def lines(self) -> tuple[DifferenceLine, ...]:
        return self._lines

    def wrap(self, *, wraps: bool) -> None:
        modes = QTextOption.WrapMode
        self.setWordWrapMode(modes.WrapAtWordBoundaryOrAnywhere if wraps else modes.NoWrap)

    def show_spaces(self, *, shown: bool) -> None:
        """Show a mark for every space and tab, or none."""
        self._shows_spaces = shown
        option = self.document().defaultTextOption()
        option.setFlags(QTextOption.Flag.ShowTabsAndSpaces if shown else QTextOption.Flag(0))
        self.document().setDefaultTextOption(option)

    def show_lines(self, lines: Sequence[DifferenceLine]) -> None:
        """Show the lines of a difference from the first one on."""
        self._lines = tuple(lines)
        self._write()

    def row_beside(self, other: DifferencePane) -> int:
        """Where this pane is scrolled to with the same line topmost as in another one, whose lines may be wrapped."""
        there = other.firstVisibleBlock()
        here = self.document().findBlockByNumber(min(there.blockNumber(), self.blockCount() - 1))
        into = other.verticalScrollBar().value() - there.firstLineNumber()
        return here.firstLineNumber() + min(into, max(0, here.lineCount() - 1))

    def go_to_hunk(self, number: int) -> None:
        """Put the cursor on a hunk's first line and bring it into sight."""
        place = next((at for at, line in enumerate(self._lines) if line.hunk == number), None)
        if place is not None:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(place)))
            self.centerCursor()

    @property
    def hunk(self) -> int | None:
        """The hunk that the cursor is in, else the last one before it."""
        before = self._lines[: self.textCursor().blockNumber() + 1]
        return next((line.hunk for line in reversed(before) if line.hunk is not None), None)

    def selected_runs(self) -> list[SelectedRun]:
        """What of changed stretches is selected, run by run."""
        cursor = self.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        return list(self._touched(start, end)) if cursor.hasSelection() else []

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(inside.left(), inside.top(), self._margin.room, inside.height())

    def _touched(self, start: int, end: int) -> Iterator[SelectedRun]:
        block = self.document().findBlock(start)
        while block.isValid() and block.position() < end:
            at = block.position()
            for part in self._lines[block.blockNumber()].parts:
                shown = show_controls(part.text)
                after = at + units_in(shown)
                if part.stretch is not None and at < end and after > start:
                    span = None
                    if part.offset is not None and len(part.text) == after - at and shown == part.text:
                        begin = part.offset - at
                        span = begin + max(start, at), begin + min(end, after)
                    yield SelectedRun(part.stretch, span)
                at = after
            block = block.next()

    def _write(self) -> None:
        place = self.textCursor().blockNumber()
        self.setUpdatesEnabled(False)
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for number, line in enumerate(self._lines):
            shape = QTextBlockFormat()
            ground = self._ground(line.kind)
            if ground is not None:
                shape.setBackground(ground)
            if number:
                cursor.insertBlock(shape)
            else:
                cursor.setBlockFormat(shape)
            for part in line.parts:
                cursor.insertText(show_controls(part.text), self._look(line.kind, part))
        cursor.endEditBlock()
        block = self.document().findBlockByNumber(min(place, len(self._lines) - 1))
        self.setTextCursor(QTextCursor(block) if block.isValid() else QTextCursor(self.document()))
        self.setUpdatesEnabled(True)

    def _ground(self, kind: LineKind) -> QColor | None:
        theme = self._appearance.theme
        tones = {LineKind.REMOVED: "error", LineKind.ADDED: "ok"}
        if kind in tones:
            return theme.line_ground(tones[kind])
        return theme.raised if kind in (LineKind.HEAD, LineKind.GAP, LineKind.FILLER) else None

    def _look(self, kind: LineKind, part: LinePart) -> QTextCharFormat:
        theme, look = self._appearance.theme, QTextCharFormat()
        muted = kind in (LineKind.HEAD, LineKind.GAP)
        look.setForeground(theme.muted if muted else theme.text)
        if part.stretch is not None:
            look.setBackground(theme.word_ground("error" if kind is LineKind.REMOVED else "ok"))
        return look

    def _name_of(self, block: QTextBlock) -> str:
        number = block.blockNumber()
        return self._lines[number].name if number < len(self._lines) else ""

    def _dress(self) -> None:
        self._rows.pitch = self._appearance.line_pitch()
        self.setFont(self._appearance.font(TextSize.NORMAL, fixed=True))
        self.document().setDocumentMargin(self._appearance.space(2))
        self._make_room()
        self._write()

    def _make_room(self) -> None:
        self.setViewportMargins(self._margin.room, 0, 0, 0)
