"""The part of the settings with the keys of providers: where each comes from, and a field to enter one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.domain.keys import KeyPlace, KeyState
from inspector.ui.agent_settings.setting_row import NAME_STEPS
from inspector.ui.appearance import Appearance
from inspector.ui.calls.key_row import KeyRow
from inspector.ui.key_ring import KeyRing
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_LONGEST = 40
_NAMES = {"anthropic": "Anthropic", "openai": "OpenAI", "gemini": "Gemini"}


class KeyList(QWidget):
    """A row for each provider, and for each address that the key store has a key for."""

    words = tr("keys api key token password provider anthropic openai gemini keyring secret")

    def __init__(self, appearance: Appearance, ring: KeyRing) -> None:
        super().__init__()
        self._appearance, self._ring = appearance, ring
        self.rows: dict[str, KeyRow] = {}
        self._places: dict[str, KeyPlace] = {}
        note = tr("Keys are kept in the system's key store or until you close the program, never in a file.")
        self._column = QVBoxLayout(self)
        arrange(self._column, PlainLabel(note, tone="muted", size="small", wrap=True))
        self._column.setSpacing(appearance.space(3))
        ring.changed.connect(self._follow)
        ring.tell_places(self._show)

    def _show(self, places: tuple[KeyPlace, ...]) -> None:
        for place in places:
            if place.origin not in self.rows:
                self._add(place)
                self._ask(place)

    def _add(self, place: KeyPlace) -> None:
        space, title = self._appearance.space, _NAMES.get(place.name, place.name)
        row, name = KeyRow(self._appearance, title), PlainLabel(one_line(title, _LONGEST), wrap=True)
        name.setFixedWidth(space(NAME_STEPS))
        name.setMinimumHeight(self._appearance.row_height())
        line = QHBoxLayout()
        arrange(line, name, row, spacing=space(2))
        line.setStretch(1, 1)
        line.setAlignment(name, Qt.AlignmentFlag.AlignTop)
        self._column.addLayout(line)
        self.rows[place.origin], self._places[place.origin] = row, place
        row.entered.connect(partial(self._enter, place))
        row.kept.connect(partial(self._ring.keep, place))
        row.forgotten.connect(partial(self._ring.forget, place))

    def _enter(self, place: KeyPlace, text: str) -> None:
        self._ring.enter(text, place)

    def _follow(self, origin: str) -> None:
        if origin in self._places:
            self._ask(self._places[origin])
        else:
            self._ring.tell_places(self._show)

    def _ask(self, place: KeyPlace) -> None:
        self._ring.tell_state(place, (self, place.origin), self._tell)

    def _tell(self, state: KeyState) -> None:
        self.rows[state.place.origin].show_state(state, is_needed=False)
