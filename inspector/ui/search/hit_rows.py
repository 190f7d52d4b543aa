"""Rows of hits as the search panel paints them: what it is, the words marked in their line, tokens and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.domain.dataclass import dataclass
from inspector.domain.search import Snippet
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.safe_text import one_line, show_controls
from inspector.ui.widgets.row_ground import paint_row_ground

Index = QModelIndex | QPersistentModelIndex
_LEAD_STEPS, _GAP_STEPS = 38, 3
_BEFORE = 48
"""Characters that are shown before the first marked word, so that it is in sight."""
_LONGEST = 400
_WIDEST_FIGURE, _WIDEST_TIME = "100,000", "00 Mmm 00:00"
_LEAD_SHARE = 0.3
"""Of the room of a line, what stands before the first marked word takes at most."""
_ENDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class TextStretch:
    """A stretch of a line; marked ones were looked for."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class HitRow:
    """One line of the list. A heading has only `name` and `figure`."""

    name: str
    owner: str = ""
    line: Sequence[TextStretch] = ()
    figure: str = ""
    time: str = ""
    heading: bool = False
    quiet: bool = False
    tip: str = ""

    @property
    def text(self) -> str:
        """The line as it is read."""
        return "".join(each.text for each in self.line)

    @property
    def spoken(self) -> str:
        return ", ".join(each for each in (self.name, self.owner, self.text, self.figure, self.time) if each)


def context_line(snippet: Snippet) -> tuple[TextStretch, ...]:
    """A snippet as one line with its words marked, which begins a little before the first of them."""
    first = snippet.spans[0].start if snippet.spans else 0
    begin = max(0, first - _BEFORE)
    stretches: list[TextStretch] = []
    at = begin
    for span in snippet.spans:
        stretches += [
            _stretch(snippet.text[at : span.start]),
            _stretch(snippet.text[span.start : span.end], True),
        ]
        at = span.end
    stretches.append(_stretch(snippet.text[at : begin + _LONGEST]))
    if begin or snippet.cut_before:
        stretches.insert(0, TextStretch("…"))
    if snippet.cut_after:
        stretches.append(TextStretch("…"))
    return tuple(each for each in stretches if each.text)


def _stretch(text: str, marked: bool = False) -> TextStretch:
    """A stretch without line breaks and what is hidden, its spaces at the ends kept."""
    line = show_controls(" ".join(text.replace("\n", " ").replace("\t", " ").split(" ")))
    while "  " in line:
        line = line.replace("  ", " ")
    return TextStretch(line, marked)


class HitPainter(QStyledItemDelegate):
    """Paints rows of hits; the marked words stand on a ground of their own. Everything is plain text."""

    def __init__(
        self, appearance: Appearance, row_of: Callable[[Index], HitRow | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._appearance, self._row_of = appearance, row_of

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._appearance.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = self._row_of(index)
        if row is None:
            return
        theme, rect = self._appearance.theme, QRect(option.rect)
        painter.save()
        is_tall = rect.height() >= 2 * self._appearance.row_height()
        if row.heading:
            if is_tall:
                rect.setTop(rect.center().y())
            painter.fillRect(rect, theme.raised)
        else:
            paint_row_ground(painter, self._appearance, option)
        gap = self._appearance.space(_GAP_STEPS)
        room = rect.adjusted(gap, 0, -gap, 0)
        if is_tall and not row.heading:
            self._two_lines(painter, row, room)
        else:
            self._cells(painter, row, room)
        painter.restore()

    def _two_lines(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        """What it is and when above, the words below."""
        above, below = QRect(room), QRect(room)
        above.setHeight(room.height() // 2)
        below.setTop(above.bottom() + 1)
        painter.setFont(self._appearance.font(TextSize.SMALL, figures=True))
        painter.setPen(self._appearance.theme.muted)
        time = painter.fontMetrics().horizontalAdvance(_WIDEST_TIME)
        _draw(painter, QRect(above.right() - time, above.top(), time, above.height()), row.time, right=True)
        self._name(painter, row, above.adjusted(0, 0, -time - self._appearance.space(_GAP_STEPS), 0))
        self._line(painter, row, below)

    def _name(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        """What was found, and whose it is where there is room for it."""
        theme, space = self._appearance.theme, self._appearance.space(2)
        painter.setFont(self._appearance.font(bold=True))
        painter.setPen(theme.muted if row.quiet else theme.text)
        used = _draw(painter, room, row.name)
        painter.setFont(self._appearance.font(TextSize.SMALL))
        painter.setPen(theme.muted)
        _draw(painter, room.adjusted(used + space, 0, 0, 0), row.owner)

    def _cells(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        theme, gap = self._appearance.theme, self._appearance.space(_GAP_STEPS)
        small = self._appearance.font(TextSize.SMALL, figures=True)
        if row.heading:
            painter.setFont(self._appearance.font(TextSize.SMALL, bold=True))
            painter.setPen(theme.muted)
            _draw(painter, room, row.name)
            return
        right = room.right()
        painter.setFont(small)
        for text, widest in ((row.time, _WIDEST_TIME), (row.figure, _WIDEST_FIGURE)):
            width = painter.fontMetrics().horizontalAdvance(widest)
            painter.setPen(theme.muted)
            _draw(painter, QRect(right - width, room.top(), width, room.height()), text, right=True)
            right -= width + gap
        lead = min(self._appearance.space(_LEAD_STEPS), max(0, right - room.left()) // 3)
        self._name(painter, row, QRect(room.left(), room.top(), lead, room.height()))
        start = room.left() + lead + gap
        self._line(painter, row, QRect(start, room.top(), right - start, room.height()))

    def _line(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        theme = self._appearance.theme
        painter.setFont(self._appearance.font())
        painter.setPen(theme.muted if row.quiet else theme.text)
        metrics, left = painter.fontMetrics(), room.left()
        for each, width in fitted(row.line, metrics, room.width()):
            box = QRect(left, room.top(), width, room.height())
            if each.marked:
                inset = max(1, (room.height() - metrics.height()) // 2)
                painter.fillRect(box.adjusted(0, inset, 0, -inset), theme.found)
                painter.setPen(theme.text)
            painter.drawText(box, _ENDS | Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip, each.text)
            painter.setPen(theme.muted if row.quiet else theme.text)
            left += width


def fitted(
    line: Sequence[TextStretch], metrics: QFontMetrics, room: int
) -> Iterator[tuple[TextStretch, int]]:
    """The stretches of a line that so many pixels have room for, with their widths; only the last one is shortened."""
    first = next((at for at, each in enumerate(line) if each.marked), 0)
    lead = "".join(each.text for each in line[:first])
    lead = metrics.elidedText(lead, Qt.TextElideMode.ElideLeft, round(_LEAD_SHARE * room))
    for each in (*([TextStretch(lead)] if lead else []), *line[first:]):
        width = metrics.horizontalAdvance(each.text)
        if width <= room:
            yield each, width
            room -= width
            continue
        text = metrics.elidedText(each.text, Qt.TextElideMode.ElideRight, room)
        if text:
            yield TextStretch(text, each.marked), room
        return


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool = False) -> int:
    """Draw a text where there is room for it; gives how wide it is."""
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, room.width()))
    if room.width() > 0:
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)
