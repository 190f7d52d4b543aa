"""The editor of a text: line numbers, find and replace, and deltas for the store, never the widget's own text."""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from inspector.domain.edits.text import SpliceText
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.editors.shadow import Replaced, ShadowText, Steps, stand_in
from inspector.ui.editors.splicing import Splicing
from inspector.ui.wording import tr


class TextEditor(QPlainTextEdit):
    """Edits one text. `edited` tells that a person changed it; `operation` says how it differs from its base."""

    edited = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._shadow = ShadowText("")
        self._base = ""
        self._splicing = Splicing(0)
        self._steps = Steps()
        self._given: str | None = None
        self._loading = False
        self._restoring = False
        # Qt's own undo would bring stand-ins back as typed text.
        self.setUndoRedoEnabled(False)
        self.setProperty("role", "page")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabChangesFocus(False)
        self.setAccessibleName(tr("Text of the block"))
        self._margin = _LineNumbers(self)
        self.document().contentsChange.connect(self._carry_over)
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(self._scroll_margin)
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """The true text."""
        return self._shadow.text

    @property
    def base_text(self) -> str:
        """The text that the operation's positions count in."""
        return self._base

    def operation(self) -> SpliceText | None:
        """How the text differs from its base, None when it was not changed."""
        splices = self._splicing.splices()
        return SpliceText(splices) if splices and self._shadow.text != self._base else None

    def load(self, base: str, text: str | None = None, splices: SpliceText | None = None) -> None:
        """Show a text. With `splices`, unsaved work on `base` that gives `text`.

        A text that differs little from the one shown keeps cursor and scroll position.
        """
        shown = base if text is None else text
        self._base = base
        self._splicing = Splicing(len(base))
        for splice in reversed(splices.splices if splices else ()):
            self._splicing.replace(splice.start, splice.delete, splice.insert)
        self._show(shown)
        self._steps = Steps()

    def undo_step(self) -> None:
        """Take the last step back."""
        self._make(self._steps.undo())

    def redo_step(self) -> None:
        """Make the last undone step again."""
        self._make(self._steps.redo())

    @property
    def steps(self) -> Steps:
        """What can be undone."""
        return self._steps

    def replace_range(self, start: int, delete: int, insert: str) -> None:
        """Replace code points, as if typed."""
        self._steps.pause()
        self._put(start, delete, insert)
        self._steps.pause()

    def find_next(self, words: str, *, backwards: bool = False) -> bool:
        """Select the next occurrence, whatever its case, going round at the end."""
        if not words:
            return False
        cursor = self.textCursor()
        places = [match.start() for match in re.finditer(re.escape(words), self.text, re.IGNORECASE)]
        if not places:
            return False
        here = self._shadow.point_of(cursor.selectionStart() if backwards else cursor.selectionEnd())
        if backwards:
            start = next((place for place in reversed(places) if place < here), places[-1])
        else:
            start = next((place for place in places if place >= here), places[0])
        self.select_range(start, start + len(words))
        return True

    def select_range(self, start: int, end: int) -> None:
        """Select code points and bring them into sight."""
        cursor = self.textCursor()
        cursor.setPosition(self._shadow.unit_of(start))
        cursor.setPosition(self._shadow.unit_of(end), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()

    def selected_range(self) -> tuple[int, int]:
        """The selection in code points."""
        cursor = self.textCursor()
        return self._shadow.point_of(cursor.selectionStart()), self._shadow.point_of(cursor.selectionEnd())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Own undo and redo; a soft line break is a line break here."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo_step()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redo_step()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self.isReadOnly():
            if not event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
                self.textCursor().insertText("\n")
                self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802
        """Copy the true text."""
        start, end = self.selected_range()
        data = QMimeData()
        data.setText(self.text[start:end])
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """Take text only."""
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Paste text as it is, every character of it."""
        if self.isReadOnly() or not source.hasText():
            return
        start, end = self.selected_range()
        self.replace_range(start, end - start, source.text().encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the line numbers beside the text."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(QRect(inside.left(), inside.top(), self.margin_width(), inside.height()))

    def margin_width(self) -> int:
        """Room for the highest line number."""
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + self._appearance.space(5)

    def paint_margin(self, event: QPaintEvent) -> None:
        """Paint the numbers of the lines in sight."""
        painter = QPainter(self._margin)
        theme = self._appearance.theme
        painter.fillRect(event.rect(), theme.background)
        painter.setFont(self.font())
        painter.setPen(theme.muted)
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._margin.width() - self._appearance.space(3)
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            if block.isVisible() and top + height >= event.rect().top():
                line = QRect(0, round(top), width, self.fontMetrics().height())
                painter.drawText(line, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            block = block.next()
            top += height

    def _dress(self) -> None:
        self.setFont(self._appearance.font(TextSize.NORMAL, fixed=True))
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * 4)
        self._make_room()

    def _make_room(self) -> None:
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def _scroll_margin(self, area: QRect, by: int) -> None:
        if by:
            self._margin.scroll(0, by)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    def _show(self, text: str) -> None:
        self._loading = True
        try:
            old = self._shadow.text
            if old and text != old:
                first, last = _common(old, text)
                self._insert_shown(first, len(old) - first - last, text[first : len(text) - last])
            elif text != old:
                self.setPlainText(stand_in(text))
            self._shadow = ShadowText(text)
        finally:
            self._loading = False

    def _insert_shown(self, start: int, delete: int, insert: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._shadow.unit_of(start))
        cursor.setPosition(self._shadow.unit_of(start + delete), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(stand_in(insert))

    def _put(self, start: int, delete: int, insert: str) -> None:
        self._given = insert
        try:
            self._insert_shown(start, delete, insert)
        finally:
            self._given = None
        cursor = self.textCursor()
        cursor.setPosition(self._shadow.unit_of(start + len(insert)))
        self.setTextCursor(cursor)

    def _make(self, changes: tuple[Replaced, ...]) -> None:
        if self.isReadOnly():
            return
        self._restoring = True
        try:
            for change in changes:
                self._put(change.start, len(change.removed), change.inserted)
        finally:
            self._restoring = False

    def _carry_over(self, unit: int, removed: int, added: int) -> None:
        """Carry a change of the widget over to the true text.

        Qt counts the document's last, invisible separator into a change that reaches it.
        """
        if self._loading:
            return
        over = max(0, unit + removed - self._shadow.units)
        removed, added = removed - over, max(0, added - over)
        start = self._shadow.point_of(unit)
        end = self._shadow.point_of(unit + removed)
        inserted = self._typed(unit, added) if self._given is None else self._given
        before = self._shadow.text[start:end]
        if before == inserted:
            return
        change = self._shadow.replace(start, end - start, inserted)
        self._splicing.replace(start, end - start, inserted)
        if not self._restoring:
            self._steps.add(change)
        self.edited.emit()

    def _typed(self, unit: int, added: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(unit)
        cursor.setPosition(min(unit + added, self.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")


class _LineNumbers(QWidget):
    def __init__(self, editor: TextEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._editor.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self._editor.paint_margin(event)


def _common(old: str, new: str) -> tuple[int, int]:
    """Lengths of the common start and the common end, found by halves so that the work is C's."""
    limit = min(len(old), len(new))
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
    first, limit = low, limit - low
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        same = old[len(old) - middle :] == new[len(new) - middle :]
        low, high = (middle, high) if same else (low, middle - 1)
    return first, low

