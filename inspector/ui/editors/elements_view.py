"""A table of elements that are edited in place, added, removed, moved, sorted, copied and pasted.

Cells are selected; what is done to rows is done to those that selected cells are in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QItemSelectionRange, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QVBoxLayout, QWidget

from inspector.ui.editors.cells import CellDelegate
from inspector.ui.editors.element_columns import TOKENS
from inspector.ui.editors.element_rows import written_table
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.row_order import Keys, RowOrder
from inspector.ui.exact_text import copy_text
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import EDGE_STEPS, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table, keep_rows
from inspector.ui.wording import tr

_LEAST_ROWS = 3
_SELECT = QItemSelectionModel.SelectionFlag.Select
_MODIFIERS = Qt.KeyboardModifier


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

    drags = False
    """Whether rows can be moved at all, by mouse or by keys."""

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A mouse that is moved from a selected cell takes rows along; from another one it selects cells."""
        is_of_cells = self.selectionBehavior() == self.SelectionBehavior.SelectItems
        is_selected = self.selectionModel().isSelected(self.indexAt(event.position().toPoint()))
        self.setDragEnabled(self.drags and (is_selected or not is_of_cells))
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.setDragEnabled(self.drags)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that work on rows; all others go to the table."""
        asked = self._asked(event)
        if asked is None:
            super().keyPressEvent(event)
        else:
            asked()

    @property
    def ranges(self) -> list[QItemSelectionRange]:
        """The rectangles of cells that are selected; the current cell where none is, as Tab comes to it."""
        current = self.currentIndex()
        found = self.selectionModel().selection().toList()
        return found or ([QItemSelectionRange(current)] if current.isValid() else [])

    def select_rows(self) -> None:
        """Select all cells of the rows that selected cells are in."""
        model, selection = self.model(), self.selectionModel()
        whole = QItemSelection()
        for each in self.ranges:
            last = model.index(each.bottom(), model.columnCount() - 1)
            whole.merge(QItemSelection(model.index(each.top(), 0), last), _SELECT)
        selection.select(whole, _SELECT)

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
        if modifiers == _MODIFIERS.ShiftModifier and key == Qt.Key.Key_Space:
            return self.select_rows
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
        keep_rows(self.table, tools.appearance, _LEAST_ROWS)
        self.delegate = CellDelegate(tools.appearance, self.table)
        self.add_button = button(tr("Add"), self.table.added.emit, size="small")
        self.remove_button = button(tr("Remove"), self.table.removed.emit, size="small")
        self.up_button = button(tr("Move up"), lambda: self.table.moved.emit(-1), size="small")
        self.down_button = button(tr("Move down"), lambda: self.table.moved.emit(1), size="small")
        self.order: RowOrder | None = None
        """How the rows are sorted, None where they always stand as they are stored."""
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self.note = PlainLabel("", tone="muted", size="small")
        self._prepare()
        buttons = (self.add_button, self.remove_button, self.up_button, self.down_button)
        self._buttons = FlowLayout(*buttons, self.note, spacing=tools.appearance.space(2))
        self.keep_edge(EDGE_STEPS)
        self.fault.hide()
        arrange(QVBoxLayout(self), self.table, self.fault, self._buttons)
        self.setFocusProxy(self.table)
        tools.figures.changed.connect(self._show_figures)
        self.look()

    def keep_edge(self, steps: int) -> None:
        """Have buttons begin so many steps from the side: none where what is around has its own."""
        side, space = self._tools.appearance.space(steps), self._tools.appearance.space(2)
        self._buttons.setContentsMargins(side, space, side, space)
        self.fault.setContentsMargins(side, space, side, 0)

    def _show_figures(self, places: Collection[object] | None) -> None:
        """Have the figures of those rows painted that are in sight; more of them are asked for as they come to be."""
        table = self.table
        last = table.rowAt(table.viewport().height() - 1)
        in_sight = range(max(0, table.rowAt(0)), (last if last >= 0 else self.model.rowCount() - 1) + 1)
        rows = [row for row in in_sight if places is None or self.model.key_at(row) in places]
        if rows:
            self.model.figures_changed(TOKENS, rows[0], rows[-1])

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected rows, in their order; the current one where none is, as Tab comes to it."""
        return [key for key in map(self.model.key_at, self._rows) if key is not None]

    @property
    def chosen_columns(self) -> list[str]:
        """The ids of the columns that selected cells are in, in their order, without that of the tokens."""
        columns = self.model.columns
        ranges = self.table.ranges
        return [
            each.id
            for at, each in enumerate(columns)
            if each.id != TOKENS and any(r.left() <= at <= r.right() for r in ranges)
        ]

    @property
    def chosen_cells(self) -> dict[str, list[str]]:
        """The ids of the columns of the selected cells, by the ids of their rows, without that of the tokens."""
        columns, found = self.model.columns, dict[str, set[int]]()
        for each in self.table.ranges:
            for row in range(each.top(), each.bottom() + 1):
                key = self.model.key_at(row)
                if key is not None:
                    found.setdefault(key, set()).update(range(each.left(), each.right() + 1))
        return {
            key: [columns[at].id for at in sorted(places) if columns[at].id != TOKENS]
            for key, places in found.items()
        }

    @property
    def _rows(self) -> list[int]:
        return sorted({row for each in self.table.ranges for row in range(each.top(), each.bottom() + 1)})

    def choose(self, ids: list[str], *, edit: str = "") -> None:
        """Select rows, and begin to edit a column of the first."""
        rows = [row for row in map(self.model.row_of, ids) if row >= 0]
        selection = self.table.selectionModel()
        selection.clearSelection()
        at = next((at for at, each in enumerate(self.model.columns) if each.id == edit), 0)
        for row in rows:
            selection.select(self.model.index(row, 0), _SELECT | QItemSelectionModel.SelectionFlag.Rows)
        if rows:
            first = self.model.index(rows[0], at)
            selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.table.scrollTo(first)
            if edit:
                self.table.edit(first)

    def let_sort(self, keys: Keys) -> RowOrder:
        """Have the rows sorted by a click on a heading, and by a button for who has no mouse."""
        self.order = RowOrder(self.table, self.model, keys)
        self._buttons.removeWidget(self.note)
        for each in (self.order.button, self.note):
            self._buttons.addWidget(each)
        return self.order

    def look(self) -> None:
        """Say what can be done with what is selected."""
        is_open = not self.model.is_read_only
        is_stored = self.order is None or self.order.is_stored
        self.model.can_move = self.table.drags and is_stored
        any_chosen = self.table.selectionModel().hasSelection()
        self.add_button.setEnabled(is_open)
        self.remove_button.setEnabled(is_open and any_chosen)
        for each in (self.up_button, self.down_button):
            each.setVisible(self.table.drags)
            each.setEnabled(is_open and any_chosen and is_stored)
            safe_tooltip(
                each, "" if is_stored else tr("Rows move in the stored order. Choose it under Sort.")
            )

    def _prepare(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(self.delegate)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        triggers = QAbstractItemView.EditTrigger
        table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        table.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        table.setDragDropOverwriteMode(False)
        table.drags = self.model.can_move
        table.setDragEnabled(table.drags)
        table.selectionModel().selectionChanged.connect(lambda *_: self.look())
        table.copied.connect(self._copy)

    def _copy(self) -> None:
        chosen = self.chosen_columns
        # Figures are copied where nothing else is selected.
        columns = [each for each in self.model.columns if each.id in (chosen or (TOKENS,))]
        rows = [self.model.values[row] for row in self._rows]
        cells = [[str(_copied(column.roles, column.text, row)) for column in columns] for row in rows]
        if cells:
            copy_text(written_table(cells))


def _copied(roles: object, text: Callable[[object], str], row: object) -> str:
    given = roles if isinstance(roles, dict) else {}
    box = given.get(Qt.ItemDataRole.CheckStateRole)
    if box is not None:
        return "yes" if box(row) == Qt.CheckState.Checked else "no"
    exact = given.get(Qt.ItemDataRole.EditRole)
    typed = exact(row) if exact else None
    # A list that can't be typed in a cell is copied as it is shown.
    return text(row) if typed is None else typed
