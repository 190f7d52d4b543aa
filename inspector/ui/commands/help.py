"""Actions on the program itself: help, settings, versions and folders of the window."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from inspector import __version__
from inspector.runtime.environment import data_folder, state_folder
from inspector.runtime.resources import help_page, licence_texts
from inspector.runtime.settings import SETTINGS
from inspector.ui.actions import Action, action_keys
from inspector.ui.commands.menus import MENUS, spread
from inspector.ui.dock_layout import PERSPECTIVE
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.preferences import ALLOWED_ORIGINS, RECENT_MODELS, TOUR_DONE
from inspector.ui.program_log.keeper import LOG
from inspector.ui.widgets.controls import help_of
from inspector.ui.wording import tr

if TYPE_CHECKING:
    from inspector.ui.program_help.shortcuts import ShortcutRow

_PAGE = "window"
_NOT_SHOWN = frozenset(
    {
        *("window.last_file", ALLOWED_ORIGINS, RECENT_MODELS, TOUR_DONE, "budget.sort"),
        *("problems.ignored_findings", PERSPECTIVE),
    }
)
"""What the program keeps for itself."""


class HelpCommands:
    """Registers the actions of the help menu."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services = services
        self._window = window
        services.actions.add(
            Action("help.show", tr("Help"), self._help, "F1", "help"),
            Action("help.shortcuts", tr("Keyboard shortcuts …"), self._show_shortcuts, "Ctrl+/"),
            Action("help.settings", tr("Settings …"), self.show_settings, "Ctrl+,", "settings"),
            Action("help.log", tr("Log …"), self._log),
            Action("help.about", tr("About Context Inspector"), self._about, None, "info"),
        )
        # In a dialog, too: it has a section of its own.
        for id_ in ("help.show", "help.shortcuts"):
            services.actions.item(id_).setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)

    def _help(self) -> None:
        """Show the section about what has the keyboard; a help that is open already goes there."""
        from inspector.ui.program_help.dialog import HelpDialog
        from inspector.ui.program_help.sections import sections_of

        heading = help_of(QApplication.focusWidget())
        dialog = next((each for each in self._window.findChildren(HelpDialog) if each.isVisible()), None)
        if dialog is None:
            sections = sections_of(help_page(_PAGE))
            dialog = HelpDialog(self._window, self._services.appearance, sections, self._show_shortcuts)
        elif not heading:
            heading = dialog.section
        dialog.show_section(heading)
        dialog.show()
        dialog.activateWindow()

    def _show_shortcuts(self) -> None:
        from inspector.ui.program_help.shortcuts import ShortcutSheet

        services = self._services
        sheet = ShortcutSheet(self._window, services.appearance, lambda: tuple(self._shortcuts()))
        services.actions.changed.connect(sheet.follow)
        sheet.show()

    def _shortcuts(self) -> Iterator[ShortcutRow]:
        """The keys as they are on this system, with what they do, in the order of the menus."""
        from inspector.ui.program_help.shortcuts import ShortcutRow

        actions = self._services.actions
        menus = {id_: title().replace("&", "") for title, ids in MENUS for id_ in spread(ids, actions)}
        places = {id_: place for place, id_ in enumerate(menus)}
        for action in sorted(actions, key=lambda each: places.get(each.id, len(places))):
            keys = [
                keys.toString(QKeySequence.SequenceFormat.NativeText)
                for keys in action_keys(action)
                if not keys.isEmpty()
            ]
            if keys:
                menu = menus.get(action.id, tr("Other"))
                yield ShortcutRow(menu, action.title, tr(" or ").join(keys), action.words)

    def show_settings(self, group: str = "") -> None:
        """Open the settings, at a group where one is named."""
        from inspector.ui.program_settings.dialog import SettingsDialog, StoredSetting

        services = self._services
        kept = [StoredSetting(row, services.settings) for row in SETTINGS]
        kept += [
            StoredSetting(row, services.preferences)
            for row in services.preferences.rows.values()
            if row.name not in _NOT_SHOWN
        ]
        dialog = SettingsDialog(
            self._window,
            (services.appearance, services.icons),
            kept,
            services.workspace.keys,
            services.workspace.gate,
        )
        services.preferences.changed.connect(dialog.follow)
        services.workspace.gate.changed.connect(dialog.follow_offline)
        dialog.show()
        if group:
            dialog.go_to(group)

    def _log(self) -> None:
        from inspector.ui.program_log.dialog import LogDialog

        LogDialog(self._window, self._services.appearance, LOG).show()

    def _about(self) -> None:
        from inspector.ui.widgets.about import AboutDialog

        services = self._services
        places = (
            (tr("File"), services.workspace.file.path),
            (tr("Settings"), services.settings.path),
            (tr("Window settings"), services.preferences.path),
            (tr("Drafts"), state_folder()),
            (tr("Backups and sample"), data_folder()),
        )
        versions = (
            (tr("Version"), __version__),
            (tr("Python"), platform.python_version()),
            (tr("Qt"), qVersion()),
            (tr("System"), platform.platform()),
        )
        found = [(what, str(place)) for what, place in places if place is not None]
        look = (services.appearance, services.icons)
        groups = ((tr("Versions"), versions), (tr("Places"), found))
        AboutDialog(self._window, look, groups, tuple(licence_texts().items())).show()
