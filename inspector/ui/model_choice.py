"""Asks a person for a model: the picker with the open file's models, the agent's own and those chosen lately."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector.ui.panel import PanelServices
from inspector.ui.preferences import RECENT_MODELS
from inspector.ui.widgets.model_picker import ModelPicker

_KEPT = 5


class ModelChoice(QObject):
    """One picker for a window or a part of it, made when it is first asked."""

    def __init__(self, services: PanelServices, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self._parent = parent
        self._take: Callable[[str], None] = lambda _: None
        self._left: Callable[[], None] = lambda: None
        self.picker: ModelPicker | None = None

    def ask(
        self,
        anchor: QWidget,
        take: Callable[[str], None],
        *,
        current: str = "",
        left: Callable[[], None] = lambda: None,
    ) -> None:
        """Open the picker under a widget; `take` gets the name that was chosen, `left` runs when it closes."""
        file = self._services.workspace.file
        self._take, self._left = take, left
        if self.picker is None:
            self.picker = ModelPicker(self._parent, self._services.appearance)
            self.picker.chosen.connect(self._chose)
            self.picker.closed.connect(lambda: self._left())
        own = file.agent.model if file.agent else ""
        self.picker.open_at(anchor, file.models, own=own, current=current, recent=self._recent())

    def _recent(self) -> tuple[str, ...]:
        return tuple(each for each in self._services.preferences.text(RECENT_MODELS).split("\n") if each)

    def _chose(self, model: str) -> None:
        kept = [model, *(each for each in self._recent() if each != model)][:_KEPT]
        self._services.preferences.set(RECENT_MODELS, "\n".join(kept))
        self._take(model)
