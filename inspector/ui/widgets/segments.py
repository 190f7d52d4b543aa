"""Buttons side by side of which one is chosen."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QSizePolicy

from inspector.ui.safe_text import safe_tooltip, without_mnemonic
from inspector.ui.widgets.controls import arrange


class Segments(QFrame):
    """A row of choices (text, what it means); the first is chosen. `buttons` are in the same order."""

    def __init__(self, name: str, *choices: tuple[str, str]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self.buttons: tuple[QPushButton, ...] = tuple(self._button(text, tip) for text, tip in choices)
        self.chosen = self._group.idToggled
        arrange(QHBoxLayout(self), *self.buttons)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.buttons[0].setChecked(True)

    @property
    def current(self) -> int:
        """Which one is chosen, from 0."""
        return self._group.checkedId()

    def choose(self, place: int) -> None:
        """Choose one."""
        self.buttons[place].setChecked(True)

    def _button(self, text: str, tip: str) -> QPushButton:
        made = QPushButton(without_mnemonic(text))
        made.setCheckable(True)
        made.setAutoDefault(False)
        made.setProperty("role", "segment")
        made.setAccessibleName(text)
        made.setAccessibleDescription(tip)
        safe_tooltip(made, tip)
        self._group.addButton(made, len(self._group.buttons()))
        return made
