"""A widget with a provider's JSON of a Request, and above it what had to be changed for that provider."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.requests import Request, Section
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.icons import Icons
from inspector.ui.widgets.adaptation_list import AdaptationLine, AdaptationList
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.request_folds import RequestFolds
from inspector.ui.widgets.request_heads import HeadSpot
from inspector.ui.widgets.request_paint import Marking
from inspector.ui.widgets.request_rows import RequestRows, RowCutter
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.wording import tr, tr_count


class WirePage(QWidget):
    """Read-only, and as large a body as there is. `shown` tells that other rows are shown."""

    shown = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._cutter = RowCutter()
        self._folds = RequestFolds(is_code=True)
        self._text: Request | None = None
        self._markings: Sequence[Marking] = ()
        self.adaptations = AdaptationList(appearance, icons)
        self.view = RequestView(appearance)
        self.view.setAccessibleName(tr("The provider's JSON"))
        self.view.figures = _figures
        self.view.toggled.connect(lambda name: self._fold(self._folds.with_section(name)))
        self.view.spotted.connect(self._use_spot)
        self.view.width_changed.connect(self._cut)
        self.view.pointed.connect(lambda piece, _: self.view.select_piece(piece.id))
        arrange(QVBoxLayout(self), self.adaptations, self.view)

    def show_text(
        self,
        text: Request | None,
        heading: str,
        lines: Sequence[AdaptationLine],
        markings: Sequence[Marking] = (),
    ) -> None:
        """Show a body, made into sections and pieces, with what stands out in it; with None nothing."""
        self._text, self._markings = text, markings
        self.adaptations.show_lines(heading, lines)
        if text is None:
            self._bridge.cancel(("wire rows", self))
            self.view.show_rows(None)
        self._cut()

    def fold_all(self, *, fold: bool) -> None:
        """Fold or unfold all fields."""
        names = (each.name for each in self._text.sections) if self._text and fold else ()
        self._fold(RequestFolds(frozenset(names), whole=self._folds.whole, is_code=True))

    def _use_spot(self, spot: HeadSpot, piece_id: str) -> None:
        if spot is HeadSpot.WHOLE:
            self._fold(self._folds.with_whole(piece_id))

    def _fold(self, folds: RequestFolds) -> None:
        self._folds = folds
        self._cut()

    def _cut(self) -> None:
        if self._text is None:
            return
        work = asyncio.to_thread(self._cutter.rows, self._text, self.view.columns, self._folds)
        name = tr("Laying out the Request")
        self._bridge.supersede(("wire rows", self), work, name=name, on_done=self._show)

    def _show(self, rows: RequestRows) -> None:
        if rows.request is self._text:
            self.view.show_rows(rows)
            self.view.show_markings(self._markings)
            self.shown.emit()


def _figures(section: Section) -> str:
    return tr_count("{count} character", "{count} characters", section.length)
