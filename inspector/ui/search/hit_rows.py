"""Rows of hits as the search panel paints them: what it is, the words marked in their line, tokens and time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
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
        if row.heading:
            painter.fillRect(rect, theme.raised)
        else:
            paint_row_ground(painter, self._appearance, option)
        gap = self._appearance.space(_GAP_STEPS)
        self._cells(painter, row, rect.adjusted(gap, 0, -gap, 0))
        painter.restore()

    def _cells(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        theme, gap = self._appearance.theme, self._appearance.space(_GAP_STEPS)
        small = self._appearance.font(TextSize.SMALL)
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
        painter.setFont(self._appearance.font(bold=True))
        painter.setPen(theme.muted if row.quiet else theme.text)
        used = _draw(painter, QRect(room.left(), room.top(), lead, room.height()), row.name)
        painter.setFont(small)
        painter.setPen(theme.muted)
        space = self._appearance.space(2)
        _draw(
            painter,
            QRect(room.left() + used + space, room.top(), lead - used - space, room.height()),
            row.owner,
        )
        start = room.left() + lead + gap
        self._line(painter, row, QRect(start, room.top(), right - start, room.height()))

    def _line(self, painter: QPainter, row: HitRow, room: QRect) -> None:
        theme = self._appearance.theme
        painter.setFont(self._appearance.font())
        painter.setPen(theme.muted if row.quiet else theme.text)
        metrics, left = painter.fontMetrics(), room.left()
        first = next((at for at, each in enumerate(row.line) if each.marked), 0)
        lead = "".join(each.text for each in row.line[:first])
        lead = metrics.elidedText(lead, Qt.TextElideMode.ElideLeft, round(_LEAD_SHARE * room.width()))
        stretches = [TextStretch(lead)] if lead else []
        for each in (*stretches, *row.line[first:]):
            width = metrics.horizontalAdvance(each.text)
            box = QRect(left, room.top(), min(width, room.right() - left), room.height())
            if box.width() <= 0:
                return
            if each.marked:
                inset = max(1, (room.height() - metrics.height()) // 2)
                painter.fillRect(box.adjusted(0, inset, 0, -inset), theme.found)
                painter.setPen(theme.text)
            shown = metrics.elidedText(each.text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, _ENDS | Qt.TextFlag.TextSingleLine, shown)
            painter.setPen(theme.muted if row.quiet else theme.text)
            left += width


def _draw(painter: QPainter, room: QRect, text: str, *, right: bool = False) -> int:
    """Draw a text where there is room for it; gives how wide it is."""
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, room.width()))
    if room.width() > 0:
        painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
    return metrics.horizontalAdvance(shown)
