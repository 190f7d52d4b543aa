"""What a chosen stretch of the timeline adds up to: a sentence, and a table of kinds and of models."""

from __future__ import annotations

from datetime import timedelta

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView, QVBoxLayout, QWidget

from inspector.domain.dataclass import dataclass
from inspector.domain.timeline import RunTotal, StretchTotals
from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.presentation.names import kind_name
from inspector.ui.safe_text import PlainLabel
from inspector.ui.timeline.words import cost_words, duration, full_moment, totals_words
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, share, tr

_WIDTHS = (44, 18, 18, 20)
"""Steps of the columns but for the last one."""


@dataclass(frozen=True, slots=True)
class TotalRow:
    """One row of the sums, each cell in words; `key` is stable."""

    key: str
    name: str
    count: str
    share: str
    pace: str
    more: str = ""


class StretchPane(QFrame):
    """The sums of a stretch. `listing`, `zooming` and `leaving` tell which button was pressed."""

    listing = Signal()
    zooming = Signal()
    leaving = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.title = PlainLabel("", strong=True, wrap=True)
        self.sentence = PlainLabel("", tone="muted", size="small", wrap=True)
        self.model = RowTable(_columns(), lambda row: row.key, self)
        self.table = QTableView()
        self.table.setModel(self.model)
        dress_table(self.table, appearance, tr("Sums of the range"))
        header, modes = self.table.horizontalHeader(), QHeaderView.ResizeMode
        header.setSectionResizeMode(modes.Interactive)
        buttons = FlowLayout()
        for text, signal in (
            (tr("List only these"), self.listing),
            (tr("Zoom to range"), self.zooming),
            (tr("Clear range"), self.leaving),
        ):
            buttons.addWidget(button(text, signal.emit))
        foot = QWidget()
        foot.setLayout(buttons)
        self._buttons = buttons
        self._column = QVBoxLayout(self)
        arrange(self._column, self.title, self.sentence, foot, self.table)
        self._column.setStretch(3, 1)
        appearance.changed.connect(self._measure)
        self._measure()

    def show_totals(self, totals: StretchTotals) -> None:
        """Show sums; while some events aren't counted yet, it says so."""
        over = totals.over
        self.title.setText(tr("{start} to {end}", start=full_moment(over.start), end=full_moment(over.end)))
        words = totals_words(totals)
        self.sentence.setText(words if totals.is_whole else tr("{sums} · counting …", sums=words))
        self.model.set_values(total_rows(totals))

    def _measure(self) -> None:
        space = self._appearance.space
        self.table.setMinimumHeight(3 * self._appearance.row_height())
        self._buttons.setSpacing(space(2))
        self._column.setContentsMargins(space(3), space(2), space(3), space(2))
        self._column.setSpacing(space(1))
        for place, steps in enumerate(_WIDTHS):
            self.table.horizontalHeader().resizeSection(place, space(steps))


def total_rows(totals: StretchTotals) -> list[TotalRow]:
    """Events by kind, the most first, then runs by model."""
    hours = max(totals.over.length.total_seconds(), 1.0) / 3_600
    rows = [
        TotalRow(
            f"kind {each.kind}",
            kind_name(each.kind),
            number(each.count),
            share(each.count, totals.count),
            _pace(each.count / hours),
        )
        for each in totals.kinds
    ]
    return [*rows, *(_run_row(each, hours) for each in totals.runs)]


def _pace(hourly: float) -> str:
    """So many an hour; what would be rounded to none is less than a tenth."""
    shown = f"{hourly:,.1f}"
    return "<0.1" if hourly and shown == "0.0" else shown


def _run_row(run: RunTotal, hours: float) -> TotalRow:
    lasted = timedelta(milliseconds=run.milliseconds)
    parts = (
        tr("{count} tokens in", count=number(run.input_tokens)),
        tr("{count} tokens out", count=number(run.output_tokens)),
        "" if run.cost is None else cost_words(run.cost, run.unpriced),
        tr("{time}, {each} on average", time=duration(lasted), each=duration(lasted / max(1, run.count))),
    )
    return TotalRow(
        f"run {run.model}",
        tr("Runs of {model}", model=run.model),
        number(run.count),
        "",
        _pace(run.count / hours),
        " · ".join(filter(None, parts)),
    )


def _columns() -> tuple[Column[TotalRow], ...]:
    return (
        Column("name", tr("Kind"), lambda row: row.name, tip=lambda row: row.name),
        Column("count", tr("Count"), lambda row: row.count, right=True),
        Column("share", tr("Share"), lambda row: row.share, right=True),
        Column("pace", tr("Per hour"), lambda row: row.pace, right=True),
        Column("more", tr("Tokens, cost and time of runs"), lambda row: row.more, tip=lambda row: row.more),
    )
