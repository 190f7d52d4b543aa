"""The dialog of the program's settings: groups of rows that take effect at once, and a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.settings import Setting, SettingValue
from inspector.runtime.settings import NETWORK_OFFLINE
from inspector.ui.agent_settings.inputs import LineInput
from inspector.ui.agent_settings.setting_row import AgentSettingRow
from inspector.ui.agent_settings.values import SettingFault, shown_value
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.key_ring import KeyRing
from inspector.ui.program_settings.allowed import AllowedList
from inspector.ui.program_settings.keys import KeyList
from inspector.ui.program_settings.table import (
    KEYS,
    OTHER,
    SENDING,
    SettingLook,
    SettingSubject,
    field_of,
    plain_look,
    subjects,
)
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.send_gate import SendGate
from inspector.ui.widgets.controls import arrange, button, field, name_help, rule
from inspector.ui.widgets.grouped_page import GroupedPage
from inspector.ui.wording import tr, tr_error

_WIDTH, _HEIGHT, _SHARE = 96, 34, 0.92
_LIST_STEPS = 34


class SettingStore(Protocol):
    """Where some of the settings are kept."""

    def get(self, name: str) -> SettingValue:
        """Read the value of a setting."""

    def set(self, name: str, value: SettingValue) -> None:
        """Store a value, or raise InputError or ValueError."""

    def reset(self, name: str) -> None:
        """Go back to the default."""


@dataclass(frozen=True, slots=True)
class StoredSetting:
    """A setting and where it is kept."""

    row: Setting
    store: SettingStore


class ProgramSettingRow(AgentSettingRow):
    """One setting of the program, stored as soon as it is entered. `stored` tells that it was."""

    stored = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, kept: StoredSetting, look: SettingLook) -> None:
        super().__init__(appearance, icons, field_of(kept.row, look))
        self._kept = kept
        self._choices = look.choices
        self._typed: Any = None
        words = (kept.row.name, self.field.label, self.field.help, look.words)
        self.words = " ".join((*words, *(title for _, title in self._choices))).casefold()
        self.input.offer(self._choices)
        self.tell_default(self._default_text())
        # What is typed takes effect at once: there is nothing to go back to but the default.
        policy = self.revert_button.sizePolicy()
        policy.setRetainSizeWhenHidden(False)
        self.revert_button.setSizePolicy(policy)
        self.typed.connect(self._type)
        self.reset.connect(self._reset)
        if isinstance(self.input, LineInput):
            self.input.line.editingFinished.connect(self.finish)
        self.follow()

    def follow(self) -> None:
        """Show what is stored now."""
        self._typed = None
        self.show_fault("")
        self._show_stored()

    def finish(self) -> None:
        """Store what is typed, or say why it can't be."""
        if self._typed is None or self.fault.original:
            return
        value, self._typed = self._typed, None
        if isinstance(value, str):
            value = value.strip()
        try:
            self._kept.store.set(self._kept.row.name, value)
        except InputError as error:
            self.show_fault(
                tr_error(InputError(error.code, **{**error.parameters, "name": self.field.label}))
            )
            return
        self._show_stored()
        self.stored.emit()

    def _show_stored(self) -> None:
        value = self._kept.store.get(self._kept.row.name)
        self.input.show_value(value)
        self.show_state(is_changed=False, is_default=value == self._kept.row.default, is_open=True)

    def _type(self, value: object) -> None:
        self._typed = None if isinstance(value, SettingFault) else value
        if not isinstance(self.input, LineInput):
            self.finish()

    def _reset(self) -> None:
        self._kept.store.reset(self._kept.row.name)
        if isinstance(self.input, LineInput):
            self.input.line.clear()
        self.follow()

    def _default_text(self) -> str:
        default = self._kept.row.default
        if isinstance(default, bool):
            return tr("on") if default else tr("off")
        titles = dict(self._choices)
        text = titles.get(str(default)) or shown_value(self.field, default)
        return f"{text} {self.field.unit}".strip()


class SettingsDialog(QDialog):
    """The settings above the window, which goes on working. `rows` are by the stored names."""

    def __init__(
        self,
        parent: QWidget,
        look: tuple[Appearance, Icons],
        settings: Sequence[StoredSetting],
        ring: KeyRing,
        gate: SendGate,
    ) -> None:
        super().__init__(parent)
        name_help(self, "Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Settings")))
        appearance, icons = look
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self._appearance = appearance
        self.search = field(tr("Find a setting"), role="filter")
        self.groups = QListWidget()
        self.groups.setAccessibleName(tr("Groups of settings"))
        self.groups.setProperty("role", "groups")
        self.groups.setFixedWidth(appearance.space(_LIST_STEPS))
        self.page = GroupedPage(appearance, tr("Settings"))
        self.rows: dict[str, ProgramSettingRow] = {}
        self.keys, self.allowed = KeyList(appearance, ring), AllowedList(appearance, gate)
        self._parts: dict[str, KeyList | AllowedList] = {KEYS: self.keys, SENDING: self.allowed}
        self._subjects = _subjects_with(settings)
        self._sought = ""
        self._fill(icons, {each.row.name: each for each in settings})
        self._none = PlainLabel(tr("No setting matches."), tone="muted")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out()
        self.search.textChanged.connect(self._find)
        self.search.returnPressed.connect(self._go_to_first)
        self.groups.currentRowChanged.connect(self._go_to)
        # One that is marked already, as what was found last was in it, may stand elsewhere on the page by now.
        self.groups.itemClicked.connect(lambda item: self._go_to(self.groups.row(item)))
        self.page.reached.connect(self._mark)
        soon = QTimer(self, singleShot=True, interval=0)
        soon.timeout.connect(self._seek)
        self.page.verticalScrollBar().rangeChanged.connect(lambda _least, _most: soon.start())
        self._find("")
        self.groups.setCurrentRow(0)
        self.search.setFocus()

    def follow(self, name: str) -> None:
        """Show another value that a setting got elsewhere."""
        if name in self.rows:
            self.rows[name].follow()

    def follow_offline(self) -> None:
        """Show whether the user works offline, which a menu turns too."""
        self.follow(NETWORK_OFFLINE)

    def go_to(self, id_: str) -> None:
        """Show a group of settings."""
        self.groups.setCurrentRow([each.id for each in self._subjects].index(id_))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Store what is typed and not yet finished."""
        self._finish()
        super().closeEvent(event)

    def done(self, result: int) -> None:
        self._finish()
        super().done(result)

    def _finish(self) -> None:
        for row in self.rows.values():
            row.finish()

    def _fill(self, icons: Icons, kept: dict[str, StoredSetting]) -> None:
        for subject in self._subjects:
            self.page.begin(subject.id, subject.title)
            self.groups.addItem(subject.title)
            for name, look in subject.looks.items():
                if name in kept:
                    self.rows[name] = row = ProgramSettingRow(self._appearance, icons, kept[name], look)
                    self.page.add(row)
            if subject.id in self._parts:
                self.page.add(self._parts[subject.id])
        self.page.end()

    def _lay_out(self) -> None:
        space = self._appearance.space
        top, bottom, middle = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        arrange(top, self.search, margins=space(4))
        arrange(middle, self.groups, self.page, self._none)
        middle.setStretch(1, 1)
        middle.setStretch(2, 1)
        note = PlainLabel(tr("Changes take effect at once."), tone="muted", size="small")
        arrange(bottom, note, None, button(tr("Close"), self.accept))
        bottom.setContentsMargins(space(4), space(2), space(4), space(4))
        arrange(QVBoxLayout(self), top, rule(), middle, rule(), bottom)

    def _find(self, words: str) -> None:
        self._sought = ""
        wanted = words.casefold().split()
        shown = {
            name: all(word in f"{row.words} {subject.title.casefold()}" for word in wanted)
            for subject in self._subjects
            for name, row in self._rows_of(subject)
        }
        for name, row in self.rows.items():
            row.setVisible(shown[name])
        first = True
        for at, subject in enumerate(self._subjects):
            there = any(shown[name] for name, _ in self._rows_of(subject))
            if (part := self._parts.get(subject.id)) is not None:
                is_part = all(word in part.words for word in wanted)
                part.setVisible(is_part)
                there = there or is_part
            self.page.show_group(subject.id, shown=there, first=first)
            self.groups.setRowHidden(at, not there)
            first = first and not there
        self._none.setVisible(first)
        self.page.setVisible(not first)

    def _rows_of(self, subject: SettingSubject) -> Iterable[tuple[str, ProgramSettingRow]]:
        return [(name, self.rows[name]) for name in subject.looks if name in self.rows]

    def _go_to_first(self) -> None:
        found = next((row for row in self.rows.values() if not row.isHidden()), None)
        if found is not None:
            found.input.setFocus(Qt.FocusReason.TabFocusReason)

    def _go_to(self, at: int) -> None:
        if at >= 0:
            self._sought = self._subjects[at].id
            self._seek()

    def _seek(self) -> None:
        """Keep the group that was gone to at the top while what is above it grows, as keys become known."""
        if self._sought:
            # Scrolling says which group is reached, which at the end of the page may be a later one.
            self.page.blockSignals(True)
            self.page.go_to(self._sought)
            self.page.blockSignals(False)

    def _mark(self, id_: str) -> None:
        self._sought = ""
        self.groups.blockSignals(True)
        self.groups.setCurrentRow([each.id for each in self._subjects].index(id_))
        self.groups.blockSignals(False)


def _subjects_with(settings: Iterable[StoredSetting]) -> list[SettingSubject]:
    """The groups of the table, and one more of what stands in none."""
    groups = list(subjects())
    placed = {name for each in groups for name in each.looks}
    rest = {each.row.name: plain_look(each.row) for each in settings if each.row.name not in placed}
    return [*groups, SettingSubject(OTHER, tr("Other"), rest)] if rest else groups
