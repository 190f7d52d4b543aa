"""A widget to find words in an editor, and to replace them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, button, field, icon_button
from inspector.ui.wording import number, tr


class FindBar(QFrame):
    """Enter goes on, Shift+Enter back, Escape closes.

    `changed` carries the words, also when they are looked for in another way; `stepped` 1 or -1; `replace_one` and
    `replace_all` ask for what they say. With `options` it has switches for case, whole words and patterns.
    """

    changed = Signal(str)
    stepped = Signal(int)
    replace_one = Signal()
    replace_all = Signal()
    closed = Signal()

    def __init__(
        self,
        appearance: Appearance,
        icons: Icons,
        *,
        name: str,
        replaces: bool = False,
        options: bool = False,
    ) -> None:
        super().__init__()
        self._appearance = appearance
        self.setProperty("role", "dock_title")
        self.words_field = field(name)
        self.words_field.textChanged.connect(self.changed)
        self.replacement_field = field(tr("Replace with"))
        self._note = PlainLabel("", tone="muted", size="small")
        self._replaces = replaces
        self.case_button = self._switch("Aa", tr("Match case"))
        self.word_button = self._switch("W", tr("Whole words"))
        self.pattern_button = self._switch(".*", tr("Regular expression"))
        switches = (self.case_button, self.word_button, self.pattern_button) if options else ()
        self._first, self._second = QWidget(), QWidget()
        self._fill(
            self._first,
            *switches,
            self._note,
            None,
            self._step_button("↑", tr("Previous"), -1),
            self._step_button("↓", tr("Next"), 1),
            icon_button(icons, "close", tr("Close search"), self.leave),
        )
        self._fill(
            self._second,
            button(tr("Replace"), self.replace_one.emit),
            button(tr("Replace all"), self.replace_all.emit),
            None,
        )
        self._rows = QGridLayout(self)
        for row, (field_, rest) in enumerate(
            ((self.words_field, self._first), (self.replacement_field, self._second))
        ):
            self._rows.addWidget(field_, row, 0)
            self._rows.addWidget(rest, row, 1)
        self._rows.setColumnStretch(0, 1)
        self._show_replacement(shown=False)
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
    def matches_case(self) -> bool:
        return self.case_button.isChecked()

    @property
    def whole_words(self) -> bool:
        return self.word_button.isChecked()

    @property
    def is_pattern(self) -> bool:
        return self.pattern_button.isChecked()

    @property
    def note(self) -> str:
        return self._note.original

    def summon(self, words: str = "", *, replacing: bool = False) -> None:
        """Come up with the keyboard in it; words that are given take the place of the old ones."""
        self._show_replacement(shown=replacing and self._replaces)
        self.show()
        if words:
            self.words_field.setText(words)
        self.words_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words_field.selectAll()

    def leave(self) -> None:
        self.hide()
        self.closed.emit()

    def tell(self, at: int, count: int, *, more: bool = False) -> None:
        """Say which of how many (from 0, -1 for none of them) is shown; `more`: there are still others."""
        of = f"{number(count)}+" if more else number(count)
        if not self.words:
            text = ""
        elif not count:
            text = tr("not found")
        elif at < 0:
            text = tr("{count} found", count=of)
        else:
            text = tr("{at} of {count}", at=number(at + 1), count=of)
        self.say(text)

    def say(self, text: str, *, fault: bool = False) -> None:
        """Say something else about the search, such as what is wrong with it."""
        self._note.setText(text)
        self._note.set_tone("error" if fault else "muted")

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

    def _switch(self, text: str, name: str) -> QPushButton:
        made = button(text, lambda: self.changed.emit(self.words), role="segment")
        made.setCheckable(True)
        made.setAccessibleName(name)
        safe_tooltip(made, name)
        return made

    def _show_replacement(self, *, shown: bool) -> None:
        self.replacement_field.setVisible(shown)
        self._second.setVisible(shown)

    @staticmethod
    def _fill(row: QWidget, *widgets: QWidget | None) -> None:
        arrange(QHBoxLayout(row), *widgets)

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(space(3), space(1), space(2), space(1))
        self._rows.setHorizontalSpacing(space(2))
        self._rows.setVerticalSpacing(space(1))
        self._note.setMinimumWidth(
            self._note.fontMetrics().horizontalAdvance(tr("{at} of {count}") + "0" * 2)
        )
        for row in (self._first, self._second):
            layout = row.layout()
            if layout is not None:
                layout.setContentsMargins(0, 0, 0, 0)
                layout.setSpacing(space(2))
