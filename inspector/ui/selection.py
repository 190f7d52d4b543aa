"""The selection of the window: one reference, the same in every panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from PySide6.QtCore import QObject, Signal

from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref
from inspector.domain.requests import Mark

_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class SelectedSpan:
    """A stretch of the Request's text form: code points, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PointedPlace:
    """A character that was pointed at: its offset in the text of the piece that shows it, and the piece's marks.

    Of what a search found, `text` is an excerpt, `length` says how many characters to select, and `version` in
    which past version of a block they stand.
    """

    text: str
    offset: int
    marks: Sequence[Mark] = ()
    length: int = 0
    version: int | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts around it, from the outside in."""
        return tuple(each.name for each in self.marks if each.start <= self.offset < each.end)


@dataclass(frozen=True, slots=True)
class SelectionState:
    """The selection. `span` and `place` say where in the Request, when the place was pointed at."""

    ref: Ref | None = None
    span: SelectedSpan | None = None
    place: PointedPlace | None = field(default=None, compare=False)


class Selection(QObject):
    """The one selection of a window.

    `changed` carries a `SelectionState`, `opened` the Ref to show in full, `returned` the one that was gone back to.
    """

    changed = Signal(object)
    opened = Signal(object)
    returned = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selected = SelectionState()
        self._past: list[SelectionState] = []
        self._future: list[SelectionState] = []

    @property
    def selected(self) -> SelectionState:
        return self._selected

    @property
    def ref(self) -> Ref | None:
        return self._selected.ref

    def select(
        self, ref: Ref | None, span: SelectedSpan | None = None, place: PointedPlace | None = None
    ) -> None:
        """Select a thing; telling the same again tells nobody."""
        new = SelectionState(ref, span, place)
        if new == self._selected:
            self._selected = new
            return
        if self._selected.ref is not None and (ref is None or ref.whole != self._selected.ref.whole):
            self._past = [*self._past[1 - _REMEMBERED :], self._selected]
            self._future.clear()
        self._show(new)

    def open(self, ref: Ref) -> None:
        """Show a thing in full, at the place that was pointed at if it is that thing's."""
        selected = self._selected
        if selected.place is None or selected.ref is None or selected.ref.whole != ref.whole:
            self.select(ref)
        self.opened.emit(ref)

    def clear(self) -> None:
        """Select nothing and forget the way here: another file or agent is shown."""
        self._past.clear()
        self._future.clear()
        self._show(SelectionState())

    @property
    def can_go_back(self) -> bool:
        return bool(self._past)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._future)

    def go_back(self) -> None:
        if self._past:
            self._future.append(self._selected)
            self._return_to(self._past.pop())

    def go_forward(self) -> None:
        if self._future:
            self._past.append(self._selected)
            self._return_to(self._future.pop())

    def _return_to(self, selected: SelectionState) -> None:
        self._show(selected)
        self.returned.emit(selected.ref)

    def _show(self, selected: SelectionState) -> None:
        self._selected = selected
        self.changed.emit(selected)
