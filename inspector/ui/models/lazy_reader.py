"""The base of what reads the rows of a panel again when they change, and only while somebody looks."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QObject, QTimer


class LazyReader(QObject):
    """Reads `milliseconds` after the last of several changes. `start` is what a subclass reads by."""

    def __init__(self, parent: QObject, milliseconds: int) -> None:
        super().__init__(parent)
        self._paused = self._due = False
        self._soon = QTimer(self, singleShot=True, interval=milliseconds)
        self._soon.timeout.connect(self._begin)

    def refresh(self) -> None:
        """Read again, a little later; while nobody looks, once somebody does."""
        self._due = True
        if not self._paused:
            self._soon.start()

    def pause(self) -> None:
        """Read nothing while nobody looks."""
        self._paused = True

    def resume(self) -> None:
        """Read what became stale while nobody looked."""
        self._paused = False
        if self._due:
            self._soon.start()

    @abstractmethod
    def _start(self) -> None:
        """Read all that the panel lists, in place of a reading that has not ended."""

    def _begin(self) -> None:
        self._due = False
        self._start()
