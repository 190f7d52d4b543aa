"""The selection of the window: one reference, the same in every panel."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref

_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class SelectedSpan:
    """A stretch of the Request's text form: code points, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SelectionState:
    """The selection. `span` says where in the Request, when the place was pointed at."""

    ref: Ref | None = None
    span: SelectedSpan | None = None


class Selection(QObject):
    """The one selection of a window. `changed` carries a `SelectionState`; `opened` the Ref to show in full."""

    changed = Signal(object)
    opened = Signal(object)

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

    def select(self, ref: Ref | None, span: SelectedSpan | None = None) -> None:
        """Select a thing; telling the same again tells nobody."""
        new = SelectionState(ref, span)
        if new == self._selected:
            return
        if self._selected.ref is not None and (ref is None or ref.whole != self._selected.ref.whole):
            self._past = [*self._past[1 - _REMEMBERED :], self._selected]
            self._future.clear()
        self._show(new)

    def open(self, ref: Ref) -> None:
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
            self._show(self._past.pop())

    def go_forward(self) -> None:
        if self._future:
            self._past.append(self._selected)
            self._show(self._future.pop())

    def _show(self, selected: SelectionState) -> None:
        self._selected = selected
        self.changed.emit(selected)
