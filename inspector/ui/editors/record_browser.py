"""A list of messages or archival entries with a filter, and below it the editor page of the selected one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance
from inspector.ui.editors.record_page import RecordPage
from inspector.ui.icons import Icons
from inspector.ui.models.columns import Column, value_at
from inspector.ui.models.paged import PagedRows
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import EmptyState, arrange, field
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.record_rows import RecordRow, RecordTable, RecordWidths

_SELECT = QItemSelectionModel.SelectionFlag
_FILTER_STEPS = 48
_LIST_SHARE, _PAGE_SHARE = 4, 3
_IN_FIELD = Qt.ShortcutContext.WidgetShortcut


@dataclass(frozen=True, slots=True)
class BrowserWords:
    """What a browser is called, its filter, its states (id, title), its page, and its page without a selection."""

    name: str
    filter: str
    states: Sequence[tuple[str, str]]
    page: str
    unselected: str
    widths: RecordWidths = RecordWidths(figure="")
    """Of the parts of a row; only lists whose rows have figures keep room for them."""


class RecordBrowser(QWidget):
    """`filtered` tells of another filter, `moved` that another row is current.

    While nothing is selected, the list has all the room.
    """

    filtered = Signal()
    moved = Signal()

    def __init__(
        self,
        appearance: Appearance,
        icons: Icons,
        row_of: Callable[[Any], RecordRow],
        is_heading: Callable[[Any], bool],
        words: BrowserWords,
    ) -> None:
        super().__init__()
        self._appearance = appearance
        self._filling = False
        self._gone: Any = None
        """The key of a selected row that isn't listed any more, None for none and once another is selected."""
        column: Column[RecordRow] = Column(
            "record", words.name, lambda row: row.text, tip=lambda row: row.tip, spoken=lambda row: row.spoken
        )
        self.model = PagedRows(column, row_of, is_heading, self)
        self.table = RecordTable(
            appearance, self.model, partial(value_at, RecordRow), words.name, words.widths
        )
        self.page = RecordPage(appearance, icons, EmptyState(words.unselected), words.page)
        self.words_field = field(words.filter, role="filter")
        self.states = QComboBox()
        self.states.setAccessibleName(words.filter)
        for id_, title in words.states:
            self.states.addItem(title, id_)
        self.count_note = PlainLabel("", tone="muted", size="small")
        self.empty = EmptyState("")
        self._bar = FlowLayout()
        self._stack = QStackedWidget()
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._sizes, self._is_first_sizes = [_LIST_SHARE, _PAGE_SHARE], True
        """Of the list and the page, as they were left."""
        self._lay_out()
        self.words_field.textChanged.connect(lambda _: self.filtered.emit())
        self.states.currentIndexChanged.connect(lambda _: self.filtered.emit())
        # With the mouse a row is current before it is selected, with the keys the other way round.
        self.table.selectionModel().currentChanged.connect(self._move)
        self.table.selectionModel().selectionChanged.connect(self._move)
        for keys, go in (("Esc", self.leave_filter), ("Down", self._enter_list)):
            # Given together with what it calls, Qt for Python leaves the context away.
            shortcut = QShortcut(QKeySequence(keys), self.words_field, context=_IN_FIELD)
            shortcut.activated.connect(go)
        appearance.changed.connect(self._measure)
        self._measure()

    @property
    def key(self) -> Any:
        """The key of the current row if it is selected, else None."""
        index = self.table.currentIndex()
        if not index.isValid() or not self.table.selectionModel().isSelected(index):
            return None
        return self.model.keys[index.row()]

    @property
    def chosen(self) -> list[Any]:
        """The keys of all selected rows, in their order."""
        return list(self.model.keys_of(self.table.selectionModel().selectedRows()))

    @property
    def state(self) -> str:
        return str(self.states.currentData())

    def add_to_bar(self, *widgets: QWidget) -> None:
        for each in widgets:
            self._bar.addWidget(each)

    def start_filter(self) -> None:
        self.words_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words_field.selectAll()

    def find_words(self) -> None:
        """Find in the text that has the keyboard, else filter the list."""
        page = self.page.page
        if page is not None and page.editor.hasFocus():
            page.ask()
        else:
            self.start_filter()

    def enter_page(self) -> None:
        """Give the keyboard to the text that is read."""
        if self.page.page is not None:
            self.page.page.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave_filter(self) -> None:
        """Filter no more and go back to the list."""
        self.words_field.clear()
        self.table.setFocus()

    def _enter_list(self) -> None:
        """Go to the list; where no row is selected, the first becomes so."""
        self.table.setFocus()
        if self.key is not None:
            return
        for row, key in enumerate(self.model.keys):
            if self.model.index(row).flags() & Qt.ItemFlag.ItemIsSelectable:
                self.select(key)
                return

    def set_filter(self, state: str, words: str = "") -> None:
        self.states.setCurrentIndex(max(0, self.states.findData(state)))
        self.words_field.setText(words)

    def set_keys(self, keys: Sequence[Any]) -> None:
        """List these rows. A selected one that is gone leaves its place current, and is selected when it comes back."""
        key, row = self.key, self.table.currentIndex().row()
        # While rows go, Qt moves on to a neighbour, which nobody chose.
        self._filling = True
        try:
            self.model.set_keys(keys)
            wanted = self._gone if key is None else key
            index = QModelIndex() if wanted is None else self.model.find(wanted)
            if index.isValid() and (key is None or index != self.table.currentIndex()):
                self._make_current(index)
                self._gone = None
            elif key is not None and not index.isValid():
                self._gone = key
                self.table.selectionModel().clearSelection()
                at = self.model.index(min(max(row, 0), len(keys) - 1))
                self.table.selectionModel().setCurrentIndex(at, _SELECT.NoUpdate)
        finally:
            self._filling = False
        self._stack.setCurrentIndex(0 if keys else 1)
        if self.key != key:
            self.moved.emit()

    def list_others(self) -> None:
        """List nothing, and forget what was selected: the rows that follow are of something else."""
        self.set_keys(())
        self._gone = None

    def select(self, key: Any) -> bool:
        """Make a row current and selected, in sight; False when it isn't listed."""
        index = self.model.find(key)
        if index.isValid() and key != self.key:
            self._make_current(index)
            self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        return index.isValid()

    def select_last(self) -> None:
        """Make the last row current, where there is one."""
        if self.model.keys:
            self.select(self.model.keys[-1])

    def _make_current(self, index: QModelIndex) -> None:
        self.table.selectionModel().setCurrentIndex(index, _SELECT.ClearAndSelect | _SELECT.Rows)

    def _move(self) -> None:
        if not self._filling:
            if self.key is not None:
                self._gone = None
            self.moved.emit()

    def _lay_out(self) -> None:
        head = QFrame()
        head.setProperty("role", "dock_title")
        head.setLayout(self._bar)
        for each in (self.words_field, self.states, self.count_note):
            self._bar.addWidget(each)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self._stack)
        self._split.addWidget(self.page)
        self._split.setStretchFactor(0, _LIST_SHARE)
        self._split.setStretchFactor(1, _PAGE_SHARE)
        self._split.splitterMoved.connect(self._note_sizes)
        self.page.moved.connect(self._show_page)
        self._show_page()
        self.table.viewport().installEventFilter(self)
        column = QVBoxLayout(self)
        arrange(column, head, self._split)
        column.setStretch(1, 1)

    def _note_sizes(self) -> None:
        self._sizes, self._is_first_sizes = self._split.sizes(), False

    def _show_page(self) -> None:
        shown = bool(self.page.shown_key)
        if shown != self.page.isHidden():
            return
        self.page.setVisible(shown)
        if shown:
            above, below = (self.height() * each // sum(self._sizes) for each in self._sizes)
            # What few rows don't need is better spent on the text of one of them.
            rows = (self.table.model().rowCount() + 1) * self._appearance.row_height()
            spare = max(0, above - rows) if self._is_first_sizes else 0
            self._split.setSizes([above - spare, below + spare])
            # The row that was chosen may be where the page is now.
            QTimer.singleShot(0, self, self._keep_in_sight)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the current row in sight where it was, however high the list is made."""
        if watched is self.table.viewport() and isinstance(event, QResizeEvent):
            row = self.table.visualRect(self.table.currentIndex())
            if row.isValid() and row.top() >= 0 and row.bottom() <= event.oldSize().height():
                QTimer.singleShot(0, self, self._keep_in_sight)
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        """What was read before its tab was left is still the row to see."""
        super().showEvent(event)
        if not self.page.isHidden():
            QTimer.singleShot(0, self, self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def _measure(self) -> None:
        space = self._appearance.space
        self._bar.setContentsMargins(space(3), space(2), space(3), space(2))
        self._bar.setSpacing(space(2))
        self.words_field.setMinimumWidth(space(_FILTER_STEPS))
