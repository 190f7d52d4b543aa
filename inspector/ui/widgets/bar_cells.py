"""A widget delegate that paints a bar behind a figure, as long as the figure is of the largest one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance

Index = QModelIndex | QPersistentModelIndex
_STRENGTH = 0.34
"""Of the section's colour, so that the figure on it stays readable."""


@dataclass(frozen=True, slots=True)
class CellBar:
    """A bar: its share of the cell's width, and the section whose colour it has."""

    share: float
    section: str


class BarCells(QStyledItemDelegate):
    """Paints the bar from the left edge, then the figure; `measure` gives the bar of an index."""

    def __init__(
        self, appearance: Appearance, measure: Callable[[Index], CellBar | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._measure = measure

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), self._appearance.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the bar under the cell."""
        bar = self._measure(index)
        width = 0 if bar is None else round(bar.share * (option.rect.width() - self._appearance.space(1)))
        if bar is not None and width > 0:
            space = self._appearance.space
            colour = QColor(self._appearance.theme.section(bar.section))
            colour.setAlphaF(_STRENGTH)
            gap = space(1)
            left = option.rect.left() + space(0.5)
            painter.save()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRect(QRect(left, option.rect.top() + gap, width, option.rect.height() - 2 * gap))
            painter.restore()
        super().paint(painter, option, index)
