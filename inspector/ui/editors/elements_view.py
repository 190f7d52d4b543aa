"""A table of elements that are edited in place, added, removed, moved and pasted by keyboard and mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QVBoxLayout, QWidget

from inspector.ui.editors.cells import CellDelegate
from inspector.ui.editors.element_rows import written_table
from inspector.ui.editors.part import EditorTools
from inspector.ui.exact_text import copy_text
from inspector.ui.models.columns import Column
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import tr

_MODIFIERS = Qt.KeyboardModifier
_WIDTH = 12
"""Letters of a column of which nothing is said."""
_REST = 20
"""Letters that the one that takes the rest has before any other has more than its title needs."""
_LOOKED_AT, _MOST_LETTERS = 40, 60
"""Rows, and letters of each of their cells, that are measured."""
_ROOM = 3
"""Letters of room beside a column's title."""


def fit_columns(header: QHeaderView, columns: Sequence[Column[Any]], widths: Mapping[str, int]) -> None:
    """Give columns their first widths in characters; the column of width 0 takes what is left.

    Where too little is left for that one, the others give up what their titles don't need. Where more is left than
    its words take, the others are as wide as theirs.
    """
    header.setStretchLastSection(False)
    for at, column in enumerate(columns):
        is_fixed = bool(widths.get(column.id, _WIDTH))
        modes = QHeaderView.ResizeMode
        header.setSectionResizeMode(at, modes.Interactive if is_fixed else modes.Stretch)
    for before in header.findChildren(_ColumnFit):
        header.removeEventFilter(before)
        before.deleteLater()
    _ColumnFit(header, columns, widths)


class _ColumnFit(QObject):
    """Fits the columns of a header to its width, until a person drags one of them."""

    def __init__(
        self, header: QHeaderView, columns: Sequence[Column[Any]], widths: Mapping[str, int]
    ) -> None:
        super().__init__(header)
        self._header = header
        self._titles = [column.title for column in columns]
        self._figures = {at for at, column in enumerate(columns) if column.right}
        self._widths = {at: widths.get(column.id, _WIDTH) for at, column in enumerate(columns)}
        self._is_fitting = self._is_dragged = False
        header.installEventFilter(self)
        header.sectionResized.connect(self._note)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the columns to another width or font."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange):
            self._fit()
        return super().eventFilter(watched, event)

    @property
    def _font(self) -> QFont:
        """The font of the cells: that of the view whose header this is."""
        view = self._header.parentWidget()
        return self._header.font() if view is None else view.font()

    def _note(self, place: int, *_: int) -> None:
        # The one that takes what is left follows the others.
        self._is_dragged |= bool(self._widths.get(place)) and not self._is_fitting

    def _fit(self) -> None:
        if self._is_dragged:
            return
        metrics, header = self._header.fontMetrics(), self._header
        letter = metrics.averageCharWidth()
        titles = [metrics.horizontalAdvance(f"{title}{'m' * _ROOM}") for title in self._titles]
        needed = {at: self._widest(at, letter * width) for at, width in self._widths.items()}
        wished = {
            at: max(min(letter * width, needed[at]), titles[at])
            for at, width in self._widths.items()
            if width
        }
        longer = {at: max(0, needed[at] - width) for at, width in wished.items()}
        rest = sum(letter * _REST for width in self._widths.values() if not width)
        over = sum(wished.values()) + rest - header.width() if header.isVisible() else 0
        spare = sum(width - titles[at] for at, width in wished.items())
        share = min(1.0, max(0, over) / spare) if spare else 0.0
        words = max(rest, sum(needed[at] for at, width in self._widths.items() if not width))
        free = max(0, header.width() - sum(wished.values()) - words) if header.isVisible() else 0
        grown = min(1.0, free / sum(longer.values())) if any(longer.values()) else 0.0
        self._is_fitting = True
        try:
            for at, width in wished.items():
                less, more = (width - titles[at]) * share, longer[at] * grown
                header.resizeSection(at, int(width - less + more))
        finally:
            self._is_fitting = False

    def _widest(self, at: int, unknown: int) -> int:
        """What the first cells of a column take at the most, so that an empty one leaves its room to the words.

        Figures, which count as they are asked for, and a table without rows say nothing: they take `unknown`.
        """
        if at in self._figures or not self._header.model().rowCount():
            return unknown
        metrics = QFontMetrics(self._font)
        rows = islice(_rows_of(self._header.model(), QModelIndex()), _LOOKED_AT)
        texts = (str(row.siblingAtColumn(at).data() or "") for row in rows)
        widest = max((metrics.horizontalAdvance(text[:_MOST_LETTERS]) for text in texts), default=0)
        return widest + metrics.horizontalAdvance("m" * 2)


def _rows_of(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    """The rows under one, each before those under it."""
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        yield from _rows_of(model, index)


class ElementsTable(QTableView):
    """The table itself. Its signals ask for what they say, for the rows that are selected."""

    added = Signal()
    removed = Signal()
    moved = Signal(int)
    ticked = Signal()
    pasted = Signal()
    copied = Signal()
    asks_for_least = False
    """Whether it asks for no more height than it needs at the least, and grows into what is there."""

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self.minimumSizeHint().height()) if self.asks_for_least else hint

    def event(self, event: QEvent) -> bool:
        """Claim the keys that work on rows: for the window some of them are of the whole block."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_own = event.key() == Qt.Key.Key_F2 or self._asked(event) is not None
            event.setAccepted(is_own)
            return is_own or super().event(event)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that work on rows; all others go to the table."""
        asked = self._asked(event)
        if asked is None:
            super().keyPressEvent(event)
        else:
            asked()

    @property
    def _can_edit(self) -> bool:
        """Whether a cell can be begun; a choice passes on the key that ends it."""
        return self.currentIndex().isValid() and self.state() != self.State.EditingState

    def _asked(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, modifiers = event.key(), event.modifiers()
        if event.matches(QKeySequence.StandardKey.Paste):
            return self.pasted.emit
        if event.matches(QKeySequence.StandardKey.Copy):
            return self.copied.emit
        if modifiers == _MODIFIERS.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return lambda: self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        if modifiers:
            return None
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            return self.removed.emit
        if key == Qt.Key.Key_Insert:
            return self.added.emit
        if key == Qt.Key.Key_Space:
            return self.ticked.emit
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._can_edit:
            return lambda: self.edit(self.currentIndex())
        return None


class ElementsView(QWidget):
    """The table with its buttons, and below it what of a cell cannot be taken as it is typed."""

    def __init__(self, model: ElementTable, tools: EditorTools, name: str) -> None:
        super().__init__()
        self.model = model
        model.setParent(self)
        self._tools = tools
        self.table = ElementsTable()
        dress_table(self.table, tools.appearance, name)
        self.delegate = CellDelegate(tools.appearance, self.table)
        self.add_button = button(tr("Add"), self.table.added.emit, size="small")
        self.remove_button = button(tr("Remove"), self.table.removed.emit, size="small")
        self.up_button = button(tr("Move up"), lambda: self.table.moved.emit(-1), size="small")
        self.down_button = button(tr("Move down"), lambda: self.table.moved.emit(1), size="small")
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self.note = PlainLabel("", tone="muted", size="small")
        self._prepare()
        space = tools.appearance.space(2)
        buttons = (self.add_button, self.remove_button, self.up_button, self.down_button)
        row = FlowLayout(*buttons, self.note, margins=space, spacing=space)
        self.fault.setContentsMargins(space, space, space, 0)
        self.fault.hide()
        arrange(QVBoxLayout(self), self.table, self.fault, row)
        self.setFocusProxy(self.table)
        tools.figures.changed.connect(self._show_figures)
        self.look()

    def _show_figures(self) -> None:
        self.model.figures_changed("tokens")

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected rows, in their order; the current one where none is, as Tab comes to it."""
        selected = self.table.selectionModel().selectedRows() or [self.table.currentIndex()]
        rows = sorted(index.row() for index in selected if index.isValid())
        return [key for key in map(self.model.key_at, rows) if key is not None]

    def choose(self, ids: list[str], *, edit: str = "") -> None:
        """Select rows, and begin to edit a column of the first."""
        rows = [row for row in map(self.model.row_of, ids) if row >= 0]
        selection = self.table.selectionModel()
        selection.clearSelection()
        at = next((at for at, each in enumerate(self.model.columns) if each.id == edit), 0)
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for row in rows:
            selection.select(self.model.index(row, 0), flags)
        if rows:
            first = self.model.index(rows[0], at)
            selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.table.scrollTo(first)
            if edit:
                self.table.edit(first)

    def look(self) -> None:
        """Say what can be done with what is selected."""
        is_open = not self.model.is_read_only
        any_chosen = self.table.selectionModel().hasSelection()
        self.add_button.setEnabled(is_open)
        self.remove_button.setEnabled(is_open and any_chosen)
        for each in (self.up_button, self.down_button):
            each.setVisible(self.model.can_move)
            each.setEnabled(is_open and any_chosen)

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(self.delegate)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        triggers = QAbstractItemView.EditTrigger
        table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        table.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.setDragEnabled(self.model.can_move)
        table.selectionModel().selectionChanged.connect(lambda *_: self.look())
        table.copied.connect(self._copy)

    def _copy(self) -> None:
        columns = [column for column in self.model.columns if column.id != "tokens"]
        rows = [self.model.values[self.model.row_of(key)] for key in self.chosen]
        cells = [[str(_copied(column.roles, column.text, row)) for column in columns] for row in rows]
        if cells:
            copy_text(written_table(cells))


def _copied(roles: object, text: Callable[[object], str], row: object) -> str:
    exact = roles.get(Qt.ItemDataRole.EditRole) if isinstance(roles, dict) else None
    return exact(row) if exact else text(row)
