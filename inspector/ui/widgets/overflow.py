"""Holds a panel of the window and scrolls it where there is less room than it needs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from inspector.ui.widgets.front_stack import FrontStack


class Overflow(QScrollArea):
    """Gives its panel all the room there is, and never less than the panel needs.

    At the most, it asks for `least` pixels: with large text, a panel would else need more than a small screen has.
    The panel is held by `fill`, once this stands in the window: moved along later, all in it is styled twice.
    """

    seen = Signal()
    """It came into sight, and has no panel yet."""
    prepared = Signal(object)
    """With the panel, once it is made."""
    filled = Signal(object)
    """With the panel, once it is held here."""

    def __init__(
        self, make: Callable[[], QWidget], least: QSize, complete: Callable[[QWidget], None] | None = None
    ) -> None:
        super().__init__()
        self._make = make
        self._complete = complete
        """What else is to be done to the panel before it is seen."""
        self._made: QWidget | None = None
        self._is_complete = False
        self._panel: QWidget | None = None
        """The same, once it is held here."""
        self._least = least
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def ask_for(self, least: QSize) -> None:
        """Ask for another size at the most, as when text gets larger."""
        self._least = least
        self._follow()

    @property
    def is_filled(self) -> bool:
        return self._panel is not None

    @property
    def made(self) -> QWidget | None:
        """The panel, None while it isn't made."""
        return self._made

    def make(self) -> QWidget:
        """The panel, made now if it wasn't yet, and perhaps without what takes long of it."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def prepare(self) -> QWidget:
        """The panel, complete from now on. It has no place in the window before it is held here."""
        made = self.make()
        if not self._is_complete:
            self._is_complete = True
            if self._complete is not None:
                self._complete(made)
            self.prepared.emit(made)
        return made

    def fill(self) -> QWidget:
        """The panel that is held here, made now if it wasn't yet."""
        if self._panel is None:
            self._panel = self.prepare()
            self.setWidget(self._panel)
            self._follow()
            self.filled.emit(self._panel)
        return self._panel

    def sizeHint(self) -> QSize:
        return self._least if self._panel is None else self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        if self._panel is None:
            return QSize()
        return self._needed(self._panel, self._least.width()).boundedTo(self._least)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the panel have a key that comes before it: somebody types ahead."""
        if self._panel is None:
            self.fill()
            focused = QApplication.focusWidget()
            if focused is not None and self.isAncestorOf(focused):
                QApplication.sendEvent(focused, event.clone())
                return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._panel is None:
            self.seen.emit()

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

    @staticmethod
    def _needed(panel: QWidget, width: int) -> QSize:
        """What a panel needs at the least; lines that wrap need more height where it is narrow."""
        # A stack's own layout would give what its pages would like to have.
        front = panel.currentWidget() if isinstance(panel, FrontStack) else panel
        least, layout = panel.minimumSizeHint(), None if front is None else front.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        return QSize(
            least.width(), max(least.height(), layout.minimumHeightForWidth(max(width, least.width())))
        )

    def _fit(self) -> None:
        if self._panel is None:
            return
        room = self.maximumViewportSize()
        needed = self._needed(self._panel, room.width())
        across, down = self.horizontalScrollBar().sizeHint(), self.verticalScrollBar().sizeHint()
        if needed.width() > room.width():
            room.setHeight(room.height() - across.height())
        if needed.height() > room.height():
            room.setWidth(room.width() - down.width())
            needed = self._needed(self._panel, room.width())
        self._panel.resize(room.expandedTo(needed))
