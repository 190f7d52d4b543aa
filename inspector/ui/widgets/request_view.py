"""The assembled Request, painted row by row: only what is in sight is laid out, whatever its size."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,

    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from inspector.domain.requests import Piece, Request, Section
from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.models.request_rows import Place, RequestRows
from inspector.ui.safe_text import show_controls
from inspector.ui.wording import number, tr, tr_count

_TAG = re.compile(r"</?[^\s<>]+(?: [^<>]*)?>\s*$")
_COMMENT = re.compile(r"<!--.*-->\s*$")
_FRAME = re.compile(r"=== .* ===$")
_SHOWN_AT_MOST = 2_000
"""Characters of one row that are laid out; a row is never wider than the view, but a mark may widen it."""
_WHEEL_ROWS = 3
METHOD_MARKS = {"exact": "=", "estimate": "~", "reconstructed": "≈", "provider": "✓", "reported": "✓"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the text form: code points, half-open."""

    start: int
    end: int


class RequestView(QAbstractScrollArea):
    """Shows a Request and lets a person point at any character of it.

    `pointed` carries the piece and the offset in the text form. `toggled` carries a section's name. `asked_open`
    carries the piece that was double-clicked.
    """

    pointed = Signal(object, int)
    asked_open = Signal(object)
    toggled = Signal(str)
    width_changed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._rows: RequestRows | None = None
        self._selected_piece: str | None = None
        self._mark: Stretch | None = None
        self._found: tuple[Stretch, ...] = ()
        self._anchor: int | None = None
        self._chosen: Stretch | None = None
        self._notes: Callable[[Section], str] = lambda _: ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName(tr("Request text"))
        appearance.changed.connect(self._dress)
        self._dress()

    @property
    def columns(self) -> int:
        """How many columns of the fixed-width font a row has room for."""
        room = self.viewport().width() - self._text_left() - self._appearance.space(4)
        return max(20, int(room / self._advance))

    @property
    def rows(self) -> RequestRows | None:
        """What is shown."""
        return self._rows

    @property
    def chosen_text(self) -> str:
        """The text that is marked with the mouse, with its original characters."""
        if self._rows is None or self._chosen is None:
            return ""
        return self._rows.request.text[self._chosen.start : self._chosen.end]

    def set_notes(self, notes: Callable[[Section], str]) -> None:
        """What is added to a section's figures, such as the difference that drafts make."""
        self._notes = notes

    def show_rows(self, rows: RequestRows | None) -> None:
        """Show other rows; what stood at the top edge stays there."""
        top = self._top_place()
        self._rows = rows
        self._chosen = None
        self._set_range()
        if top is not None and rows is not None:
            self._go_back_to(*top)
        self.viewport().update()

    def select_piece(self, piece_id: str | None, mark: Stretch | None = None, *, reveal: bool = False) -> None:
        """Mark a piece, and in it a stretch, as the selection."""
        self._selected_piece, self._mark = piece_id, mark
        if reveal and self._rows is not None and piece_id is not None:
            place = self._rows.rows_of_piece(piece_id)
            row = None if mark is None else self._rows.row_of_offset(mark.start)
            if row is not None:
                self._reveal(row, row)
            elif place is not None and len(place):
                self._reveal(place[0], place[-1])
        self.viewport().update()

    def show_found(self, found: tuple[Stretch, ...], current: Stretch | None) -> None:
        """Mark what a search found, and bring `current` into sight."""
        self._found = found
        if current is not None and self._rows is not None:
            self._chosen = current
            row = self._rows.row_of_offset(current.start)
            if row is not None:
                self._reveal(row, row)
        self.viewport().update()

    def copy(self) -> None:
        """Put the marked text, or the selected piece's, on the clipboard."""
        text = self.chosen_text or self._selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paint the rows in sight."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._appearance.theme.background)
        if self._rows is None:
            return
        first = self.verticalScrollBar().value()
        for index in range(self._rows_in_sight() + 2):
            if first + index >= self._rows.count:
                break
            place = self._rows.place(first + index)
            box = QRectF(0, self._top_space() + index * self._height, self.viewport().width(), self._height)
            if place.row is None:
                self._paint_head(painter, box, place)
            else:
                self._paint_text(painter, box, place)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Tell that rows have another width now."""
        self._set_range()
        if event.size().width() != event.oldSize().width():
            self.width_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Fold a section at its head; elsewhere point at a character."""
        place = self._place_at(event.position().toPoint())
        if event.button() != Qt.MouseButton.LeftButton or place is None:
            return
        if place.row is None:
            self.toggled.emit(place.section.name)
            return
        offset = self._offset_at(event.position())
        self._anchor, self._chosen = offset, None
        if place.piece is not None:
            self.pointed.emit(place.piece, offset)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Mark text from where the button went down."""
        if self._anchor is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        offset = self._offset_at(event.position())
        if offset != self._anchor:
            self._chosen = Stretch(min(offset, self._anchor), max(offset, self._anchor))
        self._scroll_at_edge(event.position().y())
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802, ARG002
        """Stop marking."""
        self._anchor = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ask for the source of a piece."""
        place = self._place_at(event.position().toPoint())
        if place is not None and place.piece is not None:
            self.asked_open.emit(place.piece)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move from piece to piece, by page, fold, copy."""
        keys = Qt.Key
        steps = {keys.Key_Down: 1, keys.Key_Up: -1}
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in steps and self._rows is not None:
            self._step(steps[Qt.Key(event.key())])
        elif event.key() in (keys.Key_Left, keys.Key_Right) and self._rows is not None:
            self._fold_selected()
        elif event.key() in (keys.Key_Return, keys.Key_Enter):
            piece = self._piece_by_id(self._selected_piece)
            if piece is not None:
                self.asked_open.emit(piece)
        elif event.key() == keys.Key_Home:
            self.verticalScrollBar().setValue(0)
        elif event.key() == keys.Key_End:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        else:
            super().keyPressEvent(event)

    def _dress(self) -> None:
        self._fixed = self._appearance.font(TextSize.NORMAL, fixed=True)
        self._small = self._appearance.font(TextSize.SMALL)
        self._strong = self._appearance.font(TextSize.NORMAL, bold=True)
        metrics = QFontMetricsF(self._fixed)
        self._advance = max(1.0, metrics.horizontalAdvance("M" * 100) / 100)
        self._height = round(metrics.height() * 1.25)
        self._set_range()
        self.width_changed.emit()
        self.viewport().update()

    def _text_left(self) -> int:
        digits = len(str(self._rows.line_count)) if self._rows is not None else 2
        return self._appearance.space(6) + round(self._advance * max(2, digits)) + self._appearance.space(2)

    def _top_space(self) -> int:
        return self._appearance.space(1)

    def _rows_in_sight(self) -> int:
        return max(1, (self.viewport().height() - self._top_space()) // self._height)

    def _set_range(self) -> None:
        count = 0 if self._rows is None else self._rows.count
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, count - self._rows_in_sight()))
        bar.setPageStep(self._rows_in_sight())
        bar.setSingleStep(_WHEEL_ROWS)

    def _paint_head(self, painter: QPainter, box: QRectF, place: Place) -> None:
        theme, space = self._appearance.theme, self._appearance.space
        section = place.section
        colour = theme.section(section.name)
        painter.fillRect(QRectF(space(3), box.top() + 1, space(1), box.height() - 2), colour)
        folded = self._rows is not None and self._is_folded(section)
        painter.setFont(self._strong)
        painter.setPen(colour)
        left = space(6)
        painter.drawText(
            QRectF(left, box.top(), space(4), box.height()), Qt.AlignmentFlag.AlignVCenter, "▸" if folded else "▾"
        )
        figures = self._figures(section)
        painter.setFont(self._small)
        width = QFontMetricsF(self._small).horizontalAdvance(figures) + space(4)
        painter.setPen(theme.muted)
        right = QRectF(box.right() - width, box.top(), width - space(2), box.height())
        painter.drawText(right, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, figures)
        painter.setFont(self._strong)
        painter.setPen(colour)
        room = QRectF(left + space(4), box.top(), box.width() - width - left - space(4), box.height())
        title = QFontMetricsF(self._strong).elidedText(
            show_controls(section.title or section.name), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, title)

    def _figures(self, section: Section) -> str:
        pieces = tr_count("{count} piece", "{count} pieces", len(section.pieces))
        mark = METHOD_MARKS[section.method.value]
        told = f"{pieces} · {number(section.tokens)} {mark} {tr('tokens')}"
        note = self._notes(section)
        return f"{told} · {note}" if note else told

    def _paint_text(self, painter: QPainter, box: QRectF, place: Place) -> None:
        theme, space = self._appearance.theme, self._appearance.space
        if place.piece is None or place.row is None:
            return
        colour = theme.section(place.section.name)
        painter.fillRect(QRectF(space(3), box.top(), space(1), box.height()), colour)
        if place.piece.id == self._selected_piece:
            painter.fillRect(
                QRectF(space(4), box.top(), box.width() - space(4), box.height()),
                theme.blend(theme.selection, theme.background, 0.6),
            )
        if place.row.begins_line:
            painter.setFont(self._fixed)
            painter.setPen(theme.muted)
            numbers = QRectF(space(5), box.top(), self._text_left() - space(7), box.height())
            painter.drawText(
                numbers, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(place.line_number)
            )
        layout = self._layout(place)
        layout.draw(painter, QPointF(self._text_left(), box.top() + (box.height() - self._line_height(layout)) / 2))

    @staticmethod
    def _line_height(layout: QTextLayout) -> float:
        return layout.lineAt(0).height()

    def _layout(self, place: Place) -> QTextLayout:
        """The row laid out: its text with marks for hidden characters, its colours, its selections."""
        shown = _Shown(self._row_text(place))
        layout = QTextLayout(shown.text, self._fixed)
        layout.setFormats(self._formats(place, shown))
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e7)
        layout.endLayout()
        return layout

    def _row_text(self, place: Place) -> str:
        if place.piece is None or place.row is None:
            return ""
        return place.piece.text[place.row.start : place.row.end][:_SHOWN_AT_MOST]

    def _formats(self, place: Place, shown: _Shown) -> list[QTextLayout.FormatRange]:
        theme = self._appearance.theme
        formats = [_format(0, shown.units, self._row_colour(place), italic=_is_comment(shown.text))]
        for stretch, colour in (
            *((each, theme.blend(theme.warning, theme.background, 0.35)) for each in self._found),
            *(((self._mark, theme.blend(theme.warning, theme.background, 0.25)),) if self._mark else ()),
            *(((self._chosen, theme.selection),) if self._chosen else ()),
        ):
            first = max(0, stretch.start - place.start)
            last = min(shown.characters, stretch.end - place.start)
            if first < last:
                start, end = shown.unit_of(first), shown.unit_of(last)
                formats.append(_background(start, end - start, colour))
        return formats

    def _row_colour(self, place: Place) -> QColor:
        theme = self._appearance.theme
        text = self._row_text(place)
        if _is_comment(text) or (place.piece is not None and _FRAME.match(text) and _is_frame(place)):
            return theme.muted
        if place.row is not None and place.row.begins_line and _TAG.match(text):
            return theme.accent
        return theme.text

    def _is_folded(self, section: Section) -> bool:
        if self._rows is None:
            return False
        head = self._rows.section_head(section.name)
        follows = None if head is None or head + 1 >= self._rows.count else self._rows.place(head + 1)
        return follows is None or follows.section is not section or follows.row is None

    def _place_at(self, point: QPoint) -> Place | None:
        if self._rows is None:
            return None
        row = self.verticalScrollBar().value() + max(0, point.y() - self._top_space()) // self._height
        return self._rows.place(row) if row < self._rows.count else None

    def _offset_at(self, point: QPointF) -> int:
        if self._rows is None:
            return 0
        place = self._place_at(point.toPoint())
        if place is None:
            return len(self._rows.request.text)
        if place.row is None:
            return place.start
        shown = _Shown(self._row_text(place))
        unit = self._layout(place).lineAt(0).xToCursor(point.x() - self._text_left())
        return place.start + shown.character_of(unit)

    def _scroll_at_edge(self, y: float) -> None:
        bar = self.verticalScrollBar()
        if y < 0:
            bar.setValue(bar.value() - 1)
        elif y > self.viewport().height():
            bar.setValue(bar.value() + 1)

    def _top_place(self) -> tuple[str, str | None, int] | None:
        if self._rows is None or self._rows.count == 0 or self.verticalScrollBar().value() == 0:
            return None
        top = self._rows.place(min(self.verticalScrollBar().value(), self._rows.count - 1))
        if top.piece is None or top.row is None:
            return top.section.name, None, 0
        return top.section.name, top.piece.id, top.row.start

    def _go_back_to(self, section: str, piece_id: str | None, offset: int) -> None:
        if self._rows is None:
            return
        found = None if piece_id is None else self._rows.rows_of_piece(piece_id)
        row = self._rows.section_head(section)
        if found is not None:
            row = next(
                (each for each in reversed(found) if _row_start(self._rows.place(each)) <= offset), found.start
            )
        if row is not None:
            self.verticalScrollBar().setValue(row)

    def _reveal(self, first: int, last: int) -> None:
        bar, sight = self.verticalScrollBar(), self._rows_in_sight()
        if first < bar.value() or first >= bar.value() + sight:
            bar.setValue(first - 2 if last - first + 3 >= sight else first - max(1, (sight - (last - first)) // 3))

    def _selected_text(self) -> str:
        piece = self._piece_by_id(self._selected_piece)
        return "" if piece is None else piece.text

    def _piece_by_id(self, piece_id: str | None) -> Piece | None:
        if self._rows is None or piece_id is None:
            return None
        return _piece_of(self._rows.request, piece_id)

    def _step(self, by: int) -> None:
        if self._rows is None:
            return
        placed = list(self._rows.request.placed())
        if not placed:
            return
        ids = [each.piece.id for each in placed]
        here = ids.index(self._selected_piece) if self._selected_piece in ids else (-1 if by > 0 else len(ids))
        to = placed[min(max(here + by, 0), len(placed) - 1)]
        self.select_piece(to.piece.id, reveal=True)
        self.pointed.emit(to.piece, to.start)

    def _fold_selected(self) -> None:
        piece = self._piece_by_id(self._selected_piece)
        if piece is not None:
            self.toggled.emit(piece.section)


class _Shown:
    """A row's text as it is painted, and where each of its characters stands in UTF-16 units of that."""

    def __init__(self, text: str) -> None:
        self.characters = len(text)
        self.text = show_controls(text).replace("\t", "    ")
        self._plain = self.text == text and text.isascii()
        self._starts = [] if self._plain else _unit_starts(text)
        self.units = len(text) if self._plain else self._starts[-1]

    def unit_of(self, character: int) -> int:
        return character if self._plain else self._starts[character]

    def character_of(self, unit: int) -> int:
        if self._plain:
            return unit
        return next((at for at in range(self.characters, -1, -1) if self._starts[at] <= unit), 0)


def _unit_starts(text: str) -> list[int]:
    starts, unit = [], 0
    for character in text:
        starts.append(unit)
        shown = "    " if character == "\t" else show_controls(character)
        unit += sum(2 if ord(each) > 0xFFFF else 1 for each in shown)
    return [*starts, unit]


def _format(start: int, length: int, colour: QColor, *, italic: bool) -> QTextLayout.FormatRange:
    part = QTextLayout.FormatRange()
    look = QTextCharFormat()
    look.setForeground(colour)
    look.setFontItalic(italic)
    part.start, part.length, part.format = start, length, look  # type: ignore[misc]  settable in the binding
    return part


def _background(start: int, length: int, colour: QColor) -> QTextLayout.FormatRange:
    part = QTextLayout.FormatRange()
    look = QTextCharFormat()
    look.setBackground(colour)
    part.start, part.length, part.format = start, length, look  # type: ignore[misc]  settable in the binding
    return part


def _is_comment(text: str) -> bool:
    return _COMMENT.match(text) is not None


def _is_frame(place: Place) -> bool:
    return place.piece is not None and any(not run.sent for run in place.piece.runs)


def _row_start(place: Place) -> int:
    return 0 if place.row is None else place.row.start


def _piece_of(request: Request, piece_id: str) -> Piece | None:
    return next(
        (piece for section in request.sections for piece in section.pieces if piece.id == piece_id), None
    )
