"""The navigator panel: every agent with its blocks, and a filter."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QMenu, QToolButton, QTreeView, QVBoxLayout, QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.ui.actions import SEPARATOR, Action, Actions
from inspector.ui.file_state import What
from inspector.ui.models.columns import VALUE_ROLE, Column
from inspector.ui.models.tree import RowTree
from inspector.ui.panel import Panel, PanelServices
from inspector.ui.presentation.navigator import NavigatorRow, NavigatorRows, NavigatorState, RowKind
from inspector.ui.presentation.navigator_source import NavigatorSource
from inspector.ui.safe_text import PlainLabel
from inspector.ui.selection import SelectionState
from inspector.ui.widgets.badged_rows import BadgedRow, BadgedRows, Index, PaintedBadge
from inspector.ui.widgets.controls import arrange, field, icon_button
from inspector.ui.widgets.rows_view import dress_tree
from inspector.ui.wording import tr

_BLOCK_MENU = (
    "selection.open",
    SEPARATOR,
    "block.rename",
    "block.describe",
    "block.pin",
    "block.unpin",
    "block.share",
    SEPARATOR,
    "selection.copy_text",
    SEPARATOR,
    "block.delete",
    "block.restore",
)
_AGENT_MENU = ("agent.show", "agent.settings", SEPARATOR, "block.new", "agent.new")

_OPEN_PLACES = ("core", "working", "log", "shared")
"""The groups of the agent that is shown that are open at first."""
_ROWS = What.AGENTS | What.AGENT | What.CONTENTS | What.BLOCKS | What.DRAFTS | What.RUNS
_FIGURES_MILLISECONDS = 150
_INDENT_STEPS = 3
_IN_WIDGET = Qt.ShortcutContext.WidgetShortcut


class NavigatorPanel(Panel):
    """The tree. It follows the selection and makes it."""

    def __init__(self, services: PanelServices, _ref: Ref | None = None) -> None:
        super().__init__(services)
        self._source = NavigatorSource(services.workspace.lengths)
        self._rows = NavigatorRows()
        self._state = NavigatorState(services.marks.warning)
        self._opened: set[Hashable] = set()
        self._shown = ""
        """The agent that is in sight: another one that is shown is scrolled to."""
        self._expanded: set[Hashable] = set()
        """What was expanded before something was filtered for."""
        self._filling = False
        self._filtered = ""
        self._filter = field(tr("Filter"), role="filter")
        self._filter.setVisible(False)
        self._filter.textChanged.connect(self._filter_for)
        leave = QShortcut(QKeySequence("Esc"), self._filter, context=_IN_WIDGET)
        leave.activated.connect(self._leave_filter)
        self._nothing = PlainLabel(tr("Nothing matches."), tone="muted")
        self._nothing.hide()
        column: Column[NavigatorRow] = Column(
            "name", tr("Name"), lambda row: row.title, tip=lambda row: row.tip, spoken=lambda row: row.spoken
        )
        self._model = RowTree((column,), self)
        self._view = _Tree()
        self._view.setModel(self._model)
        dress_tree(self._view, services.appearance, tr("Agents and their memory"), _INDENT_STEPS)
        self._view.setItemDelegate(BadgedRows(services.appearance, services.icons, _painted, self._view))
        self._view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._top = QVBoxLayout()
        arrange(self._top, self._filter, self._nothing)
        arrange(QVBoxLayout(self), self._top, self._view)
        services.actions.scope("block.delete", self._view, "Del")
        services.appearance.changed.connect(self._measure)
        self._measure()
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._gather)
        # A tree of hundreds of blocks need not follow every key press.
        self._figures_later = QTimer(self, singleShot=True, interval=_FIGURES_MILLISECONDS)
        self._figures_later.timeout.connect(self._gather)
        self._listen()
        services.actions.add(
            Action("navigator.filter", tr("Filter the navigator"), self.start_filter, "Ctrl+Alt+F", "search")
        )

    def header(self) -> tuple[QWidget, ...]:
        """A button to filter and one to add a block."""
        icons, actions = self.services.icons, self.services.actions
        find = icon_button(icons, "search", tr("Filter the navigator"), self.start_filter)
        add: QToolButton = icon_button(icons, "add", tr("New block or agent"))
        menu = QMenu(add)
        actions.fill(menu, ("block.new", "agent.new"))
        add.setMenu(menu)
        add.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return (find, add)

    def first_focus(self) -> QWidget:
        return self._view

    def start_filter(self) -> None:
        """Show the filter and type into it; once more takes it away."""
        if self._filter.isVisible() and self._filter.hasFocus():
            self._leave_filter()
            return
        self._filter.show()
        self._measure()
        self._filter.setFocus()

    def follow(self, what: What) -> None:
        """Show what changed, a little later."""
        if what & What.FILE:
            self._forget()
        if what & _ROWS:
            self._gather_soon()
        elif what & (What.REQUEST | What.COUNTS):
            self._gather_figures()

    def show_state(self, state: NavigatorState) -> None:
        """Show a state, keeping what is expanded, selected and scrolled to."""
        if state != self._state:
            self._state = state
            self._fill()

    def _listen(self) -> None:
        self._view.customContextMenuRequested.connect(self._offer)
        self._view.selectionModel().currentChanged.connect(self._choose)
        self._view.activated.connect(self._open)
        self._view.expanded.connect(self._load)
        self.services.selection.changed.connect(self._follow)
        self.services.preferences.changed.connect(self._gather_soon)
        self.services.appearance.changed.connect(self._repaint)
        self._later.start()

    def _leave_filter(self) -> None:
        self._filter.clear()
        self._filter.hide()
        self._measure()
        self._view.setFocus()

    def _filter_for(self, words: str) -> None:
        if words and not self._filtered:
            keys = self._model.keys()
            self._expanded = {key for key in keys if self._view.isExpanded(self._model.find(key))}
        self._fill()
        if not words:
            self._view.collapseAll()
            for key in self._expanded:
                self._view.expand(self._model.find(key))
        self._filtered = words

    def _measure(self) -> None:
        space = self.services.appearance.space
        margin = space(2) if self._filter.isVisibleTo(self) else 0
        self._top.setContentsMargins(margin, margin, margin, margin)
        self._top.setSpacing(space(2))

    def _forget(self) -> None:
        self._opened.clear()
        self._shown = ""
        self._source.forget()
        self._rows.forget()

    def _repaint(self) -> None:
        self._view.viewport().update()

    def _gather_soon(self) -> None:
        self._later.start()

    def _gather_figures(self) -> None:
        if not self._figures_later.isActive():
            self._figures_later.start()

    def _gather(self) -> None:
        preferences = self.services.preferences
        show_empty = preferences.switch("navigator.show_empty_groups")
        self.show_state(
            self._source.state(
                self.services.workspace.file, self.services.marks.warning, show_empty=show_empty
            )
        )

    def _fill(self) -> None:
        words = self._filter.text()
        scrolled = self._view.verticalScrollBar().value()
        # While rows go, Qt moves on to a neighbour, which nobody chose.
        self._filling = True
        try:
            self._model.set_rows(self._rows.rows(self._state, words))
        finally:
            self._filling = False
        self._nothing.setVisible(bool(words) and not self._model.rowCount())
        if words:
            self._view.expandAll()
        else:
            self._expand_new()
        self._view.verticalScrollBar().setValue(scrolled)
        self._follow(self.services.selection.selected)
        self._bring_agent()

    def _bring_agent(self) -> None:
        """Scroll to the agent that is shown once it is another one, and again when what it has is there below it."""
        shown = next((agent.id for agent in self._state.agents if agent.shown), "")
        if not shown or shown == self._shown:
            return
        is_first = not self._shown
        index = self._model.find(("agent", shown))
        if not is_first:
            self._view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)
        if is_first or any(self._model.find(("group", shown, place)).isValid() for place in _OPEN_PLACES):
            self._shown = shown

    def _expand_new(self) -> None:
        """Expand the shown agent's groups the first time they come up; later it is the user's choice."""
        for agent in self._state.agents:
            keys = [("agent", agent.id), *(("group", agent.id, place) for place in _OPEN_PLACES)]
            for key in keys if agent.shown else ():
                index = self._model.find(key)
                if index.isValid() and key not in self._opened:
                    self._opened.add(key)
                    self._view.expand(index)

    def _follow(self, selected: SelectionState) -> None:
        index = self._index_of(selected.ref)
        if index.isValid() and index != self._view.currentIndex():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self._view.selectionModel().setCurrentIndex(index, flags)
            self._view.scrollTo(index)
        elif not index.isValid():
            self._view.selectionModel().clear()

    def _index_of(self, ref: Ref | None) -> QModelIndex:
        shown = self.services.workspace.file.agent
        if ref is None or shown is None:
            return QModelIndex()
        if ref.kind is RefKind.AGENT:
            return self._model.find(("agent", ref.id))
        if ref.kind is RefKind.SECTION and ref.part is not None:
            return self._model.find(("list", ref.id, ref.part))
        current = self._model.row_at(self._view.currentIndex())
        if current is not None and current.value.ref is not None and current.value.ref == ref.whole:
            return self._view.currentIndex()
        places = ("core", "working", "log", "shared", "archival", "deleted")
        found = (self._model.find(("block", shown.id, place, ref.id)) for place in places)
        return next((index for index in found if index.isValid()), QModelIndex())

    def _choose(self, index: QModelIndex) -> None:
        row = _value(index)
        if row is not None and row.ref is not None and self._view.hasFocus() and not self._filling:
            self.services.selection.select(row.ref)

    def _open(self, index: QModelIndex) -> None:
        row = _value(index)
        if row is None:
            return
        if row.kind is RowKind.AGENT:
            self.services.workspace.show_agent(row.agent_id)
            self.services.selection.open(Ref(RefKind.AGENT, row.agent_id))
        elif row.ref is None:
            self._view.setExpanded(index, not self._view.isExpanded(index))
        else:
            self.services.workspace.show_agent(row.agent_id)
            self.services.selection.open(row.ref)

    def _load(self, index: QModelIndex) -> None:
        row = _value(index)
        if row is not None and row.kind is RowKind.AGENT:
            self.services.workspace.load(row.agent_id)

    def _offer(self, at: QPoint) -> None:
        row = _value(self._view.indexAt(at))
        ids = _BLOCK_MENU if row is not None and row.kind is RowKind.BLOCK else _AGENT_MENU
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        actions = self.services.actions
        actions.refresh()
        self.services.actions.fill(
            menu, [id_ for id_ in ids if id_ == SEPARATOR or _is_offered(actions, id_)]
        )
        menu.popup(self._view.viewport().mapToGlobal(at))


class _Tree(QTreeView):
    """A tree in which Right expands and Left collapses, and letters do not search: the filter does."""

    def keyboardSearch(self, search: str) -> None:
        """Leave letters to the filter."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter open on every platform."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)


def _is_offered(actions: Actions, id_: str) -> bool:
    """Pin and unpin, delete and restore: only the one of each pair that can be done."""
    twins = ("block.pin", "block.unpin", "block.delete", "block.restore")
    return id_ not in twins or (id_ in actions and not actions.row(id_).why_not())


def _value(index: Index) -> NavigatorRow | None:
    value = index.data(VALUE_ROLE)
    return value if isinstance(value, NavigatorRow) else None


def _painted(index: Index) -> BadgedRow | None:
    row = _value(index)
    if row is None:
        return None
    marks = tuple(PaintedBadge(badge.text, badge.icon, badge.tone, badge.yields) for badge in row.badges)
    small = row.kind is RowKind.GROUP
    return BadgedRow(row.title, marks, row.section, row.quiet, row.strong, small)
