"""A small form widget over the window: a few fields and one primary button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.safe_text import PlainLabel, one_line, show_controls, window_title, without_mnemonic
from inspector.ui.widgets.controls import arrange, button, text_space
from inspector.ui.widgets.dialog_of_file import DialogOfFile
from inspector.ui.wording import tr

_WIDTH = 48
_MOST_SEEN = 12
_FEWEST_CHARACTERS = 24


Pick = Callable[[QWidget, Callable[[str], None], str], None]
"""Asks for a value below a widget: what takes it, and what is chosen so far."""


def _no_fault(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. With `choices` (id, title) one of them is picked, else a line is typed.

    `offers` are lines that can be picked and changed. With `pick` a button opens a picker below it, whose choice is
    the value. `fault` says what is wrong with a line, nothing if it will do; `note` what it means.
    """

    id: str
    label: str
    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = False
    offers: tuple[str, ...] = ()
    fault: Callable[[str], str] = _no_fault
    pick: Pick | None = None
    note: Callable[[str], str] = _no_fault


class _PickButton(QPushButton):
    """Shows what was picked and picks another."""

    def __init__(self, row: FormField, pick: Pick, changed: Callable[[], None]) -> None:
        super().__init__()
        self._row, self._pick, self._changed = row, pick, changed
        self.setAutoDefault(False)
        self.value = ""
        self.clicked.connect(lambda _=False: self._pick(self, self.take, self.value))
        self._show(row.value)

    def take(self, value: str) -> None:
        self._show(value)
        self._changed()

    def _show(self, value: str) -> None:
        self.value = value
        self.setText(f"{without_mnemonic(value) or tr('Choose …')}  ▾")
        name = tr("{name}: {chosen}", name=self._row.label, chosen=one_line(value) or tr("none"))
        self.setAccessibleName(name)


_Input = QLineEdit | QComboBox | _PickButton


class _Choices(QComboBox):
    """A combo box whose list is as wide as the longest choice."""

    def showPopup(self) -> None:
        # Only now is it sure how the list looks, and so how wide it is.
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0))
        super().showPopup()


def _style_sheet_around(widget: QWidget | None) -> str:
    """The style sheet of the window in which, however far, a widget or its dialog is."""
    found = ""
    while widget is not None:
        found = widget.styleSheet() or found
        widget = widget.parentWidget()
    return found


class FormDialog(DialogOfFile):
    """The form. `answered` gets the values by field id, only when the primary button was pressed."""

    def __init__(
        self,
        parent: QWidget,
        title: str,
        fields: tuple[FormField, ...],
        do: str,
        answered: Callable[[Mapping[str, str]], None],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(title))
        # In figures, so that it follows the size of text.
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * _WIDTH)
        self._fields = fields
        self._answered = answered
        self._inputs: dict[str, _Input] = {}
        self._faults: dict[str, PlainLabel] = {}
        self._notes: dict[str, PlainLabel] = {}
        self._do = button(do, self.accept, role="primary")
        self._do.setDefault(True)
        form, step = QFormLayout(), text_space(self, 1)
        form.setHorizontalSpacing(4 * step)
        form.setVerticalSpacing(2 * step)
        for each in fields:
            self._inputs[each.id] = made = self._input(each)
            self._faults[each.id] = fault = PlainLabel("", tone="error", size="small", wrap=True)
            both = QVBoxLayout()
            self._notes[each.id] = note = PlainLabel("", tone="muted", size="small", wrap=True)
            arrange(both, made, fault, note, spacing=step)
            form.addRow(PlainLabel(each.label, tone="muted"), both)
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self._do, spacing=2 * step)
        arrange(QVBoxLayout(self), form, row, margins=4 * step, spacing=4 * step)
        self.accepted.connect(lambda: self._answered(self.values()))
        self._check()

    def values(self) -> Mapping[str, str]:
        """What is in the fields."""
        return {id_: _value(each) for id_, each in self._inputs.items()}

    def _input(self, each: FormField) -> _Input:
        if each.pick is not None:
            return _PickButton(each, each.pick, self._check)
        if each.choices:
            box: QComboBox = _Choices()
            # The longest choice is read in the list: the form need not be as wide as that.
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_FEWEST_CHARACTERS)
            for id_, title in each.choices:
                box.addItem(show_controls(title), id_)
            box.setCurrentIndex(max(0, box.findData(each.value)))
            made: _Input = box
        elif each.offers:
            made = box = QComboBox()
            box.setEditable(True)
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            # A line can't show what is hidden in a stranger's text, nor where it breaks.
            box.addItems([offer for offer in each.offers if offer.isprintable()])
            box.setMaxVisibleItems(_MOST_SEEN)
            box.setCurrentText(each.value)
            box.editTextChanged.connect(lambda _: self._check())
            completer = QCompleter(box.model(), box)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            found = completer.popup()
            if found is not None:
                # It is a window of nobody's, so that it would look like no other list.
                found.setStyleSheet(_style_sheet_around(self))
            box.setCompleter(completer)
        else:
            made = QLineEdit(each.value)
            made.selectAll()
            made.textChanged.connect(lambda _: self._check())
        made.setAccessibleName(each.label)
        return made

    def _check(self) -> None:
        values = self.values()
        faults = {each.id: each.fault(values[each.id]) if values[each.id] else "" for each in self._fields}
        for id_, text in faults.items():
            self._faults[id_].setText(text)
            self._faults[id_].setVisible(bool(text))
            self._inputs[id_].setAccessibleDescription(text)
        for each in self._fields:
            note = each.note(values[each.id])
            self._notes[each.id].setText(note)
            self._notes[each.id].setVisible(bool(note))
        complete = all(values[each.id] for each in self._fields if each.required)
        self._do.setEnabled(complete and not any(faults.values()))


def _value(given: _Input) -> str:
    if isinstance(given, _PickButton):
        return given.value
    if isinstance(given, QLineEdit):
        return given.text().strip()
    return given.currentText().strip() if given.isEditable() else str(given.currentData())
