"""A widget that lists what had to be changed of a Request for a provider."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QSizePolicy, QVBoxLayout

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, one_line, tooltip_text
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, tr, tr_count

_MOST_ROWS = 6
_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class AdaptationLine:
    """One sentence, and how many times it holds. `loses` says that something is left out."""

    text: str
    count: int = 1
    loses: bool = False


class AdaptationList(QFrame):
    """A heading with the sentences under it, at most a few rows high."""

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance, self._icons = appearance, icons
        self._lines: Sequence[AdaptationLine] = ()
        self.setProperty("role", "dock_title")
        self.heading = PlainLabel("", size="small", strong=True, wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Changes for the provider"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        # The reason stands at a sentence's end.
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        arrange(QVBoxLayout(self), self.heading, self.list)
        appearance.changed.connect(self._fill)

    def show_lines(self, heading: str, lines: Sequence[AdaptationLine]) -> None:
        """Show other sentences under a heading."""
        self.heading.setText(heading)
        self.list.setAccessibleName(heading)
        self._lines = lines
        self._fill()

    def _fill(self) -> None:
        space = self._appearance.space
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(space(3), space(1.5), space(3), space(1))
            layout.setSpacing(space(1))
        self.list.clear()
        for line in self._lines[:_MOST_LISTED]:
            self.list.addItem(self._item(line))
        left = len(self._lines) - _MOST_LISTED
        if left > 0:
            self.list.addItem(QListWidgetItem(tr_count("and {count} more", "and {count} more", left)))
        self.list.setVisible(bool(self._lines))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Be as high as the sentences at this width, up to some lines of them."""
        rows = range(min(self.list.count(), _MOST_ROWS))
        line = self.list.fontMetrics().lineSpacing() + self._appearance.space(0.5)
        self.list.doItemsLayout()
        heights = (self.list.visualItemRect(self.list.item(row)).height() for row in rows)
        height = min(sum(heights), (_MOST_ROWS + 2) * line)
        self.list.setFixedHeight(height + self._appearance.space(0.5))

    def _item(self, line: AdaptationLine) -> QListWidgetItem:
        text = one_line(line.text) if line.count == 1 else f"{number(line.count)}× {one_line(line.text)}"
        item = QListWidgetItem(text)
        icon, tone = ("warning", "warning") if line.loses else ("info", "info")
        item.setIcon(QIcon(self._icons.pixmap(icon, round(14 * self._appearance.scale), tone)))
        item.setData(Qt.ItemDataRole.ToolTipRole, tooltip_text(text))
        return item
