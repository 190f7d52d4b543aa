"""A small form widget over the window: a few fields and one primary button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.safe_text import PlainLabel, show_controls, window_title
from inspector.ui.widgets.controls import arrange, button
from inspector.ui.wording import tr

_WIDTH = 48


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. With `choices` (id, title) one of them is picked, else a line is typed."""

    id: str
    label: str
    value: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = False


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
        self._do = button(do, self.accept, role="primary")
        self._do.setDefault(True)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for each in fields:
            self._inputs[each.id] = made = self._input(each)
            form.addRow(PlainLabel(each.label, tone="muted"), made)
        row = QHBoxLayout()
        arrange(row, None, button(tr("Cancel"), self.reject), self._do, spacing=8)
        arrange(QVBoxLayout(self), form, row, margins=16, spacing=16)
        self.accepted.connect(lambda: self._answered(self.values()))
        self._check()

    def values(self) -> Mapping[str, str]:
        """What is in the fields."""
        return {
            id_: each.text().strip() if isinstance(each, QLineEdit) else str(each.currentData())
            for id_, each in self._inputs.items()
        }

    def _input(self, each: FormField) -> QLineEdit | QComboBox:
        if each.choices:
            box = QComboBox()
            for id_, title in each.choices:
                box.addItem(show_controls(title), id_)
            box.setCurrentIndex(max(0, box.findData(each.value)))
            made: QLineEdit | QComboBox = box
        else:
            made = QLineEdit(each.value)
            made.selectAll()
            made.textChanged.connect(lambda _: self._check())
        made.setAccessibleName(each.label)
        return made

    def _check(self) -> None:
        values = self.values()
        self._do.setEnabled(all(values[each.id] for each in self._fields if each.required))
