"""A window with one structured block open, and hands to work in it."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QWidget

from inspector.domain.content import (
    Content,
    ListContent,
)
from inspector.domain.edits.base import Operation
from inspector.runtime.engine import Engine
from inspector.ui.editors.raw import RawPage
from inspector.ui.editors.text import TextEditor
from inspector.ui.exact_text import copy_text
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.editors.structured_blocks import Made
from tests.ui.open_window import calm

RAW = 2
Keys = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier


class StructuredTab:
    """A window with one structured block open, and hands to work in it."""

    def __init__(self, studio: Studio, until: Until, panel: BlockPanel, made: Made) -> None:
        self.studio, self.until, self.panel, self.made = studio, until, panel, made
        self.workspace = studio.contents.workspace
        self.world = studio.opener

    @property
    def page(self) -> QWidget:
        assert self.panel.editors.structured is not None
        return self.panel.editors.structured.page

    @property
    def raw(self) -> RawPage:
        return self.panel.editors.raw

    @property
    def draft(self) -> Operation | None:
        found = self.workspace.file.drafts.get(self.made.ref.id)
        return None if found is None else found.edit.operation

    async def save(self) -> None:
        self.panel.window().activateWindow()
        QTest.keySequence(self.panel.window(), QKeySequence(QKeySequence.StandardKey.Save))
        await self.saved()

    async def saved(self) -> None:
        await self.until(lambda: not self.panel.work.is_dirty and not self.panel.work.is_saving)
        await calm(self.studio, self.until)

    async def stored(self) -> Content:
        return await content_of(self.world.engine, self.made)

    async def found_everywhere(self, words: str) -> Content:
        """Check that words are in the Request and the history, and give what a new engine reads."""
        request = self.workspace.file.request
        assert request is not None
        assert words in (request.system or "")
        versions = await self.world.engine.memory.versions.versions(self.made.ref.id)
        assert len(versions) > 1
        engine = await Engine.open(self.world.path, self.world.environment)
        try:
            return await content_of(engine, self.made)
        finally:
            await engine.close()


async def content_of(engine: Engine, made: Made) -> Content:
    """What an engine reads of a block."""
    content = await engine.memory.content(made.ref.id)
    assert content is not None
    return content


def editor_in(view: QAbstractItemView) -> TextEditor:
    """The field in which a cell is being edited."""
    found = [each for each in view.viewport().findChildren(TextEditor) if each.isVisible()]
    assert len(found) == 1
    return found[0]


def go_to(view: QAbstractItemView, row: int, column: int) -> None:
    view.setFocus()
    model = view.model()
    assert model is not None
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    view.selectionModel().setCurrentIndex(model.index(row, column), flags)


def tick(view: QAbstractItemView, index: QModelIndex | QPersistentModelIndex) -> None:
    box = view.visualRect(index)
    at = box.topLeft()
    at.setX(at.x() + 12)
    at.setY(box.center().y())
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def titles(content: Content) -> Sequence[object]:
    assert isinstance(content, ListContent)
    return [each.value["title"] if not isinstance(each.value, str) else each.value for each in content.items]


def paste(view: QAbstractItemView, text: str) -> None:
    copy_text(text)
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Paste))
