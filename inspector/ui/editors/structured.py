"""The editors of structured blocks: which schema has which, and one draft for all of a block's views."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector.domain.blocks import (
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import Content
from inspector.ui.editors.composite import CompositeEditor
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.list import ListEditor
from inspector.ui.editors.log import LogEditor
from inspector.ui.editors.map import MapEditor
from inspector.ui.editors.part import EditorTools, MakeView, Part
from inspector.ui.editors.section_text import SectionText
from inspector.ui.editors.tree import TreeEditor

_EDITORS: dict[type[Schema], MakeView] = {
    TextSchema: SectionText,
    MapSchema: MapEditor,
    ListSchema: ListEditor,
    LogSchema: LogEditor,
    TreeSchema: TreeEditor,
}


class StructuredEditor(QObject):
    """A structured block's draft, and `page`, the view of it that its schema asks for."""

    def __init__(self, schema: Schema, content: Content, tools: EditorTools, parent: QObject) -> None:
        super().__init__(parent)
        self.kind = type(schema)
        self.draft = ContentDraft(schema, content, self)
        is_composite = isinstance(schema, CompositeSchema)
        self.page: QWidget = (
            CompositeEditor(self.draft, tools, _view) if is_composite else _view(self.draft, tools)
        )


def _view(part: Part, tools: EditorTools) -> QWidget:
    return _EDITORS[type(part.schema)](part, tools)
