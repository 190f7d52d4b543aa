"""Actions on the program itself: help, settings, versions and folders of the window."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import qVersion

from inspector import __version__
from inspector.runtime.environment import data_folder, state_folder
from inspector.runtime.resources import help_page
from inspector.runtime.settings import SETTINGS
from inspector.ui.actions import Action
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.preferences import RECENT_MODELS
from inspector.ui.safe_text import Question, safe_message
from inspector.ui.widgets.reader import PageLine, PageLineKind, PageReader, lines_of
from inspector.ui.widgets.settings_dialog import SettingsDialog, StoredSetting
from inspector.ui.wording import tr

_PAGE = "window"
_NOT_SHOWN = frozenset({"window.last_file", RECENT_MODELS})
"""What the program keeps for itself."""


class HelpCommands:
    """Registers the actions of the help menu."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        services.actions.add(
            Action("help.show", tr("Help"), self._help, "F1", "help"),
            Action("help.settings", tr("Settings …"), self._settings, "Ctrl+,", "settings"),
            Action("help.about", tr("About Context Inspector"), self._about, None, "info"),
        )

    def _help(self) -> None:
        lines = chain(lines_of(help_page(_PAGE)), self._shortcuts())
        PageReader(self._window, tr("Help"), lines).show()

    def _shortcuts(self) -> Iterator[PageLine]:
        """The keys as they are on this system, with what they do."""
        actions = self._services.actions
        yield PageLine(PageLineKind.HEADING, tr("Keys"))
        for action in actions:
            keys = actions.shortcut_text(action.id)
            if keys:
                yield PageLine(PageLineKind.TEXT, action.title, keys)

    def _settings(self) -> None:
        services = self._services
        kept = [StoredSetting(row, services.settings) for row in SETTINGS]
        kept += [
            StoredSetting(row, services.preferences)
            for row in services.preferences.rows.values()
            if row.name not in _NOT_SHOWN
        ]
        SettingsDialog(self._window, services.icons, kept).show()

    def _about(self) -> None:
        services = self._services
        places = (
            (tr("File"), services.workspace.file.path),
            (tr("Settings"), services.settings.path),
            (tr("Window settings"), services.preferences.path),
            (tr("Drafts"), state_folder()),
            (tr("Backups and sample"), data_folder()),
        )
        versions = tr(
            "Version {version} · Python {python} · Qt {qt}",
            version=__version__,
            python=platform.python_version(),
            qt=qVersion(),
        )
        lines = [
            tr("{what}: {place}", what=what, place=str(place)) for what, place in places if place is not None
        ]
        question = Question(
            tr("About Context Inspector"),
            tr("See, measure and edit exactly what your agent's next model call will send."),
            "\n".join((versions, platform.platform(), "", *lines)),
        )
        safe_message(self._window, question)
