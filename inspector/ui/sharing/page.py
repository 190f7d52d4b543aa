"""The Sharing view of a block: every agent with its level, what the block costs it, and buttons that change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QTableView, QVBoxLayout, QWidget

from inspector.domain.sharing import AgentCosts, BlockCost
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.sharing import (
    AccessRow,
    access_rows,
    access_text,
    cost_text,
    why_text,
)
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.sharing.attachments import BlockSharing
from inspector.ui.sharing.changing import access_actions, set_access
from inspector.ui.sharing.costs import CostReader
from inspector.ui.sharing.level_menu import Level, offer_levels
from inspector.ui.widgets.controls import EDGE_STEPS, Segments, arrange, button, field, name_help
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table, keep_rows
from inspector.ui.wording import tr, tr_code, with_unit

_ALL = 0
_LEVEL, _LEAST_ROWS = 1, 2
_WIDTHS = {"agent": 14, "level": 24, "tokens": 10, "why": 0}
"""Letters of the columns; the reason takes what is left."""
_FILTER_STEPS = 34


class AccessTable(QTableView):
    """The agents. `entered` tells of Enter, Space or a double click on a row."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter and Space open the choice of a level."""
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self.currentIndex().isValid():
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the filter."""


class SharingPage(QWidget):
    """Shows and changes who sees a block. A change is written at once and can be undone."""

    def __init__(self, services: PanelServices, sharing: BlockSharing) -> None:
        super().__init__()
        name_help(self, "Sharing")
        self._services = services
        self._sharing = sharing
        self._costs = CostReader(services, self)
        self._reasons: tuple[str, ...] = ()
        self.filter_field = field(tr("Filter agents"), role="filter")
        self.shown = Segments(
            tr("Agents in the list"),
            (tr("All agents"), tr("List every agent of the file")),
            (tr("With access"), tr("List only agents that see the block")),
        )
        self.level_button = button(tr("Change access …"), self.change)
        self.detach_button = button(tr("Remove"), self._detach)
        self.model = RowTable(_columns(), lambda row: row.agent_id, self)
        self.table = AccessTable()
        self._lay_out()
        self._connect()

    def actions_of_tab(self) -> tuple[Action, ...]:
        """What can be done here, by keyboard and from the palette."""
        return access_actions(
            self.table, self.change, self._detach, self._not_changeable, self._not_detachable
        )

    def follow(self, what: What) -> None:
        """Show what changed of the file: agents, the block, whether it can be written."""
        if what & (What.FILE | What.AGENTS | What.BLOCKS | What.CONTENTS) and self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_height()
        self._fill()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._costs.want(())

    def change(self) -> None:
        """Offer the levels for the selected agents."""
        if self._not_changeable():
            self._tell()
            return
        rows = self._chosen()
        box = self.table.visualRect(self.table.currentIndex().siblingAtColumn(_LEVEL))
        at = self.table.viewport().mapToGlobal(box.bottomLeft())
        self._offer(at, rows)

    def _offer(self, at: QPoint, rows: Sequence[AccessRow]) -> None:
        # What is selected may be another row when a level is chosen.
        offer_levels(self.table, at, {row.access.level for row in rows}, lambda level: self._set(rows, level))

    def _lay_out(self) -> None:
        self.table.setModel(self.model)
        dress_table(self.table, self._services.appearance, tr("Agents and their access to the block"))
        self.table.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        keep_rows(self.table, self._services.appearance, _LEAST_ROWS)
        fit_columns(self.table.horizontalHeader(), _columns(), _WIDTHS)
        bar = QFrame()
        bar.setProperty("role", "dock_title")
        self._bar = FlowLayout()
        bar.setLayout(self._bar)
        for each in (self.filter_field, self.shown, self.level_button, self.detach_button):
            self._bar.addWidget(each)
        arrange(QVBoxLayout(self), bar, self.table)
        self.setFocusProxy(self.table)
        self._measure()

    def _connect(self) -> None:
        self.filter_field.textChanged.connect(lambda _: self._fill())
        self.shown.chosen.connect(lambda *_: self._fill())
        self.table.entered.connect(self.change)
        self.table.doubleClicked.connect(lambda _: self.change())
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._tell())
        self._sharing.changed.connect(self._fill)
        self._costs.changed.connect(self._fill)
        self._services.appearance.changed.connect(self._measure)

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._bar.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(2))
        self._bar.setSpacing(space(2))
        self.filter_field.setFixedWidth(space(_FILTER_STEPS))
        self._fit_height()

    def _fit_height(self) -> None:
        """Make all of the bar as high as a button, whose height is known once it is in a window."""
        for each in (self.filter_field, self.shown, self.detach_button):
            each.setMinimumHeight(self.level_button.sizeHint().height())

    def _fill(self) -> None:
        block = self._sharing.block
        if block is None or not self._sharing.is_read or not self.isVisible():
            return
        agents = self._services.workspace.file.agents
        rows = [self._with_cost(each) for each in access_rows(block, self._sharing.attachments, agents)]
        self.model.set_values([row for row in rows if self._is_listed(row)])
        if self.model.rowCount() and not self.table.currentIndex().isValid():
            free = (at for at, row in enumerate(self.model.values) if not row.access.why_fixed)
            self.table.setCurrentIndex(self.model.index(next(free, 0), 0))
        self._costs.want(self._sharing.agents)
        self._tell()

    def _with_cost(self, row: AccessRow) -> AccessRow:
        costs: AgentCosts | None = self._costs.costs.get(row.agent_id) if row.access.sees else None
        block = self._sharing.block
        if costs is None or block is None:
            return row
        if costs.problem is not None:
            return replace(row, problem=tr_code(costs.problem.code, costs.problem.parameters))
        return replace(row, cost=costs.blocks.get(block.id, BlockCost()))

    def _is_listed(self, row: AccessRow) -> bool:
        words = self.filter_field.text().casefold().split()
        if self.shown.current != _ALL and not row.access.sees:
            return False
        return all(word in row.name.casefold() for word in words)

    def _chosen(self) -> list[AccessRow]:
        """The selected rows whose access can be changed here."""
        rows = [self.model.value_at(each) for each in self.table.selectionModel().selectedRows()]
        return [row for row in rows if not row.access.why_fixed]

    def _not_writable(self) -> str:
        block, file = self._sharing.block, self._services.workspace.file
        if block is None or not self.isVisible():
            return tr("no block is shown in Sharing")
        if file.read_only is not None:
            return tr("the file is read-only")
        return "" if file.blocks[block.id].block.is_active else tr("the block is deleted")

    def _not_changeable(self) -> str:
        if self._not_writable() or self._chosen():
            return self._not_writable()
        row = self.model.value_at(self.table.currentIndex())
        return tr("select an agent first") if row is None else row.access.why_fixed

    def _not_detachable(self) -> str:
        found = self._not_changeable()
        return found or ("" if any(row.access.sees for row in self._chosen()) else tr("it has no access"))

    def _detach(self) -> None:
        if not self._not_detachable():
            self._set(self._chosen(), None)

    def _set(self, rows: Sequence[AccessRow], level: Level) -> None:
        block = self._sharing.block
        if block is None or self._not_writable():
            return
        cells = [(block.id, row.agent_id) for row in rows if row.access.level != level]
        set_access(self._services.workspace, cells, level, {block.id: block.label})

    def _open_menu(self, at: QPoint) -> None:
        if not self._not_changeable():
            self._offer(self.table.viewport().mapToGlobal(at), self._chosen())

    def _tell(self) -> None:
        """Enable what can be done now, and say why the rest can't."""
        reasons = (self._not_changeable(), self._not_detachable())
        for made, reason in zip((self.level_button, self.detach_button), reasons, strict=True):
            made.setEnabled(not reason)
            safe_tooltip(made, reason)
        if reasons != self._reasons and self.isVisible():
            self._reasons = reasons
            self._services.actions.refresh()


def _columns() -> tuple[Column[AccessRow], ...]:
    return (
        Column("agent", tr("Agent"), _name, tip=_name),
        Column("level", tr("Access"), lambda row: access_text(row.access), tip=_access_tip),
        Column("tokens", tr("Tokens"), lambda row: cost_text(row.cost), right=True, spoken=_spoken_cost),
        Column("why", tr("In its Request"), _why, tip=_why),
    )


def _name(row: AccessRow) -> str:
    return tr("{name} (deleted agent)", name=row.name) if row.is_gone else row.name


def _why(row: AccessRow) -> str:
    return row.problem or why_text(row.cost)


def _access_tip(row: AccessRow) -> str:
    return "\n".join(each for each in (access_text(row.access), row.access.why_fixed) if each)


def _spoken_cost(row: AccessRow) -> str:
    return with_unit(cost_text(row.cost)) if row.cost is not None else ""
