"""A new block: what the dialog asks, what it refuses, and that the block is opened in its editor."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton

from inspector.domain.blocks import Block, BlockType, ListSchema, LogSchema, TextSchema
from inspector.domain.ref import RefKind
from inspector.runtime.ready_schemas import ready_schemas
from inspector.ui.panels.block import BlockPanel
from inspector.ui.widgets.prompt import FormDialog
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said, texts
from tests.ui.values import ADA


async def asked(studio: Studio, until: Until) -> FormDialog:
    """Open the file and the dialog."""
    await open_file(studio, until)
    studio.contents.services.actions.run("block.new")
    dialogs = [each for each in studio.window.findChildren(FormDialog) if each.isVisible()]
    return dialogs[-1]


def choose(dialog: FormDialog, name: str, start: str) -> None:
    box = next(each for each in dialog.findChildren(QComboBox) if each.accessibleName() == name)
    box.setCurrentIndex(next(at for at in range(box.count()) if box.itemText(at).startswith(start)))


def line(dialog: FormDialog, name: str) -> QLineEdit:
    return next(each for each in dialog.findChildren(QLineEdit) if each.accessibleName() == name)


def create_button(dialog: FormDialog) -> QPushButton:
    return next(each for each in dialog.findChildren(QPushButton) if each.text() == "Create block")


async def made(studio: Studio, until: Until, label: str) -> tuple[Block, BlockPanel]:
    """Wait until the block is made and shown."""
    file = studio.contents.workspace
    await until(lambda: any(each.block.label == label for each in file.file.blocks.values()))
    await until(lambda: isinstance(studio.window.centre.currentWidget(), BlockPanel))
    await calm(studio, until)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    block = next(each.block for each in file.file.blocks.values() if each.block.label == label)
    return block, panel


async def test_that_a_new_block_is_opened_in_its_editor_and_selected(studio: Studio, until: Until) -> None:
    dialog = await asked(studio, until)
    QTest.keyClicks(line(dialog, "Label"), "todo")
    choose(dialog, "Schema", "Task list")
    QTest.mouseClick(create_button(dialog), Qt.MouseButton.LeftButton)
    block, panel = await made(studio, until, "todo")
    assert block.owner == ADA
    assert isinstance(block.schema, ListSchema)
    assert (block.block_type, block.char_limit) == (BlockType.WORKING, 5000)
    assert block.description == "Open and finished work"
    ref = studio.contents.services.selection.ref
    assert ref is not None
    assert (ref.kind, ref.id) == (RefKind.BLOCK, block.id)
    assert panel.heading == "todo"
    assert panel.editors.structured is not None
    focused = studio.window.focusWidget()
    assert focused is not None
    assert panel.editors.structured.page.isAncestorOf(focused)
    await said(studio, until, "todo")
    press_toast(studio, "Undo")
    await until(lambda: not studio.contents.workspace.file.blocks[block.id].block.is_active)


async def test_that_the_place_follows_the_schema_unless_another_is_chosen(
    studio: Studio, until: Until
) -> None:
    dialog = await asked(studio, until)
    QTest.keyClicks(line(dialog, "Label"), "decided")
    choose(dialog, "Schema", "Decision log")
    line(dialog, "Character limit").setText("12,000")
    QTest.keyClick(line(dialog, "Label"), Qt.Key.Key_Return)
    block, _ = await made(studio, until, "decided")
    assert isinstance(block.schema, LogSchema)
    assert (block.block_type, block.char_limit) == (BlockType.LOG, 12_000)


async def test_that_a_plain_text_needs_no_more_than_a_label(studio: Studio, until: Until) -> None:
    dialog = await asked(studio, until)
    QTest.keyClicks(line(dialog, "Label"), "loose")
    choose(dialog, "Place", "Core")
    QTest.keyClick(line(dialog, "Label"), Qt.Key.Key_Return)
    block, panel = await made(studio, until, "loose")
    assert (block.schema, block.block_type, block.char_limit) == (TextSchema(), BlockType.CORE, 5000)
    assert panel.page.editor.hasFocus() or studio.window.focusWidget() is panel.page.editor


@pytest.mark.parametrize(
    ("name", "typed", "fault"),
    [
        ("Label", "persona", "The owner already has a block called persona."),
        ("Character limit", "many", "Enter a whole number. 0 means no limit."),
        ("Character limit", "-4", "Enter a whole number. 0 means no limit."),
    ],
)
async def test_that_a_fault_is_said_beside_the_field(
    studio: Studio, until: Until, name: str, typed: str, fault: str
) -> None:
    dialog = await asked(studio, until)
    line(dialog, "Label").setText("fine")
    line(dialog, name).setText(typed)
    assert fault in texts(dialog)
    assert not create_button(dialog).isEnabled()


@pytest.mark.slow
async def test_that_every_ready_made_schema_makes_a_block(studio: Studio, until: Until) -> None:
    for each in ready_schemas():
        dialog = await asked(studio, until)
        line(dialog, "Label").setText(each.id)
        choose(dialog, "Schema", each.title)
        QTest.mouseClick(create_button(dialog), Qt.MouseButton.LeftButton)
        block, _ = await made(studio, until, each.id)
        assert (block.schema, block.block_type) == (each.schema, each.block_type)
