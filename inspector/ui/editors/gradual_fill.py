"""Puts a very long text into an editor's document slice by slice, so that no turn of the loop takes long."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer

_AT_ONCE = 400_000
"""Characters of a text that is shown in one go."""
_FIRST, _SLICE = 100_000, 120_000
"""Characters that are shown at first, and with each further turn of the loop."""


class GradualFill(QObject):
    """Gives `append` the slices of a text, each of whole lines; `ended` is told when all of it is there."""

    def __init__(self, append: Callable[[str], None], ended: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._append = append
        self._ended = ended
        self._slices: Iterator[str] = iter(())
        self.is_running = False
        self._next = QTimer(self, interval=0)
        self._next.timeout.connect(self._step)

    def begin(self, text: str) -> str:
        """What is to be shown at once: all of a text, or where that takes too long its first lines."""
        if len(text) <= _AT_ONCE:
            return text
        slices = _slices(text)
        first = next(slices)
        self._slices, self.is_running = slices, True
        self._next.start()
        return first

    def finish(self) -> None:
        """Show all that is left now: somebody needs the whole text."""
        if self.is_running:
            for piece in self._slices:
                self._append(piece)
            self._end()

    def _step(self) -> None:
        piece = next(self._slices, None)
        if piece is None:
            self._end()
        else:
            self._append(piece)

    def _end(self) -> None:
        self._next.stop()
        self.is_running = False
        self._ended()


def _slices(text: str) -> Iterator[str]:
    """The text in pieces that end before a line feed; the first is the shortest."""
    start, length = 0, _FIRST
    while start < len(text):
        end = text.find("\n", start + length)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start, length = end, _SLICE
