"""What a person does in a block's text by keys, input methods, the clipboard and dragging."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDragLeaveEvent, QDropEvent, QInputMethodEvent, QKeyEvent, QKeySequence

from inspector.ui.editors.exact_edit import ExactTextEdit
from inspector.ui.editors.shadow import TextReplacement
from inspector.ui.exact_text import carried, carrying

_STEPS_OVER = {Qt.Key.Key_Backspace: -1, Qt.Key.Key_Delete: 1}


class TypedTextEdit(ExactTextEdit):
    """A text that is typed in: own undo keys, line breaks, exact copies and drops."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Own undo and redo; a soft line break is a line break here."""
        self.show_whole()
        hard = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo_step()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redo_step()
        elif event.key() in _STEPS_OVER:
            self._step_over_break(_STEPS_OVER[Qt.Key(event.key())])
            super().keyPressEvent(event)
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self.isReadOnly() or event.modifiers() & hard:
            event.ignore()
        else:
            start, end = self.selected_range()
            self._put(self._change(start, end - start, "\n"))
            self.ensureCursorVisible()

    def _step_over_break(self, by: int) -> None:
        """Let a key that deletes find a character, and not the break between two segments of a line."""
        cursor = self.textCursor()
        if self.isReadOnly() or cursor.hasSelection():
            return
        at = cursor.position()
        if self._shadow.is_break(at - 1 if by < 0 else at):
            cursor.setPosition(at + by)
            self.setTextCursor(cursor)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Compose text, where it may be changed: Qt itself does not look."""
        self.show_whole()
        if self.isReadOnly():
            event.ignore()
        else:
            super().inputMethodEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        return carrying(self.selected_text())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.show_whole()
        if not self.isReadOnly() and source.hasText():
            start, end = self.selected_range()
            self.replace_range(start, end - start, carried(source))

    def dropEvent(self, event: QDropEvent) -> None:
        """Put text where it falls; text of this editor moves. Qt's own way would report both parts as one change."""
        # Ends the feedback that Qt gave while the text was above.
        super().dragLeaveEvent(QDragLeaveEvent())
        self.show_whole()
        if self.isReadOnly() or not self.canInsertFromMimeData(event.mimeData()):
            event.ignore()
            return
        to = self._shadow.point_of(self.cursorForPosition(event.position().toPoint()).position())
        own = event.source() in (self, self.viewport())
        if own and event.dropAction() == Qt.DropAction.MoveAction:
            self._move_selection(to)
        else:
            self.replace_range(to, 0, carried(event.mimeData()))
        event.acceptProposedAction()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _move_selection(self, to: int) -> None:
        start, end = self.selected_range()
        if start <= to <= end:
            return
        taken = self._change(start, end - start, "")
        there = to - len(taken.removed) if to > start else to
        self._steps.pause()
        self._put(taken, TextReplacement(there, "", taken.removed))
        self._steps.pause()
