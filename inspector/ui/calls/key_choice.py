"""The choice of a provider's key for a call: a button that says where it comes from, and a dialog to enter one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.keys import KeyPlace, KeySource, KeyState
from inspector.ui.appearance import Appearance
from inspector.ui.calls.key_row import KeyRow
from inspector.ui.key_ring import KeyRing
from inspector.ui.safe_text import PlainLabel, one_line, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.widgets.top_bar import Picker
from inspector.ui.wording import tr

_LONGEST = 80
_WIDTH = 64


class KeyChoice(QObject):
    """Follows one place at a time. `answered` says that it is known where its key comes from."""

    answered = Signal()

    def __init__(self, parent: QWidget, appearance: Appearance, ring: KeyRing) -> None:
        super().__init__(parent)
        self._parent, self._appearance, self._ring = parent, appearance, ring
        self._place: KeyPlace | None = None
        self._state: KeyState | None = None
        self._is_needed = False
        self.dialog: KeyDialog | None = None
        self.picker = Picker(tr("API key"), self.open)
        self.picker.hide()
        ring.changed.connect(self._follow_change)

    @property
    def is_waiting(self) -> bool:
        """Whether it isn't known yet if there is a key."""
        return self._place is not None and self._state is None

    @property
    def missing(self) -> str:
        """The variable of a key that a call needs and nobody has, empty where one is there or none is needed."""
        state = self._state
        return state.place.variable if state is not None and self._is_needed and state.source is None else ""

    def follow(self, place: KeyPlace | None, *, is_needed: bool) -> None:
        """Find out where the key of a place comes from, once for each; None takes no key."""
        self._is_needed = is_needed
        self.picker.setVisible(place is not None)
        if place is not None and place != self._place:
            self._place = place
            self._ask(place)
        elif place is None:
            self._place = self._state = None

    def open(self) -> None:
        """Let a key be entered, kept or forgotten."""
        place = self._place
        if place is None:
            return
        self.dialog = dialog = KeyDialog(self._parent, self._appearance, place)
        dialog.row.entered.connect(partial(self._enter, place))
        dialog.row.kept.connect(partial(self._ring.keep, place))
        dialog.row.forgotten.connect(partial(self._ring.forget, place))
        dialog.finished.connect(self._leave)
        self._show()
        dialog.open()

    def _enter(self, place: KeyPlace, text: str) -> None:
        self._ring.enter(text, place)

    def _leave(self) -> None:
        self.dialog = None

    def _follow_change(self, origin: str) -> None:
        if self._place is not None and self._place.origin == origin:
            self._ask(self._place)

    def _ask(self, place: KeyPlace) -> None:
        self._state = None
        self._show()
        self._ring.tell_state(place, self, self._take)

    def _take(self, state: KeyState) -> None:
        if state.place == self._place:
            self._state = state
            self._show()
            self.answered.emit()

    def _show(self) -> None:
        state = self._state
        self.picker.tell(tr("Key"), tr("asking …") if state is None else _short(state))
        if self.dialog is not None and state is not None:
            self.dialog.row.show_state(state, is_needed=self._is_needed)


class KeyDialog(QDialog):
    """The key of one place, above the window."""

    def __init__(self, parent: QWidget, appearance: Appearance, place: KeyPlace) -> None:
        super().__init__(parent)
        self.setWindowTitle(window_title(tr("API key")))
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * _WIDTH)
        space = appearance.space
        heading = PlainLabel(
            tr("Key for {origin}", origin=one_line(place.origin, _LONGEST)), strong=True, wrap=True
        )
        self.row = KeyRow(appearance, one_line(place.origin, _LONGEST))
        note = tr("Enter uses it. Store keeps it in the system's key store. It never goes into a file.")
        line = QHBoxLayout()
        arrange(line, None, button(tr("Close"), self.accept))
        hint = PlainLabel(note, tone="muted", size="small", wrap=True)
        arrange(QVBoxLayout(self), heading, self.row, hint, line, margins=space(4), spacing=space(3))
        self.row.key.setFocus()


def _short(state: KeyState) -> str:
    sources = {
        KeySource.ENTERED: tr("entered"),
        KeySource.ENVIRONMENT: state.place.variable,
        KeySource.STORE: state.store or tr("stored"),
    }
    return tr("none") if state.source is None else sources[state.source]
