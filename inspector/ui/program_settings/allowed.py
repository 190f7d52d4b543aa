"""The part of the settings with the addresses that are sent to without asking, each with a button to remove it."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.send_gate import SendGate
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import tr

_LONGEST = 200


class AllowedList(QWidget):
    """A row for each remembered address."""

    words = tr("sending send consent ask again address remember allowed privacy destination host")

    def __init__(self, appearance: Appearance, gate: SendGate) -> None:
        super().__init__()
        self._appearance, self._gate = appearance, gate
        self.rows: dict[str, QPushButton] = {}
        self._lines: list[QWidget] = []
        self.note = PlainLabel("", tone="muted", size="small", wrap=True)
        self._column = QVBoxLayout(self)
        arrange(self._column, PlainLabel(tr("Addresses that are sent to without asking")), self.note)
        self._column.setSpacing(appearance.space(1))
        gate.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        had_focus = any(each.hasFocus() for each in self.rows.values())
        for line in self._lines:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines.clear()
        self.rows.clear()
        for origin in self._gate.remembered:
            self._add(origin)
        self.note.setText(
            tr("Calls and agents send there at once. Other addresses are asked about first.")
            if self.rows
            else tr("None yet. The window asks before anything leaves this computer for an address.")
        )
        first = next(iter(self.rows.values()), None)
        if had_focus and first is not None:
            first.setFocus()

    def _add(self, origin: str) -> None:
        shown = one_line(origin, _LONGEST)
        remove = button(tr("Remove"), partial(self._gate.forget, origin), size="small")
        remove.setAccessibleName(tr("Remove {origin}", origin=shown))
        line, row = QWidget(), QHBoxLayout()
        arrange(row, PlainLabel(shown, wrap=True), remove, spacing=self._appearance.space(2))
        row.setStretch(0, 1)
        line.setLayout(row)
        self._column.addWidget(line)
        self.rows[origin] = remove
        self._lines.append(line)
