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
from inspector.ui.widgets.json_rows import colours_of
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_rows import RowPosition
from inspector.ui.widgets.request_text import (
    in_colour,
    is_comment,
    is_quiet,
    is_tag,
    laid_out,
    on_ground,
    shown_row,
    shown_text,
    stretch_in_colour,
)
from inspector.ui.widgets.text_rows import TextRowKind

_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class Marking:
    """A stretch that stands out by itself, in the tone of a state of the theme (``ok``, ``warning``)."""

    place: RequestRange
    tone: str


@dataclass(slots=True)
class Highlights:
    """What is marked: the selected piece, a part of it, what a search found, and what the mouse marked.

    `markings` stand out whatever is selected, in ascending order and apart from each other.
    """

    piece_id: str | None = None
    part: RequestRange | None = None
    chosen: RequestRange | None = None
    found: Sequence[RequestRange] = ()
    markings: Sequence[Marking] = ()
    _starts: list[int] = field(default_factory=list)

    def find(self, found: Sequence[RequestRange]) -> None:
        """Mark what was found, in ascending order and of one length."""
        self.found = found
        self._starts = [each.start for each in found]

    def grounds(self, start: int, end: int, theme: Theme) -> Iterator[tuple[RequestRange, QColor]]:
        """What is marked around a row, and its ground; later ones lie on earlier ones."""
        first = bisect_right(self.markings, start, key=lambda each: each.place.end)
        last = bisect_left(self.markings, end, key=lambda each: each.place.start)
        for marking in self.markings[first:last]:
            yield marking.place, theme.marking(marking.tone)
        if self.found:
            longest = max(self.found[0].end - self.found[0].start, 1)
            first = bisect_right(self._starts, start - longest)
            for each in self.found[first : bisect_left(self._starts, end)]:
                yield each, theme.found
        if self.part is not None:
            yield self.part, theme.marking("warning")
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

    def gap_above(self, place: RowPosition) -> int:
        """The room above a row: more between sections and turns than between messages."""
        space = self._appearance.space
        if place.row is None:
            return self.gap
        if place.is_message_head:
            return space(4) if place.begins_turn else space(1)
        return space(1) if place.kind is TextRowKind.TOOL else 0

    def text(self, painter: QPainter, box: QRectF, place: RowPosition, marks: Highlights, left: int) -> None:
        """Paint a row of text that begins at `left`, what lies under it and what stands before it."""
        theme, space = self._appearance.theme, self._appearance.space
        if place.piece is None or place.row is None:
            return
        above = self.gap_above(place)
        gutter = QRectF(space(3), box.top() - above, space(1), box.height() + above)
        painter.fillRect(gutter, theme.section(place.section.name))
        if place.begins_turn:
            line = QRectF(left, box.top() - above / 2, box.width() - left - space(3), 1)
            painter.fillRect(line, theme.border)
        if place.piece.id == marks.piece_id:
            ground = QRectF(space(4), box.top(), box.width() - space(7), box.height())
            painter.fillRect(ground, theme.blend(theme.selection, theme.background, 0.6))
        if place.row.begins_line:
            painter.setFont(self._fixed)
            painter.setPen(theme.muted)
            numbers = QRectF(space(5), box.top(), left - space(7), box.height())
            painter.drawText(numbers, _RIGHT, str(place.line_number))
        if not place.kind.is_head:
            layout = self.layout(place, marks)
            top = box.top() + (box.height() - layout.lineAt(0).height()) / 2
            layout.draw(painter, QPointF(left + self.indent(place), top))

    def mark_head(
        self, painter: QPainter, box: QRectF, place: RowPosition, marks: Highlights, left: int
    ) -> None:
        """Paint what is marked of a head's frame line under all of it."""
        end = place.start + len(shown_text(place))
        for stretch, colour in marks.grounds(place.start, end, self._appearance.theme):
            if stretch.start < end and stretch.end > place.start:
                painter.fillRect(QRectF(left, box.top(), box.width() - left, box.height()), colour)

    def indent(self, place: RowPosition) -> float:
        """How much further right a row's text begins."""
        return 0.0 if place.row is None else place.row.indent * self.advance

    def layout(self, place: RowPosition, marks: Highlights) -> QTextLayout:
        """A row laid out: its text with marks for hidden characters, its colours, what is marked in it.

        Keep it while one of its lines is used: a line does not keep its layout alive.
        """
        shown, theme = shown_row(place), self._appearance.theme
        quiet = is_comment(place) or place.kind is TextRowKind.QUIET
        formats = [in_colour(shown, self._row_colour(place), italic=quiet)]
        if place.kind in (TextRowKind.JSON, TextRowKind.STRING):
            for each in colours_of(shown_text(place), place.kind):
                colour = theme.code_style(each.style).colour
                formats.append(stretch_in_colour(shown, each.start, each.end, colour))
        for stretch, colour in marks.grounds(place.start, place.start + shown.characters, theme):
            first = max(0, stretch.start - place.start)
            last = min(shown.characters, stretch.end - place.start)
            if first < last:
                formats.append(on_ground(shown, first, last, (colour, theme.text)))
        return laid_out(shown, self._fixed, formats)

    def _row_colour(self, place: RowPosition) -> QColor:
        theme = self._appearance.theme
        if is_quiet(place):
            return theme.muted
        return theme.accent if is_tag(place) else theme.text
