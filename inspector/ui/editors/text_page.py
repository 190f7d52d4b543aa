"""A text editor with its find and replace bar."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.editors.text import TextEditor
from inspector.ui.icons import Icons
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.wording import tr

_LOOK_AGAIN_MILLISECONDS = 150


class TextPage(QWidget):
    """The editor, and above it the bar while it is wanted."""

    def __init__(self, appearance: Appearance, icons: Icons, *, replaces: bool = True) -> None:
        super().__init__()
        self.editor = TextEditor(appearance)
        self.find_bar = FindBar(appearance, icons, name=tr("Find in the text"), replaces=replaces)
        self._found: list[tuple[int, int]] = []
        self._again = QTimer(self, singleShot=True, interval=_LOOK_AGAIN_MILLISECONDS)
        self._again.timeout.connect(self._look)
        arrange(QVBoxLayout(self), self.find_bar, self.editor)
        self.setFocusProxy(self.editor)
        self.editor.textChanged.connect(self._text_changed)
        self.find_bar.changed.connect(lambda _: self._search())
        self.find_bar.stepped.connect(self._step)
        self.find_bar.replace_one.connect(self._replace_one)
        self.find_bar.replace_all.connect(self._replace_all)
        self.find_bar.closed.connect(self._leave)

    def ask(self, *, replacing: bool = False) -> None:
        chosen = self.editor.selected_text()
        self.find_bar.summon("" if "\n" in chosen else chosen, replacing=replacing)
        self._search()

    def _text_changed(self) -> None:
        if self.find_bar.isVisible():
            self._again.start()

    def _search(self) -> None:
        """Look from where the selection begins, so that more letters stay at the same place."""
        self._look()
        start, _ = self.editor.selected_range()
        self._go_to(next((at for at, each in enumerate(self._found) if each[0] >= start), 0))

    def _look(self) -> None:
        self._found = self.editor.occurrences(self.find_bar.words)
        self.editor.mark_found(self._found)
        self._tell()

    def _step(self, by: int) -> None:
        self._look()
        start, end = self.editor.selected_range()
        if by > 0:
            place = bisect_left(self._found, (end if end > start else start, 0))
            self._go_to(place if place < len(self._found) else 0)
        else:
            self._go_to(bisect_left(self._found, (start, 0)) - 1)

    def _go_to(self, place: int) -> None:
        if self._found:
            self.editor.select_range(*self._found[place])
        self._tell()

    def _replace_one(self) -> None:
        """Replace what is selected if it was found, and go on."""
        start, end = self.editor.selected_range()
        if (start, end) in self._found and not self.editor.isReadOnly():
            self.editor.replace_range(start, end - start, self.find_bar.replacement)
        self._step(1)

    def _replace_all(self) -> None:
        self.editor.replace_all(self.find_bar.words, self.find_bar.replacement)
        self._look()

    def _tell(self) -> None:
        here = self.editor.selected_range()
        self.find_bar.tell(self._found.index(here) if here in self._found else -1, len(self._found))

    def _leave(self) -> None:
        self._found = []
        self.editor.mark_found(())
        self.editor.setFocus()
