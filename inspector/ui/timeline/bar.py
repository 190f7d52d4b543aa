"""The filter of the timeline's events: agent, kind, importance, time and words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TypeGuard

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QPushButton, QSizePolicy

from inspector.domain.activity import Importance
from inspector.domain.timeline import SYSTEM, EventFilter, TimeRange
from inspector.ui.appearance import Appearance
from inspector.ui.presentation.names import kind_name
from inspector.ui.safe_text import PlainLabel, one_line, without_mnemonic
from inspector.ui.timeline.words import MARKS, axis_time, importance_name
from inspector.ui.widgets.controls import button, field
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr

_TYPED_MILLISECONDS = 250
_ALL = "all"
_STRETCH = "stretch"
_SYSTEM_CHOICE = "system"
_LAST = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
_FIELD_STEPS, _NAME_LENGTH = 44, 40
_KIND, _AGENT = "kind", "agent"
_MOST_FOLDED = 50
"""More than that nobody picks by hand, and a statement takes no more than a few hundred values."""


class EventFilterBar(QFrame):
    """`filtered` carries the `EventFilter` that is set; `left` tells that the keyboard goes back to the rows."""

    filtered = Signal(object)
    left = Signal()

    def __init__(self, appearance: Appearance, now: Callable[[], datetime]) -> None:
        super().__init__()
        self._appearance, self._now = appearance, now
        self._stretch: TimeRange | None = None
        self._since: datetime | None = None
        self._filling = False
        self._folded: dict[tuple[str, str], QPushButton] = {}
        """A button for everything that is folded away, by what it is and which."""
        self._names: dict[str, str] = {SYSTEM: tr("System")}
        self.setProperty("role", "dock_title")
        self.words_field: QLineEdit = field(tr("Filter events"), role="filter")
        self.agents = _box(tr("Agent"))
        self.kinds = _box(tr("Kind"))
        self.importances = _box(tr("Importance"))
        self.times = _box(tr("Time"))
        self.count_note = PlainLabel("", tone="muted", size="small")
        self.clear_button = button(tr("Clear filters"), self.clear, role="flat")
        for level in Importance:
            text = tr("Any importance") if level is Importance.LOW else _level_text(level)
            self.importances.addItem(text, int(level))
        self.show_agents(())
        self.show_kinds(())
        self._show_times()
        self._typed = QTimer(self, singleShot=True, interval=_TYPED_MILLISECONDS)
        self._typed.timeout.connect(self._tell)
        self._lay_out()
        self._connect()

    @property
    def wanted(self) -> EventFilter:
        """The filter as it is set now."""
        chosen, kind = str(self.agents.currentData()), str(self.kinds.currentData())
        stretch = self._stretch if self.times.currentData() == _STRETCH else None
        return EventFilter(
            agent={_ALL: None, _SYSTEM_CHOICE: SYSTEM}.get(chosen, chosen),
            kind="" if kind == _ALL else kind,
            least=Importance(self.importances.currentData()),
            since=stretch.start if stretch is not None else self._since,
            until=None if stretch is None else stretch.end,
            words=" ".join(self.words_field.text().split()),
            folded_kinds=self._folds(_KIND),
            folded_agents=self._folds(_AGENT),
        )

    def fold_kind(self, kind: str) -> None:
        """Leave all events of a kind out until they are unfolded."""
        self._fold((_KIND, kind))
        self._tell()

    def fold_agent(self, agent_id: str) -> None:
        """Leave all events of an agent out until they are unfolded, with `SYSTEM` those of none."""
        self._fold((_AGENT, agent_id))
        self._tell()

    def _folds(self, what: str) -> tuple[str, ...]:
        return tuple(name for each, name in self._folded if each == what)

    def _fold(self, key: tuple[str, str]) -> None:
        if key not in self._folded and len(self._folded) < _MOST_FOLDED:
            made = button("", lambda: self._unfold(key), size="small")
            self._name_fold(key, made)
            self._folded[key] = made
            self._row.removeWidget(self.count_note)
            for each in (made, self.count_note):
                self._row.addWidget(each)

    def _name_fold(self, key: tuple[str, str], made: QPushButton) -> None:
        what, which = key
        name = one_line(kind_name(which) if what == _KIND else self._names.get(which, which), _NAME_LENGTH)
        made.setText(without_mnemonic(tr("Unfold {name}", name=name)))
        made.setAccessibleName(tr("Unfold {name}", name=name))

    def no_fold(self) -> str:
        """Why nothing more can be folded away, nothing where it can."""
        return tr("unfold something first") if len(self._folded) >= _MOST_FOLDED else ""

    def _unfold(self, key: tuple[str, str]) -> None:
        self._take_out(key)
        self._tell()

    def _take_out(self, key: tuple[str, str]) -> None:
        made = self._folded.pop(key)
        self._row.removeWidget(made)
        made.hide()
        made.deleteLater()

    def show_agents(self, agents: Sequence[tuple[str, str]]) -> None:
        """Offer these agents (id, name); the one that is chosen stays while it is there."""
        self._names |= dict(agents)
        for key, made in self._folded.items():
            self._name_fold(key, made)
        rows = [(tr("All agents"), _ALL), (tr("System"), _SYSTEM_CHOICE)]
        self._fill(self.agents, [*rows, *((one_line(name, _NAME_LENGTH), id_) for id_, name in agents)])

    def show_kinds(self, kinds: Sequence[str]) -> None:
        """Offer these kinds; the one that is chosen stays while it is there."""
        chosen = str(self.kinds.currentData() or _ALL)
        # One that the newest events don't have can still be what is asked for.
        kept = () if chosen in (_ALL, *kinds) else (chosen,)
        rows = [(one_line(kind_name(each), _NAME_LENGTH), each) for each in (*kinds, *kept)]
        self._fill(self.kinds, [(tr("All kinds"), _ALL), *rows])

    def show_only(self, agent_id: str | None) -> None:
        """Show an agent's events alone, or those of all, with nothing else kept back."""
        self._set(agent_id or _ALL)

    def show_stretch(self, stretch: TimeRange) -> None:
        """Show the events of a stretch alone."""
        self._stretch = stretch
        self._show_times()
        self.times.setCurrentIndex(self.times.findData(_STRETCH))
        self._tell()

    def clear(self) -> None:
        """Keep nothing back any more."""
        self._set(_ALL)

    @property
    def state(self) -> dict[str, str]:
        """What is set, to be stored and restored; empty where nothing is kept back."""
        chosen = {name: str(box.currentData()) for name, box in self._boxes().items() if box.currentIndex()}
        if self.words_field.text().strip():
            chosen["words"] = self.words_field.text()
        if self._folded:
            chosen["folded"] = json.dumps(list(self._folded))
        if chosen.get("time") == _STRETCH and self._stretch is not None:
            chosen |= {"since": self._stretch.start.isoformat(), "until": self._stretch.end.isoformat()}
        return chosen

    def restore(self, state: Mapping[str, object]) -> None:
        """Set what was stored, as far as it can be read and is there; tells nobody."""
        self._filling = True
        try:
            self._stretch = _stretch_of(state)
            self._show_times()
            words = state.get("words")
            self.words_field.setText(words if isinstance(words, str) else "")
            for each in tuple(self._folded):
                self._take_out(each)
            for key in _folds_of(state):
                self._fold(key)
            kind = state.get("kind")
            if isinstance(kind, str) and self.kinds.findData(kind) < 0:
                self.kinds.addItem(one_line(kind_name(kind), _NAME_LENGTH), kind)
            for name, box in self._boxes().items():
                stored = state.get(name)
                data = int(stored) if name == "importance" and _is_number(stored) else stored
                box.setCurrentIndex(max(0, box.findData(data)))
            self._set_since()
        finally:
            self._filling = False
        self._typed.stop()
        self.clear_button.setEnabled(not self.wanted.passes_all)

    def _boxes(self) -> dict[str, QComboBox]:
        return {
            "agent": self.agents,
            "kind": self.kinds,
            "importance": self.importances,
            "time": self.times,
        }

    def start(self) -> None:
        """Give the keyboard to the words."""
        self.words_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words_field.selectAll()

    def _set(self, agent: str) -> None:
        self._filling = True
        try:
            self.words_field.clear()
            for box in (self.kinds, self.importances, self.times):
                box.setCurrentIndex(0)
            self.agents.setCurrentIndex(max(0, self.agents.findData(agent)))
            for each in tuple(self._folded):
                self._take_out(each)
        finally:
            self._filling = False
        self._stretch = None
        self._show_times()
        self._tell()

    def _show_times(self) -> None:
        rows = [
            (tr("Any time"), _ALL),
            (tr("Last hour"), "hour"),
            (tr("Last 24 hours"), "day"),
            (tr("Last 7 days"), "week"),
        ]
        if self._stretch is not None:
            start, end = (
                axis_time(at, self._stretch.length) for at in (self._stretch.start, self._stretch.end)
            )
            rows.append((tr("{start} to {end}", start=start, end=end), _STRETCH))
        self._fill(self.times, rows)

    def _fill(self, box: QComboBox, rows: Sequence[tuple[str, str]]) -> None:
        """Offer these choices, if they are other ones."""
        if list(rows) == [(box.itemText(place), box.itemData(place)) for place in range(box.count())]:
            return
        chosen, was = box.currentData(), self._filling
        self._filling = True
        try:
            box.clear()
            for text, data in rows:
                box.addItem(text, data)
            box.setCurrentIndex(max(0, box.findData(chosen)))
        finally:
            self._filling = was

    def _lay_out(self) -> None:
        self._row = FlowLayout()
        self.setLayout(self._row)
        boxes = (self.agents, self.kinds, self.importances, self.times)
        for each in (self.words_field, *boxes, self.clear_button, self.count_note):
            self._row.addWidget(each)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._appearance.changed.connect(self._measure)
        self._measure()

    def _connect(self) -> None:
        self.words_field.textChanged.connect(self._note_words)
        for box in (self.agents, self.kinds, self.importances):
            box.currentIndexChanged.connect(self._tell)
        self.times.currentIndexChanged.connect(self._note_time)
        for keys, go in (("Esc", self._leave), ("Down", self.left.emit)):
            shortcut = QShortcut(
                QKeySequence(keys), self.words_field, context=Qt.ShortcutContext.WidgetShortcut
            )
            shortcut.activated.connect(go)

    def _leave(self) -> None:
        self.words_field.clear()
        self.left.emit()

    def _note_words(self) -> None:
        if not self._filling:
            self._typed.start()

    def _note_time(self, *_: object) -> None:
        self._set_since()
        self._tell()

    def _set_since(self) -> None:
        length = _LAST.get(self.times.currentData())
        self._since = None if length is None else self._now() - length

    def _tell(self, *_: object) -> None:
        if not self._filling:
            self._typed.stop()
            wanted = self.wanted
            self.clear_button.setEnabled(not wanted.passes_all)
            self.filtered.emit(wanted)

    def _measure(self) -> None:
        space = self._appearance.space
        self._row.setContentsMargins(space(3), space(2), space(3), space(2))
        self._row.setSpacing(space(2))
        self.words_field.setMinimumWidth(space(_FIELD_STEPS))


def _stretch_of(state: Mapping[str, object]) -> TimeRange | None:
    """The stretch that was stored, None where there is none that could be one."""
    try:
        start, end = (datetime.fromisoformat(str(state[name])) for name in ("since", "until"))
    except (KeyError, ValueError):
        return None
    is_stretch = start.tzinfo is not None and end.tzinfo is not None and start < end
    return TimeRange(start, end) if is_stretch else None


def _folds_of(state: Mapping[str, object]) -> list[tuple[str, str]]:
    """What was folded away, as far as it can be read."""
    try:
        stored = json.loads(str(state.get("folded", "[]")))
    except (ValueError, RecursionError):
        return []
    pairs = [each for each in stored if isinstance(each, list)] if isinstance(stored, list) else []
    return [
        (each[0], each[1])
        for each in pairs
        if len(each) == 2 and each[0] in (_KIND, _AGENT) and isinstance(each[1], str)
    ]


def _is_number(stored: object) -> TypeGuard[str]:
    return isinstance(stored, str) and stored.isascii() and stored.isdigit()


def _box(name: str) -> QComboBox:
    made = QComboBox()
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    for each in (made, made.view()):
        each.setAccessibleName(name)
    return made


def _level_text(level: Importance) -> str:
    text = tr("{mark} {level}", mark=MARKS[level], level=importance_name(level))
    return text if level is Importance.CRITICAL else tr("{level} and up", level=text)
