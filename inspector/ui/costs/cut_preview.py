"""Shows what a fix would change in the Request: each piece's tokens before and after, with nothing written."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QTableView, QVBoxLayout, QWidget

from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece, PieceChange, Request
from inspector.domain.simulation import Simulation
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Column
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.budget import STRUCTURE, piece_name
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import counted, number, signed, tr, tr_count

_WIDTHS = {"piece": 0, "before": 8, "after": 8, "change": 8}
"""Letters of the columns; the piece takes what is left."""
_NARROW_STEPS = 68


@dataclass(frozen=True, slots=True)
class PreviewedPiece:
    """One piece of the Request that a fix would change, with its tokens before and after."""

    key: str
    name: str
    before: int
    after: int


def previewed_pieces(simulation: Simulation) -> tuple[PreviewedPiece, ...]:
    """The pieces that would change, the largest saving first; headings and frames as one row at the end."""
    found: list[PreviewedPiece] = []
    before = after = 0
    for change in simulation.diff.changes:
        name = _name(change, simulation)
        if name is None:
            before, after = before + change.before, after + change.after
        elif change.delta:
            found.append(PreviewedPiece(f"{len(found)} {change.piece_id}", name, change.before, change.after))
    found.sort(key=lambda each: (each.after - each.before, each.name))
    if before != after:
        found.append(PreviewedPiece("structure", tr("headings and frames"), before, after))
    return tuple(found)


def _name(change: PieceChange, simulation: Simulation) -> str | None:
    """What a person calls the piece; None for one that only holds others together."""
    piece = _in(simulation.before, change) or _in(simulation.after, change)
    if piece is None:
        return change.source.label or change.piece_id
    return None if piece.rule in STRUCTURE else piece_name(piece)


def _in(request: Request, change: PieceChange) -> Piece | None:
    return request.pieces_by_id.get(change.piece_id)


class CutPreview(QWidget):
    """The difference as a table, with the button that does it and the way back."""

    def __init__(self, services: PanelServices, close: Callable[[], None]) -> None:
        super().__init__()
        self._services = services
        self._run: Callable[[], None] = close
        self._warning = ""
        self._title = PlainLabel("", strong=True, wrap=True)
        self._total = PlainLabel("", wrap=True)
        self._note = PlainLabel("", tone="muted", size="small", wrap=True)
        self._model = RowTable(_columns(), lambda each: each.key, self)
        self.view = QTableView()
        self.view.setModel(self._model)
        dress_table(self.view, services.appearance, tr("Pieces before and after"))
        fit_columns(self.view.horizontalHeader(), _columns(), _WIDTHS)
        self.do_button = button(tr("Make the cut"), lambda: self._run(), role="primary")
        self.close_button = button(tr("Close preview"), close)
        self._close = close
        self._lay_out()
        services.appearance.changed.connect(self._measure)
        self._measure()

    @property
    def rows(self) -> tuple[PreviewedPiece, ...]:
        return self._model.values

    @property
    def total_text(self) -> str:
        return self._total.original

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the preview when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def begin(self, title: str, do: str, run: Callable[[], None], warning: str = "") -> None:
        """Name the fix and what it changes elsewhere; its figures follow with `show_figures`."""
        self._run = run
        self._title.setText(title)
        self.do_button.setText(do)
        self.do_button.setAccessibleName(do)
        self._total.setText(tr("Building the preview …"))
        self._warning = warning
        self._say(tr("Preview only. Nothing is saved."))
        self._model.set_values(())

    def _say(self, text: str) -> None:
        self._note.setText(" ".join(filter(None, (text, self._warning))))

    def show_figures(self, simulation: Simulation) -> None:
        """Show the pieces that change and what the whole comes to."""
        before, after = (
            counted(Count(each.tokens, each.method)) for each in (simulation.before, simulation.after)
        )
        text = tr(
            "{before} → {after} tokens ({delta})",
            before=before,
            after=after,
            delta=signed(simulation.diff.delta) or "±0",
        )
        self._total.setText(text)
        pieces = previewed_pieces(simulation)
        self._model.set_values(pieces)
        count = tr_count("{count} piece changes.", "{count} pieces change.", len(pieces))
        self._say(tr("{count} Preview only. Nothing is saved.", count=count))

    def show_failure(self) -> None:
        self._total.setText(tr("The preview can't be built. The Request may have changed since."))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, the change says most: the figures before and after it are in the sum."""
        super().resizeEvent(event)
        is_narrow = self.width() < self._services.appearance.space(_NARROW_STEPS)
        for column in (1, 2):
            self.view.setColumnHidden(column, is_narrow)

    def _lay_out(self) -> None:
        buttons = FlowLayout(self.do_button, self.close_button, spacing=8)
        self._words = QVBoxLayout()
        arrange(self._words, self._title, self._total, self._note, buttons, spacing=6)
        arrange(QVBoxLayout(self), self._words, self.view)

    def _measure(self) -> None:
        look = self._services.appearance
        margin = look.space(3)
        self._words.setContentsMargins(margin, look.space(2), margin, look.space(2))


def _columns() -> tuple[Column[PreviewedPiece], ...]:
    return (
        Column("piece", tr("Piece"), lambda each: each.name, tip=lambda each: each.name),
        Column("before", tr("Before"), lambda each: number(each.before), right=True),
        Column("after", tr("After"), lambda each: number(each.after) if each.after else "–", right=True),
        Column("change", tr("Change"), lambda each: signed(each.after - each.before), right=True),
    )
