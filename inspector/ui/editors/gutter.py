"""The margin of the text editor: which lines are sent, line numbers, and which lines are changed."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPolygonF, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.editors.change_marks import ChangeKind
from inspector.ui.editors.line_numbers import LineNumbers
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.wording import tr

_BAND, _BAR, _WEDGE, _DASH = 1.0, 1.0, 1.5, 0.75
"""Widths in steps of the grid; a changed line's bar is broken by gaps of `_DASH`."""


@dataclass(frozen=True, slots=True)
class SentLines:
    """The lines of a text that the Request has, counted from 1, and the section that they are in."""

    first: int
    last: int
    section: str

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line <= self.last


class _Marked(Protocol):
    """What the margin asks of its editor about a line."""

    def line_number(self, block: QTextBlock) -> int: ...

    def line_changes(self, block: QTextBlock) -> frozenset[ChangeKind]: ...

    def line_name(self, block: QTextBlock) -> str: ...


class Gutter(LineNumbers):
    """Numbers with a band left of lines that are sent and marks right of lines that are changed.

    `asked` carries the paragraph whose marks were clicked.
    """

    asked = Signal(object)

    def __init__(self, editor: QPlainTextEdit, appearance: Appearance, lines: _Marked) -> None:
        super().__init__(editor, appearance, lines.line_name)
        self._lines = lines
        self.sent: SentLines | None = None
        self.setMouseTracking(True)

    def show_sent(self, sent: SentLines | None) -> None:
        """Draw the band beside these lines."""
        if sent != self.sent:
            self.sent = sent
            self.update()

    def paint_marks(self, painter: QPainter, block: QTextBlock, box: QRectF) -> None:
        """Paint whether a line is sent, and what unsaved work did to it."""
        changes = self._lines.line_changes(block)
        is_sent = self.sent is not None and self._lines.line_number(block) in self.sent
        if not changes and not is_sent:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.sent is not None and is_sent:
            painter.setBrush(self._appearance.theme.section(self.sent.section))
            painter.drawRect(QRectF(self._space(0.5), box.top(), self._space(_BAND), box.height()))
        for kind in changes:
            self._paint_change(painter, kind, box)
        painter.restore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the change beside a line."""
        block = self._block_at(event.position().toPoint())
        if block is not None and self._lines.line_changes(block):
            self.asked.emit(block)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say in a tool tip what the marks mean."""
        block = self._block_at(event.position().toPoint())
        text = "" if block is None else self.words(block)
        safe_tooltip(self, text)
        changed = block is not None and bool(self._lines.line_changes(block))
        self.setCursor(Qt.CursorShape.PointingHandCursor if changed else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        safe_tooltip(self, "")

    def words(self, block: QTextBlock) -> str:
        """What the marks of a line say."""
        names = {
            ChangeKind.ADDED: tr("Added, not saved"),
            ChangeKind.CHANGED: tr("Changed, not saved"),
            ChangeKind.DELETED: tr("Lines deleted here, not saved"),
        }
        found = [names[kind] for kind in sorted(self._lines.line_changes(block))]
        if self.sent is not None:
            sent = self._lines.line_number(block) in self.sent
            found.append(tr("In the Request") if sent else tr("Not in the Request"))
        return "\n".join(found)

    def _paint_change(self, painter: QPainter, kind: ChangeKind, box: QRectF) -> None:
        theme = self._appearance.theme
        right = self.width() - self._space(0.5)
        if kind is ChangeKind.DELETED:
            size = self._space(_WEDGE)
            painter.setBrush(theme.error)
            corners = (QPointF(right, box.top() - size), QPointF(right, box.top() + size))
            painter.drawPolygon(QPolygonF([*corners, QPointF(right - size, box.top())]))
            return
        painter.setBrush(theme.ok if kind is ChangeKind.ADDED else theme.info)
        step = box.height() if kind is ChangeKind.ADDED else self._space(2 * _DASH)
        height = step if kind is ChangeKind.ADDED else self._space(_DASH)
        top = box.top()
        while top < box.bottom():
            width = self._space(_BAR)
            painter.drawRect(QRectF(right - width, top, width, min(height, box.bottom() - top)))
            top += step

    def _block_at(self, point: QPoint) -> QTextBlock | None:
        return next((block for block, box in self.rows(point.y(), point.y())), None)

    def _space(self, steps: float) -> float:
        return max(1.0, float(self._appearance.space(steps)))
