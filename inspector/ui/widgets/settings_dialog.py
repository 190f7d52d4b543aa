"""The settings dialog: every setting in one list with a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.settings import Setting, SettingValue
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import arrange, button, field, icon_button, rule
from inspector.ui.wording import tr, tr_error

_WIDTH, _HEIGHT, _SHARE = 88, 36, 0.92
_STEP = 0.05


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


class SettingsDialog(QDialog):
    """The list above the window, which goes on working."""

    def __init__(self, parent: QWidget, icons: Icons, settings: Sequence[StoredSetting]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Settings")))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self.search = field(tr("Find a setting"), role="filter")
        self.rows = tuple(SettingRow(icons, each) for each in settings)
        self._none = PlainLabel(tr("No setting matches."), tone="muted")
        page = QWidget()
        arrange(QVBoxLayout(page), *self.rows, self._none, None, margins=16, spacing=4)
        scroll = QScrollArea()
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(tr("Settings"))
        top, bottom = QHBoxLayout(), QHBoxLayout()
        arrange(top, self.search, margins=16)
        arrange(bottom, None, button(tr("Close"), self.accept))
        bottom.setContentsMargins(16, 8, 16, 16)
        arrange(QVBoxLayout(self), top, rule(), scroll, bottom)
        self.search.textChanged.connect(self._find)
        self._find("")
        self.search.setFocus()

    def _find(self, words: str) -> None:
        wanted = words.casefold().split()
        for row in self.rows:
            row.setVisible(all(word in row.words for word in wanted))
        self._none.setVisible(all(row.isHidden() for row in self.rows))


class SettingRow(QFrame):
    """One setting: what it means, its value, the way back, and why a value was refused."""

    def __init__(self, icons: Icons, kept: StoredSetting) -> None:
        super().__init__()
        self._kept = kept
        row = kept.row
        self.words = f"{row.name} {tr(row.description)}".casefold()
        self._refused = PlainLabel("", tone="error", size="small", wrap=True)
        self._refused.hide()
        self.input, self._show = self._made()
        self.input.setAccessibleName(tr(row.description))
        self.back = icon_button(icons, "restore", tr("Reset {name}", name=row.name), self._reset)
        about = QVBoxLayout()
        arrange(
            about,
            PlainLabel(tr(row.description), wrap=True),
            PlainLabel(row.name, tone="muted", size="small"),
            self._refused,
        )
        line = QHBoxLayout()
        arrange(line, about, self.input, self.back, spacing=12)
        line.setStretch(0, 3)
        line.setStretch(1, 2)
        arrange(QVBoxLayout(self), line, rule(), spacing=8)
        self._tell()

    def _made(self) -> tuple[QWidget, Callable[[SettingValue], None]]:
        """The control for the kind of value, and what shows a value in it."""
        row = self._kept.row
        if isinstance(row.default, bool):
            check = QCheckBox()
            check.toggled.connect(self._take)
            return check, lambda value: check.setChecked(value is True)
        if row.choices:
            box = QComboBox()
            box.addItems(list(row.choices))
            box.textActivated.connect(self._take)
            return box, lambda value: box.setCurrentText(str(value))
        if isinstance(row.default, int | float):
            spin = QDoubleSpinBox()
            spin.setRange(row.minimum or 0.0, 1e9 if row.maximum is None else row.maximum)
            spin.setSingleStep(_STEP)
            spin.valueChanged.connect(self._take)
            return spin, lambda value: spin.setValue(0.0 if isinstance(value, str) else float(value))
        line = QLineEdit()
        line.editingFinished.connect(lambda: self._take(line.text().strip()))
        return line, lambda value: line.setText(str(value))

    def _take(self, value: SettingValue) -> None:
        name = self._kept.row.name
        if value == self._kept.store.get(name):
            self._tell()
            return
        try:
            self._kept.store.set(name, value)
        except InputError as error:
            self._refuse(tr_error(error))
            return
        self._tell()

    def _reset(self) -> None:
        self._kept.store.reset(self._kept.row.name)
        self._tell()

    def _refuse(self, why: str) -> None:
        self._refused.setText(why)
        self._refused.show()

    def _tell(self) -> None:
        self._refused.hide()
        value = self._kept.store.get(self._kept.row.name)
        self.input.blockSignals(True)
        try:
            self._show(value)
        finally:
            self.input.blockSignals(False)
        self.back.setEnabled(value != self._kept.row.default)
