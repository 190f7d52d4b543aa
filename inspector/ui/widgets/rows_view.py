"""Trees and tables as the window shows them: no grid, whole rows, one height, kept sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeView

from inspector.ui.appearance import Appearance


def dress_tree(view: QTreeView, appearance: Appearance, name: str) -> None:
    """Give a tree the window's manners."""
    _dress(view, name)
    view.setUniformRowHeights(True)
    view.setHeaderHidden(True)
    view.setExpandsOnDoubleClick(False)
    view.setAnimated(False)

    def measure() -> None:
        view.setIndentation(appearance.space(4))

    appearance.changed.connect(measure)
    measure()


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

    def measure() -> None:
        view.verticalHeader().setDefaultSectionSize(appearance.row_height())

    appearance.changed.connect(measure)
    measure()


def _dress(view: QAbstractItemView, name: str) -> None:
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setTextElideMode(Qt.TextElideMode.ElideRight)
    view.setFrameShape(QAbstractItemView.Shape.NoFrame)
    view.setMouseTracking(True)
