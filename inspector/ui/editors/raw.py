"""The raw editor: any structured content as JSON, checked against its schema while it is typed."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from inspector.domain.content import Content
from inspector.domain.errors import RefusedError
from inspector.domain.merging import merged
from inspector.domain.resolution import clash
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.editors.raw_json import MOST, RawFault, raw_text, read_raw
from inspector.ui.editors.text_page import TextPage
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, tr, tr_error

_AT_ONCE = 60_000
"""Characters up to which the text is read at every key."""
_PAUSE_MILLISECONDS = 250
_FAULT = "raw"


class RawPage(QWidget):
    """The JSON of a content, and below it what is wrong with it and where."""

    def __init__(self, part: Part, tools: EditorTools) -> None:
        super().__init__()
        self._part = part
        self._tools = tools
        self._from: Content | None = None
        """The content that the text says, or said before something in it was wrong."""
        self._reading = False
        self.page = TextPage(tools.appearance, tools.icons, tools.bridge)
        self.page.editor.setAccessibleName(tr("The block's content as JSON"))
        self.fault = PlainLabel("", tone="error", wrap=True)
        self._foot = QFrame()
        self._foot.setProperty("role", "dock_title")
        arrange(QVBoxLayout(self._foot), self.fault, margins=tools.appearance.space(2))
        arrange(QVBoxLayout(self), self.page, self._foot)
        self._foot.hide()
        self.setFocusProxy(self.page)
        self._read_soon = QTimer(self, singleShot=True, interval=_PAUSE_MILLISECONDS)
        self._read_soon.timeout.connect(self._read)
        self.page.editor.edited.connect(self._typed)
        part.shown.connect(self._follow)

    def take_up(self) -> None:
        """Go on with a text that could not be read when the tab was closed."""
        kept = None if self._tools.unread is None else self._tools.unread.get()
        if kept is not None:
            content = self._part.content
            # Meanwhile the block may have become one of another kind.
            self._from = kept.base if type(kept.base) is type(content) else content
            self.page.editor.load(kept.text)
            self._read()

    def follow_kept(self) -> None:
        """Show what was brought back, and forget what was discarded, in a list of all drafts."""
        is_kept = self._tools.unread is not None and self._tools.unread.get() is not None
        if is_kept and not self.fault.text():
            self.take_up()
        elif not is_kept and self.fault.text():
            self.give_up()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        """Take what was typed last: the tab may be about to close."""
        self.settle()
        super().hideEvent(event)

    def settle(self) -> None:
        """Take what was typed last, if it waits to be read."""
        if self._read_soon.isActive():
            self._read_soon.stop()
            self._read()

    def give_up(self) -> None:
        """Forget a text that cannot be read, and show the content again."""
        self._read_soon.stop()
        self._tell("")
        self._from = None
        self._follow()

    def let_go(self) -> None:
        """Tell of nothing any more: the content is of another kind now. What is kept of a text stays kept."""
        if self._read_soon.isActive() and self._from is not None and self._tools.unread is not None:
            self._tools.unread.keep(self._from, self.page.editor.text)
        self._read_soon.stop()
        self._part.shown.disconnect(self._follow)
        self._part.tell_fault(_FAULT, "")

    def _follow(self) -> None:
        """Show the content, unless something is typed that cannot be read yet."""
        content = self._part.content
        self.page.editor.setReadOnly(self._part.is_read_only)
        if not self.isVisible() or self._reading or self.fault.text() or self._read_soon.isActive():
            return
        if content == self._from:
            self._from = content
            return
        text = raw_text(content)
        if len(text) > MOST:
            text = tr("{count} characters of JSON are too long to edit here.", count=number(len(text)))
            self.page.editor.setReadOnly(True)
        else:
            self._from = content
        self.page.editor.load(text)

    def _typed(self) -> None:
        if len(self.page.editor.text) <= _AT_ONCE:
            self._read()
        else:
            self._read_soon.start()

    def _read(self) -> None:
        part, base = self._part, self._from
        if base is None:
            return
        found = read_raw(self.page.editor.text, part.schema, part.base, self._tools.new_id)
        if isinstance(found, RawFault):
            self._tell(found.text)
            return
        if part.content != base and clash(part.schema, base, part.content, found):
            # Read late, it would undo what they wrote, or stand beside it letter by letter.
            self._tell(tr("Someone else changed the same place meanwhile. Copy what you need, then discard."))
            return
        self._reading = True
        try:
            part.change(merged(part.schema, base, part.content, found), place=_FAULT)
        except RefusedError as error:
            self._tell(tr_error(error))
            return
        finally:
            self._reading = False
        self._tell("")
        # What others wrote while the text could not be read is in the content, and not yet in the text.
        self._from = part.content if part.content == found else None
        self._follow()

    def _tell(self, fault: str) -> None:
        self.fault.setText(fault)
        self._foot.setVisible(bool(fault))
        self._part.tell_fault(_FAULT, fault)
        unread = self._tools.unread
        if unread is None:
            return
        if fault and self._from is not None:
            unread.keep(self._from, self.page.editor.text)
        else:
            unread.forget()
