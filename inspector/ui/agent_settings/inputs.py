"""The inputs of single settings: text, number, switch, choice and model. Each shows a value and tells what is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.agent_settings.field_table import InputKind, SettingField
from inspector.ui.agent_settings.values import SettingFault, read_setting, shown_value
from inspector.ui.appearance import Appearance
from inspector.ui.editors.fields import TextField
from inspector.ui.safe_text import PlainLabel, one_line, without_mnemonic
from inspector.ui.widgets.controls import arrange, button, field
from inspector.ui.wording import tr

_TEXT_LINES = 16
_NUMBER_STEPS, _LINE_STEPS = 26, 70
_FEWEST_CHARACTERS = 14
_MOST_SHOWN = 60


class SettingInput(QWidget):
    """One input. `typed` carries a value or a `SettingFault`."""

    typed = Signal(object)

    def show_value(self, value: Any) -> None:
        """Show a value, unless what is typed already means it."""

    def show_default(self, text: str) -> None:
        """Say what holds while nothing is typed."""

    def offer(self, choices: Sequence[tuple[object, str]]) -> None:
        """Offer these values, each with its title."""

    def set_open(self, is_open: bool) -> None:
        self.setEnabled(is_open)

    def forget_steps(self) -> None:
        """Let nothing that was typed before be undone."""

    def measure(self, appearance: Appearance) -> None:
        """Be as wide as the size of text asks for."""


class LineInput(SettingInput):
    """A line of text or a number, with its unit."""

    def __init__(self, appearance: Appearance, row: SettingField) -> None:
        super().__init__()
        self._field = row
        self.line: QLineEdit = field("")
        self.line.setAccessibleName(row.label)
        self.line.textEdited.connect(lambda text: self.typed.emit(read_setting(row, text)))
        self.line.editingFinished.connect(self._tidy)
        is_text = row.kind is InputKind.LINE
        if not is_text:
            self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
        unit = PlainLabel(row.unit, tone="muted")
        arrange(
            QHBoxLayout(self), self.line, unit, *(() if is_text else (None,)), spacing=appearance.space(2)
        )
        unit.setVisible(bool(row.unit))
        self.setFocusProxy(self.line)

    def show_value(self, value: Any) -> None:
        read = read_setting(self._field, self.line.text())
        if isinstance(read, SettingFault) or read != value or not self.line.hasFocus():
            text = shown_value(self._field, value)
            if text != self.line.text():
                self.line.setText(text)

    def show_default(self, text: str) -> None:
        self.line.setPlaceholderText(one_line(text))

    def set_open(self, is_open: bool) -> None:
        self.line.setReadOnly(not is_open)

    def forget_steps(self) -> None:
        """Let nothing that was typed before be undone."""
        place = self.line.cursorPosition()
        self.line.setText(self.line.text())
        self.line.setCursorPosition(place)

    def measure(self, appearance: Appearance) -> None:
        if self._field.kind is not InputKind.LINE:
            self.line.setFixedWidth(appearance.space(_NUMBER_STEPS))

    def _tidy(self) -> None:
        """Write a number with its separators, now that somebody is done with it."""
        read = read_setting(self._field, self.line.text())
        if not isinstance(read, SettingFault) and self._field.kind is not InputKind.LINE:
            self.line.setText(shown_value(self._field, read))


class TextInput(SettingInput):
    """A text of several lines."""

    def __init__(self, appearance: Appearance, row: SettingField) -> None:
        super().__init__()
        self._field = row
        self.editor = TextField(appearance, row.label, _TEXT_LINES)
        self.editor.edited.connect(self._typed)
        arrange(QVBoxLayout(self), self.editor)
        self.setFocusProxy(self.editor)

    def show_value(self, value: Any) -> None:
        read = read_setting(self._field, self.editor.text)
        if isinstance(read, SettingFault) or read != value:
            self.editor.load(value or "")

    def show_default(self, text: str) -> None:
        self.editor.setPlaceholderText(one_line(text))

    def set_open(self, is_open: bool) -> None:
        self.editor.setReadOnly(not is_open)

    def forget_steps(self) -> None:
        """Let nothing that was typed before be undone."""
        self.editor.forget_steps()

    def _typed(self) -> None:
        self.typed.emit(read_setting(self._field, self.editor.text))


class SwitchInput(SettingInput):
    """A setting that is on or off."""

    def __init__(self, row: SettingField) -> None:
        super().__init__()
        self.box = QCheckBox()
        self.box.setAccessibleName(row.label)
        self.box.clicked.connect(lambda on: self.typed.emit(bool(on)))
        arrange(QHBoxLayout(self), self.box, None)
        self.setFocusProxy(self.box)

    def show_value(self, value: Any) -> None:
        self.box.setChecked(bool(value))


class ChoiceInput(SettingInput):
    """A setting with values to choose from. One that is set and not offered is shown as it is."""

    def __init__(self, row: SettingField) -> None:
        super().__init__()
        self._choices: list[tuple[object, str]] = []
        self.combo = QComboBox()
        self.combo.setAccessibleName(row.label)
        # With little room it is cut, and the rest of the row stays in sight.
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setMinimumContentsLength(_FEWEST_CHARACTERS)
        self.combo.installEventFilter(_StillWheel(self.combo))
        self.combo.activated.connect(lambda at: self.typed.emit(self._choices[at][0]))
        _as_wide_as_there_is_room(self, self.combo)
        self.setFocusProxy(self.combo)

    def offer(self, choices: Sequence[tuple[object, str]]) -> None:
        if list(choices) != self._choices:
            self._choices = list(choices)
            with QSignalBlocker(self.combo):
                self.combo.clear()
                self.combo.addItems([one_line(title, _MOST_SHOWN) for _, title in choices])

    def show_value(self, value: Any) -> None:
        places = [at for at, (each, _) in enumerate(self._choices) if each == value]
        if not places:
            self.offer([*self._choices, (value, str(value))])
            places = [len(self._choices) - 1]
        self.combo.setCurrentIndex(places[0])

    def measure(self, appearance: Appearance) -> None:
        self.combo.setMaximumWidth(appearance.space(_LINE_STEPS))


class ModelInput(SettingInput):
    """The model: a button that asks for another one."""

    asked = Signal()

    def __init__(self, row: SettingField) -> None:
        super().__init__()
        self._label = row.label
        self.button: QPushButton = button("", self.asked.emit)
        self.button.setProperty("aligned", "left")
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        _as_wide_as_there_is_room(self, self.button)
        self.setFocusProxy(self.button)

    def show_value(self, value: Any) -> None:
        shown = one_line(value, _MOST_SHOWN) or tr("Choose a model")
        self.button.setText(f"{without_mnemonic(shown)}  ▾")
        self.button.setAccessibleName(tr("{name}: {chosen}", name=self._label, chosen=shown))

    def measure(self, appearance: Appearance) -> None:
        self.button.setMaximumWidth(appearance.space(_LINE_STEPS))


class _StillWheel(QObject):
    """Keeps a choice as it is while the form is scrolled over it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


def _as_wide_as_there_is_room(place: QWidget, widget: QWidget) -> None:
    widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    row = QHBoxLayout(place)
    arrange(row, widget, None)
    row.setStretch(0, 100)


def input_for(appearance: Appearance, row: SettingField) -> SettingInput:
    """The input for a setting's kind."""
    match row.kind:
        case InputKind.TEXT | InputKind.OBJECT:
            return TextInput(appearance, row)
        case InputKind.SWITCH:
            return SwitchInput(row)
        case InputKind.CHOICE:
            return ChoiceInput(row)
        case InputKind.MODEL:
            return ModelInput(row)
    return LineInput(appearance, row)
