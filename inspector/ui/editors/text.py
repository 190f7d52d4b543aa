"""The text editor as it looks: its margin, its grounds, and the marks of what was found or is hidden."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRect, QRectF, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent, QShowEvent, QTextBlock, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from inspector.domain.edits.text import Splice
from inspector.domain.splices import trimmed
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.editors.change_marks import ChangeKind, ChangeMarks, change_marks
from inspector.ui.editors.grounds import Grounds
from inspector.ui.editors.gutter import Gutter
from inspector.ui.editors.line_layout import PitchedLayout
from inspector.ui.editors.line_numbers import rows_in_sight
from inspector.ui.editors.shadow import stand_in, stood_in
from inspector.ui.editors.typed_edit import TypedTextEdit
from inspector.ui.wording import tr

_MOST_MOVED = 1_000
"""Marks that follow the text while it is typed in; more of them wait until they are looked for again."""
_GROUND = 0.3
_FLASH_MILLISECONDS = 1_200
_SIGN = stand_in("\0")
_SEGMENT_SIGN = "↪"
_TAB = 4


class TextEditor(TypedTextEdit):
    """Edits one text: a page with a margin, or a field of a form.

    `sight_changed` tells that other lines are in sight, or the same at another place.
    """

    sight_changed = Signal()

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, is_field: bool = False
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._is_field = is_field
        self._found: Sequence[tuple[int, int]] = ()
        self.marks_changes = False
        """Whether the margin says which lines differ from the base."""
        self._changes: tuple[tuple[Splice, ...], ChangeMarks] = (), ChangeMarks()
        self._here = QRectF()
        self.setProperty("role", "field" if is_field else "page")
        self.setAccessibleName(tr("Text of the block"))
        # Kept here too: the document alone would let its Python half go.
        self._rows = PitchedLayout(self.document())
        self.document().setDocumentLayout(self._rows)
        self._grounds = Grounds(self, appearance)
        self.margin = Gutter(self, appearance, self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self.margin.follow)
        self.cursorPositionChanged.connect(self._move_ground)
        self.verticalScrollBar().valueChanged.connect(self._see)
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def changes(self) -> ChangeMarks:
        """Which lines differ from the base."""
        if self._changes[0] is not self._since_base:
            self._changes = self._since_base, self._marked_changes()
        return self._changes[1]

    def load(self, base: str, splices: Sequence[Splice] = (), *, carries: bool = False) -> None:
        super().load(base, splices, carries=carries)
        self.margin.update()

    def count_from_mark(self, marked: str) -> None:
        super().count_from_mark(marked)
        self.margin.update()

    def mark_found(self, found: Sequence[tuple[int, int]]) -> None:
        """Give occurrences, in ascending order, a ground of their own."""
        self._found = found
        self._show_found()

    def flash(self, at: int) -> None:
        """Put the cursor before a character and show its line for a moment."""
        self.select_range(at, at)
        self._grounds.flashed = self.textCursor().blockNumber()
        self.viewport().update()
        QTimer.singleShot(_FLASH_MILLISECONDS, self, self._end_flash)

    @property
    def flashed_line(self) -> int | None:
        """The paragraph that is pointed out, from 1."""
        return None if self._grounds.flashed is None else self._grounds.flashed + 1

    def points_in_sight(self) -> tuple[int, int]:
        """From where to where the lines in sight go, in code points."""
        first = self.firstVisibleBlock()
        last = self.cursorForPosition(self.viewport().rect().bottomRight()).block()
        end = last.position() + last.length() - 1
        return self._shadow.point_of(first.position()), self._shadow.point_of(end)

    def blocks_in_sight(self) -> Iterator[tuple[QTextBlock, int]]:
        """The paragraphs in sight, and the code point that each begins with."""
        block, last = self.firstVisibleBlock(), self.points_in_sight()[1]
        while block.isValid():
            start = self._shadow.point_of(block.position())
            if start > last:
                return
            yield block, start
            block = block.next()

    def unit_of(self, point: int) -> int:
        """The widget's position of a code point."""
        return self._shadow.unit_of(point)

    @property
    def line_count(self) -> int:
        """The lines of the true text; behind a last line feed there is one more."""
        return self._shadow.line_count

    def cursor_place(self) -> tuple[int, int]:
        """The line and the column that the cursor is in, from 1."""
        cursor = self.textCursor()
        at = self._shadow.point_of(cursor.position())
        return self.line_number(cursor.block()), at - self._shadow.text.rfind("\n", 0, at)

    def point_at(self, line: int, column: int) -> int:
        """The code point at a line and column from 1, or the nearest there is."""
        text, at = self._shadow.text, 0
        for _ in range(min(line, self.line_count) - 1):
            at = text.index("\n", at) + 1
        end = text.find("\n", at)
        return min(at + max(column, 1) - 1, len(text) if end < 0 else end)

    def line_number(self, block: QTextBlock) -> int:
        """The number of a line of the true text, from 1."""
        return block.blockNumber() + 1 - self._shadow.breaks_before(block.position())

    def line_name(self, block: QTextBlock) -> str:
        """The number of a line of the true text; a further segment of one has a sign."""
        return _SEGMENT_SIGN if self._shadow.is_break(block.position() - 1) else str(self.line_number(block))

    def line_changes(self, block: QTextBlock) -> frozenset[ChangeKind]:
        """What unsaved work did to a line."""
        if not self.marks_changes or not self._since_base:
            return frozenset()
        start = self._shadow.point_of(block.position())
        return self.changes.kinds(start, self._shadow.point_of(block.position() + block.length() - 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text on its grounds, and a ground on the marks that stand in for hidden characters."""
        if not self._is_field:
            with QPainter(self.viewport()) as painter:
                self._grounds.paint(painter, QRectF(event.rect()))
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            ground = QColor(self._appearance.theme.warning)
            ground.setAlphaF(_GROUND)
            for box in self._hidden_boxes(QRectF(event.rect())):
                painter.fillRect(box, ground)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._see()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self.margin.setGeometry(QRect(inside.left(), inside.top(), self.margin.room, inside.height()))
        self._see()

    def _note(self, splices: Sequence[Splice]) -> None:
        super()._note(splices)
        if 0 < len(self._found) <= _MOST_MOVED and len(splices) == 1:
            self._found = list(_moved(self._found, splices[0]))

    def _marked_changes(self) -> ChangeMarks:
        return change_marks(self._base, self._shadow.text, trimmed(self._since_base, self._base))

    def _see(self) -> None:
        if self._found and self._own_change:
            # The widget scrolls while a change is made: where the occurrences stand is known once it is made.
            QTimer.singleShot(0, self, self._show_found)
        elif self._found:
            self._show_found()
        self.sight_changed.emit()

    def _show_found(self) -> None:
        """Mark the occurrences in sight; there may be many more."""
        marks = []
        first, last = self.points_in_sight() if self._found else (0, 0)
        theme = self._appearance.theme
        # They ascend and don't overlap, so their ends ascend too.
        low = bisect_left(self._found, first, key=lambda each: each[1])
        high = bisect_right(self._found, last, low, key=lambda each: each[0])
        for start, end in self._found[low:high]:
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

    def _end_flash(self) -> None:
        self._grounds.flashed = None
        self.viewport().update()

    def _move_ground(self) -> None:
        """Paint the line that the cursor was in and the one that it is in."""
        if self._is_field:
            return
        here = self._grounds.box_of(self.textCursor().block())
        for box in (self._here, here):
            # Over the whole width: the viewport may have grown since the line was left.
            box.setWidth(self.viewport().width())
            self.viewport().update(box.toAlignedRect())
        if here.top() != self._here.top():
            self.margin.update()
        self._here = here

    def _hidden_boxes(self, area: QRectF) -> Iterator[QRect]:
        """Where marks stand in an area."""
        width, sign = self.viewport().width(), self.fontMetrics().horizontalAdvance(_SIGN)
        for block, _ in rows_in_sight(self, area.top(), area.bottom(), width):
            # The marks themselves aren't ASCII.
            if not block.text().isascii():
                yield from self._hidden_in(block, sign)

    def _hidden_in(self, block: QTextBlock, sign: int) -> Iterator[QRect]:
        cursor = QTextCursor(self.document())
        start = self._shadow.point_of(block.position())
        end = self._shadow.point_of(block.position() + block.length() - 1)
        for place in stood_in(self._shadow.text[start:end]):
            cursor.setPosition(self._shadow.unit_of(start + place))
            box = self.cursorRect(cursor)
            if box.top() > self.viewport().height():
                return
            yield QRect(box.left(), box.top(), sign, box.height())

    def _dress(self) -> None:
        self._rows.pitch = 0 if self._is_field else self._appearance.line_pitch()
        self.setFont(self._appearance.font(TextSize.NORMAL, fixed=not self._is_field))
        self.document().setDocumentMargin(self._appearance.space(1 if self._is_field else 2))
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" ") * _TAB)
        self._make_room()
        self._see()

    def _make_room(self) -> None:
        self.margin.setHidden(self._is_field)
        self.setViewportMargins(0 if self._is_field else self.margin.room, 0, 0, 0)


def _moved(found: Sequence[tuple[int, int]], splice: Splice) -> Iterator[tuple[int, int]]:
    """Occurrences after a splice; one that it was made in is none any more."""
    by = len(splice.insert) - splice.delete
    for start, end in found:
        if end <= splice.start:
            yield start, end
        elif start >= splice.start + splice.delete:
            yield start + by, end + by
