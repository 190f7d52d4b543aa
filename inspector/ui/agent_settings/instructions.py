"""The instructions of an agent: a text field for each, to add, move and remove."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.ui.agent_settings.setting_row import NAME_STEPS
from inspector.ui.appearance import Appearance
from inspector.ui.editors.fields import TextField
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, button, icon_button
from inspector.ui.wording import tr

_LINES = 12


class InstructionsEditor(QWidget):
    """`typed` carries all instructions as a tuple of texts."""

    typed = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._appearance, self._icons = appearance, icons
        self._texts: tuple[str, ...] = ()
        self._is_open = True
        self.rows: list[InstructionRow] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(appearance.space(3))
        self.add_button = button(tr("Add instruction"), self._add)
        last = QHBoxLayout()
        arrange(last, appearance.space(NAME_STEPS + 2), self.add_button, None)
        arrange(QVBoxLayout(self), self._column, last, spacing=appearance.space(3))

    def show_texts(self, texts: Sequence[str], stored: Sequence[str]) -> None:
        """Show these; a mark is on those that differ from the stored ones at their place."""
        self._texts = tuple(texts)
        while len(self.rows) < len(texts):
            self._append()
        while len(self.rows) > len(texts):
            gone = self.rows.pop()
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for at, (row, text) in enumerate(zip(self.rows, texts, strict=True)):
            row.show_text(text, is_changed=at >= len(stored) or stored[at] != text)
            row.show_places(is_first=at == 0, is_last=at == len(texts) - 1, is_open=self._is_open)

    def show_tokens(self, figures: Sequence[str]) -> None:
        for row, figure in zip(self.rows, figures, strict=False):
            row.tokens.setText(figure)

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self.add_button.setEnabled(is_open)
        for row in self.rows:
            row.editor.setReadOnly(not is_open)

    def _append(self) -> None:
        at = len(self.rows)
        row = InstructionRow(self._appearance, self._icons, at)
        row.editor.setReadOnly(not self._is_open)
        row.editor.edited.connect(partial(self._type, at))
        row.up.clicked.connect(lambda _=False: self._move(at, at - 1))
        row.down.clicked.connect(lambda _=False: self._move(at, at + 1))
        row.remove.clicked.connect(lambda _=False: self._remove(at))
        self.rows.append(row)
        self._column.addWidget(row)

    def _add(self) -> None:
        self.typed.emit((*self._texts, ""))
        if self.rows:
            self.rows[-1].editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _type(self, at: int) -> None:
        texts = [*self._texts]
        if at < len(texts):
            texts[at] = self.rows[at].editor.text
            self.typed.emit(tuple(texts))

    def _move(self, at: int, to: int) -> None:
        texts = [*self._texts]
        if 0 <= to < len(texts):
            texts[at], texts[to] = texts[to], texts[at]
            self.typed.emit(tuple(texts))

    def _remove(self, at: int) -> None:
        self.typed.emit(tuple(text for place, text in enumerate(self._texts) if place != at))


class InstructionRow(QWidget):
    """One instruction with its number and its tokens."""

    def __init__(self, appearance: Appearance, icons: Icons, at: int) -> None:
        super().__init__()
        space, name = appearance.space, tr("Instruction {number}", number=at + 1)
        self._name = name
        self.name = PlainLabel(name, wrap=True)
        self._appearance = appearance
        appearance.changed.connect(self._measure)
        self.editor = TextField(appearance, name, _LINES)
        self.tokens = PlainLabel("", tone="muted", size="small")
        self.up = icon_button(icons, "chevron_up", tr("Move instruction {number} up", number=at + 1))
        self.down = icon_button(icons, "chevron_down", tr("Move instruction {number} down", number=at + 1))
        self.remove = icon_button(icons, "delete", tr("Remove instruction {number}", number=at + 1))
        line = QHBoxLayout(self)
        arrange(line, self.name, self.editor, self.tokens, self.up, self.down, self.remove, spacing=space(2))
        line.setStretch(1, 1)
        for each in (self.name, self.tokens, self.up, self.down, self.remove):
            line.setAlignment(each, Qt.AlignmentFlag.AlignTop)
        self._measure()

    def show_text(self, text: str, *, is_changed: bool) -> None:
        if self.editor.text != text:
            self.editor.load(text)
        self.name.set_tone("warning" if is_changed else "")
        self.name.setText(tr("{name} *", name=self._name) if is_changed else self._name)

    def show_places(self, *, is_first: bool, is_last: bool, is_open: bool) -> None:
        self.up.setEnabled(is_open and not is_first)
        self.down.setEnabled(is_open and not is_last)
        self.remove.setEnabled(is_open)

    def _measure(self) -> None:
        self.name.setFixedWidth(self._appearance.space(NAME_STEPS))
        for each in (self.name, self.tokens):
            each.setMinimumHeight(self._appearance.row_height())
