"""A widget delegate that paints tree rows with a section's colour, a title and badges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.icons import Icons
from inspector.ui.safe_text import one_line

Index = QModelIndex | QPersistentModelIndex
_LARGEST_SHARE = 0.6
"""Of a row, for marks; the title has the rest."""


@dataclass(frozen=True, slots=True)
class PaintedBadge:
    """One badge: a text, or an icon of the family, in a tone."""

    text: str = ""
    icon: str = ""
    tone: str = "muted"


@dataclass(frozen=True, slots=True)
class BadgedRow:
    """How a row is painted. `section` gives the square's colour, nothing none."""

    title: str
    marks: Sequence[PaintedBadge] = ()
    section: str = ""
    quiet: bool = False
    strong: bool = False
    small: bool = False


class BadgedRows(QStyledItemDelegate):
    """The painter; `describe` makes the value to paint from an index."""

    def __init__(
        self,
        appearance: Appearance,
        icons: Icons,
        describe: Callable[[Index], BadgedRow | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._icons = icons
        self._describe = describe

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._appearance.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row; badges first, the title takes what they leave."""
        row = self._describe(index)
        if row is None:
            return
        painter.save()
        rect = self._background(painter, option)
        space = self._appearance.space
        right = rect.right() - space(3)
        for mark in reversed(self._fitting(row.marks, _LARGEST_SHARE * rect.width())):
            right = self._mark(painter, mark, rect, right) - space(1.5)
        left = rect.left() + space(1)
        if row.section:
            left = self._square(painter, row.section, rect, left)
        painter.setFont(self._font(row))
        painter.setPen(self._appearance.theme.muted if row.quiet else self._appearance.theme.text)
        room = QRect(left, rect.top(), max(0, right - left), rect.height())
        title = painter.fontMetrics().elidedText(
            one_line(row.title), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()

    def _fitting(self, marks: Sequence[PaintedBadge], room: float) -> Sequence[PaintedBadge]:
        """What of the marks may take that much: quiet ones go first, from the end; a coloured one stays."""
        metrics = QFontMetrics(self._appearance.font(TextSize.SMALL))
        space = self._appearance.space
        widths = {
            id(mark): space(4.5 if mark.icon else 1.5)
            + (0 if mark.icon else metrics.horizontalAdvance(one_line(mark.text, 40)))
            for mark in marks
        }
        kept = list(marks)
        for mark in [each for each in reversed(marks) if each.tone == "muted"]:
            if sum(widths[id(each)] for each in kept) <= room:
                break
            kept.remove(mark)
        return kept

    def _background(self, painter: QPainter, option: QStyleOptionViewItem) -> QRect:
        """Fill the whole row's width, so that a selection is one bar from edge to edge."""
        view: Any = option.widget
        rect = QRect(option.rect)
        whole = QRect(0, rect.top(), view.viewport().width(), rect.height()) if view is not None else rect
        theme = self._appearance.theme
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.selection)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.hover)
        if option.state & QStyle.StateFlag.State_HasFocus and option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(
                QRect(whole.left(), rect.top(), self._appearance.space(0.5), rect.height()), theme.accent
            )
        return rect

    def _font(self, row: BadgedRow) -> QFont:
        return self._appearance.font(TextSize.SMALL if row.small else TextSize.NORMAL, bold=row.strong)

    def _square(self, painter: QPainter, section: str, rect: QRect, left: int) -> int:
        size = self._appearance.space(2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._appearance.theme.section(section))
        painter.drawRoundedRect(QRect(left, rect.center().y() - size // 2 + 1, size, size), 2, 2)
        return left + size + self._appearance.space(1.5)

    def _mark(self, painter: QPainter, mark: PaintedBadge, rect: QRect, right: int) -> int:
        if mark.icon:
            size = self._appearance.space(3)
            pixmap = self._icons.pixmap(mark.icon, size, mark.tone)
            painter.drawPixmap(QRect(right - size, rect.center().y() - size // 2 + 1, size, size), pixmap)
            return right - size
        painter.setFont(self._appearance.font(TextSize.SMALL))
        painter.setPen(self._appearance.theme.state(mark.tone))
        text = one_line(mark.text, 40)
        width = painter.fontMetrics().horizontalAdvance(text)
        room = QRect(right - width, rect.top(), width, rect.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        return right - width
