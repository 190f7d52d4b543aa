"""A text editor with its bars: find and replace, go to line, and the line below it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.editors.colouring import Colouring
from inspector.ui.editors.finding import Finder
from inspector.ui.editors.text import TextEditor
from inspector.ui.editors.text_foot import TextFoot
from inspector.ui.icons import Icons
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.find_bar import FindBar
from inspector.ui.widgets.line_bar import LineBar
from inspector.ui.wording import tr


class TextPage(QWidget):
    """The editor, and above it a bar while it is wanted. Without a bridge it has no colours."""

    def __init__(
        self, appearance: Appearance, icons: Icons, bridge: Bridge | None = None, *, replaces: bool = True
    ) -> None:
        super().__init__()
        self.editor = TextEditor(appearance)
        self.find_bar = FindBar(
            appearance, icons, name=tr("Find in the text"), replaces=replaces, options=True
        )
        self.line_bar = LineBar(appearance, icons)
        self.foot = TextFoot(self.editor, appearance)
        self.colouring = None if bridge is None else Colouring(self.editor, appearance, bridge)
        self._finder = Finder(self.editor, self.find_bar, bridge, self)
        arrange(QVBoxLayout(self), self.find_bar, self.line_bar, self.editor, self.foot)
        self.setFocusProxy(self.editor)
        self.foot.asked.connect(self.ask_line)
        self.line_bar.chosen.connect(self._go_to_line)
        self.line_bar.closed.connect(self.editor.setFocus)
        self.editor.margin.asked.connect(self._show_change)

    def ask(self, *, replacing: bool = False) -> None:
        """Ask what to find in the text."""
        self.line_bar.hide()
        chosen = self.editor.selected_text()
        self.find_bar.summon("" if "\n" in chosen else chosen, replacing=replacing)
        self._finder.search()

    def ask_line(self) -> None:
        """Ask for a line to go to."""
        if self.find_bar.isVisible():
            self.find_bar.leave()
        self.line_bar.summon(self.editor.line_count)

    def step_change(self, by: int) -> None:
        """Go to the next unsaved change (1) or the one before (-1), round the ends."""
        start, end = self.editor.selected_range()
        place = self.editor.changes.beyond(end if by > 0 else start, by)
        if place is not None:
            self.editor.flash(place)

    def _go_to_line(self, line: int, column: int) -> None:
        self.editor.flash(self.editor.point_at(line, column))
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_change(self, block: QTextBlock) -> None:
        """Put the cursor on the change beside a line; from there, go on to the next one."""
        if self.editor.textCursor().block() == block:
            self.step_change(1)
        else:
            self.editor.flash(self.editor.point_at(self.editor.line_number(block), 1))
        self.editor.setFocus(Qt.FocusReason.MouseFocusReason)
