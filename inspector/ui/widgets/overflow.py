"""Holds a panel of the window and scrolls it where there is less room than it needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from inspector.ui.widgets.front_stack import FrontStack


class Overflow(QScrollArea):
    """Gives its panel all the room there is, and never less than the panel needs.

    At the most, it asks for `least` pixels: with large text, a panel would else need more than a small screen has.
    The panel is taken in by `fill`, once this stands in the window: moved along later, all in it is styled twice.
    """

    def __init__(self, panel: QWidget, least: QSize) -> None:
        super().__init__()
        self._panel = panel
        self._least = least
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def fill(self) -> None:
        """Take the panel in. Called once, after this got its place."""
        self.setWidget(self._panel)
        self._follow()

    @property
    def panel(self) -> QWidget:
        """The panel that is held here."""
        return self._panel

    def sizeHint(self) -> QSize:
        return self._panel.sizeHint() if self.widget() is not None else self._least

    def minimumSizeHint(self) -> QSize:
        if self.widget() is None:
            return QSize()
        return self._needed(self._least.width()).boundedTo(self._least)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the panel when it needs another size."""
        if watched is self._panel and event.type() == QEvent.Type.LayoutRequest:
            self._follow()
        return super().eventFilter(watched, event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._follow()
        return super().viewportEvent(event)

    def _follow(self) -> None:
        self.updateGeometry()
        self._fit()

    def _needed(self, width: int) -> QSize:
        """What the panel needs at the least; lines that wrap need more height where it is narrow."""
        # A stack's own layout would give what its pages would like to have.
        front = self._panel.currentWidget() if isinstance(self._panel, FrontStack) else self._panel
        least, layout = self._panel.minimumSizeHint(), None if front is None else front.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        return QSize(
            least.width(), max(least.height(), layout.minimumHeightForWidth(max(width, least.width())))
        )

    def _fit(self) -> None:
        if self.widget() is None:
            return
        room = self.maximumViewportSize()
        needed = self._needed(room.width())
        across, down = self.horizontalScrollBar().sizeHint(), self.verticalScrollBar().sizeHint()
        if needed.width() > room.width():
            room.setHeight(room.height() - across.height())
        if needed.height() > room.height():
            room.setWidth(room.width() - down.width())
            needed = self._needed(room.width())
        self._panel.resize(room.expandedTo(needed))
