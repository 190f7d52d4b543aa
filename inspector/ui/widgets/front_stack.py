"""A stack of pages of a panel that asks for the room of the one in front."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QStackedWidget


class FrontStack(QStackedWidget):
    """Pages of which one is shown. What the others need is no reason to scroll the one in front."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(lambda _: self.updateGeometry())

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return (
            super().minimumSizeHint()
            if page is None
            else page.minimumSizeHint().expandedTo(page.minimumSize())
        )

    def hasHeightForWidth(self) -> bool:
        """No: a page is as high as there is room, whatever wraps in it."""
        return False
