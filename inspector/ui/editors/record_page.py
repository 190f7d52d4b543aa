"""An editor of one message or archival entry: each of its parts is a page that is read, and edited on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from inspector.ui.appearance import Appearance
from inspector.ui.editors.page_part import PagePart
from inspector.ui.editors.showing import show_character
from inspector.ui.editors.text_page import TextPage
from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel, PlainLabel, one_line, tooltip_text, without_mnemonic
from inspector.ui.widgets.controls import EmptyState, arrange
from inspector.ui.wording import tr

_TAB_LENGTH = 32


class RecordPage(QWidget):
    """The pages under a head with name, note and buttons.

    `edited` tells that a person changed a text, `moved` that another record is shown.
    """

    edited = Signal()
    moved = Signal()

    def __init__(self, appearance: Appearance, icons: Icons, empty: EmptyState, name: str) -> None:
        super().__init__()
        self._appearance, self._icons, self._name = appearance, icons, name
        self._parts: tuple[PagePart, ...] = ()
        self._pages: dict[int, TextPage] = {}
        self._drafted: dict[int, str] = {}
        self._buttons: tuple[QWidget, ...] = ()
        self._editing = False
        self._remark = ""
        self.shown_key = ""
        """Which record is shown, as whoever shows it names it."""
        self._title, self._note = ElidedLabel("", strong=True), ElidedLabel("", tone="muted")
        self.state_note = PlainLabel("", tone="warning", size="small", wrap=True)
        self._head = QFrame()
        self._head.setProperty("role", "dock_title")
        self._head.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._names, self.below = QHBoxLayout(), QHBoxLayout()
        arrange(self._names, self._title, self._note)
        self._names.setStretch(1, 1)
        self._rows = QVBoxLayout(self._head)
        self._rows.addLayout(self._names)
        self._rows.addLayout(self.below)
        self._rows.addWidget(self.state_note)
        self._tabs = QTabBar()
        self._tabs.setAccessibleName(tr("Parts"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setUsesScrollButtons(True)
        self._tabs.currentChanged.connect(self._show_page)
        self._stack = QStackedWidget()
        self._empty = empty
        self._stack.addWidget(empty)
        self.body, self._front = QWidget(), QStackedWidget()
        """What is read and typed in; undo of typing is for this."""
        arrange(QVBoxLayout(self.body), self._tabs, self._stack)
        self._front.addWidget(self.body)
        arrange(QVBoxLayout(self), self._head, self._front)
        appearance.changed.connect(self._measure)
        self._measure()
        self.show_parts("", "", ())

    def minimumSizeHint(self) -> QSize:
        """With the lines that its words take at the width it has: a splitter would else squeeze them."""
        hint, layout = super().minimumSizeHint(), self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return hint
        needed = layout.minimumHeightForWidth(max(self.width(), hint.width()))
        return QSize(hint.width(), max(hint.height(), needed))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._place_note()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_note()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all parts as they stand now."""
        return tuple(self._drafted.get(at, part.text) for at, part in enumerate(self._parts))

    @property
    def is_dirty(self) -> bool:
        return self.texts != tuple(part.text for part in self._parts)

    @property
    def is_editing(self) -> bool:
        return self._editing

    @property
    def page(self) -> TextPage | None:
        """The page in front, None while there is nothing to read."""
        return self._pages.get(self._tabs.currentIndex())

    def _place_note(self) -> None:
        """Give the note a line of its own where it doesn't fit between title and buttons."""
        shown = [self._note, self._title, *(each for each in self._buttons if not each.isHidden())]
        spaces, margins = (len(shown) - 1) * self._names.spacing(), self._rows.contentsMargins()
        needed = sum(each.sizeHint().width() for each in shown) + spaces
        room = self.width() - margins.left() - margins.right()
        is_apart = needed > room and bool(self._note.text())
        if is_apart is (self._names.indexOf(self._note) < 0):
            return
        if is_apart:
            self._names.removeWidget(self._note)
            self._rows.insertWidget(1, self._note)
            self._names.setStretch(0, 1)
        else:
            self._names.setStretch(0, 0)
            self._rows.removeWidget(self._note)
            self._names.insertWidget(1, self._note, 1)

    def add_buttons(self, *buttons: QWidget) -> None:
        """Put buttons at the right end of the head."""
        self._buttons += buttons
        for each in buttons:
            self._names.addWidget(each)

    def show_parts(
        self,
        title: str,
        note: str,
        parts: Sequence[PagePart],
        texts: Sequence[str] | None = None,
        *,
        key: str = "",
    ) -> None:
        """Show the parts, with `texts` as they are drafted; the same ones keep cursor and scroll position."""
        is_other, self.shown_key = key != self.shown_key, key
        if is_other:
            self.tell("")
        self._title.setText(one_line(title))
        self._note.setText(note)
        self._place_note()
        drafted = (
            {} if texts is None else {at: text for at, text in enumerate(texts) if text != parts[at].text}
        )
        if tuple(parts) != self._parts or drafted != self._drafted:
            self._parts, self._drafted = tuple(parts), drafted
            self._lay_out()
        self._head.setVisible(bool(parts))
        if is_other:
            self.moved.emit()

    def cover(self, page: QWidget | None) -> None:
        """Show a page in place of the texts, or with None the texts again."""
        if page is not None:
            self._front.addWidget(page)
        self._front.setCurrentWidget(page or self.body)

    def set_editing(self, editing: bool) -> None:
        """Let the texts be changed, or only read; what was typed is gone unless it was taken before."""
        self._editing = editing
        if not editing and self._drafted:
            self._drafted = {}
            self._lay_out()
        for at, page in self._pages.items():
            page.editor.setReadOnly(not editing or bool(self._parts[at].why_not))
        self._show_note()

    def go_to_editable(self) -> None:
        """Bring the first part that can be edited to the front, unless the one in front can be."""
        at = self._tabs.currentIndex()
        if at >= 0 and self._parts[at].why_not:
            self._tabs.setCurrentIndex(
                next((n for n, each in enumerate(self._parts) if not each.why_not), at)
            )

    def show_place(self, at: int, place: Callable[[str], int], length: int = 0) -> None:
        """Bring a part to the front and the cursor to the character that `place` finds in its text.

        So many characters are selected from there.
        """
        if 0 <= at < len(self._parts):
            self._tabs.setCurrentIndex(at)
            show_character(self._pages[at].editor, place, length)

    def undo_step(self) -> None:
        if self.page is not None:
            self.page.editor.undo_step()

    def redo_step(self) -> None:
        if self.page is not None:
            self.page.editor.redo_step()

    def _lay_out(self) -> None:
        front = self._tabs.currentIndex()
        blocked = self._tabs.blockSignals(True)
        while self._tabs.count():
            self._tabs.removeTab(0)
        for part in self._parts:
            at = self._tabs.addTab(without_mnemonic(part.title, _TAB_LENGTH))
            self._tabs.setTabToolTip(at, tooltip_text(part.title))
        self._tabs.blockSignals(blocked)
        for at in [each for each in self._pages if each >= len(self._parts)]:
            page = self._pages.pop(at)
            self._stack.removeWidget(page)
            page.deleteLater()
        for at, page in self._pages.items():
            self._load(at, page)
        self._tabs.setVisible(len(self._parts) > 1)
        if self._parts:
            self._tabs.setCurrentIndex(max(0, min(front, len(self._parts) - 1)))
        self._show_page(self._tabs.currentIndex())

    def _load(self, at: int, page: TextPage) -> None:
        text = self.texts[at]
        if page.editor.text != text:
            page.editor.load(text)
        page.editor.setAccessibleName(f"{self._name}: {self._parts[at].title}")
        page.editor.setReadOnly(not self._editing or bool(self._parts[at].why_not))

    def _show_page(self, at: int) -> None:
        if not 0 <= at < len(self._parts):
            self._stack.setCurrentWidget(self._empty)
            return
        if at not in self._pages:
            page = self._pages[at] = TextPage(self._appearance, self._icons)
            page.editor.edited.connect(lambda at=at: self._take(at))
            self._stack.addWidget(page)
            self._load(at, page)
        self._stack.setCurrentWidget(self._pages[at])
        self.setFocusProxy(self._pages[at])
        self._show_note()

    def tell(self, text: str) -> None:
        """Say something of the record above its text, until another is shown."""
        self._remark = text
        self._show_note()

    def _show_note(self) -> None:
        """Show what is told; without that, why the part in front can't be edited."""
        at = self._tabs.currentIndex()
        why = self._parts[at].why_not if self._editing and 0 <= at < len(self._parts) else ""
        text = self._remark or (tr("This part can't be edited: {why}.", why=why) if why else "")
        self.state_note.setText(text)
        self.state_note.setVisible(bool(text))

    def _take(self, at: int) -> None:
        text = self._pages[at].editor.text
        self._drafted = {each: drafted for each, drafted in self._drafted.items() if each != at}
        if text != self._parts[at].text:
            self._drafted[at] = text
        self.edited.emit()

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(space(3), space(2), space(3), space(2))
        self._rows.setSpacing(space(2))
        self._names.setSpacing(space(2))
        self.below.setSpacing(space(2))
