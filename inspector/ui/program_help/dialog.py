"""The window's help: its sections beside the text of one, and a field that finds words in all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QStackedWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from inspector.ui.appearance import Appearance, TextSize
from inspector.ui.program_help.sections import HelpLine, HelpLineKind, HelpSection
from inspector.ui.safe_text import PlainLabel, window_title
from inspector.ui.widgets.controls import EmptyState, arrange, button, field
from inspector.ui.wording import tr, tr_count

_WIDTH, _HEIGHT, _SHARE = 116, 40, 0.92
_LIST_STEPS = 52
_INDENT = 4
_CODE = "`"
_LINE_PER_CENT = 135


class HelpDialog(QDialog):
    """Help above the window, which goes on working. `show_section` goes to a heading."""

    def __init__(
        self,
        parent: QWidget,
        appearance: Appearance,
        sections: Sequence[HelpSection],
        show_shortcuts: Callable[[], None],
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(tr("Help")))
        # In figures and lines, so that it follows the size of text.
        metrics = self.fontMetrics()
        size = QSize(metrics.horizontalAdvance("0") * _WIDTH, metrics.height() * _HEIGHT)
        self.resize(size.boundedTo(parent.size() * _SHARE))
        self._appearance, self._sections = appearance, sections
        self._shown: Sequence[HelpSection] = sections
        self.search = field(tr("Search help"), role="filter")
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Sections"))
        self.page = QTextEdit()
        self._count = PlainLabel("", tone="muted", size="small")
        self._empty = EmptyState("")
        self._stack = QStackedWidget()
        self._lay_out(show_shortcuts)
        self.search.textChanged.connect(self._find)
        self.list.currentRowChanged.connect(lambda _: self._show())
        appearance.changed.connect(self._measure)
        self._measure()
        self._find()
        self.search.setFocus()

    @property
    def section(self) -> str:
        """The heading of what is shown, nothing while no section has the words."""
        row = self.list.currentRow()
        return self._shown[row].heading if 0 <= row < len(self._shown) else ""

    def show_section(self, heading: str) -> None:
        """Show the section with that heading; the first one for a heading that isn't there."""
        self.search.clear()
        headings = [each.heading for each in self._shown]
        self.list.setCurrentRow(headings.index(heading) if heading in headings else 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go through the sections from the field with the arrow keys."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step:
                last = self.list.count() - 1
                self.list.setCurrentRow(max(0, min(last, self.list.currentRow() + step)))
                return True
        return super().eventFilter(watched, event)

    def _lay_out(self, show_shortcuts: Callable[[], None]) -> None:
        space = self._appearance.space
        self.page.setReadOnly(True)
        self.page.setAcceptRichText(False)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setProperty("role", "page")
        self.page.setAccessibleName(tr("Text of the section"))
        self.page.setTabChangesFocus(True)
        # The keyboard scrolls and selects, as a reader without a mouse needs.
        self.page.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._stack.addWidget(self.page)
        self._stack.addWidget(self._empty)
        left, body, bottom = QVBoxLayout(), QHBoxLayout(), QHBoxLayout()
        arrange(left, self.search, self.list, spacing=space(2))
        arrange(body, left, self._stack, spacing=space(4))
        body.setStretch(1, 1)
        arrange(
            bottom,
            self._count,
            None,
            button(tr("Keyboard shortcuts …"), show_shortcuts),
            button(tr("Close"), self.accept),
            spacing=space(2),
        )
        arrange(QVBoxLayout(self), body, bottom, margins=space(4), spacing=space(3))

    def _measure(self) -> None:
        width = self._appearance.space(_LIST_STEPS)
        self.list.setFixedWidth(width)
        self.search.setFixedWidth(width)
        self.page.setTabStopDistance(self._appearance.space(_INDENT))
        self.page.document().setDocumentMargin(self._appearance.space(3))
        self._show()

    @property
    def _words(self) -> list[str]:
        return self.search.text().casefold().split()

    def _find(self, *_: object) -> None:
        """List the sections with all words; one that has them in its heading is shown first."""
        words, before = self._words, self.section
        self._shown = [each for each in self._sections if each.has(words)]
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([each.heading for each in self._shown])
        headings = [each.heading for each in self._shown]
        named = [each for each in headings if words and all(word in each.casefold() for word in words)]
        chosen = named[0] if named else before
        self.list.setCurrentRow(headings.index(chosen) if chosen in headings else 0)
        self.list.blockSignals(False)
        self._stack.setCurrentIndex(0 if self._shown else 1)
        if not self._shown:
            self._empty.tell(tr("Nothing found"), tr("No section of the help has all of these words."))
        self._count.setText(tr_count("{count} section", "{count} sections", len(self._shown)))
        self._show()

    def _show(self) -> None:
        row = self.list.currentRow()
        self.page.clear()
        if not 0 <= row < len(self._shown):
            return
        cursor = self.page.textCursor()
        section = self._shown[row]
        self._write_heading(cursor, section.heading, TextSize.LARGE)
        for line in section.lines:
            self._write(cursor, line)
        self._mark()

    def _write_heading(self, cursor: QTextCursor, text: str, size: TextSize) -> None:
        form = QTextCharFormat()
        form.setFont(self._appearance.font(size, bold=True))
        self._begin(cursor, above=2 if not cursor.atStart() else 0, indent=0)
        cursor.insertText(text, form)

    def _write(self, cursor: QTextCursor, line: HelpLine) -> None:
        if line.part is HelpLineKind.HEADING:
            self._write_heading(cursor, line.text, TextSize.NORMAL)
            return
        is_point = line.part is HelpLineKind.POINT
        self._begin(cursor, above=2, indent=_INDENT if is_point else 0)
        plain, code = QTextCharFormat(), QTextCharFormat()
        plain.setFont(self._appearance.font())
        code.setFont(self._appearance.font(fixed=True))
        if is_point:
            cursor.insertText("•\t", plain)
        for place, part in enumerate(line.text.split(_CODE)):
            cursor.insertText(part, code if place % 2 else plain)

    def _begin(self, cursor: QTextCursor, *, above: int, indent: int) -> None:
        """Begin a paragraph: steps of space above it, and of a hanging indent."""
        space = self._appearance.space
        form = QTextBlockFormat()
        form.setTopMargin(space(above))
        form.setLeftMargin(space(indent))
        form.setTextIndent(-space(indent))
        form.setLineHeight(_LINE_PER_CENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if cursor.atStart():
            cursor.setBlockFormat(form)
        else:
            cursor.insertBlock(form)

    def _mark(self) -> None:
        """Mark what was looked for and bring the first place into sight."""
        theme = self._appearance.theme
        form = QTextCharFormat()
        form.setBackground(theme.found)
        form.setForeground(theme.text)
        form.setFontWeight(QFont.Weight.Bold)
        places: list[QTextCursor] = []
        for word in self._words:
            found = self.page.document().find(word)
            while not found.isNull():
                places.append(found)
                found = self.page.document().find(word, found)
        marks = []
        for place in places:
            mark = QTextEdit.ExtraSelection()
            for name, value in (("cursor", place), ("format", form)):
                setattr(mark, name, value)
            marks.append(mark)
        self.page.setExtraSelections(marks)
        start = QTextCursor(self.page.document())
        if places:
            start.setPosition(min(place.selectionStart() for place in places))
        self.page.setTextCursor(start)
        self.page.ensureCursorVisible()
