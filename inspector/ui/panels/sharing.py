"""The sharing panel: the matrix of all blocks and agents with the level of each, to filter, sort and change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QComboBox, QFrame, QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.sharing_matrix import MatrixOrder, MatrixQuery, SharingMatrix
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.sharing.changing import access_actions, set_access
from inspector.ui.sharing.level_menu import Level, offer_levels
from inspector.ui.sharing.matrix_model import MatrixModel
from inspector.ui.sharing.matrix_reader import MatrixReader
from inspector.ui.sharing.matrix_view import MatrixTable
from inspector.ui.widgets.controls import EDGE_STEPS, EmptyState, Segments, arrange, button, field
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import number, tr

_FILTER_STEPS = 34
_ALL = 0
_MOST_CELLS = 1_000
"""Cells that are changed at once at the most."""
_LIST = "sharing"


class SharingPanel(Panel):
    """A centre tab on the whole file. Its current cell makes the selection."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._agent_id = ""
        self._awaited: Ref | None = None
        self._reasons: tuple[str, ...] = ()
        self._reader = MatrixReader(services, self)
        self.model = MatrixModel(self)
        self.table = MatrixTable(services.appearance, self.model)
        self.filter_field = field(tr("Filter blocks"), role="filter")
        self.shown = Segments(
            tr("Blocks in the list"),
            (tr("All blocks"), tr("List every block of the file")),
            (tr("Shared"), tr("List only blocks that several agents see")),
        )
        self.order = QComboBox()
        self.level_button = button(tr("Change access …"), self._change)
        self.detach_button = button(tr("Remove"), self._detach)
        self._empty = EmptyState(tr("Reading blocks …"))
        self._stack = QStackedWidget()
        self.act(*self._actions())
        self._lay_out()
        self._connect()
        self._reveal(services.selection.ref)

    def first_focus(self) -> QWidget:
        return self.table

    def follow(self, what: What) -> None:
        """Say what can be done in another file."""
        if what & (What.FILE | What.PROBLEMS):
            self._tell()

    def came(self) -> None:
        self._reader.resume()

    def went(self) -> None:
        self._reader.pause()

    def _actions(self) -> tuple[Action, ...]:
        return (
            *access_actions(
                self.table, self._change, self._detach, self._not_changeable, self._not_detachable
            ),
            Action("sharing.sort", tr("Sort blocks by this agent"), self._sort_here, None, "", self._no_cell),
            Action("edit.find", tr("Filter blocks"), self._find, "Ctrl+F", "search"),
        )

    def _lay_out(self) -> None:
        self.order.setAccessibleName(tr("Sort blocks"))
        titles = (tr("By owner"), tr("By name"), tr("By tokens"), tr("By agents"))
        for order, title in zip(MatrixOrder, titles, strict=True):
            self.order.addItem(title, order)
        bar = QFrame()
        bar.setProperty("role", "dock_title")
        self._bar = FlowLayout()
        bar.setLayout(self._bar)
        for each in (self.filter_field, self.shown, self.order, self.level_button, self.detach_button):
            self._bar.addWidget(each)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        arrange(column, bar, self._stack)
        column.setStretch(1, 1)
        self._measure()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_height()

    def _measure(self) -> None:
        space = self.services.appearance.space
        self._bar.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(2))
        self._bar.setSpacing(space(2))
        self.filter_field.setFixedWidth(space(_FILTER_STEPS))
        self._fit_height()

    def _fit_height(self) -> None:
        """Make all of the bar as high as a button, whose height is known once it is in a window."""
        for each in (self.filter_field, self.shown, self.order, self.detach_button):
            each.setMinimumHeight(self.level_button.sizeHint().height())

    def _connect(self) -> None:
        self._reader.read.connect(self._take)
        self.filter_field.textChanged.connect(lambda _: self._ask())
        self.shown.chosen.connect(lambda *_: self._ask())
        self.order.currentIndexChanged.connect(self._choose_order)
        self.table.agent_clicked.connect(self._sort_by_agent)
        self.table.entered.connect(self._change)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.selectionModel().currentChanged.connect(self._point)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._tell())
        self.services.appearance.changed.connect(self._measure)
        self.services.selection.opened.connect(self._reveal)
        for keys, go in (("Esc", self._leave_filter), ("Down", self.table.setFocus)):
            shortcut = QShortcut(
                QKeySequence(keys), self.filter_field, context=Qt.ShortcutContext.WidgetShortcut
            )
            shortcut.activated.connect(go)

    def _ask(self) -> None:
        self._reader.ask(self._query)

    @property
    def _query(self) -> MatrixQuery:
        return MatrixQuery(
            self.filter_field.text(),
            self.shown.current != _ALL,
            MatrixOrder(self.order.currentData()),
            self._agent_id,
        )

    def _take(self, matrix: SharingMatrix) -> None:
        current = self.table.currentIndex()
        cell = self.model.cell(current) if current.isValid() else None
        self.model.put(matrix)
        if cell is not None and not self.table.currentIndex().isValid():
            self.table.go_to(self.model.find(*cell))
        if not self.table.currentIndex().isValid() and self.model.rowCount() and self.model.columnCount():
            self.table.go_to(self.model.index(0, 0))
        self._stack.setCurrentIndex(1 if matrix.blocks else 0)
        is_filtered = self._reader.has_blocks
        self._empty.tell(
            tr("Nothing matches") if is_filtered else tr("No blocks"),
            "" if is_filtered else tr("The blocks of all agents appear here."),
        )
        self.set_heading(tr("Sharing"), number(len(matrix.blocks)))
        self._go_to_awaited()
        self._tell()

    def _choose_order(self) -> None:
        self._agent_id = ""
        self._ask()

    def _sort_by_agent(self, section: int) -> None:
        agent_id = self.model.matrix.agents[section][0]
        self._agent_id = "" if self._agent_id == agent_id else agent_id
        self._ask()

    def _sort_here(self) -> None:
        self._sort_by_agent(self.table.currentIndex().column())

    def _no_cell(self) -> str:
        return "" if self.table.currentIndex().isValid() else tr("select a cell first")

    def _point(self, current: QModelIndex, _: QModelIndex) -> None:
        """Select the block of the current cell, and read it where that has not been done."""
        if not current.isValid() or not self.table.hasFocus():
            return
        block, workspace = self.model.matrix.blocks[current.row()], self.services.workspace
        if block.id not in workspace.file.blocks and block.owner != CONSTELLATION_OWNER:
            workspace.load(block.owner)
        self.services.selection.select(Ref(RefKind.BLOCK, block.id))

    def _reveal(self, ref: Ref | None) -> None:
        """Go to the agent whose list was opened, or to the attachment."""
        if ref is None:
            return
        if ref.kind is RefKind.ATTACHMENT or (ref.kind is RefKind.SECTION and ref.part == _LIST):
            self._awaited = ref
            self._go_to_awaited()

    def _go_to_awaited(self) -> None:
        ref, blocks = self._awaited, self.model.matrix.blocks
        if ref is None or not blocks:
            return
        self._awaited = None
        row = max(0, self.table.currentIndex().row())
        cell = (ref.id, ref.part or "") if ref.kind is RefKind.ATTACHMENT else (blocks[row].id, ref.id)
        index = self.model.find(*cell)
        if index.isValid():
            self.table.go_to(index)

    @property
    def _chosen(self) -> list[QModelIndex]:
        """The selected cells that can be changed here, row by row."""
        matrix = self.model.matrix
        indexes = self.table.selectionModel().selectedIndexes()
        free = [each for each in indexes if not matrix.access(each.row(), each.column()).why_fixed]
        return sorted(free, key=lambda each: (each.row(), each.column()))

    def _not_changeable(self) -> str:
        file = self.services.workspace.file
        if file.read_only is not None:
            return tr("the file is read-only")
        if self.table.selected_count > _MOST_CELLS:
            return tr("select at most {count} cells", count=number(_MOST_CELLS))
        if self._chosen:
            return ""
        current = self.table.currentIndex()
        if not current.isValid():
            return tr("select a cell first")
        return self.model.matrix.access(current.row(), current.column()).why_fixed or tr(
            "select a cell first"
        )

    def _not_detachable(self) -> str:
        found, matrix = self._not_changeable(), self.model.matrix
        if found:
            return found
        sees = any(matrix.access(each.row(), each.column()).sees for each in self._chosen)
        return "" if sees else tr("it has no access")

    def _change(self) -> None:
        box = self.table.visualRect(self.table.currentIndex())
        self._offer(self.table.viewport().mapToGlobal(box.bottomLeft()))

    def _open_menu(self, at: QPoint) -> None:
        self._offer(self.table.viewport().mapToGlobal(at))

    def _offer(self, at: QPoint) -> None:
        if not self._not_changeable():
            cells = [self.model.cell(each) for each in self._chosen]
            current = {self._level(cell) for cell in cells}
            # What is selected may be another cell when a level is chosen.
            offer_levels(self.table, at, current, lambda level: self._set(cells, level))

    def _detach(self) -> None:
        if not self._not_detachable():
            self._set([self.model.cell(each) for each in self._chosen], None)

    def _level(self, cell: tuple[str, str]) -> Level:
        attachment = self.model.matrix.table.attachments.get(cell)
        return None if attachment is None else attachment.permission

    def _set(self, cells: Sequence[tuple[str, str]], level: Level) -> None:
        """Write a level into cells as one changeset; those that are gone meanwhile are left."""
        matrix = self.model.matrix
        if self.services.workspace.file.read_only is None:
            left = [each for each in cells if self.model.find(*each).isValid() and self._level(each) != level]
            labels = {block_id: matrix.blocks[matrix.places[block_id]].label for block_id, _ in left}
            set_access(self.services.workspace, left, level, labels)

    def _find(self) -> None:
        self.filter_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter_field.selectAll()

    def _leave_filter(self) -> None:
        self.filter_field.clear()
        self.table.setFocus()

    def _tell(self) -> None:
        """Enable what can be done now, and say why the rest can't."""
        reasons = (self._not_changeable(), self._not_detachable())
        if reasons == self._reasons:
            return
        self._reasons = reasons
        for made, reason in zip((self.level_button, self.detach_button), reasons, strict=True):
            made.setEnabled(not reason)
            safe_tooltip(made, reason)
        if self.isVisible():
            self.services.actions.refresh()
