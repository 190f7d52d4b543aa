"""A widget that shows a Request row by row and lets a person select, mark, fold and copy in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import QWidget

from inspector.domain.requests import Piece
from inspector.ui.appearance import Appearance
from inspector.ui.exact_text import copy_text
from inspector.ui.safe_text import show_controls
from inspector.ui.widgets.request_canvas import RequestCanvas
from inspector.ui.widgets.request_folds import is_foldable
from inspector.ui.widgets.request_heads import HeadSpot
from inspector.ui.widgets.request_paint import Marking
from inspector.ui.widgets.request_places import RequestRange, carried_over, row_after
from inspector.ui.widgets.request_rows import RequestRows
from inspector.ui.wording import tr

_READ_ALOUD = 300


class RequestView(RequestCanvas):
    """Shows a Request and lets a person point at any character of it.

    `pointed` carries the piece and the offset in the text form. `toggled` carries a section's name, `spotted` a
    `HeadSpot` that was clicked and the piece's id. `asked_open` carries the piece that was double-clicked, `copied`
    the text that went to the clipboard.
    """

    pointed = Signal(object, int)
    asked_open = Signal(object)
    toggled = Signal(str)
    spotted = Signal(object, str)
    copied = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self._anchor: int | None = None
        self.setAccessibleName(tr("Request text"))

    @property
    def selected_piece(self) -> str | None:
        """The id of the piece that is marked as the selection."""
        return self._marks.piece_id

    @property
    def mark(self) -> RequestRange | None:
        return self._marks.part

    @property
    def markings(self) -> Sequence[Marking]:
        """What stands out by itself."""
        return self._marks.markings

    @property
    def chosen_text(self) -> str:
        """The text that is marked with the mouse, with its original characters."""
        if self._rows is None or self._marks.chosen is None:
            return ""
        return self._rows.request.text[self._marks.chosen.start : self._marks.chosen.end]

    def show_rows(self, rows: RequestRows | None) -> None:
        """Show other rows; what stood at the top edge stays there, and what was marked stays marked."""
        old, value = self._rows, self.verticalScrollBar().value()
        self._rows = rows
        self._marks.chosen = carried_over(self._marks.chosen, old, rows)
        self._set_range()
        if old is not None and rows is not None and value:
            self.verticalScrollBar().setValue(row_after(old, value, rows))
        self.viewport().update()

    def select_piece(
        self, piece_id: str | None, mark: RequestRange | None = None, *, reveal: bool = False
    ) -> None:
        """Mark a piece, and in it a stretch, as the selection."""
        changed = (piece_id, mark) != (self._marks.piece_id, self._marks.part)
        self._marks.piece_id, self._marks.part = piece_id, mark
        if changed:
            self._tell_selected()
        if reveal and self._rows is not None and piece_id is not None:
            rows = self._rows.rows_of_piece(piece_id)
            row = None if mark is None else self._rows.row_of_offset(mark.start)
            if row is not None:
                self._reveal(row, row)
            elif rows is not None and len(rows):
                self._reveal(rows[0], rows[-1])
        self.viewport().update()

    def show_markings(self, markings: Sequence[Marking]) -> None:
        """Let stretches stand out by themselves, in ascending order and apart from each other."""
        self._marks.markings = markings
        self.viewport().update()

    def show_found(self, found: Sequence[RequestRange], current: RequestRange | None) -> None:
        """Mark what a search found, in ascending order, and bring `current` into sight."""
        self._marks.find(found)
        if current is not None:
            self.reveal_range(current)
        self.viewport().update()

    def reveal_range(self, place: RequestRange) -> None:
        """Mark a stretch and bring its beginning into sight."""
        self._marks.chosen = place
        row = self._rows.row_of_offset(place.start) if self._rows is not None else None
        if row is not None:
            self._reveal(row, row)
        self.viewport().update()

    def copy(self) -> None:
        """Put the marked text, or the selected piece's, on the clipboard."""
        text = self.chosen_text or self._selected_text()
        if text:
            copy_text(text)
            self.copied.emit(text)

    def step_message(self, by: int) -> None:
        """Select the next or previous message, from wherever the selection is."""
        if self._rows is not None:
            messages = self._rows.message_ids
            places = {piece_id: place for place, piece_id in enumerate(self._rows.piece_ids)}
            here = places.get(self._marks.piece_id or "", -1 if by > 0 else len(places))
            if by > 0:
                self._select(next((each for each in messages if places[each] > here), None))
            else:
                self._select(next((each for each in reversed(messages) if places[each] < here), None))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Fold at a head, or do what it offers there; elsewhere point at a character."""
        place = self._place_at(event.position().y())
        if place is None:
            return
        if event.button() == Qt.MouseButton.LeftButton and self._press_spot(event.position()):
            return
        if place.row is None:
            if event.button() == Qt.MouseButton.LeftButton:
                self.toggled.emit(place.section.name)
            return
        offset = self._offset_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton:
            self._anchor, self._marks.chosen = offset, None
        if place.piece is not None:
            self.pointed.emit(place.piece, offset)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark text from where the button went down."""
        if not event.buttons():
            shapes = Qt.CursorShape
            here = self._spot_at(event.position()) is not None
            self.viewport().setCursor(shapes.PointingHandCursor if here else shapes.IBeamCursor)
        if self._anchor is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        self._scroll_at_edge(event.position().y())
        offset = self._offset_at(event.position())
        marked = RequestRange(min(offset, self._anchor), max(offset, self._anchor))
        self._marks.chosen = marked if marked.start < marked.end else None
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._anchor = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for the source of a piece."""
        place = self._place_at(event.position().y())
        if self._press_spot(event.position()):
            return
        if place is not None and place.piece is not None:
            self.asked_open.emit(place.piece)
        elif place is not None:
            self.toggled.emit(place.section.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from piece to piece, fold, open, copy; the rest scrolls."""
        keys = QKeySequence.StandardKey
        if event.matches(keys.Copy):
            self.copy()
        elif event.matches(keys.SelectAll):
            self._choose_all()
        elif not self._do_key(event.key()):
            super().keyPressEvent(event)

    def _do_key(self, key: int) -> bool:
        bar = self.verticalScrollBar()
        table: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Down: lambda: self._step(1),
            Qt.Key.Key_Up: lambda: self._step(-1),
            Qt.Key.Key_Left: lambda: self._fold_selected(fold=True),
            Qt.Key.Key_Right: lambda: self._fold_selected(fold=False),
            Qt.Key.Key_Return: self._open_selected,
            Qt.Key.Key_Enter: self._open_selected,
            Qt.Key.Key_Home: lambda: bar.setValue(0),
            Qt.Key.Key_End: lambda: bar.setValue(bar.maximum()),
        }
        do = table.get(key)
        if do is not None:
            do()
        return do is not None

    def _press_spot(self, point: QPointF) -> bool:
        """Do what the head at a point offers there; says whether it offers anything."""
        found = self._spot_at(point)
        if found is not None:
            self.spotted.emit(*found)
        return found is not None

    def _selected_text(self) -> str:
        piece = self._selected()
        return "" if piece is None else piece.text

    def _selected(self) -> Piece | None:
        if self._rows is None or self._marks.piece_id is None:
            return None
        return self._rows.piece(self._marks.piece_id)

    def _tell_selected(self) -> None:
        piece = self._selected()
        self.setAccessibleDescription("" if piece is None else show_controls(piece.text[:_READ_ALOUD]))

    def _step(self, by: int) -> None:
        if self._rows is None or not self._rows.piece_ids:
            return
        ids = self._rows.piece_ids
        here = (
            ids.index(self._marks.piece_id) if self._marks.piece_id in ids else (-1 if by > 0 else len(ids))
        )
        self._select(ids[min(max(here + by, 0), len(ids) - 1)])

    def _select(self, piece_id: str | None) -> None:
        """Select a piece as if its first character were clicked."""
        if self._rows is None or piece_id is None:
            return
        self.select_piece(piece_id, reveal=True)
        piece, start = self._rows.piece(piece_id), self._rows.start_of(piece_id)
        if piece is not None and start is not None:
            self.pointed.emit(piece, start)

    def _fold_selected(self, *, fold: bool) -> None:
        """Fold or unfold the piece where it has a head, then its section; unfolding the other way round."""
        piece = self._selected()
        if piece is None or self._rows is None:
            return
        cut, section_folded = self._rows.cut_piece(piece.id), self._rows.is_folded(piece.section)
        if is_foldable(piece) and cut is not None and cut.form.folded != fold and not section_folded:
            self.spotted.emit(HeadSpot.FOLD, piece.id)
        elif section_folded != fold:
            self.toggled.emit(piece.section)

    def _open_selected(self) -> None:
        piece = self._selected()
        if piece is not None:
            self.asked_open.emit(piece)

    def _choose_all(self) -> None:
        if self._rows is not None:
            self._marks.chosen = RequestRange(0, len(self._rows.request.text))
            self.viewport().update()
