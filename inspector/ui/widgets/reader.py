"""A widget that shows a page of help as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import tr

_WIDTH, _HEIGHT, _SHARE = 84, 40, 0.92


class PageLineKind(Enum):
    """What a line of a page is."""

    TITLE = auto()
    HEADING = auto()
    POINT = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page. `keys` stand in a column of their own."""

    part: PageLineKind
    text: str
    keys: str = ""


def lines_of(page: str) -> Iterator[PageLine]:
    """A page as help files are written: ``#``, ``##``, ``-``, and one paragraph on each other line."""
    marks = {"# ": PageLineKind.TITLE, "## ": PageLineKind.HEADING, "- ": PageLineKind.POINT}
    for line in filter(None, (each.strip() for each in page.splitlines())):
        mark = next((each for each in marks if line.startswith(each)), "")
        yield PageLine(marks.get(mark, PageLineKind.TEXT), line.removeprefix(mark))


class PageReader(QDialog):
    """A page above the window, which goes on working."""

    def __init__(self, parent: QWidget, title: str, lines: Iterator[PageLine]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(title))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        page = QWidget()
        self._grid = QGridLayout(page)
        self._grid.setContentsMargins(24, 16, 24, 16)
        self._grid.setColumnStretch(1, 1)
        self._grid.setHorizontalSpacing(metrics.height())
        self._grid.setVerticalSpacing(metrics.height() // 3)
        for line in lines:
            self._add(line)
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(title)
        close = button(tr("Close"), self.accept)
        row = QHBoxLayout()
        arrange(row, None, close)
        row.setContentsMargins(16, 8, 16, 16)
        arrange(QVBoxLayout(self), scroll, row)
        close.setFocus()

    def _add(self, line: PageLine) -> None:
        row = self._grid.rowCount()
        strong = line.part is PageLineKind.HEADING
        size = "large" if line.part is PageLineKind.TITLE else ""
        text = f"•  {line.text}" if line.part is PageLineKind.POINT else line.text
        label = PlainLabel(text, size=size, strong=strong, wrap=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if strong:
            self._grid.setRowMinimumHeight(row, self.fontMetrics().height() * 2)
            label.setAlignment(Qt.AlignmentFlag.AlignBottom)
        if line.keys:
            self._grid.addWidget(PlainLabel(line.keys, tone="muted"), row, 0)
            self._grid.addWidget(label, row, 1)
        else:
            self._grid.addWidget(label, row, 0, 1, 2)
