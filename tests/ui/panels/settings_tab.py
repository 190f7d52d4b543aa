"""A block's Settings tab in a real window, and hands to work in it."""

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QWidget

from inspector.domain.blocks import Block, Schema
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit
from inspector.domain.ref import Ref
from inspector.ui.block_settings.fields_table import RowsTable
from inspector.ui.block_settings.page import BlockSettingsPage
from inspector.ui.block_settings.plain_schema import PlainSchemaEditor
from inspector.ui.block_settings.sections_editor import SectionsEditor
from inspector.ui.editors.element_columns import field_column
from inspector.ui.editors.text import TextEditor
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said

Keys = Qt.Key
OpenSettings = Callable[..., Awaitable["SettingsTab"]]


class SettingsTab:
    """A window with the settings of one block in front."""

    def __init__(self, studio: Studio, until: Until, panel: BlockPanel, ref: Ref) -> None:
        self.studio, self.until, self.panel, self.ref = studio, until, panel, ref
        self.workspace = studio.contents.workspace
        self.world = studio.opener
        panel.show_settings()

    @property
    def page(self) -> BlockSettingsPage:
        assert self.panel.settings is not None
        return self.panel.settings

    @property
    def block(self) -> Block:
        """The block as the window shows it."""
        return self.workspace.file.blocks[self.ref.id].block

    @property
    def schema(self) -> Schema:
        schema = self.block.schema
        assert not hasattr(schema, "raw")
        return schema

    @property
    def content(self) -> Content | None:
        return self.workspace.file.blocks[self.ref.id].content

    @property
    def table(self) -> RowsTable:
        """The table of the schema's fields, or of its sections."""
        editor = self.page.schema.editor
        return editor.table if isinstance(editor, SectionsEditor) else editor.fields.table

    @property
    def plain(self) -> PlainSchemaEditor:
        editor = self.page.schema.editor
        assert isinstance(editor, PlainSchemaEditor)
        return editor

    def write(self, widget: QWidget, text: str) -> None:
        """Write a text over what is in a field."""
        widget.setFocus()
        QTest.keySequence(widget, QKeySequence(QKeySequence.StandardKey.SelectAll))
        QTest.keyClicks(widget, text)

    def choose(self, box: QComboBox, text: str) -> None:
        """Choose a line of a box by keyboard."""
        box.setFocus()
        wanted = box.findText(text)
        assert wanted >= 0, [box.itemText(at) for at in range(box.count())]
        while box.currentIndex() != wanted:
            QTest.keyClick(box, Keys.Key_Down if box.currentIndex() < wanted else Keys.Key_Up)

    def cell(self, row: int, name: str) -> QModelIndex:
        model = self.table.editor.model
        at = next(at for at, each in enumerate(model.columns) if each.id == field_column(name))
        return model.index(row, at)

    def select(self, row: int, name: str = "Name") -> None:
        """Go to a cell, with its row selected."""
        view = self.table.table
        view.setFocus()
        # As without Shift, which Qt may still believe to be held.
        flags = QItemSelectionModel.SelectionFlag
        view.selectionModel().setCurrentIndex(self.cell(row, name), flags.ClearAndSelect | flags.Rows)

    def tick(self, row: int, name: str) -> None:
        """Click a box."""
        view, index = self.table.table, self.cell(row, name)
        box = view.visualRect(index)
        at = QPoint(box.left() + 10, box.center().y())
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)

    def edit(self, row: int, name: str, text: str) -> None:
        """Edit a cell by keyboard."""
        self.select(row, name)
        self.table.table.setFocus()
        QTest.keyClick(self.table.table, Keys.Key_Return)
        self.type_cell(text)

    def type_cell(self, text: str) -> None:
        """Write over the cell that is being edited, and end it."""
        viewport = self.table.table.viewport()
        boxes = [each for each in viewport.findChildren(QComboBox) if each.isVisible()]
        if boxes:
            boxes[0].setCurrentIndex(boxes[0].findText(text))
            boxes[0].activated.emit(boxes[0].currentIndex())
            QTest.keyClick(boxes[0], Keys.Key_Return)
            return
        editor = next(each for each in viewport.findChildren(TextEditor) if each.isVisible())
        editor.selectAll()
        QTest.keyClicks(editor, text)
        QTest.keyClick(editor, Keys.Key_Return)

    def names(self) -> list[str]:
        model = self.table.editor.model
        return [str(self.cell(row, "Name").data()) for row in range(model.rowCount())]

    async def previewed(self) -> None:
        """Wait until what is wanted is previewed."""
        await self.until(lambda: self.page.work.is_previewed)

    async def save(self) -> None:
        """Save with Ctrl+S and wait until it is stored and shown."""
        await self.previewed()
        assert self.page.not_savable == ""
        self.panel.window().activateWindow()
        await self.until(self.panel.window().isActiveWindow)
        QTest.keySequence(self.panel.window(), QKeySequence(QKeySequence.StandardKey.Save))
        await self.until(lambda: not self.page.work.is_saving)
        assert not self.page.banners.notices, self.page.banners.notices
        await self.until(lambda: not self.page.is_dirty)
        await self.calm()

    async def undo(self) -> None:
        """Press Undo of the passing notice."""
        await said(self.studio, self.until, "saved")
        press_toast(self.studio, "Undo")
        await said(self.studio, self.until, "Undone")
        await self.calm()

    def click(self, button: QAbstractButton) -> None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    async def banner_button(self, text: str) -> None:
        """Click a button of the page's banner once it is there."""

        def found() -> list[QAbstractButton]:
            all_ = self.page.banners.findChildren(QAbstractButton)
            return [each for each in all_ if each.text() == text and each.isVisible()]

        await self.until(found)
        self.click(found()[0])

    async def calm(self) -> None:
        await calm(self.studio, self.until)

    async def stored(self) -> Block:
        """The block as the engine has it."""
        state = await self.world.engine.memory.get(self.ref.id)
        assert state is not None
        return state.block

    def request_text(self) -> str:
        request = self.workspace.file.request
        assert request is not None
        return "".join(piece.text for section in request.sections for piece in section.pieces)


async def opened(studio: Studio, until: Until, ref: Ref, *edits: Edit) -> SettingsTab:
    """Open the settings of a block of the world's file, with these edits in it."""
    if edits:
        await studio.opener.change_file(*edits)
    await open_file(studio, until)
    studio.contents.services.selection.open(ref)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await calm(studio, until)
    panel.window().activateWindow()
    await until(panel.window().isActiveWindow)
    made = SettingsTab(studio, until, panel, ref)
    await made.calm()
    return made
