"""What is on screen first: Qt, the look, the empty window. Imports neither loop nor engine nor panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QApplication

from inspector.runtime.resources import THEME_NAMES, load_icon, theme_mapping
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.icons import Icons
from inspector.ui.main_window import MainWindow
from inspector.ui.preferences import Preferences
from inspector.ui.theme import Theme

PROGRAM = "context-inspector"
PREFERENCES_FILE = "window.json"


@dataclass(frozen=True, slots=True)
class Start:
    """What the window starts with. Without `preferences` nothing is read or kept; `safe` takes defaults."""

    file: Path | None = None
    sample: bool = False
    preferences: Path | None = None
    safe: bool = False


def usual_start(file: Path | None, *, sample: bool = False) -> Start:
    """A start with the user's own preferences."""
    # Qt knows the place as well as platformdirs does, and is loaded already when the first paint waits.
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Start(file, sample, Path(folder) / PROGRAM / PREFERENCES_FILE)


def make_application(arguments: Sequence[str]) -> QApplication:
    """The Qt application in the style that the themes are made for."""
    application = QApplication(list(arguments))
    application.setApplicationName(PROGRAM)
    application.setApplicationDisplayName("Context Inspector")
    application.setStyle("Fusion")
    # The last window closing must not end the loop under the coroutines that are still closing the file.
    application.setQuitOnLastWindowClosed(False)
    return application


def make_look(application: QApplication, preferences: Preferences) -> tuple[Appearance, Icons]:
    """Theme, text scale and icons as the preferences say."""
    themes = {name: Theme.from_mapping(theme_mapping(name)) for name in THEME_NAMES}
    appearance = Appearance(application, themes)
    icons = Icons(appearance, load_icon)
    appearance.apply(ThemeChoice(preferences.text("window.theme")), preferences.number("window.text_scale"))
    return appearance, icons


class Shell:
    """The application and its window, painted and still without panels."""

    def __init__(self, start: Start, arguments: Sequence[str] = (PROGRAM,)) -> None:
        self.start = start
        self.application = make_application(arguments)
        self.preferences = Preferences(None if start.safe else start.preferences)
        self.safe = start.safe or self.preferences.begin_start()
        if self.safe:
            self.preferences.set_aside()
        self.appearance, self.icons = make_look(self.application, self.preferences)
        self.window = MainWindow(self.appearance, self.icons, self.preferences)

    def show(self) -> None:
        """Paint the window at once."""
        self.window.show()
        self.application.processEvents()
