"""The table of the context's size: the chart's figures as rows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHeaderView, QTableView

from inspector.domain.timeline import ContextSize, SizeCourse
from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.timeline.words import full_moment, size_words
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, tr

_WHEN_STEPS, _TOKENS_STEPS = 40, 18


class SizeTable(QTableView):
    """The figures of the chart as rows, newest first.

    `went` carries the moment of an estimate that was opened, `sent` that of a run whose Request is to be shown.
    """

    went = Signal(object)
    sent = Signal(object)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.rows = RowTable(_columns(), lambda size: (size.at, size.seq, size.reported), self)
        self.setModel(self.rows)
        dress_table(self, appearance, tr("Context size over time, as a table"))
        self.activated.connect(self._go)
        header, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        header.setSectionResizeMode(modes.Interactive)
        appearance.changed.connect(self._measure)
        self._measure()

    def show_sizes(self, course: SizeCourse) -> None:
        self.rows.set_values(course.sizes[::-1])

    def _go(self, index: QModelIndex) -> None:
        size = self.rows.value_at(index)
        if isinstance(size, ContextSize):
            (self.sent if size.reported else self.went).emit(size.at)

    def _measure(self) -> None:
        for place, steps in enumerate((_WHEN_STEPS, _TOKENS_STEPS)):
            self.horizontalHeader().resizeSection(place, self._appearance.space(steps))


def _columns() -> tuple[Column[ContextSize], ...]:
    def tokens(size: ContextSize) -> str:
        return number(size.tokens) if size.reported else f"~{number(size.tokens)}"

    return (
        Column("when", tr("When"), lambda size: full_moment(size.at)),
        Column("tokens", tr("Tokens"), tokens, right=True),
        Column("what", tr("What"), size_words, tip=size_words),
    )
