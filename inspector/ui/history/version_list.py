"""The table of a block's versions, newest first, read by pages as it is scrolled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QVBoxLayout, QWidget

from inspector.domain.edits.redaction import RedactVersions
from inspector.domain.history import MeasuredVersion
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.journal_words import operation_name, who
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_table, keep_rows
from inspector.ui.wording import local_time, moment, number, signed, tr, tr_count, with_unit

_WHAT, _REASON = 3, 6
_WIDTHS = {0: 17, 1: 24, 2: 24, 4: 20, 5: 16}
"""Steps of the columns that hold names, figures and times; the others share what is left."""
_LEAST = {_WHAT: 30, _REASON: 26}
"""Of each of the others, so that some words of it can be read."""
_LEAST_ROWS = 3
_LESS_NEEDED = (4, _REASON, 5)
"""Columns that go first where there is no room for all: the tool tip of the title below says them too."""


class VersionList(QWidget):
    """Shows the versions of one block.

    `chosen` carries the `MeasuredVersion` of the current row. `paired` tells that two rows are selected, or no longer;
    `selected_others` that other rows are.
    `loaded` tells that rows were read.
    """

    chosen = Signal(object)
    paired = Signal()
    selected_others = Signal()
    loaded = Signal()

    def __init__(self, services: PanelServices, block_id: str) -> None:
        super().__init__()
        self._services = services
        self._id = block_id
        self._is_reading, self._before = False, 0
        self._pair: tuple[MeasuredVersion, MeasuredVersion] | None = None
        self._model = RowTable(_columns(services), lambda each: each.version.seq, self)
        self.view = QTableView()
        self.view.setModel(self._model)
        dress_table(self.view, services.appearance, tr("Versions"))
        keep_rows(self.view, services.appearance, _LEAST_ROWS)
        modes = QHeaderView.ResizeMode
        # Which column is the last depends on what there is room for.
        self.view.horizontalHeader().setStretchLastSection(False)
        for place in range(self._model.columnCount()):
            mode = modes.Interactive if place in _WIDTHS else modes.Stretch
            self.view.horizontalHeader().setSectionResizeMode(place, mode)
        self.view.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.view.selectionModel().selectionChanged.connect(self._pair_up)
        self.view.verticalScrollBar().valueChanged.connect(self._read_older)
        arrange(QVBoxLayout(self), self.view)
        self.setFocusProxy(self.view)
        services.appearance.changed.connect(self._measure)
        self._measure()

    @property
    def rows(self) -> tuple[MeasuredVersion, ...]:
        return self._model.values

    @property
    def pair(self) -> tuple[MeasuredVersion, MeasuredVersion] | None:
        """The earlier and the later one of two selected versions."""
        return self._pair

    @property
    def selected(self) -> tuple[MeasuredVersion, ...]:
        """All selected versions, newest first."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        return tuple(self.rows[row] for row in rows)

    def read(self) -> None:
        """Read the newest page again, with what was written since."""
        self._services.workspace.past.versions(self._id, self._take_newest)

    def select(self, seq: int) -> bool:
        """Make a version's row the current one; whether there is such a row yet."""
        index = self._model.find(seq)
        if index.isValid():
            self.view.setCurrentIndex(index)
        return index.isValid()

    def leave(self) -> None:
        """Have no current row: what is shown is of a version without one."""
        self.view.setCurrentIndex(QModelIndex())
        self.view.clearSelection()

    def _read_older(self, place: int) -> None:
        """Read the next page when the last row comes into sight."""
        last = self.rows[-1].version.seq if self.rows else 1
        if place < self.view.verticalScrollBar().maximum() or last <= 1 or self._is_reading:
            return
        self._is_reading, self._before = True, last
        self._services.workspace.past.versions(self._id, self._take_older, self._fail, last)

    def _fail(self, _: BaseException) -> bool:
        self._is_reading = False
        return False

    def _take_newest(self, found: Sequence[MeasuredVersion]) -> None:
        oldest = found[-1].version.seq if found else 1
        # Where more came than a page holds, what is older is read again when it is scrolled to.
        newest = self.rows[0].version.seq if self.rows else 0
        # A redaction may have changed any of them.
        is_same = all(each.op != RedactVersions.op for each in found if each.version.seq > newest)
        is_joined = is_same and oldest <= newest + 1
        rest = [each for each in self.rows if each.version.seq < oldest] if is_joined else []
        self._put([*found, *rest])

    def _take_older(self, found: Sequence[MeasuredVersion]) -> None:
        self._is_reading = False
        if self.rows and self.rows[-1].version.seq == self._before:
            self._put([*self.rows, *found])

    def _put(self, rows: Sequence[MeasuredVersion]) -> None:
        """Show these rows; what is in sight stays where it is."""
        bar, top = self.view.verticalScrollBar(), self.view.rowAt(0)
        seen = self.rows[top].version.seq if 0 < top < len(self.rows) else None
        current = self._model.value_at(self.view.currentIndex())
        self._model.set_values(rows)
        self._fit()
        if seen is not None:
            bar.setValue(self._model.find(seen).row())
        if current is not None and not self.view.currentIndex().isValid():
            self.select(current.version.seq)
        self.loaded.emit()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(self._model.value_at(index))

    def _pair_up(self) -> None:
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        pair = (self.rows[rows[1]], self.rows[rows[0]]) if len(rows) == 2 else None
        if pair != self._pair:
            self._pair = pair
            self.paired.emit()
        self.selected_others.emit()

    def _measure(self) -> None:
        for place, steps in _WIDTHS.items():
            self.view.horizontalHeader().resizeSection(place, self._services.appearance.space(steps))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide reasons where there are none, and what there is no room for, rather than cut every title."""
        space, places = self._services.appearance.space, range(self._model.columnCount())
        needed = {place: space({**_WIDTHS, **_LEAST}[place]) for place in places}
        if not any(row.version.reason for row in self.rows):
            del needed[_REASON]
        for place in _LESS_NEEDED:
            if sum(needed.values()) > self.width():
                needed.pop(place, None)
            self.view.setColumnHidden(place, place not in needed)


def _columns(services: PanelServices) -> tuple[Column[MeasuredVersion], ...]:
    workspace = services.workspace

    def at(row: MeasuredVersion) -> str:
        return moment(row.version.at, workspace.now())

    def author(row: MeasuredVersion) -> str:
        return who(row.version.actor, workspace.file.actor)

    def size(row: MeasuredVersion) -> str:
        length = row.version.length
        return "" if length is None else number(length)

    return (
        Column("version", tr("Version"), lambda row: number(row.version.seq), right=True),
        Column("when", tr("When"), at, tip=lambda row: full_time(row.version.at)),
        Column("who", tr("Who"), author, tip=author),
        Column("what", tr("What"), what_was_done, tip=_what_tip),
        Column("size", tr("Characters"), size, right=True),
        Column("tokens", tr("± tokens"), _growth, right=True, spoken=_growth, tip=_tokens_tip),
        Column("reason", tr("Reason"), lambda row: row.version.reason, tip=lambda row: row.version.reason),
    )


def what_was_done(row: MeasuredVersion) -> str:
    """What made a version, in words; of a redacted one, who redacted it."""
    if row.version.redacted is not None:
        return tr("Redacted by {name}", name=row.version.redacted.by.name)
    return tr("unreadable") if row.op is None else operation_name(row.op)


def _what_tip(row: MeasuredVersion) -> str:
    redacted = row.version.redacted
    if redacted is None:
        return what_was_done(row)
    was = operation_name(redacted.was) if redacted.was else tr("unreadable")
    return tr("{what}, {time}. Before: {was}", what=what_was_done(row), time=full_time(redacted.at), was=was)


def full_time(at: datetime) -> str:
    """A moment in the user's zone, to the second."""
    return f"{local_time(at):%Y-%m-%d %H:%M:%S}"


def _growth(row: MeasuredVersion) -> str:
    return "" if row.growth is None else signed(row.growth) or "±0"


def growth_text(row: MeasuredVersion) -> str:
    """What a version changed in tokens, in words; nothing where that isn't known."""
    return "" if row.growth is None else with_unit(_growth(row))


def _tokens_tip(row: MeasuredVersion) -> Any:
    return (
        ""
        if row.tokens is None
        else tr("{tokens} in all", tokens=tr_count("{count} token", "{count} tokens", row.tokens.tokens))
    )
