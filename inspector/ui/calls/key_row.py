"""A widget for the key of one provider: a field to enter it, where it comes from, and buttons to keep and forget it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector.domain.keys import KeySource, KeyState
from inspector.ui.appearance import Appearance
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.controls import arrange, button, field
from inspector.ui.wording import tr, tr_error

_LONGEST = 60


class KeyRow(QWidget):
    """It never shows a key. `entered` carries what was typed; `kept` and `forgotten` ask for the key store."""

    entered = Signal(str)
    kept = Signal()
    forgotten = Signal()

    def __init__(self, appearance: Appearance, name: str = "") -> None:
        super().__init__()
        self._appearance = appearance
        self.key = field(tr("API key of {name}", name=name) if name else tr("API key"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.note = PlainLabel("", tone="muted", size="small", wrap=True)
        self.keep_button = button(tr("Store"), self.kept.emit, size="small")
        self.forget_button = button(tr("Forget"), self.forgotten.emit, size="small")
        line = QHBoxLayout()
        arrange(line, self.note, self.keep_button, self.forget_button, spacing=appearance.space(2))
        line.setStretch(0, 1)
        arrange(QVBoxLayout(self), self.key, line, spacing=appearance.space(0.5))
        self.key.editingFinished.connect(self._enter)
        self.wait()

    def wait(self) -> None:
        """Say that the key store is asked."""
        self._tell(tr("Waiting for the key store …"), "muted")
        self.keep_button.hide()
        self.forget_button.hide()

    def show_state(self, state: KeyState, *, is_needed: bool) -> None:
        """Say where the key comes from; without one that matters where one `is_needed`."""
        lines = [_source_text(state)]
        if state.source in (None, KeySource.ENTERED) and state.problem is not None:
            lines.append(tr_error(state.problem))
        self._tell(" ".join(lines), "warning" if state.source is None and is_needed else "muted")
        can_keep = state.source is KeySource.ENTERED and bool(state.store)
        self.keep_button.setVisible(can_keep)
        self.keep_button.setAccessibleName(tr("Store the key in {store}", store=state.store))
        self.forget_button.setVisible(state.source in (KeySource.ENTERED, KeySource.STORE))
        self.forget_button.setAccessibleName(tr("Forget the key of {name}", name=state.place.origin))

    def _tell(self, text: str, tone: str) -> None:
        self.note.setText(text)
        self.note.set_tone(tone)

    def _enter(self) -> None:
        if text := self.key.text():
            # The field is empty again, so that nobody reads over a shoulder how long the key is.
            self.key.clear()
            self.entered.emit(text)


def _source_text(state: KeyState) -> str:
    origin, variable = one_line(state.place.origin, _LONGEST), state.place.variable
    if state.source is KeySource.ENTERED:
        return tr("Uses the key you entered, for {origin} alone, until you close the program.", origin=origin)
    if state.source is KeySource.ENVIRONMENT:
        return tr("Uses the key in {variable}.", variable=variable)
    if state.source is KeySource.STORE:
        return tr("Uses the key in {store}, for {origin} alone.", store=state.store, origin=origin)
    return tr("No key. Enter one, or set {variable} before the start.", variable=variable)
