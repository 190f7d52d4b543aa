"""Shows which of an agent's messages its summaries cover: as a strip, and as a table that says the same."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QTableView, QVBoxLayout, QWidget

from inspector.domain.summary_findings import SummaryFacts
from inspector.ui.appearance import Appearance
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.presentation.summaries import (
    STRETCH_WORDS,
    CoverageKind,
    CoverageStretch,
    stretches_of,
    title_of,
)
from inspector.ui.safe_text import one_line, safe_tooltip
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import number, tr, tr_count

_TITLE_LENGTH = 60
_WIDTHS = {"what": 26, "first": 12, "last": 12, "messages": 10, "summaries": 0}
"""Letters of the table's columns; the last one takes what is left."""


class CoverageStrip(QWidget):
    """All messages from left to right; gaps and overlaps are hatched. `pointed` carries the id of a clicked summary."""

    pointed = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._stretches: tuple[CoverageStretch, ...] = ()
        self._positions: Sequence[int] = ()
        self._selected: tuple[tuple[int, int], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Coverage of the messages by summaries"))
        appearance.changed.connect(self.updateGeometry)
        appearance.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(self._appearance.space(60), self._appearance.space(4))

    def show_coverage(self, facts: SummaryFacts | None, stretches: tuple[CoverageStretch, ...]) -> None:
        """Show the stretches of an agent's messages."""
        self._stretches = stretches
        self._positions = facts.positions if facts is not None else ()
        kinds = {kind: sum(each.messages for each in stretches if each.kind is kind) for kind in CoverageKind}
        self.setAccessibleDescription(
            ", ".join(f"{STRETCH_WORDS[kind]()}: {number(count)}" for kind, count in kinds.items() if count)
        )
        self.update()

    def select(self, ranges: tuple[tuple[int, int], ...]) -> None:
        """Underline the positions of the selected summary."""
        if ranges != self._selected:
            self._selected = ranges
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint stretches in order; several that share one pixel are painted once."""
        theme = self._appearance.theme
        with QPainter(self) as painter:
            box = QRectF(self.rect()).adjusted(0, 0, -1, -1)
            painter.fillRect(box, theme.raised)
            drawn: set[tuple[int, int, CoverageKind]] = set()
            for each, part in self._parts():
                place = (int(part.left()), int(part.right()), each.kind)
                if place in drawn:
                    continue
                drawn.add(place)
                if each.kind is CoverageKind.COVERED:
                    painter.fillRect(part, theme.section("messages"))
                    if part.width() > 2:
                        painter.fillRect(
                            QRectF(part.right() - 1, part.top(), 1, part.height()), theme.surface
                        )
                elif each.kind is CoverageKind.GAP:
                    painter.fillRect(part, theme.raised)
                    painter.fillRect(part, QBrush(theme.warning, Qt.BrushStyle.BDiagPattern))
                elif each.kind is CoverageKind.OVERLAP:
                    painter.fillRect(part, QBrush(theme.error, Qt.BrushStyle.DiagCrossPattern))
            line = max(2, self._appearance.space(0.5))
            for first, last in self._selected:
                part = self._part(first, last)
                painter.fillRect(QRectF(part.left(), part.bottom() - line, part.width(), line), theme.text)
            painter.setPen(theme.border)
            painter.drawRect(box)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._at(event.position().x())
        if found is not None and found.summaries:
            self.pointed.emit(found.summaries[0])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say which stretch is under the pointer."""
        found = self._at(event.position().x())
        safe_tooltip(self, stretch_text(found) if found is not None else "")

    def _parts(self) -> Iterator[tuple[CoverageStretch, QRectF]]:
        for each in self._stretches:
            yield each, self._part(each.first, each.last)

    def _part(self, first: int, last: int) -> QRectF:
        """Where messages stand in the strip, at least one pixel wide."""
        count, width = max(1, len(self._positions)), self.width() - 1
        start = bisect_left(self._positions, first) / count * width
        end = bisect_left(self._positions, last + 1) / count * width
        return QRectF(round(start), 0, max(1, round(end) - round(start)), self.height() - 1)

    def _at(self, x: float) -> CoverageStretch | None:
        found = [each for each, part in self._parts() if part.left() <= x < part.right()]
        return found[-1] if found else None


class CoverageTable(QWidget):
    """The same as a table. `pointed` carries the id of the summary of the row that was entered."""

    pointed = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._titles: dict[str, str] = {}
        columns = self._columns()
        self.model = RowTable(columns, lambda each: (each.kind, each.first, each.summaries), self)
        self.view = QTableView()
        self.view.setModel(self.model)
        dress_table(self.view, appearance, tr("Coverage as a table"))
        self.view.activated.connect(self._enter)
        self.view.doubleClicked.connect(self._enter)
        arrange(QVBoxLayout(self), self.view)
        self.setFocusProxy(self.view)
        fit_columns(self.view.horizontalHeader(), columns, _WIDTHS)

    def show_coverage(self, facts: SummaryFacts | None, stretches: Sequence[CoverageStretch]) -> None:
        """Show the stretches of an agent's messages."""
        summaries = facts.summaries if facts is not None else ()
        self._titles = {each.id: one_line(title_of(each), _TITLE_LENGTH) for each in summaries}
        self.model.set_values(stretches)

    def _columns(self) -> tuple[Column[CoverageStretch], ...]:
        return (
            Column("what", tr("Coverage"), lambda each: STRETCH_WORDS[each.kind](), tip=stretch_text),
            Column("first", tr("From"), lambda each: number(each.first), right=True),
            Column("last", tr("To"), lambda each: number(each.last), right=True),
            Column("messages", tr("Messages"), lambda each: number(each.messages), right=True),
            Column("summaries", tr("Summaries"), self._names, tip=self._names),
        )

    def _names(self, each: CoverageStretch) -> str:
        return ", ".join(self._titles.get(id_, id_) for id_ in each.summaries)

    def _enter(self, index: QModelIndex) -> None:
        each = self.model.value_at(index)
        if each is not None and each.summaries:
            self.pointed.emit(each.summaries[0])


def covered_text(facts: SummaryFacts | None) -> str:
    """How many of an agent's messages are in summaries, as what follows their number; nothing without messages."""
    if facts is None or not facts.positions:
        return ""
    loose = (CoverageKind.GAP, CoverageKind.OPEN)
    outside = sum(each.messages for each in stretches_of(facts) if each.kind in loose)
    every = len(facts.positions)
    return " · " + tr(
        "{covered} of {all} messages in summaries", covered=number(every - outside), all=number(every)
    )


def stretch_text(each: CoverageStretch) -> str:
    """A stretch in a sentence."""
    return tr_count(
        "{what} · messages {first} to {last} ({count} message)",
        "{what} · messages {first} to {last} ({count} messages)",
        each.messages,
        what=STRETCH_WORDS[each.kind](),
        first=number(each.first),
        last=number(each.last),
    )


def coverage_of_messages(facts: SummaryFacts | None) -> tuple[CoverageStretch, ...]:
    """The stretches of an agent's messages; none while nothing is read."""
    return stretches_of(facts) if facts is not None else ()
