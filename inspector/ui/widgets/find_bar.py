"""A widget to find words in an editor, and to replace them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import button, field, icon_button
from inspector.ui.wording import number, tr


class FindBar(QFrame):
    """Enter goes on, Shift+Enter back, Escape closes.

    `changed` carries the words, `stepped` 1 or -1; `replace_one` and `replace_all` ask for what they say.
    """

    changed = Signal(str)
    stepped = Signal(int)
    replace_one = Signal()
    replace_all = Signal()
    closed = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, *, name: str, replaces: bool = False) -> None:
        super().__init__()
        self._appearance = appearance
        self.setProperty("role", "dock_title")
        self.words_field = field(name)
        self.words_field.textChanged.connect(self.changed)
        self.replacement_field = field(tr("Replace with"))
        self._note = PlainLabel("", tone="muted", size="small")
        self._replaces = replaces
        self._first, self._second = QWidget(), QWidget()
        self._fill(
            self._first,
            self.words_field,
            self._note,
            self._step_button("↑", tr("Previous"), -1),
            self._step_button("↓", tr("Next"), 1),
            icon_button(icons, "close", tr("Close search"), self.leave),
        )
        self._fill(
            self._second,
            self.replacement_field,
            button(tr("Replace"), self.replace_one.emit),
            button(tr("Replace all"), self.replace_all.emit),
        )
        self._rows = QVBoxLayout(self)
        self._rows.addWidget(self._first)
        self._rows.addWidget(self._second)
        self._second.hide()
        self.hide()
        appearance.changed.connect(self._measure)
        self._measure()

    @property
    def words(self) -> str:
        return self.words_field.text()

    @property
    def replacement(self) -> str:
        return self.replacement_field.text()

    @property
    def note(self) -> str:
        return self._note.original

    def summon(self, words: str = "", *, replacing: bool = False) -> None:
        """Come up with the keyboard in it; words that are given take the place of the old ones."""
        self._second.setVisible(replacing and self._replaces)
        self.show()
        if words:
            self.words_field.setText(words)
        self.words_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words_field.selectAll()

    def leave(self) -> None:
        self.hide()
        self.closed.emit()

    def tell(self, at: int, count: int) -> None:
        """Say which of how many (from 0, -1 for none of them) is shown."""
        if not self.words:
            text = ""
        elif not count:
            text = tr("not found")
        elif at < 0:
            text = tr("{count} found", count=number(count))
        else:
            text = tr("{at} of {count}", at=number(at + 1), count=number(count))
        self._note.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on, back or away."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if self.replacement_field.hasFocus():
                self.replace_one.emit()
            else:
                self.stepped.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next_: bool) -> bool:
        """Go from what is looked for to what takes its place; the arrows come after both."""
        here, there = (self.words_field, self.replacement_field)[:: 1 if next_ else -1]
        if not here.hasFocus() or not there.isVisible():
            return super().focusNextPrevChild(next_)
        there.setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def _step_button(self, text: str, name: str, by: int) -> QPushButton:
        made = button(text, lambda: self.stepped.emit(by), role="flat")
        made.setAccessibleName(name)
        safe_tooltip(made, name)
        return made

    @staticmethod
    def _fill(row: QWidget, *widgets: QWidget) -> None:
        layout = QHBoxLayout(row)
        for each in widgets:
            layout.addWidget(each)
        layout.setStretch(0, 1)

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(space(3), space(1), space(2), space(1))
        self._rows.setSpacing(space(1))
        for row in (self._first, self._second):
            layout = row.layout()
            if layout is not None:
                layout.setContentsMargins(0, 0, 0, 0)
                layout.setSpacing(space(2))
