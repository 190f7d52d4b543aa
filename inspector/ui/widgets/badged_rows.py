"""A widget delegate that paints tree rows with a section's colour, a title and badges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.icons import Icons
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.row_ground import paint_row_ground

Index = QModelIndex | QPersistentModelIndex
_LARGEST_SHARE = 0.6
"""Of a row, for marks; the title has the rest. Marks that yield leave the title all that it needs."""


@dataclass(frozen=True, slots=True)
class PaintedBadge:
    """One badge: a text, or an icon of the family, in a tone."""

    text: str = ""
    icon: str = ""
    tone: str = "muted"
    yields: bool = False


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
        paint_row_ground(painter, self._appearance, option, ring=False)
        rect = QRect(option.rect)
        space = self._appearance.space
        left, right = rect.left() + space(1), rect.right() - space(3)
        if row.section:
            left = self._square(painter, row.section, rect, left)
        for mark in reversed(self._fitting(row, right - left, _LARGEST_SHARE * rect.width())):
            right = self._mark(painter, mark, rect, right) - space(1.5)
        painter.setFont(self._font(row))
        painter.setPen(self._appearance.theme.muted if row.quiet else self._appearance.theme.text)
        room = QRect(left, rect.top(), max(0, right - left), rect.height())
        title = painter.fontMetrics().elidedText(
            one_line(row.title), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()

    def _fitting(self, row: BadgedRow, width: float, most: float) -> Sequence[PaintedBadge]:
        """The marks that fit beside the title: those that yield go first, then quiet ones; a coloured one stays."""
        metrics = QFontMetrics(self._appearance.font(TextSize.SMALL, figures=True))
        space = self._appearance.space
        widths = {
            id(mark): space(4.5 if mark.icon else 1.5)
            + (0 if mark.icon else metrics.horizontalAdvance(one_line(mark.text, 40)))
            for mark in row.marks
        }
        title = QFontMetrics(self._font(row)).horizontalAdvance(one_line(row.title))
        kept = list(row.marks)
        going = [each for each in reversed(row.marks) if each.yields]
        going += [each for each in reversed(row.marks) if each.tone == "muted" and not each.yields]
        for mark in going:
            room = width - title if mark.yields else most
            if sum(widths[id(each)] for each in kept) <= room:
                continue
            kept.remove(mark)
        return kept

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
        painter.setFont(self._appearance.font(TextSize.SMALL, figures=True))
        painter.setPen(self._appearance.theme.state(mark.tone))
        text = one_line(mark.text, 40)
        width = painter.fontMetrics().horizontalAdvance(text)
        room = QRect(right - width, rect.top(), width, rect.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        return right - width
