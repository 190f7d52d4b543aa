"""The table of an import's rows, each with a check box: the recorded requests that a file holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from inspector.domain.exchange import ImportRow
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, tr, tr_code

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_FIGURES = range(2, 5)
_ROWS_SHOWN = 8
_AIR = 8


class _Rows(QStyledItemDelegate):
    """Paints a row with room above and below, and its check box with an edge that is seen in the dark too."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), option.fontMetrics.height() + _AIR)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.column() > 0:
            return
        self.initStyleOption(option, index)
        style = option.widget.style()
        box = style.subElementRect(QStyle.SubElement.SE_ItemViewItemCheckIndicator, option, option.widget)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawRect(box.adjusted(0, 0, -1, -1))


class ImportRows(QTreeWidget):
    """The rows, the first checked. Space or a click checks one, Ctrl+A all of them or none."""

    picked_changed = Signal()

    def __init__(self, rows: Sequence[ImportRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Requests to import"))
        self.setHeaderLabels(
            [
                tr("Row"),
                tr("First words"),
                tr("Messages"),
                tr("Tokens in"),
                tr("Tokens out"),
                tr("Model"),
                tr("Format"),
            ]
        )
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setItemDelegate(_Rows(self))
        self._items = [_item(row) for row in rows]
        self._items[0].setCheckState(0, Qt.CheckState.Checked)
        self.addTopLevelItems(self._items)
        self.setCurrentItem(self._items[0])
        self._size_columns()
        self.itemChanged.connect(lambda _item, _column: self.picked_changed.emit())

    @property
    def picked(self) -> tuple[int, ...]:
        """The numbers of the rows that are checked, from 1."""
        checked = Qt.CheckState.Checked
        return tuple(at for at, item in enumerate(self._items, start=1) if item.checkState(0) is checked)

    def pick_all_or_none(self) -> None:
        """Check every row, or no row if all are."""
        unchecked, checked = Qt.CheckState.Unchecked, Qt.CheckState.Checked
        state = unchecked if len(self.picked) == len(self._items) else checked
        self.blockSignals(True)
        for item in self._items:
            item.setCheckState(0, state)
        self.blockSignals(False)
        self.viewport().update()
        self.picked_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() == Qt.Key.Key_Space and item is not None:
            checked = item.checkState(0) is Qt.CheckState.Checked
            item.setCheckState(0, Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked)
        elif event.key() == Qt.Key.Key_A and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.pick_all_or_none()
        else:
            super().keyPressEvent(event)

    def _size_columns(self) -> None:
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        for column in range(self.columnCount()):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column in _FIGURES:
            self.headerItem().setTextAlignment(column, _RIGHT)

    def showEvent(self, event: QShowEvent) -> None:
        """Be as high as the rows: how high one is depends on the look, which comes with the window."""
        super().showEvent(event)
        rows = min(_ROWS_SHOWN, len(self._items))
        height = self.sizeHintForRow(0) * rows + self.header().sizeHint().height() + 2
        self.setMinimumHeight(height)
        if len(self._items) <= _ROWS_SHOWN:
            self.setMaximumHeight(height)


def _item(row: ImportRow) -> QTreeWidgetItem:
    words = tr("{title}: {words}", title=row.title, words=row.first_words) if row.title else row.first_words
    item = QTreeWidgetItem(
        [
            str(row.number),
            one_line(words),
            number(row.messages),
            _figure(row.input_tokens),
            _figure(row.output_tokens),
            one_line(row.model, 40),
            tr_code(f"form.{row.source_format}"),
        ]
    )
    item.setCheckState(0, Qt.CheckState.Unchecked)
    for column in _FIGURES:
        item.setTextAlignment(column, _RIGHT)
    return item


def _figure(count: int | None) -> str:
    return "" if count is None else number(count)
