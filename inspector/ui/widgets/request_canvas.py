"""A widget that paints the rows of a Request, only those in sight, and knows what stands where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from inspector.domain.counts import Method
from inspector.domain.requests import Piece, Section
from inspector.ui.appearance import Appearance
from inspector.ui.widgets.request_heads import HeadPainter, HeadSpot
from inspector.ui.widgets.request_paint import Highlights, RowPainter
from inspector.ui.widgets.request_rows import RequestRows, RowPosition
from inspector.ui.widgets.request_text import shown_row
from inspector.ui.wording import number, tr, tr_count

METHOD_MARKS = {
    Method.EXACT: "=",
    Method.ESTIMATE: "~",
    Method.RECONSTRUCTED: "≈",
    Method.PROVIDER: "✓",
    Method.REPORTED: "✓",
}


class RequestCanvas(QAbstractScrollArea):
    """Paints rows, and finds the character at a point and the point of a character."""

    width_changed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._rows: RequestRows | None = None
        self._paint = RowPainter(appearance)
        self._heads = HeadPainter(appearance)
        self._marks = Highlights()
        self.figures: Callable[[Section], str] = section_figures
        """What stands at the right of a section's head."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setMouseTracking(True)
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def columns(self) -> int:
        """How many columns of the fixed-width font a row has room for."""
        room = self.viewport().width() - self.text_left - self._appearance.space(4)
        return max(20, int(room / self._paint.advance))

    @property
    def rows(self) -> RequestRows | None:
        return self._rows

    @property
    def text_left(self) -> int:
        return self._paint.text_left(self._rows.line_count if self._rows is not None else 0)

    def set_head_notes(self, notes: Callable[[Piece], str]) -> None:
        """What stands at the right of the head of a message or tool."""
        self._heads.notes = notes
        self.viewport().update()

    def box_of_row(self, row: int) -> QRectF | None:
        """Where a row is painted, None while it is out of sight."""
        first = self.verticalScrollBar().value()
        return next((box for at, (_, box) in enumerate(self._boxes(), first) if at == row), None)

    def x_of(self, place: RowPosition, character: int) -> float:
        """How far right in its row a character begins."""
        # A line does not keep its layout alive.
        layout = self._paint.layout(place, self._marks)
        found: Any = layout.lineAt(0).cursorToX(shown_row(place).unit_of(character))
        return float(found[0]) + self._paint.indent(place)

    def spot_center(self, piece_id: str, spot: HeadSpot) -> QPointF | None:
        """Where to click for what a row of a piece offers, None while it is out of sight."""
        for place, box in self._boxes():
            if place.piece is not None and place.piece.id == piece_id:
                for x in range(0, int(box.right()), 4):
                    point = QPointF(x, box.center().y())
                    if self._heads.spot(point, box, place, self.text_left) is spot:
                        return point + QPointF(4, 0)
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows in sight."""
        left = self.text_left
        with QPainter(self.viewport()) as painter:
            self._paint.background(painter, QRectF(event.rect()))
            for place, box in self._boxes():
                if place.row is None:
                    folded = self._rows is not None and self._rows.is_folded(place.section.name)
                    self._paint.head(painter, box, place, self.figures(place.section), folded=folded)
                else:
                    self._paint.text(painter, box, place, self._marks, left)
                    self._paint_head(painter, box, place)
            if self.hasFocus():
                painter.setPen(self._appearance.theme.accent)
                painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_range()
        if event.size().width() != event.oldSize().width():
            self.width_changed.emit()

    def _paint_head(self, painter: QPainter, box: QRectF, place: RowPosition) -> None:
        left = self.text_left
        self._heads.join(painter, box, place, left, self._paint.gap_above(place))
        self._heads.offer_whole(painter, box, place)
        if place.kind.is_head and self._rows is not None:
            self._paint.mark_head(painter, box, place, self._marks, left)
            self._heads.paint(painter, box, place, left, self._rows.called)

    def _dress(self) -> None:
        self._paint.dress()
        self._heads.dress()
        self._set_range()
        self.width_changed.emit()
        self.viewport().update()

    def _boxes(self) -> Iterator[tuple[RowPosition, QRectF]]:
        """The rows in sight and where they stand; a head has a gap above it."""
        if self._rows is None:
            return
        size, top = self.viewport().size(), 0
        for row in range(self.verticalScrollBar().value(), self._rows.count):
            if top >= size.height():
                return
            place = self._rows.place(row)
            top += self._paint.gap_above(place)
            yield place, QRectF(0, top, size.width(), self._paint.height)
            top += self._paint.height

    def _rows_in_sight(self) -> int:
        return max(1, self.viewport().height() // self._paint.height)

    def _set_range(self) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, self._last_top_row())
        bar.setPageStep(max(1, self._rows_in_sight() - 2))
        bar.setSingleStep(1)

    def _last_top_row(self) -> int:
        """The row that is at the top when the last one is at the bottom."""
        if self._rows is None:
            return 0
        room = self.viewport().height() - self._paint.gap
        row = self._rows.count
        while row > 0:
            room -= self._paint.height + self._paint.gap_above(self._rows.place(row - 1))
            if room < 0:
                return row
            row -= 1
        return 0

    def _spot_at(self, point: QPointF) -> tuple[HeadSpot, str] | None:
        for place, box in self._boxes():
            if box.top() <= point.y() < box.bottom() and place.piece is not None:
                spot = self._heads.spot(point, box, place, self.text_left)
                return None if spot is None else (spot, place.piece.id)
        return None

    def _place_at(self, y: float) -> RowPosition | None:
        return next((place for place, box in self._boxes() if box.top() <= y < box.bottom()), None)

    def _offset_at(self, point: QPointF) -> int:
        """The offset nearest to a point; above and below what is in sight, that of the first and last row."""
        found: tuple[RowPosition, QRectF] | None = None
        for place, box in self._boxes():
            if found is None or box.top() <= point.y():
                found = place, box
        if found is None:
            return 0
        place, box = found
        if place.row is None:
            return place.start
        shown = shown_row(place)
        if point.y() >= box.bottom():
            return place.start + shown.characters
        if place.kind.is_head:
            return place.start
        layout = self._paint.layout(place, self._marks)
        unit = layout.lineAt(0).xToCursor(point.x() - self.text_left - self._paint.indent(place))
        return place.start + shown.character_of(unit)

    def _scroll_at_edge(self, y: float) -> None:
        bar = self.verticalScrollBar()
        if y < 0:
            bar.setValue(bar.value() - 1)
        elif y > self.viewport().height():
            bar.setValue(bar.value() + 1)

    def _reveal(self, first: int, last: int) -> None:
        bar, sight = self.verticalScrollBar(), self._rows_in_sight()
        shown = [
            box for box in (self.box_of_row(first), self.box_of_row(min(last, first + 2))) if box is not None
        ]
        if shown and shown[-1].bottom() <= self.viewport().height() and self.box_of_row(first) is not None:
            return
        bar.setValue(
            first - 2 if last - first + 3 >= sight else first - max(1, (sight - (last - first)) // 3)
        )


def section_figures(section: Section) -> str:
    """How many pieces a section has, and what they cost."""
    pieces = tr_count("{count} piece", "{count} pieces", len(section.pieces))
    return f"{pieces} · {number(section.tokens)} {METHOD_MARKS[section.method]} {tr('tokens')}"
