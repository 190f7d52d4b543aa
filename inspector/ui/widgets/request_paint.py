"""Paints the rows of a Request: gutter, heads, line numbers, text and highlights."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QTextLayout

from inspector.domain.dataclass import dataclass
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import one_line
from inspector.ui.theme import Theme
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_rows import RowPosition
from inspector.ui.widgets.request_text import (
    ShownRow,
    in_colour,
    is_comment,
    is_quiet,
    is_tag,
    laid_out,
    on_ground,
    shown_text,
)

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(slots=True)
class Highlights:
    """What is marked: the selected piece, a part of it, what a search found, and what the mouse marked."""

    piece_id: str | None = None
    part: RequestRange | None = None
    chosen: RequestRange | None = None
    found: Sequence[RequestRange] = ()
    _starts: list[int] = field(default_factory=list)

    def find(self, found: Sequence[RequestRange]) -> None:
        """Mark what was found, in ascending order and of one length."""
        self.found = found
        self._starts = [each.start for each in found]

    def grounds(self, start: int, end: int, theme: Theme) -> Iterator[tuple[RequestRange, QColor]]:
        """What is marked around a row, and its ground; later ones lie on earlier ones."""
        if self.found:
            longest = max(self.found[0].end - self.found[0].start, 1)
            first = bisect_right(self._starts, start - longest)
            for each in self.found[first : bisect_left(self._starts, end)]:
                yield each, theme.found
        if self.part is not None:
            yield self.part, theme.blend(theme.warning, theme.background, 0.25)
        if self.chosen is not None:
            yield self.chosen, theme.chosen


class RowPainter:
    """Knows how rows look and how large they are. `dress` is to be called whenever the appearance changes."""

    def __init__(self, appearance: Appearance) -> None:
        self._appearance = appearance
        self.dress()

    def dress(self) -> None:
        """Take fonts and distances over."""
        self._fixed = self._appearance.font(TextSize.NORMAL, fixed=True)
        self._small = self._appearance.font(TextSize.SMALL)
        self._strong = self._appearance.font(TextSize.NORMAL, bold=True)
        metrics = QFontMetricsF(self._fixed)
        self.advance = max(1.0, metrics.horizontalAdvance("M" * 100) / 100)
        self.height = self._appearance.line_pitch()
        self.gap = self._appearance.space(2)

    def text_left(self, lines: int) -> int:
        """Where the text begins, right of the numbers of that many lines."""
        space = self._appearance.space
        return space(8) + round(self.advance * max(2, len(str(lines))))

    def background(self, painter: QPainter, box: QRectF) -> None:
        painter.fillRect(box, self._appearance.theme.background)

    def head(self, painter: QPainter, box: QRectF, place: RowPosition, figures: str, *, folded: bool) -> None:
        theme, space = self._appearance.theme, self._appearance.space
        section = place.section
        colour = theme.section(section.name)
        painter.fillRect(QRectF(space(3), box.top(), space(1), box.height()), colour)
        painter.setFont(self._strong)
        painter.setPen(theme.muted)
        left = space(5.5)
        painter.drawText(QRectF(left, box.top(), space(4), box.height()), _MIDDLE, "▸" if folded else "▾")
        painter.setFont(self._small)
        width = QFontMetricsF(self._small).horizontalAdvance(figures) + space(4)
        right = QRectF(box.right() - width, box.top(), width - space(3), box.height())
        painter.drawText(right, _RIGHT, figures)
        painter.setFont(self._strong)
        painter.setPen(colour)
        room = QRectF(left + space(3.5), box.top(), box.width() - width - left - space(4), box.height())
        title = QFontMetricsF(self._strong).elidedText(
            one_line(section.title or section.name), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, _MIDDLE, title)

    def text(self, painter: QPainter, box: QRectF, place: RowPosition, marks: Highlights, left: int) -> None:
        """Paint a row of text that begins at `left`."""
        theme, space = self._appearance.theme, self._appearance.space
        if place.piece is None or place.row is None:
            return
        gutter = QRectF(space(3), box.top(), space(1), box.height())
        painter.fillRect(gutter, theme.section(place.section.name))
        if place.piece.id == marks.piece_id:
            ground = QRectF(space(4), box.top(), box.width() - space(7), box.height())
            painter.fillRect(ground, theme.blend(theme.selection, theme.background, 0.6))
        if place.row.begins_line:
            painter.setFont(self._fixed)
            painter.setPen(theme.muted)
            numbers = QRectF(space(5), box.top(), left - space(7), box.height())
            painter.drawText(numbers, _RIGHT, str(place.line_number))
        layout = self.layout(place, marks)
        top = box.top() + (box.height() - layout.lineAt(0).height()) / 2
        layout.draw(painter, QPointF(left, top))

    def layout(self, place: RowPosition, marks: Highlights) -> QTextLayout:
        """A row laid out: its text with marks for hidden characters, its colours, what is marked in it.

        Keep it while one of its lines is used: a line does not keep its layout alive.
        """
        shown = ShownRow(shown_text(place))
        formats = [in_colour(shown, self._row_colour(place), italic=is_comment(place))]
        for stretch, colour in marks.grounds(
            place.start, place.start + shown.characters, self._appearance.theme
        ):
            first = max(0, stretch.start - place.start)
            last = min(shown.characters, stretch.end - place.start)
            if first < last:
                formats.append(on_ground(shown, first, last, (colour, self._appearance.theme.text)))
        return laid_out(shown, self._fixed, formats)

    def _row_colour(self, place: RowPosition) -> QColor:
        theme = self._appearance.theme
        if is_quiet(place):
            return theme.muted
        return theme.accent if is_tag(place) else theme.text
