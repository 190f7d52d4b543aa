"""The line numbers in the margin of an editor."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from inspector.ui.appearance import Appearance


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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the names of the lines in sight."""
        editor, theme = self._editor, self._appearance.theme
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.background)
        painter.setFont(editor.font())
        painter.setPen(theme.muted)
        block = editor.firstVisibleBlock()
        top = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
        width = self.width() - self._appearance.space(3)
        while block.isValid() and top <= event.rect().bottom():
            height = editor.blockBoundingRect(block).height()
            if block.isVisible() and top + height >= event.rect().top():
                line = QRect(0, round(top), width, editor.fontMetrics().height())
                painter.drawText(line, Qt.AlignmentFlag.AlignRight, self._name_of(block))
            block = block.next()
            top += height
