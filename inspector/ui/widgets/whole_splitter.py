"""A splitter widget that asks for the height which the lines of its parts need at the width they have."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget


class WholeSplitter(QSplitter):
    """Qt's own asks for what its parts need with no line wrapped: with large text, wrapped ones would be cut."""

    def __init__(self) -> None:
        super().__init__()
        self.splitterMoved.connect(self.fit)

    def fit(self) -> None:
        """Ask for what the parts need now: their width or their texts have changed."""
        is_beside = self.orientation() is Qt.Orientation.Horizontal
        for part in self._parts():
            # Below one another, each would else get its share however little that is.
            part.setMinimumHeight(0 if is_beside else _height(part))
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        heights = [_height(part) for part in self._parts() if not part.isHidden()]
        is_beside = self.orientation() is Qt.Orientation.Horizontal
        handles = 0 if is_beside else self.handleWidth() * max(0, len(heights) - 1)
        needed = max(heights, default=0) if is_beside else sum(heights) + handles
        return QSize(hint.width(), max(hint.height(), needed))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def _parts(self) -> list[QWidget]:
        return [part for at in range(self.count()) if (part := self.widget(at)) is not None]


def _height(part: QWidget) -> int:
    least, layout = part.minimumSizeHint(), part.layout()
    if layout is None or not layout.hasHeightForWidth():
        return least.height()
    return max(least.height(), layout.minimumHeightForWidth(max(part.width(), least.width())))
