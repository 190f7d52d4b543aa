"""Actions on what may leave this computer: work offline, and the settings for it."""

from __future__ import annotations

from collections.abc import Callable

from inspector.ui.actions import Action
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.program_settings.table import SENDING
from inspector.ui.wording import tr


class SendingCommands:
    """Registers the actions on what is sent."""

    def __init__(
        self, services: PanelServices, window: MainWindow, show_settings: Callable[[str], None]
    ) -> None:
        self._gate = services.workspace.gate
        services.actions.add(
            Action("network.offline", tr("Work offline"), self._turn, is_on=lambda: self._gate.is_offline)
        )
        self._gate.changed.connect(services.actions.refresh)
        window.show_sending = lambda: show_settings(SENDING)

    def _turn(self) -> None:
        self._gate.switch_offline(on=not self._gate.is_offline)
