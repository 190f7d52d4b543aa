"""The text editor: line numbers, find and replace, and splices for the store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QMimeData, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QDragLeaveEvent,
    QDropEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.splices import between, changed_stretch, common_ends, composed, joined, spliced, trimmed
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.editors.line_numbers import LineNumbers
from inspector.ui.editors.shadow import (
    ShadowText,
    Steps,
    TextReplacement,
    segmented,
    stand_in,
    stood_in,
    units_in,
)
from inspector.ui.exact_text import carried, carrying
from inspector.ui.wording import tr

_LONG_LINE = 10_000
"""Characters from which a line is wrapped anywhere: looking for spaces takes time that grows with its square."""
_MOST_MARKED = 1_000
_GROUND = 0.3
_FLASH_MILLISECONDS = 1_200
_SIGN = stand_in("\0")
_SEGMENT_SIGN = "↪"
_MOST_CHANGES = 60
"""Places of a text that are changed one by one: each of them is laid out by itself."""
_STEPS_OVER = {Qt.Key.Key_Backspace: -1, Qt.Key.Key_Delete: 1}


class TextEditor(QPlainTextEdit):
    """Edits one text: a page with line numbers, or a field of a form.

    `edited` tells that a person changed it; `operation` says how it differs from its base.
    """

    edited = Signal()

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, is_field: bool = False
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_field = is_field
        self._shadow = ShadowText("")
        self._base = ""
        self._since_base: tuple[Splice, ...] = ()
        self._since_mark: tuple[Splice, ...] = ()
        self._steps = Steps()
        self._own_change = False
        self._raw: list[TextReplacement] = []
        # Qt's own undo would bring stand-ins back as typed text.
        self.setUndoRedoEnabled(False)
        self.setProperty("role", "field" if is_field else "page")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(tr("Text of the block"))
        self._margin = LineNumbers(self, appearance, self.line_name)
        self.document().contentsChange.connect(self._carry_over)
        self.textChanged.connect(self._stand_in_for_raw)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._margin.follow)
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        return self._shadow.text

    @property
    def base_text(self) -> str:
        return self._base

    @property
    def steps(self) -> Steps:
        return self._steps

    def operation(self) -> SpliceText | None:
        """How the text differs from its base, None when it does not."""
        if self._shadow.text == self._base:
            return None
        splices = trimmed(self._since_base, self._base)
        return SpliceText(splices) if splices else None

    def load(self, base: str, splices: Sequence[Splice] = (), *, carries: bool = False) -> None:
        """Show a text, or with `splices` unsaved work on it.

        Cursor and scroll position stay at the text they are at; what can be undone stays while the text is the same.
        With `carries` it is the same text as somebody else has changed it, and steps that stand elsewhere stay too.
        """
        self._base = base
        self._since_base = joined(splices)
        self._since_mark = ()
        self._show(spliced(base, splices) if splices else base, carries=carries)

    def set_mark(self) -> None:
        self._since_mark = ()

    def splices_since_mark(self) -> tuple[Splice, ...]:
        """What was typed since the mark, counted in the text as it was then."""
        return self._since_mark

    def count_from_mark(self, marked: str) -> None:
        """Take the text that the mark was set on as the base."""
        self._base, self._since_base = marked, self._since_mark

    def undo_step(self) -> None:
        if not self.isReadOnly():
            self._put(*self._steps.undo(), remember=False)

    def redo_step(self) -> None:
        if not self.isReadOnly():
            self._put(*self._steps.redo(), remember=False)

    def replace_range(self, start: int, delete: int, insert: str) -> None:
        self._steps.pause()
        self._put(self._change(start, delete, insert))
        self._steps.pause()

    def replace_all(self, words: str, replacement: str) -> int:
        """Replace every occurrence, whatever its case, as one step; says how many there were."""
        found = self.occurrences(words)
        if self.isReadOnly() or not found:
            return 0
        first, last = found[0][0], found[-1][1]
        inside = [Splice(start - first, end - start, replacement) for start, end in found]
        changed = spliced(self._shadow.text[first:last], inside)
        self._steps.pause()
        exact = tuple(Splice(start, end - start, replacement) for start, end in found)
        self._put(self._change(first, last - first, changed), exact=exact)
        self._steps.pause()
        return len(found)

    def occurrences(self, words: str) -> list[tuple[int, int]]:
        if not words:
            return []
        return [match.span() for match in re.finditer(re.escape(words), self._shadow.text, re.IGNORECASE)]

    def mark_found(self, found: Sequence[tuple[int, int]]) -> None:
        """Give occurrences a ground of their own."""
        marks = []
        theme = self._appearance.theme
        for start, end in found[:_MOST_MARKED]:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            self._select(cursor, start, end)
            look = cursor.charFormat()
            look.setBackground(theme.found)
            look.setForeground(theme.text)
            for name, value in (("cursor", cursor), ("format", look)):
                setattr(mark, name, value)
            marks.append(mark)
        self.setExtraSelections(marks)

    def select_range(self, start: int, end: int) -> None:
        """Select code points and bring them into sight."""
        cursor = self.textCursor()
        self._select(cursor, start, end)
        self.setTextCursor(cursor)
        self.centerCursor()

    def flash(self, at: int) -> None:
        """Put the cursor before a character and show its line for a moment."""
        self.select_range(at, at)
        mark = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        look.setBackground(self._appearance.theme.found)
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        for name, value in (("cursor", self.textCursor()), ("format", look)):
            setattr(mark, name, value)
        self.setExtraSelections([mark])
        QTimer.singleShot(_FLASH_MILLISECONDS, self, lambda: self.setExtraSelections([]))

    def selected_range(self) -> tuple[int, int]:
        cursor = self.textCursor()
        return self._shadow.point_of(cursor.selectionStart()), self._shadow.point_of(cursor.selectionEnd())

    def selected_text(self) -> str:
        start, end = self.selected_range()
        return self._shadow.text[start:end]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Own undo and redo; a soft line break is a line break here."""
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
        if self.isReadOnly():
            event.ignore()
        else:
            super().inputMethodEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        return carrying(self.selected_text())

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if not self.isReadOnly() and source.hasText():
            start, end = self.selected_range()
            self.replace_range(start, end - start, carried(source))

    def dropEvent(self, event: QDropEvent) -> None:
        """Put text where it falls; text of this editor moves. Qt's own way would report both parts as one change."""
        # Ends the feedback that Qt gave while the text was above.
        super().dragLeaveEvent(QDragLeaveEvent())
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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and a ground on the marks that stand in for hidden characters."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        ground = QColor(self._appearance.theme.warning)
        ground.setAlphaF(_GROUND)
        for box in self._hidden_boxes():
            painter.fillRect(box, ground)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(QRect(inside.left(), inside.top(), self._margin.room, inside.height()))

    def line_name(self, block: QTextBlock) -> str:
        """The number of a line of the true text; a further segment of one has a sign."""
        at = block.position()
        if self._shadow.is_break(at - 1):
            return _SEGMENT_SIGN
        return str(block.blockNumber() + 1 - self._shadow.breaks_before(at))

    def _hidden_boxes(self) -> Iterator[QRect]:
        """Where marks stand that are in sight."""
        block, cursor, bottom = (
            self.firstVisibleBlock(),
            QTextCursor(self.document()),
            self.viewport().height(),
        )
        while block.isValid():
            start = self._shadow.point_of(block.position())
            end = self._shadow.point_of(block.position() + block.length() - 1)
            for place in stood_in(self._shadow.text[start:end]):
                cursor.setPosition(self._shadow.unit_of(start + place))
                box = self.cursorRect(cursor)
                if box.top() > bottom:
                    return
                yield QRect(box.left(), box.top(), self.fontMetrics().horizontalAdvance(_SIGN), box.height())
            block = block.next()
            if self.blockBoundingGeometry(block).translated(self.contentOffset()).top() > bottom:
                return

    def _dress(self) -> None:
        self.setFont(self._appearance.font(TextSize.NORMAL, fixed=not self._is_field))
        self.document().setDocumentMargin(self._appearance.space(1 if self._is_field else 2))
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * 4)
        self._make_room()

    def _make_room(self) -> None:
        self._margin.setHidden(self._is_field)
        self.setViewportMargins(0 if self._is_field else self._margin.room, 0, 0, 0)

    def _select(self, cursor: QTextCursor, start: int, end: int) -> None:
        cursor.setPosition(self._shadow.unit_of(start))
        cursor.setPosition(self._shadow.unit_of(end), QTextCursor.MoveMode.KeepAnchor)

    def _change(self, start: int, delete: int, insert: str) -> TextReplacement:
        return TextReplacement(start, self._shadow.text[start : start + delete], insert)

    def _show(self, text: str, *, carries: bool = False) -> None:
        old = self._shadow.text
        if text == old:
            return
        changes = _changes(old, text) if old else ()
        self._own_change = True
        try:
            self._choose_wrapping(text)
            for each in reversed(changes):
                # Place by place, so that cursor and scroll position stay where they are in the text.
                self._insert_shown(self._change(each.start, each.delete, each.insert))
                self._shadow.replace(each.start, each.delete, each.insert)
            if not old:
                self.setPlainText(segmented(text))
                self._shadow = ShadowText(text)
        finally:
            self._own_change = False
        if carries and old:
            self._steps.carry(changes)
        else:
            self._steps = Steps()

    def _choose_wrapping(self, text: str) -> None:
        modes = QTextOption.WrapMode
        long = len(text) > _LONG_LINE and any(len(line) > _LONG_LINE for line in text.split("\n"))
        mode = modes.WrapAnywhere if long else modes.WrapAtWordBoundaryOrAnywhere
        if mode != self.wordWrapMode():
            self.setWordWrapMode(mode)

    def _insert_shown(self, change: TextReplacement) -> None:
        cursor = QTextCursor(self.document())
        self._select(cursor, change.start, change.start + len(change.removed))
        cursor.insertText(segmented(change.inserted))

    def _put(self, *changes: TextReplacement, remember: bool = True, exact: Sequence[Splice] = ()) -> None:
        """Make changes of our own: in the widget, in the true text, and in what is remembered of them."""
        changes = tuple(each for each in changes if each.removed != each.inserted)
        if not changes:
            return
        for change in changes:
            self._own_change = True
            try:
                if len(change.inserted) > _LONG_LINE:
                    self._choose_wrapping(change.inserted)
                self._insert_shown(change)
            finally:
                self._own_change = False
            self._record(change, exact)
        if remember:
            self._steps.add(*changes)
        cursor = self.textCursor()
        cursor.setPosition(self._shadow.unit_of(changes[-1].start + len(changes[-1].inserted)))
        self.setTextCursor(cursor)
        self.edited.emit()

    def _move_selection(self, to: int) -> None:
        start, end = self.selected_range()
        if start <= to <= end:
            return
        taken = self._change(start, end - start, "")
        there = to - len(taken.removed) if to > start else to
        self._steps.pause()
        self._put(taken, TextReplacement(there, "", taken.removed))
        self._steps.pause()

    def _record(self, change: TextReplacement, exact: Sequence[Splice] = ()) -> None:
        """Note a change of our own in the true text and in the operation."""
        self._shadow.replace(change.start, len(change.removed), change.inserted)
        self._note(exact or (Splice(change.start, len(change.removed), change.inserted),))

    def _note(self, splices: Sequence[Splice]) -> None:
        self._since_base = composed(self._since_base, splices)
        self._since_mark = composed(self._since_mark, splices)

    def _carry_over(self, unit: int, removed: int, added: int) -> None:
        """Carry what was typed into the widget over to the true text.

        Qt counts the document's last, invisible separator into a change that reaches it, and at times tells of
        more than was changed. What stood there before, as it was shown, is unchanged.
        """
        if self._own_change:
            return
        over = max(0, unit + removed - self._shadow.units)
        removed, added = removed - over, max(0, added - over)
        changed = self._take(unit, unit + removed, self._typed(unit, added))
        if self.document().characterCount() - 1 != self._shadow.units:
            # Half a character came alone: it cannot be read, and the other half then comes as a change of its own.
            changed |= self._take(0, self._shadow.units, self._typed(0, self.document().characterCount()))
        if changed:
            self.edited.emit()

    def _take(self, start: int, end: int, typed: str) -> bool:
        """Take over what now stands where something stood before. A break that is gone changes no text."""
        before = self._shadow.shown(start, end)
        if typed == before:
            return False
        first, last = common_ends(before, typed)
        change = self._shadow.replace_units(
            start + units_in(before[:first]),
            end - units_in(before[len(before) - last :]),
            typed[first : len(typed) - last],
        )
        if stand_in(change.inserted) != change.inserted:
            self._raw.append(change)
        if change.removed == change.inserted:
            return False
        self._note((Splice(change.start, len(change.removed), change.inserted),))
        self._steps.add(change)
        return True

    def _stand_in_for_raw(self) -> None:
        """Show the marks of what was typed and would not be seen, or would be lost, as it is."""
        raw, self._raw = self._raw, []
        for change in raw:
            self._own_change = True
            try:
                cursor = QTextCursor(self.document())
                self._select(cursor, change.start, change.start + len(change.inserted))
                cursor.insertText(stand_in(change.inserted))
            finally:
                self._own_change = False

    def _typed(self, unit: int, added: int) -> str:
        cursor = QTextCursor(self.document())
        cursor.setPosition(unit)
        end = min(unit + added, self.document().characterCount() - 1)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")


def _changes(old: str, new: str) -> Sequence[Splice]:
    """What leads from one text to another: by words where they are few, else as one stretch."""
    found = between(old, new)
    return found if len(found) <= _MOST_CHANGES else changed_stretch(old, new)
