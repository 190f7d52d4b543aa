"""A layout of plain text whose lines stand apart by a pitch of their own, not by what the font asks for."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextBlock, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout


class PitchedLayout(QPlainTextDocumentLayout):
    """Puts each line in the middle of a row `pitch` pixels high; 0 leaves lines as the font has them."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.pitch = 0

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """The room of a paragraph; its lines are put in their rows first, if they are not there yet."""
        box = super().blockBoundingRect(block)
        layout = block.layout()
        lines = layout.lineCount() if block.isValid() else 0
        if not self.pitch or not lines:
            return box
        above = (self.pitch - layout.lineAt(0).height()) / 2
        last = layout.lineAt(lines - 1)
        if abs(last.y() - above - (lines - 1) * self.pitch) > 0.01:
            for row in range(lines):
                line = layout.lineAt(row)
                line.setPosition(QPointF(line.x(), above + row * self.pitch))
        below = 0.0 if block.next().isValid() else self.document().documentMargin()
        box.setHeight(lines * self.pitch + below)
        return box
