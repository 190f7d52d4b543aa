"""The editor of a text that is a section of a composite block."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.content import TextContent
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.editors.text_page import TextPage
from inspector.ui.widgets.controls import arrange


class SectionText(QWidget):
    """A page of text whose every change is one of the whole content."""

    def __init__(self, part: Part, tools: EditorTools) -> None:
        super().__init__()
        self._part = part
        self.page = TextPage(tools.appearance, tools.icons, tools.bridge)
        arrange(QVBoxLayout(self), self.page)
        self.setFocusProxy(self.page)
        self.page.editor.edited.connect(self._edited)
        part.shown.connect(self._show)
        self._show()

    def sizeHint(self) -> QSize:
        """No higher than its section asks for: an empty page would like to be as high as a table."""
        hint = super().sizeHint()
        return QSize(hint.width(), self.minimumHeight() or hint.height())

    def hasHeightForWidth(self) -> bool:
        """No: however narrow it is, its lines scroll in the height that it has."""
        return False

    def _show(self) -> None:
        content = self._part.content
        self.page.editor.setReadOnly(self._part.is_read_only)
        if isinstance(content, TextContent) and content.text != self.page.editor.text:
            self.page.editor.load(content.text)

    def _edited(self) -> None:
        self._part.change(TextContent(self.page.editor.text), "text")
