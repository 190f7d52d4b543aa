"""The budget's table: sections and pieces with their tokens, sorted by a heading, flat or by section, filtered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStyle,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.requests import Request
from inspector.ui.appearance import TextSize
from inspector.ui.costs.budget_columns import BudgetColumns, Index
from inspector.ui.models.column_widths import take_rest
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.models.tree import RowTree, TreeRow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.budget import BudgetRow
from inspector.ui.presentation.budget_order import FLAT, SORT, BudgetOrder, arranged
from inspector.ui.widgets.badged_rows import BadgedRows
from inspector.ui.widgets.bar_cells import BarCells, CellBar
from inspector.ui.widgets.controls import Segments, arrange, field
from inspector.ui.widgets.rows_view import dress_tree
from inspector.ui.wording import tr

_WIDEST = ("199,999", "≈", "100.0 %", "+99,999", "+99,999", "written")
_TOKENS, _SHARE, _CHANGE, _SINCE, _CACHE, _NAME_STEPS = 1, 3, 4, 5, 6, 26
SINCE_SENT, CACHE = "budget.since_sent", "budget.cache"
"""The settings that say whether those columns are shown where there is anything for them."""
_NAME_BESIDE_CACHE = 34
_NAME_ROOM = 8
"""Steps of a section's row beside its name: the square and the gaps at its ends."""
_FIELD_STEPS = 6
"""Steps of a field beside its words: frame and padding."""
_UP, _DOWN = "↑", "↓"
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_OPEN_AT_FIRST = frozenset({"core", "working", "log", "shared"})


class BudgetTable(QWidget):
    """A filter, the choice of form, and the tree; what a person chose is remembered.

    `entered` carries the index of the row on which Return was pressed.
    """

    entered = Signal(object)

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        preferences = services.preferences
        self._order = BudgetOrder.read(preferences.text(SORT), flat=preferences.switch(FLAT))
        self._is_sorted_by_form = False
        """Whether nobody asked for the order but by asking for the flat list."""
        self._rows: tuple[TreeRow, ...] = ()
        self._largest = 1
        self._seen_sections: set[str] = set()
        self._open_before: list[object] | None = None
        """The sections that were open before a filter opened all."""
        self._widths: dict[int, int] = {}
        self._longest_name = 0
        self._is_late = False
        """Whether an order or a width waits for the pointer to leave."""
        self.is_filling = False
        """Whether rows are just being put in: a row that becomes current by that was chosen by nobody."""
        self._columns = BudgetColumns(services)
        self._ids = [each.id for each in self._columns.make()]
        self.model = RowTree(self._columns.make(), self)
        self.filter_field = field(tr("Filter pieces"), role="filter")
        self.form = Segments(
            tr("Form of the table"),
            (tr("By section"), tr("Pieces below their section")),
            (tr("Flat"), tr("All pieces in one list")),
        )
        self.form.choose(int(self._order.flat))
        self.tree = self._make_tree()
        self._bar = QHBoxLayout()
        arrange(self._bar, self.filter_field, self.form)
        arrange(QVBoxLayout(self), self._bar, self.tree)
        self._connect()
        self._measure()
        self._mark_heading()

    @property
    def order(self) -> BudgetOrder:
        return self._order

    def show_rows(self, rows: Sequence[TreeRow], request: Request | None) -> None:
        """Show the rows of a Request; under the pointer they keep their order."""
        self._rows = tuple(rows)
        self._largest = max((_largest(each) for each in rows), default=1)
        self.is_filling = True
        self._arrange(settle=not self._is_pointed_at)
        self.is_filling = False
        if request is not None:
            self._measure_names(request)
            self._open_new_sections(request)
        self._fit_soon()

    def forget(self) -> None:
        """Another file or agent is shown: what is open at first is settled anew."""
        self._seen_sections.clear()

    def sort(self, by: str) -> None:
        """Sort by a column, the other way when it is sorted by it, and as sent after both."""
        self._is_sorted_by_form = False
        by, descending = self._order.turned(by)
        self._put(replace(self._order, by=by, descending=descending))

    def set_flat(self, *, flat: bool) -> None:
        self.form.choose(int(flat))

    def _offer_columns(self, at: QPoint) -> None:
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._services.actions.refresh()
        self._services.actions.fill(menu, (SINCE_SENT, CACHE))
        menu.popup(self.tree.header().mapToGlobal(at))

    def _connect(self) -> None:
        self.form.chosen.connect(self._choose_form)
        self.filter_field.textChanged.connect(self._filter)
        head = self.tree.header()
        head.sectionClicked.connect(lambda column: self.sort(self._ids[column]))
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._offer_columns)
        self.tree.viewport().installEventFilter(self)
        self.tree.installEventFilter(self)
        self._services.appearance.changed.connect(self._measure)

    def _choose_form(self, place: int, chosen: bool) -> None:
        if not chosen:
            return
        flat, order = place == 1, self._order
        if flat and not order.by:
            # A list without sections is opened to see what costs most.
            self._is_sorted_by_form = True
            order = replace(order, by=self._ids[_TOKENS], descending=True)
        elif not flat and self._is_sorted_by_form:
            self._is_sorted_by_form = False
            order = replace(order, by="")
        self._put(replace(order, flat=flat))

    def _put(self, order: BudgetOrder) -> None:
        if order == self._order:
            return
        was, self._order = self._order, order
        preferences = self._services.preferences
        preferences.set(SORT, order.stored)
        preferences.set(FLAT, order.flat)
        if was.flat is not order.flat:
            # Sections open and close with their form: what was open by section is so again.
            opened = self._opened() if not was.flat else self._open_before
            self._arrange()
            self._open(opened or [])
            self._open_before = opened
        else:
            self._arrange()
        self._mark_heading()
        self.tree.scrollTo(self.tree.currentIndex())

    def _filter(self, words: str) -> None:
        had = bool(self._order.words)
        if words and not had and not self._order.flat:
            self._open_before = self._opened()
        self._order = replace(self._order, words=words)
        self._arrange()
        if words:
            self.tree.expandAll()
        elif had and not self._order.flat:
            self.tree.collapseAll()
            self._open(self._open_before or [])

    def _arrange(self, *, settle: bool = True) -> None:
        waits = not settle and bool(self._order.by)
        self._is_late |= waits
        kept = self.model.ordered_keys() if waits else None
        self.tree.setRootIsDecorated(not self._order.flat)
        self._columns.is_flat = self._order.flat
        self.model.set_rows(arranged(self._rows, self._order, kept))

    def _opened(self) -> list[object]:
        rows = (self.model.row_at(self.model.index(place, 0)) for place in range(self.model.rowCount()))
        return [row.key for row in rows if row and self.tree.isExpanded(self.model.find(row.key))]

    def _open(self, keys: Sequence[object]) -> None:
        for key in keys:
            self.tree.expand(self.model.find(str(key)))

    def _open_new_sections(self, request: Request) -> None:
        largest = max(request.sections, key=lambda each: each.tokens, default=None)
        for section in request.sections:
            if section.name not in self._seen_sections:
                self._seen_sections.add(section.name)
                if section.name in _OPEN_AT_FIRST or (section is largest and section.name == "messages"):
                    self.tree.expand(self.model.find(f"section:{section.name}"))

    def _make_tree(self) -> QTreeView:
        look, tree = self._services.appearance, QTreeView()
        tree.setModel(self.model)
        dress_tree(tree, look, tr("Tokens by section and piece"))
        tree.setHeaderHidden(False)
        tree.setItemDelegateForColumn(
            0, BadgedRows(look, self._services.icons, self._columns.described, tree)
        )
        tree.setItemDelegateForColumn(_TOKENS, BarCells(look, self._bar_of, tree))
        head = tree.header()
        head.setSectionsMovable(False)
        head.setSectionsClickable(True)
        head.setMinimumSectionSize(look.space(5))
        # Widths come from what figures can be, not from what they are: measuring every cell takes longer than all else.
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        take_rest(head, 0)
        return tree

    def _bar_of(self, index: Index) -> CellBar | None:
        row = index.data(VALUE_ROLE)
        if not isinstance(row, BudgetRow) or not row.section:
            return None
        return CellBar(min(1.0, row.tokens / max(1, self._largest)), row.section)

    def _mark_heading(self) -> None:
        # Qt's own arrow would lie on headings that stand right.
        for place, column in enumerate(self._columns.make()):
            mark = ""
            if column.id == self._order.by:
                mark = f" {_DOWN if self._order.descending else _UP}"
            self.model.retitle(place, f"{column.title}{mark}")

    @property
    def _is_pointed_at(self) -> bool:
        return self.tree.viewport().underMouse()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open by Return, and do what waited for the pointer once it has left."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in _ENTER:
            self.entered.emit(self.tree.currentIndex())
            return True
        if event.type() == QEvent.Type.Leave and self._is_late:
            self._is_late = False
            self._arrange()
            self._fit_width()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold_bar()
        self._fit_width()

    def _fit_soon(self) -> None:
        if self._is_pointed_at:
            self._is_late = True
        else:
            self._fit_width()

    def _measure(self) -> None:
        space = self._services.appearance.space
        self._bar.setContentsMargins(space(3), 0, space(3), space(1.5))
        self._bar.setSpacing(space(2))
        self._fold_bar()
        request = self._services.workspace.file.request
        if request is not None:
            self._measure_names(request)
        self._measure_columns()

    def _fold_bar(self) -> None:
        """Put the filter above the form where its own words would be cut beside it."""
        space, words = self._services.appearance.space, self.filter_field.placeholderText()
        least = self.filter_field.fontMetrics().horizontalAdvance(words) + space(_FIELD_STEPS)
        margins = self._bar.contentsMargins()
        needed = least + self._bar.spacing() + self.form.sizeHint().width() + margins.left() + margins.right()
        directions = QBoxLayout.Direction
        fits = needed <= self.width()
        self._bar.setDirection(directions.LeftToRight if fits else directions.TopToBottom)

    def _measure_columns(self) -> None:
        look = self._services.appearance
        space, metrics = look.space, QFontMetrics(look.font(figures=True))
        # What the style leaves free at both ends of a cell, beside the style sheet's padding; one for rounding.
        free = 2 * (self.tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1) + 1
        small = QFontMetrics(look.font(TextSize.SMALL))
        for column, widest in enumerate(_WIDEST, 1):
            head = small.horizontalAdvance(
                str(self.model.headerData(column, Qt.Orientation.Horizontal) or "")
            )
            width = max(metrics.horizontalAdvance(widest) + 2 * space(1) + free, head + space(5))
            self._widths[column] = width
            self.tree.header().resizeSection(column, width)
        self._fit_width()

    def why_no_column(self, setting: str) -> str:
        """Why a column that was chosen has nothing to show now; nothing where it has."""
        file = self._services.workspace.file
        if file.sent.last is None:
            return tr("nothing was sent yet")
        if setting == CACHE and (file.cache is None or file.cache.plan.rules is None):
            return tr("how this provider caches isn't known")
        return ""

    def turn_column(self, setting: str) -> None:
        """Show a column of the table, or hide it."""
        preferences = self._services.preferences
        preferences.set(setting, not preferences.switch(setting))
        self._fit_width()

    def _wants(self, setting: str) -> bool:
        return self._services.preferences.switch(setting) and not self.why_no_column(setting)

    def _fit_width(self) -> None:
        """With little room shares give way, then the cache; drafts, while there are none, to sections' whole names."""
        space = self._services.appearance.space
        least = space(_NAME_STEPS)
        whole = max(least, self._longest_name)
        extra = {
            column for column, setting in ((_SINCE, SINCE_SENT), (_CACHE, CACHE)) if self._wants(setting)
        }
        shown = {*self._widths} - {_SINCE, _CACHE} | extra
        drafted = self._services.workspace.file.has_drafts
        if extra and not drafted:
            shown.discard(_CHANGE)
        if self._free(shown) < (whole if extra else least):
            shown.discard(_SHARE)
        if self._free(shown) < space(_NAME_BESIDE_CACHE):
            shown.discard(_CACHE)
        if not drafted and self._free(shown) < whole:
            shown.discard(_CHANGE)
        for column in self._widths:
            if column >= _SHARE:
                self.tree.setColumnHidden(column, column not in shown)

    def _free(self, shown: set[int]) -> int:
        """What the columns that are shown leave of the width for names."""
        return self.width() - sum(width for column, width in self._widths.items() if column in shown)

    def _measure_names(self, request: Request) -> None:
        space, tree = self._services.appearance.space, self.tree
        metrics = QFontMetrics(self._services.appearance.font())
        names = [metrics.horizontalAdvance(each.title or each.name) for each in request.sections]
        self._longest_name = tree.indentation() + space(_NAME_ROOM) + max(names, default=0)


def _largest(row: TreeRow) -> int:
    tokens = row.value.tokens
    return tokens if isinstance(tokens, int) else 0
