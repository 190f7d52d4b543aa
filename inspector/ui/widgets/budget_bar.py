"""A widget that shows the budget as one bar with sections, free room and reserves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import ElidedLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, share, tr


@dataclass(frozen=True, slots=True)
class BarSegment:
    """One section's part of the bar."""

    name: str
    title: str
    tokens: int


class ReservePurpose(StrEnum):
    """What a part of the window is kept free for, from its end on."""

    REPLY = "reply"
    ESTIMATES = "estimates"


_PATTERNS = {
    ReservePurpose.REPLY: Qt.BrushStyle.BDiagPattern,
    ReservePurpose.ESTIMATES: Qt.BrushStyle.Dense6Pattern,
}
_KEPT = {
    ReservePurpose.REPLY: lambda: tr("Reply reserve"),
    ReservePurpose.ESTIMATES: lambda: tr("Safety margin (token counts are estimates)"),
}


class BudgetBar(QWidget):
    """`pointed` carries the name of the section that was clicked."""

    pointed = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._segments: tuple[BarSegment, ...] = ()
        self._window = 0
        self._kept: dict[ReservePurpose, int] = {}
        self._selected = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        appearance.changed.connect(self.updateGeometry)
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self._appearance.space(60), self._appearance.space(4))

    def show_budget(
        self, segments: Sequence[BarSegment], window: int, kept: Mapping[ReservePurpose, int]
    ) -> None:
        """Show sections (tokens) of a window (tokens) of which some are kept free."""
        self._segments = tuple(each for each in segments if each.tokens)
        self._window, self._kept = (
            max(1, window),
            {what: kept[what] for what in ReservePurpose if kept.get(what)},
        )
        text = [f"{each.title} {share(each.tokens, self._window)}" for each in self._segments]
        text += [f"{_KEPT[what]()} {share(tokens, self._window)}" for what, tokens in self._kept.items()]
        self.setAccessibleName(tr("Share of the context window by section"))
        self.setAccessibleDescription(", ".join(text))
        self.update()

    def select(self, name: str) -> None:
        if name != self._selected:
            self._selected = name
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar; parts below a pixel are drawn together with their neighbour."""
        theme = self._appearance.theme
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path = QPainterPath()
        path.addRoundedRect(box, self._appearance.space(1), self._appearance.space(1))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(path, theme.raised)
            painter.setClipPath(path)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            for what, part in self._kept_parts():
                painter.fillRect(part, QBrush(theme.muted, _PATTERNS[what]))
                painter.fillRect(QRectF(part.left(), part.top(), 1, part.height()), theme.muted)
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
            painter.setPen(
                theme.error if self._used > self._window - sum(self._kept.values()) else theme.border
            )
            painter.drawPath(path)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        segment = self._segment_at(event.position().x())
        if segment is not None:
            self.pointed.emit(segment.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which section is under the pointer, or what that part is kept for."""
        safe_tooltip(self, self.text_at(event.position().x()))

    def text_at(self, x: float) -> str:
        """What stands at that place of the bar, nothing where it is free."""
        segment = self._segment_at(x)
        if segment is not None:
            return self._figures(segment.title, segment.tokens)
        found = (what for what, part in self._kept_parts() if part.left() <= x < part.right())
        what = next(found, None)
        return "" if what is None else self._figures(_KEPT[what](), self._kept[what])

    def _figures(self, title: str, tokens: int) -> str:
        return tr(
            "{title}: {tokens} tokens ({share} of the context window)",
            title=title,
            tokens=number(tokens),
            share=share(tokens, self._window),
        )

    @property
    def _used(self) -> int:
        return sum(each.tokens for each in self._segments)

    def _part(self, tokens: int) -> float:
        return self.width() * tokens / max(self._window, self._used, 1)

    def _kept_parts(self) -> Iterator[tuple[ReservePurpose, QRectF]]:
        end = float(self.width())
        for what, tokens in self._kept.items():
            width = self._part(tokens)
            yield what, QRectF(end - width, 0, width, self.height())
            end -= width

    def _parts(self) -> list[tuple[BarSegment, QRectF]]:
        parts: list[tuple[BarSegment, QRectF]] = []
        left, pending = 0.0, 0.0
        for segment in self._segments:
            width = self._part(segment.tokens) + pending
            if width < 1:
                pending = width
                continue
            parts.append((segment, QRectF(left, 1, width, self.height() - 2)))
            left, pending = left + width, 0.0
        return parts

    def _segment_at(self, x: float) -> BarSegment | None:
        return next((segment for segment, part in self._parts() if part.left() <= x < part.right()), None)


class ReserveLegend(QWidget):
    """A line of the legend: how a part that is kept free is drawn, and what is said of it."""

    def __init__(self, appearance: Appearance, what: ReservePurpose) -> None:
        super().__init__()
        self._label = ElidedLabel("", tone="muted", size="small")
        row = QHBoxLayout(self)
        arrange(row, _Swatch(appearance, what), self._label, spacing=6)
        row.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.tell("")

    @property
    def text(self) -> str:
        return self._label.original

    def tell(self, text: str) -> None:
        """Say that; nothing is to be seen while there is nothing to say."""
        self._label.setText(text)
        self.setVisible(bool(text))


class _Swatch(QWidget):
    def __init__(self, appearance: Appearance, what: ReservePurpose) -> None:
        super().__init__()
        self._appearance, self._what = appearance, what
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self.updateGeometry)
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self._appearance.space(4), self._appearance.space(2.5))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it as the bar does."""
        theme = self._appearance.theme
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), theme.raised)
            painter.fillRect(self.rect(), QBrush(theme.muted, _PATTERNS[self._what]))
            painter.setPen(theme.border)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
