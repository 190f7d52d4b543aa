"""A text editor with its bars: find and replace, go to line, and the line below it."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

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
    """The editor, and above it a bar from when it is first wanted. Without a bridge it has no colours."""

    def __init__(
        self, appearance: Appearance, icons: Icons, bridge: Bridge | None = None, *, replaces: bool = True
    ) -> None:
        super().__init__()
        self._appearance, self._icons, self._bridge, self._replaces = appearance, icons, bridge, replaces
        self._bars: list[FindBar | LineBar] = []
        self._finder: Finder | None = None
        self.editor = TextEditor(appearance)
        self.foot = TextFoot(self.editor, appearance)
        self.colouring = None if bridge is None else Colouring(self.editor, appearance, bridge)
        arrange(QVBoxLayout(self), self.editor, self.foot)
        self.setFocusProxy(self.editor)
        self.foot.asked.connect(self.ask_line)
        self.editor.margin.asked.connect(self._show_change)

    # Most texts are never searched, and their bars take as long to make as the editor.
    @cached_property
    def find_bar(self) -> FindBar:
        """What finds and replaces, made when it is first asked for."""
        name = tr("Find in the text")
        made = FindBar(self._appearance, self._icons, name=name, replaces=self._replaces, options=True)
        self._finder = Finder(self.editor, made, self._bridge, self)
        self._put_above(made)
        return made

    @cached_property
    def line_bar(self) -> LineBar:
        """What asks for a line, made when it is first asked for."""
        made = LineBar(self._appearance, self._icons)
        made.chosen.connect(self._go_to_line)
        made.closed.connect(self.editor.setFocus)
        self._put_above(made)
        return made

    def ask(self, *, replacing: bool = False) -> None:
        """Ask what to find in the text."""
        bar = self.find_bar
        for other in self._bars:
            other.setVisible(other is bar)
        chosen = self.editor.selected_text()
        bar.summon("" if "\n" in chosen else chosen, replacing=replacing)
        if self._finder is not None:
            self._finder.search()

    def ask_line(self) -> None:
        """Ask for a line to go to."""
        bar = self.line_bar
        for other in self._bars:
            if other is not bar and other.isVisible():
                other.leave()
        bar.summon(self.editor.line_count)

    def step_change(self, by: int) -> None:
        """Go to the next unsaved change (1) or the one before (-1), round the ends."""
        start, end = self.editor.selected_range()
        place = self.editor.changes.beyond(end if by > 0 else start, by)
        if place is not None:
            self.editor.flash(place)

    def _put_above(self, bar: FindBar | LineBar) -> None:
        """Put a bar right above the editor, hidden."""
        layout = self.layout()
        if isinstance(layout, QBoxLayout):
            layout.insertWidget(layout.indexOf(self.editor), bar)
        self._bars.append(bar)

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
