"""The frame around a window on which a file may fall."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFrame, QWidget


class DropFrame(QFrame):
    """Shows that a file may fall, and reads which it is."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("role", "drop")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def enter(self, event: QDropEvent) -> None:
        """Show the frame around all of the window if what is dragged over it is a file."""
        if self.move_over(event):
            self.setGeometry(self._window.rect())
            self.show()
            self.raise_()

    def move_over(self, event: QDropEvent) -> bool:
        """Say that a file may fall here; gives whether it is one."""
        is_file = _dropped_file(event) is not None
        if is_file:
            _accept_copy(event)
        return is_file

    def take(self, event: QDropEvent) -> Path | None:
        """The file that fell, None where it was something else."""
        self.hide()
        path = _dropped_file(event)
        if path is not None:
            _accept_copy(event)
        return path


def _accept_copy(event: QDropEvent) -> None:
    """Take what falls as a copy: told that it was moved, the program it comes from would delete the file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _dropped_file(event: QDropEvent) -> Path | None:
    urls = event.mimeData().urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None
