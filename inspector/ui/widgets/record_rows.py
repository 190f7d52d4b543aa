"""A table widget for messages and entries: who, first words, state, tokens and time in one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.row_ground import paint_row_ground
from inspector.ui.widgets.rows_view import dress_table

Index = QModelIndex | QPersistentModelIndex
_STEP_STEPS, _GAP_STEPS = 4, 3
_STEPS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down})
_LEAPS = frozenset({Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})
_NOTE_SHARE, _LEAD_SHARE = 0.35, 0.24
"""Of a row, the most that its note takes; of what figures and note leave, the most that the lead takes."""


@dataclass(frozen=True, slots=True)
class RecordWidths:
    """How wide the parts of a line are: steps of the lead, and the widest figure and time as text."""

    lead: int = 18
    figure: str = "~100,000"
    time: str = "00 Mmm"


_USUAL = RecordWidths()


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One line. `tone` colours the lead and `note_tone` the note; `depth` moves the lead to the right.

    A `heading` stands above the rows that belong together. A `cut` is a line across the list.
    """

    text: str
    lead: str = ""
    note: str = ""
    figure: str = ""
    time: str = ""
    tone: str = "muted"
    note_tone: str = "muted"
    depth: int = 0
    inside: bool = False
    quiet: bool = False
    heading: bool = False
    cut: bool = False
    tip: str = ""
    spoken: str = ""


class RecordTable(QTableView):
    """The list. `entered` tells of Enter or a double click on a row."""

    entered = Signal()

    def __init__(
        self,
        appearance: Appearance,
        model: QAbstractItemModel,
        row_of: Callable[[Index], RecordRow | None],
        name: str,
        widths: RecordWidths = _USUAL,
    ) -> None:
        super().__init__()
        self.setModel(model)
        dress_table(self, appearance, name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setItemDelegate(_Painter(appearance, row_of, widths, self))
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.doubleClicked.connect(lambda _: self.entered.emit())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter open on every platform, and let keys choose a row that is current and not selected.

        Such is the row on which the keyboard comes in, and the one in the place of a row that is gone.
        """
        key, current = event.key(), self.currentIndex()
        is_bare = current.isValid() and not self.selectionModel().hasSelection()
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_bare and (is_enter or (is_plain and key in _STEPS)):
            self._select(current)
        elif not is_enter:
            super().keyPressEvent(event)
            # Where it goes to where it is, Qt selects nothing.
            if is_bare and is_plain and key in _LEAPS and not self.selectionModel().hasSelection():
                self._select(self.currentIndex())
        if is_enter:
            self.entered.emit()

    def _select(self, index: QModelIndex) -> None:
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(index, flags.ClearAndSelect | flags.Rows)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        """Go into the list from outside of it, and by Home and End to its ends, past headings."""
        actions = QAbstractItemView.CursorAction
        if action is actions.MoveEnd:
            return self._first_row(reversed(range(self.model().rowCount())))
        if action is actions.MoveHome or not self.currentIndex().isValid():
            return self._first_row(range(self.model().rowCount()))
        return super().moveCursor(action, modifiers)

    def _first_row(self, rows: Iterable[int]) -> QModelIndex:
        """The first of some rows that can be chosen."""
        found = (self.model().index(row, 0) for row in rows)
        return next((each for each in found if each.flags() & Qt.ItemFlag.ItemIsEnabled), QModelIndex())

    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the filter."""


class _Painter(QStyledItemDelegate):
    def __init__(
        self,
        appearance: Appearance,
        row_of: Callable[[Index], RecordRow | None],
        widths: RecordWidths,
        parent: QTableView,
    ) -> None:
        super().__init__(parent)
        self._widths = widths
        self._appearance = appearance
        self._row_of = row_of

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._appearance.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row; figures first, the words take what they leave."""
        row = self._row_of(index)
        if row is None:
            return
        painter.save()
        if row.cut:
            self._cut(painter, row, QRect(option.rect))
        elif row.heading:
            self._heading(painter, row, QRect(option.rect))
        else:
            self._row(painter, row, option)
        painter.restore()

    def _row(self, painter: QPainter, row: RecordRow, option: QStyleOptionViewItem) -> None:
        theme, space, rect = self._appearance.theme, self._appearance.space, QRect(option.rect)
        paint_row_ground(painter, self._appearance, option)
        if row.inside:
            painter.fillRect(
                QRect(rect.left(), rect.top(), space(0.75), rect.height()), theme.section("messages")
            )
        left, right = self._figures(painter, row, rect.adjusted(space(_GAP_STEPS), 0, -space(_GAP_STEPS), 0))
        step = space(_STEP_STEPS) * row.depth
        # With large text in little room, the words need it more than what leads them: the same of it in every row.
        wide = min(space(self._widths.lead), round(_LEAD_SHARE * rect.width()))
        lead = QRect(left + step, rect.top(), max(0, wide - step), rect.height())
        painter.setFont(self._appearance.font(TextSize.SMALL, bold=not row.quiet))
        painter.setPen(theme.state(row.tone) if not row.quiet else theme.muted)
        _draw(painter, lead, row.lead)
        painter.setFont(self._appearance.font())
        painter.setPen(theme.muted if row.quiet else theme.text)
        start = left + wide + space(2)
        _draw(painter, QRect(start, rect.top(), right - start, rect.height()), row.text)

    def _figures(self, painter: QPainter, row: RecordRow, rect: QRect) -> tuple[int, int]:
        """Paint time, tokens and note; gives where the words begin and end."""
        theme, gap = self._appearance.theme, self._appearance.space(_GAP_STEPS)
        painter.setFont(self._appearance.font(TextSize.SMALL, figures=True))
        metrics, right = painter.fontMetrics(), rect.right()
        painter.setPen(theme.muted)
        for text, widest in ((row.time, self._widths.time), (row.figure, self._widths.figure)):
            # What stands above other rows has their figures' room for its words, where it has none of its own.
            if not widest or (row.heading and not text):
                continue
            # What another language says longer stands whole; the words take what is left.
            width = max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(one_line(text)))
            painter.setPen(theme.muted if row.quiet or text == row.time else theme.text)
            _draw(painter, QRect(right - width, rect.top(), width, rect.height()), text, right=True)
            right -= width + gap
        if row.note:
            width = min(metrics.horizontalAdvance(row.note) + gap, round(_NOTE_SHARE * rect.width()))
            painter.setPen(theme.state(row.note_tone))
            _draw(painter, QRect(right - width, rect.top(), width, rect.height()), row.note, right=True)
            right -= width + gap
        return rect.left(), right

    def _heading(self, painter: QPainter, row: RecordRow, rect: QRect) -> None:
        theme, space = self._appearance.theme, self._appearance.space
        painter.fillRect(rect, theme.raised)
        _, right = self._figures(painter, row, rect.adjusted(space(_GAP_STEPS), 0, -space(_GAP_STEPS), 0))
        painter.setPen(theme.muted)
        left = rect.left() + space(_GAP_STEPS)
        _draw(painter, QRect(left, rect.top(), right - left, rect.height()), row.text)

    def _cut(self, painter: QPainter, row: RecordRow, rect: QRect) -> None:
        theme, space = self._appearance.theme, self._appearance.space
        font = self._appearance.font(TextSize.SMALL, bold=True)
        painter.setFont(font)
        painter.setPen(theme.accent)
        room = rect.adjusted(space(_GAP_STEPS), 0, -space(_GAP_STEPS), 0)
        _draw(painter, room, row.text)
        left = room.left() + QFontMetrics(font).horizontalAdvance(one_line(row.text)) + space(2)
        if left < room.right():
            painter.fillRect(QRect(left, rect.center().y(), room.right() - left, 1), theme.accent)


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool = False) -> None:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    shown = painter.fontMetrics().elidedText(
        one_line(text), Qt.TextElideMode.ElideRight, max(0, room.width())
    )
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)
