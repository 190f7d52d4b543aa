"""The page of the search panel: the query field above the sides and the hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.search import FoundState, Hit, SentText
from inspector.domain.search_language import SearchKey, toggled, written
from inspector.ui.models.columns import KEY_ROLE, Column
from inspector.ui.models.paged import PagedRows
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import PlainLabel
from inspector.ui.search.facet_list import FacetList, FacetRow
from inspector.ui.search.found_list import FoundGroup, FoundList, counted
from inspector.ui.search.help_page import SearchHelp
from inspector.ui.search.hit_rows import HitPainter, HitRow, context_line
from inspector.ui.search.query_field import QueryField
from inspector.ui.search.sent_line import SentLine
from inspector.ui.search.words import goes_words, hit_name, kind_name, owner_name
from inspector.ui.widgets.controls import EmptyState, arrange, button, icon_button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.record_rows import RecordRow, RecordTable
from inspector.ui.wording import moment, number, tr, tr_count

Index = QModelIndex | QPersistentModelIndex
_FACET_STEPS, _NARROW_STEPS = 40, 130
_WIDE = 10_000
_NOTHING, _HELP, _HITS = 0, 1, 2


class SearchPage(QWidget):
    """Shows a `FoundList`: what is typed goes into it, and what it finds is listed.

    `table` has the hits, `facets` the sides; `ask_sent` is run by the button that asks for Requests.
    """

    def __init__(self, services: PanelServices, found: FoundList, ask_sent: Callable[[], None]) -> None:
        super().__init__()
        self._services, self._found = services, found
        self.field = QueryField(services.appearance, self._names)
        self.note = PlainLabel("", tone="muted", size="small")
        self.fault_note = PlainLabel("", tone="error", size="small", wrap=True)
        self.named_note = PlainLabel("", tone="info", size="small", wrap=True)
        self.sent = SentLine()
        self.sent_button = button(tr("In which Requests?"), ask_sent)
        self.help_button = icon_button(services.icons, "help", tr("Search help"), self._toggle_help)
        self.help_button.setCheckable(True)
        self.sides_button = icon_button(services.icons, "filter", tr("Narrow the search"), self._show_sides)
        self.sides_button.setCheckable(True)
        self._is_narrow = False
        self.help = SearchHelp(services.appearance)
        self.facets = FacetList(services.appearance, services.icons)
        column: Column[HitRow] = Column(
            "hit", "", lambda row: row.text, spoken=lambda row: row.spoken, tip=lambda row: row.tip
        )
        self.model = PagedRows(column, self.row, self._is_heading, self)
        self.table = RecordTable(services.appearance, self.model, _nothing, tr("Hits"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setItemDelegate(HitPainter(services.appearance, self._row_at, self.table))
        self._empty = EmptyState("")
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self.show_found()

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest tool: with less room than for all, everything goes below one another."""
        margins = self._head.contentsMargins()
        least = self._tools.minimumSize().width() + margins.left() + margins.right()
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def row(self, key: int) -> HitRow:
        """The line of a row."""
        each = self._found.rows[key] if key < len(self._found.rows) else FoundGroup("")
        if isinstance(each, FoundGroup):
            name = kind_name(each.kind)
            count = None if self._found.is_other else counted(self._found.facets, each.kind)
            return HitRow(name if count is None else f"{name} · {number(count)}", heading=True)
        file = self._services.workspace.file
        tokens = self._found.tokens.get(each.ref)
        state = {FoundState.ARCHIVED: tr("archived"), FoundState.DELETED: tr("deleted")}.get(each.state, "")
        owner = owner_name(each.owner, {agent.id: agent.name for agent in file.agents})
        return HitRow(
            hit_name(each),
            " · ".join(part for part in (owner, state) if part),
            context_line(each.snippet if each.snippet.text else each.title),
            "" if tokens is None else number(tokens),
            moment(each.at, self._services.workspace.now()),
            quiet=each.state is not FoundState.ACTIVE or self._is_past,
            tip=each.snippet.text,
        )

    def show_found(self) -> None:
        """Show the hits, the sides and what is to be said of them."""
        found = self._found
        file = self._services.workspace.file
        self.model.set_keys(range(len(found.rows)))
        self._fit_first()
        # Hits of the text before stay, dimmed, until those of this one are there.
        self.table.viewport().update()
        counts = {} if self._is_past else found.facets
        self.facets.show_counts(counts, found.text, {agent.id: agent.name for agent in file.agents})
        self.fault_note.setText(found.fault)
        self.fault_note.setVisible(bool(found.fault) and bool(found.rows))
        self.named_note.setText("" if found.named is None else goes_words(found.named))
        self.named_note.setVisible(found.named is not None and bool(found.rows))
        self._tell_note()
        self._tell_sent()
        self._show_page()

    def show_moved(self) -> None:
        """Bring the current hit into sight."""
        index = self.model.index(self._found.current)
        if index.isValid() and self.table.currentIndex().row() != self._found.current:
            self.table.setCurrentIndex(index)
        if index.isValid():
            self.table.scrollTo(index)
        self._tell_note()
        self._tell_sent()

    @property
    def _is_past(self) -> bool:
        """Whether the hits are of another text than the one that can't be searched for."""
        return bool(self._found.fault) and self._found.is_other

    def _tell_sent(self) -> None:
        can_ask = self._found.hit is not None or bool(self._found.text.strip())
        self.sent_button.setEnabled(can_ask)

    def _tell_note(self) -> None:
        self.note.setText(self._note())
        # Without words it would still take its place in a line that wraps.
        self.note.setVisible(bool(self.note.original))

    def show_sent(self, found: SentText | None, what: str = "") -> None:
        """Say in which Requests something was, and what that is; None takes that away."""
        self.sent.show_sent(found, what, self._services.workspace.now())

    def type(self, text: str) -> None:
        """Look for a text as if it was typed."""
        self.field.setText(text)
        self._search(text)

    def _search(self, text: str) -> None:
        self.help_button.setChecked(False)
        self.show_sent(None)
        self._found.search(text)

    def _note(self) -> str:
        found = self._found
        if found.is_reading and (not found.rows or found.is_other):
            return tr("Searching …")
        if not found.rows or found.is_other:
            return ""
        total = tr_count("{count} hit", "{count} hits", found.total)
        if found.is_capped:
            total = tr("the newest {total} of more", total=total)
        if found.place:
            return tr("{place} of {total}", place=number(found.place), total=total)
        return total

    def _show_page(self) -> None:
        found = self._found
        if self.help_button.isChecked() or not found.text.strip():
            self._stack.setCurrentIndex(_HELP)
        elif found.rows or found.is_reading:
            self._stack.setCurrentIndex(_HITS)
        elif found.named is not None:
            self._empty.tell(goes_words(found.named), tr("No text has it as a word."))
            self._stack.setCurrentIndex(_NOTHING)
        else:
            self._empty.tell(
                found.fault or tr("Nothing matches"),
                "" if found.fault else tr("Try fewer words, or take a tick away."),
            )
            self._stack.setCurrentIndex(_NOTHING)

    def _toggle_help(self) -> None:
        self._show_page()

    def _try(self, example: str) -> None:
        self.type(example)
        self.field.setFocus()

    def _toggle(self, row: FacetRow) -> None:
        value = row.title if row.key is SearchKey.AGENT and row.value != CONSTELLATION_OWNER else row.value
        names = [agent.name for agent in self._services.workspace.file.agents]
        if row.key is SearchKey.AGENT and names.count(value) > 1:
            value = row.value
        text = self.field.text()
        written_by_id = toggled(text, row.key, row.value)
        is_by_id = written(row.key, row.value) in text and len(written_by_id) < len(text)
        self.type(written_by_id if is_by_id else toggled(text, row.key, value))

    def _names(self) -> Mapping[SearchKey, Sequence[str]]:
        file = self._services.workspace.file
        labels = {state.block.label for state in file.blocks.values() if state.block.is_active}
        tools = {tool for agent in file.agents for tool in agent.tools}
        return {
            SearchKey.AGENT: [agent.name for agent in file.agents],
            SearchKey.BLOCK: sorted(labels),
            SearchKey.TOOL: sorted(tools),
        }

    def _row_at(self, index: Index) -> HitRow | None:
        key = index.data(KEY_ROLE)
        return self.row(key) if isinstance(key, int) else None

    def _is_heading(self, key: int) -> bool:
        rows = self._found.rows
        return key >= len(rows) or not isinstance(rows[key], Hit)

    def _read_on(self, place: int) -> None:
        if place >= self.table.verticalScrollBar().maximum():
            self._found.read_on()

    def _choose(self, now: QModelIndex) -> None:
        if now.isValid():
            self._found.choose(now.row())

    def _enter_list(self) -> None:
        if self._found.rows:
            self.table.setFocus(Qt.FocusReason.TabFocusReason)
            if self._found.hit is None:
                self._found.step(1)

    def _lay_out(self) -> None:
        bar = QFrame()
        bar.setProperty("role", "dock_title")
        self._tools = FlowLayout(self.note, self.sent_button, self.sides_button, self.help_button)
        self._bar = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._bar.addWidget(self.field, 1)
        self._bar.addLayout(self._tools)
        self._head = QVBoxLayout(bar)
        self._head.addLayout(self._bar)
        for label in (self.fault_note, self.named_note):
            label.hide()
            self._head.addWidget(label)
        self._head.addWidget(self.sent)
        self._split.addWidget(self.facets)
        self._split.addWidget(self.table)
        self._split.setStretchFactor(1, 1)
        self._split.setChildrenCollapsible(False)
        for page in (self._empty, self.help, self._split):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        arrange(column, bar, self._stack)
        column.setStretch(1, 1)
        self._measure()

    def _connect(self) -> None:
        self.field.textChanged.connect(self._follow_field)
        self.field.went_down.connect(self._enter_list)
        self.help.tried.connect(self._try)
        self.facets.toggled.connect(self._toggle)
        self.table.selectionModel().currentChanged.connect(self._choose)
        self.table.verticalScrollBar().valueChanged.connect(self._read_on)
        self._found.changed.connect(self.show_found)
        self._found.moved.connect(self.show_moved)
        self._found.measured.connect(self.model.tell_changed)
        self._services.appearance.changed.connect(self._measure)

    def _follow_field(self, text: str) -> None:
        if text != self._found.text:
            self._search(text)

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._head.setContentsMargins(space(3), space(1.5), space(3), space(1.5))
        self._head.setSpacing(space(1))
        self._bar.setSpacing(space(2))
        self._tools.setSpacing(space(2))
        self.sent.set_spacing(space(2))
        self.facets.setMinimumWidth(space(_FACET_STEPS))
        self._fit(anew=True)

    def _fit(self, *, anew: bool = False) -> None:
        """Put everything below one another where there is no room beside: the tools, the sides and a hit's words."""
        space = self._services.appearance.space
        is_narrow = self.width() < space(_NARROW_STEPS)
        if is_narrow == self._is_narrow and not anew:
            return
        self._is_narrow = is_narrow
        directions = QBoxLayout.Direction
        self._bar.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)
        self._split.setOrientation(Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal)
        height = self._services.appearance.row_height()
        self.table.verticalHeader().setDefaultSectionSize(2 * height if is_narrow else height)
        self._fit_first()
        self.sides_button.setVisible(is_narrow)
        self._show_sides()

    def _fit_first(self) -> None:
        """Where hits have two lines, the headings between them have room above, and the first of all has none."""
        if self.model.rowCount():
            self.table.setRowHeight(0, self._services.appearance.row_height())

    def _show_sides(self) -> None:
        self.facets.setVisible(not self._is_narrow or self.sides_button.isChecked())
        # Beside them, all else is the hits'.
        beside = [self._services.appearance.space(_FACET_STEPS), _WIDE]
        self._split.setSizes([_WIDE, _WIDE] if self._is_narrow else beside)


def _nothing(_: Index) -> RecordRow | None:
    """The page's own painter describes rows."""
    return None
