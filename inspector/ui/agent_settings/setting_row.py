"""One row of the settings form: name, input, help with the default, what is wrong, and the ways back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from inspector.ui.agent_settings.field_table import SettingField
from inspector.ui.agent_settings.inputs import SettingInput, input_for
from inspector.ui.agent_settings.values import SettingFault
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button, icon_button
from inspector.ui.wording import tr

NAME_STEPS = 30
_LONGEST_LINE = 32
_FIXED_SPACE = "\N{NO-BREAK SPACE}"


class AgentSettingRow(QWidget):
    """A setting. `typed` carries a value, `faulted` why what is typed can't be one, nothing once it can.

    `reset` asks for the default, `reverted` for the stored value, `kept` says that the own draft stays although
    somebody else has changed the same.
    """

    typed = Signal(object)
    faulted = Signal(str)
    reset = Signal()
    reverted = Signal()
    kept = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, row: SettingField) -> None:
        super().__init__()
        space = appearance.space
        self.field = row
        self.input: SettingInput = input_for(appearance, row)
        self.input.typed.connect(self._take)
        self.name = PlainLabel(row.label, wrap=True)
        self._appearance = appearance
        appearance.changed.connect(self._measure)
        self.note = PlainLabel("", tone="muted", size="small")
        self.help = PlainLabel(row.help, tone="muted", size="small", wrap=True)
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self.clash = _Clash(self.reverted.emit, self.kept.emit, space(2))
        self.revert_button = _quiet(icon_button(icons, "undo", tr("Undo changes to {name}", name=row.label)))
        self.default_button = _quiet(
            icon_button(icons, "restore", tr("Use the default for {name}", name=row.label))
        )
        self.revert_button.clicked.connect(lambda _=False: self.reverted.emit())
        self.default_button.clicked.connect(lambda _=False: self.reset.emit())
        line, below = QHBoxLayout(), QVBoxLayout()
        self._under = under = QHBoxLayout()
        arrange(under, self.help, self.note, spacing=space(2))
        under.setStretch(0, 1)
        arrange(below, self.input, under, self.fault, self.clash, spacing=space(0.5))
        arrange(line, self.name, below, self.revert_button, self.default_button, spacing=space(2))
        line.setStretch(1, 1)
        for each in (self.name, self.revert_button, self.default_button):
            line.setAlignment(each, Qt.AlignmentFlag.AlignTop)
        arrange(QVBoxLayout(self), line)
        self.fault.hide()
        self.clash.hide()
        self._measure()

    def offer_more(self, text: str, do: Callable[[], None]) -> None:
        """Have a button under the input, which leads to more about the setting."""
        self._under.addWidget(button(text, do, size="small"))

    def tell_default(self, text: str) -> None:
        """Say what the default is, behind the help."""
        # A short one stands on one line with its unit.
        default = tr("Default: {value}", value=text) if text else ""
        default = default.replace(" ", _FIXED_SPACE) if len(default) <= _LONGEST_LINE else default
        self.help.setText(" ".join(each for each in (self.field.help, default) if each))
        self.help.setVisible(bool(self.help.original))

    def show_state(self, *, is_changed: bool, is_default: bool, is_open: bool) -> None:
        """Offer the ways back that lead somewhere."""
        # The name says it too: for who doesn't see the colour.
        self.name.set_tone("warning" if is_changed else "")
        self.name.setText(tr("{name} *", name=self.field.label) if is_changed else self.field.label)
        self.revert_button.setVisible(is_open and (is_changed or bool(self.fault.original)))
        self.default_button.setVisible(is_open and self.field.has_default and not is_default)

    def show_fault(self, text: str) -> None:
        self.fault.setText(text)
        self.fault.setVisible(bool(text))
        self.input.setAccessibleDescription(text or self.field.help)

    def _measure(self) -> None:
        self.name.setFixedWidth(self._appearance.space(NAME_STEPS))
        self.name.setMinimumHeight(self._appearance.row_height())
        self.input.measure(self._appearance)

    def _take(self, value: object) -> None:
        fault = value.text if isinstance(value, SettingFault) else ""
        self.show_fault(fault)
        if not fault:
            # First: whoever hears of the fault shows all settings, and would put the old value back here.
            self.typed.emit(value)
        self.faulted.emit(fault)


class _Clash(QWidget):
    """Says that somebody else has changed the same setting, and asks which value stays."""

    def __init__(self, theirs: Callable[[], None], mine: Callable[[], None], spacing: int) -> None:
        super().__init__()
        self.text = PlainLabel("", tone="warning", size="small", wrap=True)
        self.theirs_button = button(tr("Use theirs"), theirs, size="small")
        self.mine_button = button(tr("Keep mine"), mine, size="small")
        row = QHBoxLayout(self)
        arrange(row, self.text, self.theirs_button, self.mine_button, spacing=spacing)
        row.setStretch(0, 1)


def _quiet(made: QToolButton) -> QToolButton:
    """It keeps its room, or fields would change their width while somebody types."""
    policy = made.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    made.setSizePolicy(policy)
    made.hide()
    return made
