"""The window as one bar: sections in their colours, what is free, and the reserved reply apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.wording import number, share, tr


@dataclass(frozen=True, slots=True)
class Segment:
    """One section's part of the bar."""

    name: str
    title: str
    tokens: int


class BudgetBar(QWidget):
    """`pointed` carries the name of the section that was clicked."""

    pointed = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._segments: tuple[Segment, ...] = ()
        self._window = 0
        self._reserved = 0
        self._selected = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        appearance.changed.connect(self.updateGeometry)
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A line of text high."""
        return QSize(self._appearance.space(60), self._appearance.space(4))

    def show_budget(self, segments: Sequence[Segment], window: int, reserved: int) -> None:
        """Show sections (tokens) of a window (tokens) of which `reserved` are kept for the reply."""
        self._segments = tuple(each for each in segments if each.tokens)
        self._window, self._reserved = max(1, window), reserved
        told = ", ".join(f"{each.title} {share(each.tokens, self._window)}" for each in self._segments)
        self.setAccessibleName(tr("Share of the window by section"))
        self.setAccessibleDescription(told)
        self.update()

    def select(self, name: str) -> None:
        """Mark one section."""
        if name != self._selected:
            self._selected = name
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar; parts below a pixel are drawn together with their neighbour."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._appearance.theme
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path = QPainterPath()
        path.addRoundedRect(box, self._appearance.space(1), self._appearance.space(1))
        painter.fillPath(path, theme.raised)
        painter.setClipPath(path)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        reserved = self._part(self._reserved)
        painter.fillRect(
            QRectF(box.right() - reserved, box.top(), reserved, box.height()),
            QBrush(theme.muted, Qt.BrushStyle.BDiagPattern),
        )
        for segment, part in self._parts():
            painter.fillRect(part, theme.section(segment.name))
            painter.fillRect(QRectF(part.right() - 1, part.top(), 1, part.height()), theme.surface)
            if segment.name == self._selected:
                painter.fillRect(
                    QRectF(part.left(), part.bottom() - self._appearance.space(0.75), part.width(), 3),
                    theme.text,
                )
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.error if self._used > self._window - self._reserved else theme.border)
        painter.drawPath(path)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Point at a section."""
        segment = self._segment_at(event.position().x())
        if segment is not None:
            self.pointed.emit(segment.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which section is under the pointer."""
        segment = self._segment_at(event.position().x())
        if segment is None:
            safe_tooltip(self, "")
        else:
            told = f"{segment.title}: {number(segment.tokens)} ({share(segment.tokens, self._window)})"
            safe_tooltip(self, told)

    @property
    def _used(self) -> int:
        return sum(each.tokens for each in self._segments)

    def _part(self, tokens: int) -> float:
        return self.width() * tokens / max(self._window, self._used, 1)

    def _parts(self) -> list[tuple[Segment, QRectF]]:
        parts: list[tuple[Segment, QRectF]] = []
        left, pending = 0.0, 0.0
        for segment in self._segments:
            width = self._part(segment.tokens) + pending
            if width < 1:
                pending = width
                continue
            parts.append((segment, QRectF(left, 1, width, self.height() - 2)))
            left, pending = left + width, 0.0
        return parts

    def _segment_at(self, x: float) -> Segment | None:
        return next((segment for segment, part in self._parts() if part.left() <= x < part.right()), None)
