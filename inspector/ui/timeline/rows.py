"""The list of events with the details of the current one below it; new ones come at the end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import Column, value_at
from inspector.ui.models.paged import PagedRows
from inspector.ui.safe_text import show_controls
from inspector.ui.widgets.controls import EmptyState, arrange, button
from inspector.ui.widgets.record_rows import RecordRow, RecordTable, RecordWidths
from inspector.ui.wording import tr, tr_count

_WIDTHS = RecordWidths(lead=38, figure="", time="00 Mmm 00:00:00")
_LIST_SHARE, _TEXT_SHARE = 5, 2
_SELECT = QItemSelectionModel.SelectionFlag


class _EventTable(RecordTable):
    """The list. Who comes into it by the keyboard begins with the newest event in sight."""

    @property
    def last_in_sight(self) -> int:
        """The row at the lower edge, or the last one where there are few."""
        row = self.rowAt(self.viewport().height() - 1)
        return self.model().rowCount() - 1 if row < 0 else row

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        ends = (QAbstractItemView.CursorAction.MoveHome, QAbstractItemView.CursorAction.MoveEnd)
        if not self.currentIndex().isValid() and action not in ends:
            return self.model().index(self.last_in_sight, 0)
        return super().moveCursor(action, modifiers)


class EventRows(QWidget):
    """`moved` tells of another current row, `scrolled` of other rows in sight, `entered` of Enter or a double click."""

    moved = Signal()
    scrolled = Signal()
    entered = Signal()

    def __init__(self, appearance: Appearance, row_of: Callable[[int], RecordRow], sums: QWidget) -> None:
        super().__init__()
        column: Column[RecordRow] = Column(
            "event",
            tr("Events"),
            lambda row: row.text,
            tip=lambda row: row.tip,
            spoken=lambda row: row.spoken,
        )
        self.model = PagedRows(column, row_of, lambda _: False, self)
        self.table = _EventTable(appearance, self.model, partial(value_at, RecordRow), tr("Events"), _WIDTHS)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.details = QPlainTextEdit()
        self.details.setReadOnly(True)
        self.details.setFrameShape(QFrame.Shape.NoFrame)
        self.details.setProperty("role", "page")
        self.details.setPlaceholderText(tr("Select an event to read it"))
        self.details.setTabChangesFocus(True)
        self.details.setAccessibleName(tr("Details of the event"))
        self.new_button = button("", self.go_to_end, role="primary")
        self.new_button.hide()
        self.empty = EmptyState("")
        self._appearance = appearance
        self._shown = ""
        self._new = 0
        self._follows = True
        self._stack = QStackedWidget()
        self._below = QStackedWidget()
        scroll = QScrollArea()
        scroll.setWidget(sums)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for each in (self.details, scroll):
            self._below.addWidget(each)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._lay_out()
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self.moved.emit())
        self.table.entered.connect(self.entered)
        bar = self.table.verticalScrollBar()
        bar.valueChanged.connect(self._note_scroll)
        bar.rangeChanged.connect(self._note_range)
        appearance.changed.connect(self._measure)
        self._measure()

    @property
    def seq(self) -> int | None:
        """The number of the current event."""
        index = self.table.currentIndex()
        return self.model.keys[index.row()] if index.isValid() else None

    @property
    def is_at_end(self) -> bool:
        bar = self.table.verticalScrollBar()
        return bar.value() >= bar.maximum()

    @property
    def in_sight(self) -> tuple[int, int] | None:
        """The numbers of the first and last event in sight."""
        first = self.table.rowAt(0)
        if first < 0:
            return None
        return self.model.keys[first], self.model.keys[self.table.last_in_sight]

    def show_list(self, seqs: Sequence[int], new: int | None) -> None:
        """List these events: so many new ones behind those that are listed, None for another list.

        Whoever sees the last one sees the new ones too; else nothing moves, and it is said.
        """
        if new == 0:
            return
        was_at_end, seq = self.is_at_end, self.seq
        is_filled = bool(self.model.keys)
        self.model.set_keys(seqs)
        self._stack.setCurrentIndex(0 if seqs else 1)
        if new is None:
            self._say_new(0)
        elif is_filled and not was_at_end:
            self._say_new(self._new + new)
        if was_at_end or (new is None and seq is None):
            self.table.scrollToBottom()
        elif new is None and seq is not None:
            self.select(seq)

    def select(self, seq: int) -> bool:
        """Make an event current, in sight; False when it isn't listed."""
        place = self._place(seq)
        if place >= len(self.model.keys) or self.model.keys[place] != seq:
            return False
        index = self.model.index(place)
        self.table.selectionModel().setCurrentIndex(index, _SELECT.ClearAndSelect | _SELECT.Rows)
        self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        return True

    def go_to(self, seq: int | None) -> None:
        """Scroll to an event, or where it would stand; None is behind the last. What is selected stays."""
        place = len(self.model.keys) if seq is None else self._place(seq)
        if self.model.keys:
            place = min(place, len(self.model.keys) - 1)
            self.table.scrollTo(self.model.index(place), QAbstractItemView.ScrollHint.PositionAtTop)

    def go_to_end(self) -> None:
        """Show the newest events, and follow them."""
        self.table.scrollToBottom()
        self._say_new(0)

    def go_to_newest(self) -> None:
        """Make the newest event current, and follow those that come."""
        if self.model.keys:
            self.select(self.model.keys[-1])
        self.go_to_end()

    def show_sums(self, *, shown: bool) -> None:
        """Show the sums in place of the details, or the details again."""
        if shown != bool(self._below.currentIndex()):
            self._below.setCurrentIndex(1 if shown else 0)
            shares = (1, 1) if shown else (_LIST_SHARE, _TEXT_SHARE)
            self._split.setSizes([share * self.height() for share in shares])
            self._show_below()

    def show_details(self, text: str) -> None:
        shown = "\n".join(map(show_controls, text.split("\n")))
        if shown != self._shown:
            self._shown = shown
            self.details.setPlainText(shown)
            self._show_below()

    def _show_below(self) -> None:
        """Leave the room to the list while there is nothing to read below it."""
        shown = bool(self._shown) or bool(self._below.currentIndex())
        if shown == self._below.isHidden():
            self._below.setVisible(shown)

    def _place(self, seq: int) -> int:
        return bisect_left(self.model.keys, seq)

    def _note_range(self, *_: object) -> None:
        """Stay at the end where rows come or the list becomes lower."""
        if self._follows:
            self.table.scrollToBottom()
        self.scrolled.emit()

    def _note_scroll(self) -> None:
        self._follows = self.is_at_end
        if self._new and self.is_at_end:
            self._say_new(0)
        self.scrolled.emit()

    def _say_new(self, new: int) -> None:
        self._new = new
        text = tr_count("{count} new event ↓", "{count} new events ↓", new)
        self.new_button.setText(text)
        self.new_button.setAccessibleName(text)
        self.new_button.setVisible(new > 0)

    def _lay_out(self) -> None:
        above = QWidget()
        column = QVBoxLayout(above)
        arrange(column, self._stack)
        column.addWidget(self.new_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        splitter = self._split
        splitter.setChildrenCollapsible(False)
        for part, share in ((above, _LIST_SHARE), (self._below, _TEXT_SHARE)):
            splitter.addWidget(part)
            splitter.setStretchFactor(splitter.count() - 1, share)
        splitter.setSizes([_LIST_SHARE * 100, _TEXT_SHARE * 100])
        arrange(QVBoxLayout(self), splitter)

    def _measure(self) -> None:
        self.details.document().setDocumentMargin(self._appearance.space(3))
        for each in (self.details, self._below):
            each.setMinimumHeight(2 * self._appearance.row_height())
        self.table.setMinimumHeight(3 * self._appearance.row_height())
