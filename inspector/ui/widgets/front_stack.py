"""A stack of pages of a panel that asks for the room of the one in front."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget


class FrontStack(QStackedWidget):
    """Pages of which one is shown. What the others need is no reason to scroll the one in front."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        if page is None:
            return super().minimumSizeHint()
        least, layout = page.minimumSizeHint().expandedTo(page.minimumSize()), page.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        width = max(self.width(), least.width())
        return QSize(least.width(), max(least.height(), layout.minimumHeightForWidth(width)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for more height where lines wrap in less width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """No: a page is as high as there is room, whatever wraps in it."""
        return False
