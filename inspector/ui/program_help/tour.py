"""The tour of the window in five steps. It shows and points, and changes nothing of the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.program_help.callout import Callout


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step: what is brought into sight, what is pointed at, and what is said of it."""

    title: str
    text: str
    target: Callable[[], QWidget | None]
    prepare: Callable[[], None] = lambda: None


class Tour(QObject):
    """Goes through the steps that `read` gives at its beginning, with a callout.

    `finished` tells of the last step's end; ended early, it is not told. `left` tells of every end.
    """

    finished = Signal()
    left = Signal()

    def __init__(self, parent: QObject, callout: Callout, read: Callable[[], Sequence[TourStep]]) -> None:
        super().__init__(parent)
        self._callout, self._read, self._at = callout, read, -1
        self._steps: Sequence[TourStep] = ()
        callout.next_asked.connect(self.next)
        callout.back_asked.connect(self.back)
        callout.ended.connect(self.end)

    @property
    def step(self) -> int:
        """The number of the step that is shown, from 1; 0 while no tour is under way."""
        return self._at + 1

    def begin(self) -> None:
        """Show the first of the steps as they are now."""
        self._steps = self._read()
        self._show(0)

    def next(self) -> None:
        if self._at + 1 < len(self._steps):
            self._show(self._at + 1)
        elif self._at >= 0:
            self.end()
            self.finished.emit()

    def back(self) -> None:
        if self._at > 0:
            self._show(self._at - 1)

    def end(self) -> None:
        """Take the callout away, wherever the tour is."""
        was_under_way, self._at = self._at >= 0, -1
        self._callout.leave()
        if was_under_way:
            self.left.emit()

    def _show(self, place: int) -> None:
        self._at = place
        step = self._steps[place]
        step.prepare()
        self._callout.point_at(step.target, step.title, step.text, (place + 1, len(self._steps)))
