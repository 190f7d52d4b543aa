"""A small form widget over the window: a few fields and one primary button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.ui.safe_text import PlainLabel, show_controls, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import tr

_WIDTH = 48
_MOST_SEEN = 12


def _no_fault(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. With `choices` (id, title) one of them is picked, else a line is typed.

    `offers` are lines that can be picked and changed. `fault` says what is wrong with a line, nothing if it will do.
    """

    id: str
    label: str
    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = False
    offers: tuple[str, ...] = ()
    fault: Callable[[str], str] = _no_fault


class FormDialog(QDialog):
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
        self._inputs: dict[str, QLineEdit | QComboBox] = {}
        self._faults: dict[str, PlainLabel] = {}
        self._do = button(do, self.accept, role="primary")
        self._do.setDefault(True)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for each in fields:
            self._inputs[each.id] = made = self._input(each)
            self._faults[each.id] = fault = PlainLabel("", tone="error", size="small", wrap=True)
            both = QVBoxLayout()
            arrange(both, made, fault, spacing=4)
            form.addRow(PlainLabel(each.label, tone="muted"), both)
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self._do, spacing=8)
        arrange(QVBoxLayout(self), form, row, margins=16, spacing=16)
        self.accepted.connect(lambda: self._answered(self.values()))
        self._check()

    def values(self) -> Mapping[str, str]:
        """What is in the fields."""
        return {id_: _value(each) for id_, each in self._inputs.items()}

    def _input(self, each: FormField) -> QLineEdit | QComboBox:
        if each.choices:
            box = QComboBox()
            for id_, title in each.choices:
                box.addItem(show_controls(title), id_)
            box.setCurrentIndex(max(0, box.findData(each.value)))
            made: QLineEdit | QComboBox = box
        elif each.offers:
            made = box = QComboBox()
            box.setEditable(True)
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            box.addItems(each.offers)
            box.setMaxVisibleItems(_MOST_SEEN)
            box.setCurrentText(each.value)
            box.editTextChanged.connect(lambda _: self._check())
            completer = QCompleter(box.model(), box)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
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
        complete = all(values[each.id] for each in self._fields if each.required)
        self._do.setEnabled(complete and not any(faults.values()))


def _value(given: QLineEdit | QComboBox) -> str:
    if isinstance(given, QLineEdit):
        return given.text().strip()
    return given.currentText().strip() if given.isEditable() else str(given.currentData())
