"""What is selected: one thing, the same in every view."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from inspector.domain.ref import Ref

_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the Request's text form: code points, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selected:
    """The selection. `span` says where in the Request, when the place was pointed at."""

    ref: Ref | None = None
    span: Span | None = None


class Selection(QObject):
    """The one selection of a window. `changed` carries a `Selected`; `opened` the Ref to show in full."""

    changed = Signal(object)
    opened = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selected = Selected()
        self._past: list[Selected] = []
        self._future: list[Selected] = []

    @property
    def selected(self) -> Selected:
        """What is selected now."""
        return self._selected

    @property
    def ref(self) -> Ref | None:
        """The selected thing, with its part."""
        return self._selected.ref

    def select(self, ref: Ref | None, span: Span | None = None) -> None:
        """Select a thing; telling the same again tells nobody."""
        new = Selected(ref, span)
        if new == self._selected:
            return
        if self._selected.ref is not None and (ref is None or ref.whole != self._selected.ref.whole):
            self._past = [*self._past[1 - _REMEMBERED :], self._selected]
            self._future.clear()
        self._show(new)

    def open(self, ref: Ref) -> None:
        """Select a thing and ask for its own view."""
        self.select(ref)
        self.opened.emit(ref)

    def clear(self) -> None:
        """Select nothing and forget the way here: another file or agent is shown."""
        self._past.clear()
        self._future.clear()
        self._show(Selected())

    @property
    def can_go_back(self) -> bool:
        """Whether something was selected before."""
        return bool(self._past)

    @property
    def can_go_forward(self) -> bool:
        """Whether a step back was made."""
        return bool(self._future)

    def go_back(self) -> None:
        """Select what was selected before."""
        if self._past:
            self._future.append(self._selected)
            self._show(self._past.pop())

    def go_forward(self) -> None:
        """Undo a step back."""
        if self._future:
            self._past.append(self._selected)
            self._show(self._future.pop())

    def _show(self, selected: Selected) -> None:
        self._selected = selected
        self.changed.emit(selected)
