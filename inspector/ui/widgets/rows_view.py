"""Tree and table widgets as the whole window shows them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
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
    height = view.verticalHeader().setDefaultSectionSize
    _Measure(view, appearance, lambda: height(appearance.row_height()))


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
