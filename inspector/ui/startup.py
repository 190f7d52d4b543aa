"""Paints the empty window first, before the engine and the panels are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMessageLogContext, QStandardPaths, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from inspector.domain.dataclass import dataclass
from inspector.runtime.resources import THEME_NAMES, load_theme
from inspector.runtime.wording import word
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.pseudo_translation import translate_if_asked
from inspector.ui.theme import Theme

if TYPE_CHECKING:
    from inspector.ui.window_parts import Look

PROGRAM = "context-inspector"
DESKTOP_ID = "org.contextinspector.ContextInspector"
"""The name of the program's entry in a desktop's menu, by which Wayland finds its icon."""
PREFERENCES_FILE = "window.json"
SAFE_MODE = "--safe-mode"
"""The option that starts with defaults."""


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What the window starts with. Without `preferences` nothing is read or kept; `safe` takes defaults."""

    file: Path | None = None
    sample: bool = False
    preferences: Path | None = None
    safe: bool = False


def usual_start(file: Path | None, *, sample: bool = False, safe: bool = False) -> StartOptions:
    """A start with the user's own preferences, which a safe one leaves alone."""
    # Qt knows the place as well as platformdirs does, and is loaded already when the first paint waits.
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return StartOptions(file, sample, Path(folder) / PROGRAM / PREFERENCES_FILE, safe)


def make_application(arguments: Sequence[str]) -> QApplication:
    """The Qt application in the style that the themes are made for; the program ends where Qt cannot start."""
    with _explaining_no_display():
        # Set later, the style would be given back as an object, whose hundreds of names PySide makes at once.
        application = QApplication([*arguments, "-style", "Fusion"])
    application.setApplicationName(PROGRAM)
    application.setApplicationDisplayName("Context Inspector")
    application.setDesktopFileName(DESKTOP_ID)
    translate_if_asked(application)
    # The last window closing must not end the loop under the coroutines that are still closing the file.
    application.setQuitOnLastWindowClosed(False)
    return application


@contextmanager
def _explaining_no_display() -> Iterator[None]:
    """End the program with a message and 1 where Qt, which nothing can stop then, would end it with a core dump."""
    said: list[str] = []

    def hear(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        if kind is not QtMsgType.QtFatalMsg:
            said.append(message)
            return
        # Its last words are general advice; what went wrong it said before.
        _say(word("told.no_window", {"why": " ".join(said) or message}))
        os._exit(1)

    before = qInstallMessageHandler(hear)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
    for message in said:
        _say(message)


def _say(text: str) -> None:
    if sys.stderr is not None:
        from inspector.ui.safe_text import show_controls

        sys.stderr.write(show_controls(text) + "\n")
        sys.stderr.flush()


class Startup:
    """The application and its window, painted and still without panels. `look` is there once it is shown."""

    look: Look

    def __init__(self, start: StartOptions, arguments: Sequence[str] = (PROGRAM,)) -> None:
        self.start = start
        self.application = make_application(arguments)
        self.preferences = Preferences(None if start.safe else start.preferences)
        self.safe = start.safe or self.preferences.begin_start()
        if self.safe:
            self.preferences.set_aside()
        self.window = MainWindow(self.preferences)

    def show(self) -> None:
        """Paint the window as an empty frame, then furnish it and paint that."""
        self._paint_ground()
        self.window.show()
        self.application.processEvents()
        # Imported after the first paint: most of what is loaded then, such as all enumerations of Qt, is not for that.
        from inspector.ui.window_parts import furnish, make_look

        self.window.setPalette(QPalette())
        self.look = (*make_look(self.application, self.preferences), self.preferences)
        furnish(self.window, self.look)
        self.application.processEvents()

    def _paint_ground(self) -> None:
        """Have the frame in the colour that the window will have: another one would flash."""
        chosen = self.preferences.text("window.theme")
        if chosen in THEME_NAMES:
            self.window.setPalette(Theme.from_mapping(load_theme(chosen)).palette())
