"""What lies under the text of an editor: the line of the cursor, the selection, a line that is pointed out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit

from inspector.ui.appearance import Appearance
from inspector.ui.editors.line_numbers import rows_in_sight

_CURRENT_SHARE, _STRIPE = 0.06, 3


class Grounds:
    """Paints the grounds of the lines in sight, as high as the lines stand apart."""

    def __init__(self, editor: QPlainTextEdit, appearance: Appearance) -> None:
        self._editor = editor
        self._appearance = appearance
        self.flashed: int | None = None
        """The paragraph that is pointed out, by its number."""

    def paint(self, painter: QPainter, area: QRectF) -> None:
        """Paint what lies under the paragraphs in an area."""
        theme, cursor = self._appearance.theme, self._editor.textCursor()
        here = cursor.blockNumber()
        current = theme.blend(theme.text, theme.background, _CURRENT_SHARE)
        width = self._editor.viewport().width()
        for block, box in rows_in_sight(self._editor, area.top(), area.bottom(), width):
            if block.blockNumber() == self.flashed:
                # All colours of code are legible on it, which they aren't on that of what was found.
                painter.fillRect(box, theme.selection)
                painter.fillRect(QRectF(box.left(), box.top(), _STRIPE, box.height()), theme.accent)
            elif block.blockNumber() == here and not cursor.hasSelection():
                painter.fillRect(box, current)
            if cursor.hasSelection():
                for stretch in _stretches(block, box, cursor.selectionStart(), cursor.selectionEnd()):
                    painter.fillRect(stretch, theme.chosen)

    def box_of(self, block: QTextBlock) -> QRectF:
        """Where a paragraph stands in the viewport, over its whole width."""
        editor = self._editor
        box = editor.blockBoundingGeometry(block).translated(editor.contentOffset())
        return QRectF(0, box.top(), editor.viewport().width(), box.height())


def _stretches(block: QTextBlock, box: QRectF, start: int, end: int) -> Iterator[QRectF]:
    """The selected part of each of a paragraph's lines, as high as the line's row."""
    layout, first = block.layout(), block.position()
    rows = layout.lineCount()
    if not rows or start >= first + block.length() or end <= first:
        return
    height = layout.lineAt(0).height() + 2 * layout.lineAt(0).y()
    for row in range(rows):
        line = layout.lineAt(row)
        low = max(start - first, line.textStart())
        high = min(end - first, line.textStart() + line.textLength())
        if low < high:
            left, right = _x(line.cursorToX(low)), _x(line.cursorToX(high))
            yield QRectF(box.left() + min(left, right), box.top() + row * height, abs(right - left), height)


def _x(found: Any) -> float:
    return float(found[0])
