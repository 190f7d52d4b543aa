"""Forms say what is wrong with a name or model while it is typed, and ask again for nothing that cannot be."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.ref import Ref, RefKind
from inspector.ui.widgets.model_picker import ModelPicker
from inspector.ui.widgets.prompt import FormDialog
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, texts
from tests.ui.world import ADA, QUESTIONS


def form(studio: Studio) -> FormDialog:
    return next(each for each in studio.window.findChildren(FormDialog) if each.isVisible())


def line(dialog: FormDialog, name: str) -> QLineEdit:
    return next(each for each in dialog.findChildren(QLineEdit) if each.accessibleName() == name)


def press(dialog: FormDialog, name: str) -> None:
    button = next(each for each in dialog.findChildren(QPushButton) if each.accessibleName() == name)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def main_button(dialog: FormDialog) -> QPushButton:
    return next(each for each in dialog.findChildren(QPushButton) if each.property("role") == "primary")


async def test_that_a_taken_name_is_said_under_the_field_and_nothing_is_tried(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.select(QUESTIONS)
    studio.contents.services.actions.item("block.rename").trigger()
    dialog = form(studio)
    field = line(dialog, "Label")
    field.clear()
    QTest.keyClicks(field, "design_notes")
    assert "The owner already has a block called design_notes." in texts(dialog)
    assert not main_button(dialog).isEnabled()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert dialog.isVisible()
    field.clear()
    QTest.keyClicks(field, "riddles")
    assert "already has" not in texts(dialog)
    QTest.mouseClick(main_button(dialog), Qt.MouseButton.LeftButton)
    await until(lambda: studio.contents.workspace.file.blocks[QUESTIONS.id].block.label == "riddles")
    await calm(studio, until)
    assert studio.window.banners.notices == ()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_a_new_agent_has_a_model_which_can_be_picked(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(Edit(ADA, ConfigureAgent(model="")))
    await open_file(studio, until)
    studio.contents.services.actions.item("agent.new").trigger()
    dialog = form(studio)
    QTest.keyClicks(line(dialog, "Name"), "Margaret")
    assert not main_button(dialog).isEnabled()
    press(dialog, "Model: none")
    picker = next(each for each in studio.window.findChildren(ModelPicker) if each.isVisible())
    QTest.keyClicks(picker.search, "my-own-model")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert "Unknown model: tokens are estimated" in texts(dialog)
    press(dialog, "Model: my-own-model")
    QTest.keyClicks(picker.search, "gpt-5-mini")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert "Window: 400,000 tokens." in texts(dialog)
    QTest.mouseClick(main_button(dialog), Qt.MouseButton.LeftButton)
    agents = studio.contents.workspace
    await until(lambda: any(each.name == "Margaret" for each in agents.file.agents))
    [made] = [each for each in agents.file.agents if each.name == "Margaret"]
    assert made.model == "gpt-5-mini"
    assert made.provider == "openai"
    await until(lambda: studio.window.centre.current_key == ("agent", Ref(RefKind.AGENT, made.id)))
    assert agents.file.agent_id == made.id


@pytest.mark.parametrize("action", ["block.rename", "block.describe", "block.new", "agent.new"])
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_a_form_goes_with_the_file_that_it_is_about(
    studio: Studio, until: Until, action: str
) -> None:
    other = studio.opener.copy("other.constellation")
    await open_file(studio, until)
    studio.contents.services.selection.select(QUESTIONS)
    assert studio.contents.services.actions.run(action)
    assert form(studio).isVisible()
    await open_file(studio, until, other)
    assert studio.contents.workspace.file.path == other
    assert not [each for each in studio.window.findChildren(FormDialog) if each.isVisible()]
