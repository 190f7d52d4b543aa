"""The table widget of the sharing matrix: block names at the left, agents above, levels as words in the cells."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.presentation.sharing_matrix import MatrixCell, heading_tokens
from inspector.ui.safe_text import one_line
from inspector.ui.sharing.matrix_model import MatrixModel
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr, with_unit

_BLOCK_STEPS, _AGENT_STEPS, _GAP_STEPS = 58, 28, 2
_LEAST_LETTERS = 5
"""Of an owner's name, below which it would say nothing."""
_BLOCK_SHARE = 0.39
"""The most of the table's width that the labels may take: two agents stay in sight with large text."""
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_F2)
_SELECT = QItemSelectionModel.SelectionFlag
_NONE, _SORTED = "·", "▾"


class MatrixTable(QTableView):
    """The cells of blocks and agents.

    `entered` tells of Enter, Space, F2 or a double click on one, `agent_clicked` of a click on a column's heading.
    """

    entered = Signal()
    agent_clicked = Signal(int)

    def __init__(self, appearance: Appearance, model: MatrixModel) -> None:
        super().__init__()
        self._appearance = appearance
        self.setModel(model)
        header = _AgentHeader(appearance, model, self)
        header.clicked.connect(self.agent_clicked)
        self.setHorizontalHeader(header)
        self.setVerticalHeader(_BlockHeader(appearance, model, self))
        dress_table(self, appearance, tr("Blocks and the agents that see them"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().show()
        self.horizontalHeader().setStretchLastSection(False)
        self.setItemDelegate(_CellPainter(appearance, self))
        self.doubleClicked.connect(lambda _: self.entered.emit())
        appearance.changed.connect(self._measure)
        self._measure()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter, Space and F2 open the choice of a level."""
        if event.key() in _OPENING and self.currentIndex().isValid():
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the filter."""

    @property
    def selected_count(self) -> int:
        """How many cells are selected; none of them is looked at."""
        found = self.selectionModel().selection()
        ranges = [found.at(place) for place in range(found.count())]
        return sum(each.width() * each.height() for each in ranges)

    def go_to(self, index: QModelIndex) -> None:
        """Make a cell current and selected, in sight."""
        self.selectionModel().setCurrentIndex(index, _SELECT.ClearAndSelect)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def _measure(self) -> None:
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setDefaultSectionSize(self._appearance.space(_AGENT_STEPS))
        header.setMinimumSectionSize(self._appearance.space(_AGENT_STEPS // 2))
        for section in range(header.count()):
            header.resizeSection(section, self._appearance.space(_AGENT_STEPS))
        self.updateGeometries()


class _CellPainter(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, parent: QTableView) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint the level at the left and the tokens at the right."""
        cell = index.data(VALUE_ROLE)
        if not isinstance(cell, MatrixCell):
            return
        theme, gap = self._appearance.theme, self._appearance.space(_GAP_STEPS)
        rect, state = QRect(option.rect), option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.selection)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.hover)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(theme.accent)
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        room = rect.adjusted(gap, 0, -gap, 0)
        painter.setFont(self._appearance.font(TextSize.SMALL, figures=True))
        painter.setPen(theme.muted)
        width = _draw(painter, room, cell.tokens, right=True)
        painter.setFont(self._appearance.font())
        painter.setPen(theme.muted if cell.is_fixed or not cell.level else theme.text)
        _draw(painter, room.adjusted(0, 0, -width - gap if width else 0, 0), cell.level or _NONE)
        painter.restore()


class _MatrixHeader(QHeaderView):
    """Paints its sections itself: a name and the tokens of its cells."""

    def __init__(
        self, orientation: Qt.Orientation, appearance: Appearance, model: MatrixModel, parent: QTableView
    ) -> None:
        super().__init__(orientation, parent)
        self._appearance = appearance
        self._matrix_model = model

    def _begin(self, painter: QPainter, rect: QRect) -> QRect:
        theme, space = self._appearance.theme, self._appearance.space
        painter.fillRect(rect, theme.surface)
        painter.setPen(theme.border)
        if self.orientation() == Qt.Orientation.Horizontal:
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        else:
            painter.drawLine(rect.topRight(), rect.bottomRight())
        return rect.adjusted(space(_GAP_STEPS), 0, -space(_GAP_STEPS), 0)


class _AgentHeader(_MatrixHeader):
    clicked = Signal(int)

    def __init__(self, appearance: Appearance, model: MatrixModel, parent: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, appearance, model, parent)
        self._pressed = QPoint()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where: a column that is made wider is not clicked."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Sort by a column that is clicked, and leave the selection as it is."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        section = self.logicalIndexAt(at)
        if section >= 0 and (at - self._pressed).manhattanLength() < QApplication.startDragDistance():
            self.clicked.emit(section)

    def sizeHint(self) -> QSize:
        """High enough for two lines of text."""
        return QSize(0, 2 * self._appearance.row_height())

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Paint an agent's name, and below it what all of its blocks take."""
        matrix = self._matrix_model.matrix
        if logicalIndex >= len(matrix.agents):
            return
        agent_id, name = matrix.agents[logicalIndex]
        theme = self._appearance.theme
        painter.save()
        room = self._begin(painter, rect)
        half = room.height() // 2
        painter.setFont(self._appearance.font(bold=True))
        painter.setPen(theme.accent if matrix.sorted_by == agent_id else theme.text)
        mark = f"{_SORTED} " if matrix.sorted_by == agent_id else ""
        _draw(painter, QRect(room.left(), room.top(), room.width(), half), mark + name)
        painter.setFont(self._appearance.font(TextSize.SMALL))
        painter.setPen(theme.muted)
        figure = heading_tokens(matrix.agent_tokens.get(agent_id))
        text = with_unit(figure)
        _draw(painter, QRect(room.left(), room.top() + half, room.width(), half), text)
        painter.restore()


class _BlockHeader(_MatrixHeader):
    def __init__(self, appearance: Appearance, model: MatrixModel, parent: QTableView) -> None:
        super().__init__(Qt.Orientation.Vertical, appearance, model, parent)
        self.setSectionsClickable(True)

    def sizeHint(self) -> QSize:
        """Of one width, whatever the labels are: none of thousands is measured."""
        table = self.parentWidget()
        steps = self._appearance.space(_BLOCK_STEPS)
        return QSize(steps if table is None else min(steps, round(_BLOCK_SHARE * table.width())), 0)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Paint a block's label and owner, and what it takes in all Requests."""
        matrix = self._matrix_model.matrix
        if logicalIndex >= len(matrix.blocks):
            return
        block, theme = matrix.blocks[logicalIndex], self._appearance.theme
        gap = self._appearance.space(_GAP_STEPS)
        painter.save()
        room = self._begin(painter, rect)
        painter.setFont(self._appearance.font(TextSize.SMALL, figures=True))
        painter.setPen(theme.muted)
        width = _draw(painter, room, heading_tokens(matrix.block_tokens.get(block.id)), right=True)
        room = room.adjusted(0, 0, -width - gap, 0)
        owner = one_line(matrix.owner_name(block))
        label_width = self._width(block.label)
        left = room.width() - label_width - gap
        if left > gap + min(self._width(owner), self._width("m" * _LEAST_LETTERS)):
            _draw(painter, room.adjusted(label_width + gap, 0, 0, 0), owner)
        painter.setFont(self._appearance.font())
        painter.setPen(theme.text)
        _draw(painter, room, block.label)
        painter.restore()

    def _width(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(one_line(text)) + self._appearance.space()


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool = False) -> int:
    """Draw one line into its room, elided; gives the width that it takes."""
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, room.width()))
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, shown)
    return metrics.horizontalAdvance(shown)
