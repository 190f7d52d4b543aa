"""The tree of an agent's summaries, down to the messages, with figures and warnings in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.ref import Ref
from inspector.ui.appearance import Appearance
from inspector.ui.models.column_widths import take_rest
from inspector.ui.models.columns import KEY_ROLE, VALUE_ROLE, Column
from inspector.ui.models.tree import RowTree, TreeRow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.summaries import (
    Path,
    SummaryRow,
    SummaryRowKind,
    SummaryRows,
    path_to,
)
from inspector.ui.summaries.reader import SummaryReader
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_tree, keep_rows
from inspector.ui.wording import tr

_LEAST_ROWS = 3
_WIDEST = {
    1: "Depth",
    2: "Messages",
    3: "~100,000",
    4: "100.0 %",
    5: "12 months ago",
    6: "extractive · stale",
}
_NOTE = 6
"""The column of warnings."""
_QUIET = frozenset({SummaryRowKind.MESSAGE, SummaryRowKind.WAIT, SummaryRowKind.MORE})
_SELECT = QItemSelectionModel.SelectionFlag
Index = QModelIndex | QPersistentModelIndex


class SummaryTree(QWidget):
    """`moved` tells of another current row, `entered` carries the row on which Return or a double click fell."""

    moved = Signal()
    entered = Signal(object)

    def __init__(self, services: PanelServices, reader: SummaryReader) -> None:
        super().__init__()
        self._services = services
        self._reader = reader
        self._filling = False
        self.model = RowTree(self._columns(), self)
        self.view = _View()
        self.view.setModel(self.model)
        dress_tree(self.view, services.appearance, tr("Summaries"))
        keep_rows(self.view, services.appearance, _LEAST_ROWS)
        self.view.setHeaderHidden(False)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.setItemDelegate(_Rows(services.appearance, self.view))
        self.view.expanded.connect(self._expand)
        self.view.collapsed.connect(self._collapse)
        self.view.selectionModel().currentChanged.connect(self._move)
        self.view.entered_row.connect(self._enter)
        arrange(QVBoxLayout(self), self.view)
        self.setFocusProxy(self.view)
        services.appearance.changed.connect(self._measure)
        take_rest(self.view.header(), 0)
        self._measure()

    @property
    def row(self) -> SummaryRow | None:
        """The current row, None without one."""
        value = self.view.currentIndex().data(VALUE_ROLE)
        return value if isinstance(value, SummaryRow) else None

    @property
    def path(self) -> Path:
        """The ids from the top down to the summary that the current row is or stands under."""
        key = self.view.currentIndex().data(KEY_ROLE)
        row = self.row
        if not isinstance(key, tuple) or row is None:
            return ()
        return key if row.kind is SummaryRowKind.SUMMARY else key[: len(key) - _TAILS.get(row.kind, 1)]

    def show_rows(self, now: datetime) -> None:
        """Show what has been read; what is open and current stays so."""
        self._filling = True
        row = self.row
        rows = SummaryRows(self._reader.list, self._reader.opened, now).rows()
        # Titles need its room more than nothing does.
        self.view.setColumnHidden(_NOTE, not _has_note(rows))
        try:
            self.model.set_rows(rows)
        finally:
            self._filling = False
        if self.row != row:
            self.moved.emit()

    def reveal(self, summary_id: str, now: datetime) -> bool:
        """Open the rows above a summary and make it current; False where it isn't in the tree."""
        path = path_to(self._reader.list, summary_id)
        if not path:
            return False
        for end in range(1, len(path)):
            if path[:end] not in self._reader.opened.paths:
                self._reader.open(path[:end])
        self.show_rows(now)
        for end in range(1, len(path)):
            self.view.expand(self.model.find(path[:end]))
        return self.select(path)

    def select(self, key: Sequence[str]) -> bool:
        """Make a row current, in sight; False where there is none of that key."""
        index = self.model.find(tuple(key))
        if index.isValid():
            flags = _SELECT.ClearAndSelect | _SELECT.Rows
            self.view.selectionModel().setCurrentIndex(index, flags)
            self.view.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        return index.isValid()

    def select_first(self) -> None:
        """Make the first row current, where there is one."""
        index = self.model.index(0, 0)
        if index.isValid():
            self.select(index.data(KEY_ROLE))

    def ref_at(self, index: Index) -> Ref | None:
        value = index.data(VALUE_ROLE)
        return value.ref if isinstance(value, SummaryRow) else None

    def _columns(self) -> tuple[Column[SummaryRow], ...]:
        theme = self._services.appearance
        muted = {
            int(Qt.ItemDataRole.ForegroundRole): lambda row: theme.theme.muted if row.kind in _QUIET else None
        }

        def toned(row: SummaryRow) -> Any:
            return theme.theme.warning if row.marked else theme.theme.muted

        def figure(id_: str, title: str) -> Column[SummaryRow]:
            return Column(
                id_,
                title,
                lambda row: str(getattr(row, id_)),
                right=True,
                tip=lambda row: row.tip,
                roles=muted,
            )

        return (
            Column(
                "title",
                tr("Summary"),
                lambda row: row.title,
                tip=lambda row: row.tip,
                spoken=lambda row: row.spoken,
                roles=muted,
            ),
            figure("depth", tr("Depth")),
            figure("messages", tr("Messages")),
            figure("tokens", tr("Tokens")),
            figure("ratio", tr("Of source")),
            figure("age", tr("Age")),
            Column(
                "note",
                tr("Warnings"),
                lambda row: f"▲ {row.note}" if row.marked else row.note,
                tip=lambda row: row.tip,
                spoken=lambda row: row.note,
                roles={int(Qt.ItemDataRole.ForegroundRole): toned},
            ),
        )

    def _expand(self, index: QModelIndex) -> None:
        path = index.data(KEY_ROLE)
        if not self._filling and path not in self._reader.opened.paths:
            self._reader.open(path)

    def _collapse(self, index: QModelIndex) -> None:
        if not self._filling:
            self._reader.close(index.data(KEY_ROLE))

    def _move(self) -> None:
        if not self._filling:
            self.moved.emit()

    def _enter(self, index: QModelIndex) -> None:
        value = index.data(VALUE_ROLE)
        if isinstance(value, SummaryRow) and value.kind is SummaryRowKind.MORE:
            self._reader.show_more(value.summary_id)
        elif isinstance(value, SummaryRow) and value.ref is not None:
            self.entered.emit(value)

    def _measure(self) -> None:
        head, metrics = self.view.header(), self.view.fontMetrics()
        room = self._services.appearance.space(4)
        for column, widest in _WIDEST.items():
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            title = str(self.model.headerData(column, Qt.Orientation.Horizontal))
            width = max(metrics.horizontalAdvance(widest), metrics.horizontalAdvance(title))
            head.resizeSection(column, width + room)
        head.setMinimumSectionSize(self._services.appearance.space(6))

    def fit(self, width: int) -> None:
        """Leave out what is least wanted where there is little room, so that titles can be read."""
        steps = self._services.appearance.space
        self.view.setColumnHidden(5, width < steps(160))
        self.view.setColumnHidden(1, width < steps(130))
        self.view.setColumnHidden(4, width < steps(110))


def _has_note(rows: Iterable[TreeRow]) -> bool:
    return any(each.value.note or _has_note(each.children) for each in rows)


_TAILS = {SummaryRowKind.MESSAGE: 2, SummaryRowKind.MISSING: 2, SummaryRowKind.REPEATED: 2}
"""How many parts of a row's key stand behind its summary's path."""


class _Rows(QStyledItemDelegate):
    """Gives the rows the height of the window's tables."""

    def __init__(self, appearance: Appearance, parent: QTreeView) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), self._appearance.row_height())


class _View(QTreeView):
    entered_row = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.doubleClicked.connect(self.entered_row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter open on every platform."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered_row.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the shortcuts."""
