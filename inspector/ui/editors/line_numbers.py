"""The line numbers in the margin of an editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from inspector.ui.appearance import Appearance


def rows_in_sight(
    editor: QPlainTextEdit, top: float, bottom: float, width: float
) -> Iterator[tuple[QTextBlock, QRectF]]:
    """The paragraphs between two heights of the viewport, and a box of a width for each.

    Asked for one by one, each would be measured from the first in sight on.
    """
    block = editor.firstVisibleBlock()
    at = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
    while block.isValid() and at <= bottom:
        height = editor.blockBoundingRect(block).height()
        if block.isVisible() and at + height >= top:
            yield block, QRectF(0, at, width, height)
        block = block.next()
        at += height


class LineNumbers(QWidget):
    """Stands left of the text; `name_of` says what stands beside a line."""

    def __init__(
        self, editor: QPlainTextEdit, appearance: Appearance, name_of: Callable[[QTextBlock], str]
    ) -> None:
        super().__init__(editor)
        self._editor = editor
        self._appearance = appearance
        self._name_of = name_of

    @property
    def room(self) -> int:
        digits = max(2, len(str(self._editor.blockCount())))
        return self._editor.fontMetrics().horizontalAdvance("9") * digits + self._appearance.space(6)

    def sizeHint(self) -> QSize:
        return QSize(self.room, 0)

    def follow(self, area: QRect, by: int) -> None:
        """Scroll or paint anew as the text does."""
        if by:
            self.scroll(0, by)
        else:
            self.update(0, area.y(), self.width(), area.height())

    def rows(self, top: float, bottom: float) -> Iterator[tuple[QTextBlock, QRectF]]:
        """The paragraphs between two heights, and the room of each beside the text."""
        return rows_in_sight(self._editor, top, bottom, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the names of the lines in sight."""
        editor, theme = self._editor, self._appearance.theme
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), theme.background)
            painter.setFont(editor.font())
            here = editor.textCursor().blockNumber() if editor.hasFocus() else -1
            for block, box in self.rows(event.rect().top(), event.rect().bottom()):
                painter.setPen(theme.text if block.blockNumber() == here else theme.muted)
                first = QRectF(0, box.top(), self.width() - self._appearance.space(3), self._height_of(block))
                painter.drawText(
                    first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._name_of(block)
                )
                self.paint_marks(painter, block, box)

    def paint_marks(self, painter: QPainter, block: QTextBlock, box: QRectF) -> None:
        """Paint what else is known of a line; of itself it paints nothing."""

    def _height_of(self, block: QTextBlock) -> float:
        """The height of a paragraph's first line, with the room above and below it."""
        layout = block.layout()
        if not layout.lineCount():
            return float(self._editor.fontMetrics().height())
        line = layout.lineAt(0)
        return 2 * line.y() + line.height()
