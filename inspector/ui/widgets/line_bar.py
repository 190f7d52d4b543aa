"""A widget that asks for a line to go to."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, field, icon_button
from inspector.ui.wording import number, tr

_PLACE = re.compile(r"\s*(\d{1,9})\s*(?:[:,]\s*(\d{1,9})\s*)?")


class LineBar(QFrame):
    """Takes ``12`` or ``12:5``. Enter goes there, Escape closes.

    `chosen` carries a line and a column, both from 1.
    """

    chosen = Signal(int, int)
    closed = Signal()

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance = appearance
        self.setProperty("role", "dock_title")
        self.place_field = field(tr("Line or line:column"))
        self._note = PlainLabel("", tone="muted", size="small")
        self._row = QHBoxLayout(self)
        arrange(
            self._row,
            self.place_field,
            self._note,
            None,
            icon_button(icons, "close", tr("Close"), self.leave),
        )
        self.hide()
        appearance.changed.connect(self._measure)
        self._measure()

    @property
    def note(self) -> str:
        return self._note.original

    def summon(self, lines: int) -> None:
        """Come up with the keyboard in it, for a text of so many lines."""
        self._note.setText(tr("of {count}", count=number(lines)))
        self._note.set_tone("muted")
        self.show()
        self.place_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.place_field.selectAll()

    def leave(self) -> None:
        self.hide()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the line, or leave on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _choose(self) -> None:
        found = _PLACE.fullmatch(self.place_field.text())
        if found is None:
            self._note.setText(tr("Type a line number, such as 12 or 12:5"))
            self._note.set_tone("error")
        else:
            self.hide()
            self.chosen.emit(int(found[1]), int(found[2] or 1))

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), space(1), space(2), space(1))
        self._row.setSpacing(space(2))
        self.place_field.setMaximumWidth(space(50))
