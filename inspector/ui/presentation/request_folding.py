"""What is folded and formatted in the Request's text, and the actions that change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from inspector.domain.requests import Piece, Request
from inspector.ui.actions import Action
from inspector.ui.preferences import Preferences
from inspector.ui.widgets.request_folds import TOOLS, RequestFolds, is_foldable
from inspector.ui.widgets.request_heads import HeadSpot
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_view import RequestView
from inspector.ui.widgets.wire_page import WirePage
from inspector.ui.wording import tr

_FORMAT_JSON = "request.format_json"


class RequestFolding(QObject):
    """Holds the choices for the text, through every build. `changed` asks for its rows to be cut again.

    Args:
        preferences: Keep whether JSON is formatted.
        view: Shows the text.
        wire: Shows a provider's JSON in its place, and folds by itself.
        request: Gives the Request.
    """

    changed = Signal()

    def __init__(
        self,
        preferences: Preferences,
        view: RequestView,
        wire: WirePage,
        request: Callable[[], Request | None],
    ) -> None:
        super().__init__(view)
        self._preferences, self._view, self._wire, self._request = preferences, view, wire, request
        self.folds = RequestFolds(frozenset({TOOLS}), all_json=preferences.switch(_FORMAT_JSON))
        self._found: RequestRange | None = None
        """A place that was found in what was folded, to go to once it is not."""
        view.toggled.connect(self._toggle)
        view.spotted.connect(self._use)

    def unfold_at(self, place: RequestRange) -> None:
        """Unfold what hides a place that was found, and go there."""
        request = self._request()
        placed = None if request is None or self._is_wire else request.piece_at(place.start)
        if placed is not None and (unfolded := self.folds.unfolding(placed.piece)) != self.folds:
            self._found = place
            self._take(unfolded)

    def unfold_section(self, piece: Piece) -> bool:
        """Unfold the section of a piece that is gone to; says whether it was folded."""
        if self._is_wire or piece.section not in self.folds.sections:
            return False
        self._take(replace(self.folds, sections=self.folds.sections - {piece.section}))
        return True

    def reveal_found(self) -> None:
        """Go to the place that was found, now that its rows are there."""
        if self._found is not None:
            found, self._found = self._found, None
            self._view.reveal_range(found)

    def actions(self) -> tuple[Action, ...]:
        """Fold, format and show data: for all, and for the selected piece."""

        def each(
            name: str, title: str, run: Callable[[], None], is_on: Callable[[], bool] | None = None
        ) -> Action:
            return Action(f"request.{name}", title, run, why_not=self._nothing, is_on=is_on)

        return (
            each("fold_all", tr("Fold all sections of the Request"), lambda: self._sections(fold=True)),
            each("unfold_all", tr("Unfold all sections of the Request"), lambda: self._sections(fold=False)),
            each("fold_messages", tr("Fold all messages and tools"), lambda: self._pieces(fold=True)),
            each("unfold_messages", tr("Unfold all messages and tools"), lambda: self._pieces(fold=False)),
            each(
                "format_all",
                tr("Format JSON everywhere in the Request"),
                self._format_all,
                lambda: self.folds.all_json,
            ),
            self._own("fold", tr("Fold or unfold the message or tool"), HeadSpot.FOLD, is_foldable),
            self._own(
                "format", tr("Format JSON or show it as sent"), HeadSpot.FORMAT, self._has_json, "Ctrl+J"
            ),
            self._own(
                "show_data",
                tr("Show or shorten encoded data"),
                HeadSpot.WHOLE,
                lambda piece: bool(piece.text),
            ),
        )

    def _own(
        self,
        name: str,
        title: str,
        spot: HeadSpot,
        fits: Callable[[Piece], bool],
        shortcut: str | None = None,
    ) -> Action:
        """An action on the selected piece."""

        def why_not() -> str:
            piece = self._selected
            if self._is_wire or piece is None:
                return tr("nothing is selected in the Request's text")
            return "" if fits(piece) else tr("the selected piece has none")

        def run() -> None:
            if self._selected is not None:
                self._use(spot, self._selected.id)

        return Action(f"request.{name}", title, run, shortcut, why_not=why_not)

    def _nothing(self) -> str:
        return "" if self._request() else tr("no Request is shown")

    @property
    def _is_wire(self) -> bool:
        return not self._wire.isHidden()

    @property
    def _selected(self) -> Piece | None:
        rows, piece_id = self._view.rows, self._view.selected_piece
        return rows.piece(piece_id) if rows and piece_id else None

    def _has_json(self, piece: Piece) -> bool:
        cut = self._view.rows.cut_piece(piece.id) if self._view.rows else None
        return cut is not None and cut.has_json

    def _take(self, folds: RequestFolds) -> None:
        self.folds = folds
        self.changed.emit()

    def _toggle(self, section: str) -> None:
        self._take(self.folds.with_section(section))

    def _use(self, spot: HeadSpot, piece_id: str) -> None:
        """Fold, format or show in full, as the head of a piece offers."""
        choices = {
            HeadSpot.FOLD: self.folds.with_fold,
            HeadSpot.FORMAT: self.folds.with_format,
            HeadSpot.WHOLE: self.folds.with_whole,
        }
        self._take(choices[spot](piece_id))

    def _format_all(self) -> None:
        self._take(self.folds.with_all_json())
        self._preferences.set(_FORMAT_JSON, self.folds.all_json)

    def _sections(self, *, fold: bool) -> None:
        request = self._request()
        if self._is_wire:
            self._wire.fold_all(fold=fold)
        elif request is not None:
            names = (section.name for section in request.sections) if fold else ()
            self._take(replace(self.folds, sections=frozenset(names)))

    def _pieces(self, *, fold: bool) -> None:
        request = self._request()
        if request is not None:
            self._take(self.folds.with_all_pieces(request, folded=fold))
