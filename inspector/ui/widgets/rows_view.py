"""Tree and table widgets as the whole window shows them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeView

from inspector.ui.appearance import Appearance


def dress_tree(view: QTreeView, appearance: Appearance, name: str, indent: float = 4) -> None:
    """Give a tree the window's manners; each level stands `indent` steps to the right of the one above."""
    _dress(view, name)
    view.setUniformRowHeights(True)
    view.setHeaderHidden(True)
    view.setExpandsOnDoubleClick(False)
    view.setAnimated(False)
    _Measure(view, appearance, lambda: view.setIndentation(appearance.space(indent)))


def dress_table(view: QTableView, appearance: Appearance, name: str) -> None:
    """Give a table the window's manners."""
    _dress(view, name)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setSortingEnabled(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setStretchLastSection(True)
    view.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
    # Where the least widths of its columns are too much, the last ones are still to be reached.
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    height = view.verticalHeader().setDefaultSectionSize
    _Measure(view, appearance, lambda: height(appearance.row_height()))


def keep_rows(view: QTableView | QTreeView, appearance: Appearance, rows: int) -> None:
    """Have a view ask for the height of so many rows: with large text its page is scrolled rather than one row."""
    _LeastRows(view, appearance, rows)


class _LeastRows(QObject):
    """Asks again when a view is shown, which decides the height of its head, and when text is larger."""

    def __init__(self, view: QTableView | QTreeView, appearance: Appearance, rows: int) -> None:
        super().__init__(view)
        self._view, self._appearance, self._rows = view, appearance, rows
        appearance.changed.connect(self._ask)
        view.installEventFilter(self)
        self._ask()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self._ask()
        return False

    def _ask(self) -> None:
        view = self._view
        head = view.horizontalHeader() if isinstance(view, QTableView) else view.header()
        above = 0 if head.isHidden() else head.sizeHint().height()
        height = above + 2 * view.frameWidth() + self._rows * self._appearance.row_height()
        view.setMinimumHeight(height)


class _Measure(QObject):
    """Measures a view again with every change of the text scale, as long as the view is there."""

    def __init__(self, view: QAbstractItemView, appearance: Appearance, measure: Callable[[], None]) -> None:
        super().__init__(view)
        self._measure = measure
        appearance.changed.connect(self._again)
        measure()

    def _again(self) -> None:
        self._measure()


def _dress(view: QAbstractItemView, name: str) -> None:
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    # Rows are of one height, and a row cut in half under the heading reads badly.
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setTextElideMode(Qt.TextElideMode.ElideRight)
    view.setFrameShape(QAbstractItemView.Shape.NoFrame)
    view.setMouseTracking(True)
