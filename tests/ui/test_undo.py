"""Undo of whatever is written from the window: the passing notice, the keys, the menu."""

from functools import partial

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTreeView

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteBlock, SetLabel
from inspector.domain.edits.text import SetText
from inspector.domain.snapshot import BlockState
from inspector.domain.undo import UndoStep
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.request import RequestPanel
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said, toast_text
from tests.ui.panels.block_tab import BlockTab
from tests.ui.world import CHECKLIST, NOTES, QUESTIONS, STORED


def tree_of(studio: Studio) -> QTreeView:
    found = studio.window.panel("navigator").findChild(QTreeView)
    assert found is not None
    return found


def block(studio: Studio) -> BlockState:
    return studio.contents.workspace.file.blocks[QUESTIONS.id]


def has_other_label(studio: Studio, label: str) -> bool:
    return block(studio).block.label != label


def has_other_step(studio: Studio, step: UndoStep) -> bool:
    return studio.contents.workspace.file.next_undo != step


def press(studio: Studio, keys: str) -> None:
    """Press keys where the keyboard is."""
    QTest.keySequence(QApplication.focusWidget() or studio.window, QKeySequence(keys))


def edit_menu(studio: Studio) -> list[str]:
    """The lines of the Edit menu, as it opens now."""
    menu = next(each for each in studio.window.menu_bar.actions() if each.text() == "&Edit").menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    return [each.text() for each in menu.actions()]


async def test_that_a_deleted_block_stays_selected_and_comes_back_with_one_click(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    selection, tree = studio.contents.services.selection, tree_of(studio)
    tree.setFocus()
    selection.select(QUESTIONS)
    press(studio, "Del")
    await said(studio, until, "open_questions deleted.")
    await until(lambda: not block(studio).block.is_active)
    await calm(studio, until)
    await until(lambda: tree.currentIndex().parent().data() == "Deleted")
    assert tree.currentIndex().data() == "open_questions"
    assert tree.isExpanded(tree.currentIndex().parent())
    assert selection.ref == QUESTIONS
    detail = studio.window.panel("detail")
    assert isinstance(detail, DetailPanel)
    await until(lambda: detail.card is not None and detail.card.title == "open_questions")
    press(studio, "Del")
    await calm(studio, until)
    others = [each for each in studio.contents.workspace.file.blocks.values() if not each.block.is_active]
    assert {each.block.id for each in others} == {QUESTIONS.id, "blk_gone"}
    press_toast(studio, "Undo")
    await until(lambda: block(studio).block.is_active)
    assert selection.ref == QUESTIONS
    assert "Undone: delete open_questions." in toast_text(studio)


async def test_that_delete_does_nothing_where_the_navigator_has_not_the_keyboard(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.select(QUESTIONS)
    request = studio.window.centre.currentWidget()
    assert isinstance(request, RequestPanel)
    request.view.setFocus()
    press(studio, "Del")
    await calm(studio, until)
    assert block(studio).block.is_active


async def test_that_the_keys_of_undo_take_back_the_last_change_and_make_it_again(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    studio.contents.workspace.edit(QUESTIONS.id, SetLabel("riddles"))
    await said(studio, until, "Renamed to riddles.")
    await until(lambda: block(studio).block.label == "riddles")
    await calm(studio, until)
    await until(lambda: "Undo: rename riddles" in edit_menu(studio))
    tree_of(studio).setFocus()
    press(studio, "Ctrl+Z")
    await until(lambda: block(studio).block.label == "open_questions")
    await calm(studio, until)
    await until(lambda: "Redo: rename open_questions" in edit_menu(studio))
    for keys in ("Ctrl+Shift+Z", "Ctrl+Z", "Ctrl+Y"):
        was = block(studio).block.label
        press(studio, keys)
        await until(partial(has_other_label, studio, was))
        await calm(studio, until)
    assert block(studio).block.label == "riddles"
    press_toast(studio, "Undo")
    await until(lambda: block(studio).block.label == "open_questions")


async def test_that_in_an_editor_the_keys_of_undo_are_the_editors(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.workspace.edit(CHECKLIST.id, SetLabel("tasks"))
    await said(studio, until, "Renamed to tasks.")
    await calm(studio, until)
    tab = await block_tab(studio, until)
    tab.type("x", 0)
    press(studio, "Ctrl+Z")
    assert tab.editor.text == STORED
    press(studio, "Ctrl+Y")
    assert tab.editor.text == f"x{STORED}"
    press(studio, "Ctrl+Z")
    press(studio, "Ctrl+Z")
    press(studio, "Ctrl+Z")
    await calm(studio, until)
    assert studio.contents.workspace.file.blocks[CHECKLIST.id].block.label == "tasks"
    tree_of(studio).setFocus()
    press(studio, "Ctrl+Z")
    await until(lambda: studio.contents.workspace.file.blocks[CHECKLIST.id].block.label != "tasks")


async def test_that_a_save_can_be_undone(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    tab = await block_tab(studio, until)
    tab.type("x", 0)
    tab.save()
    await tab.saved(f"x{STORED}")
    await said(studio, until, "open_questions saved.")
    press_toast(studio, "Undo")
    await until(lambda: tab.editor.text == STORED)
    await said(studio, until, "Undone: edit open_questions.")
    await calm(studio, until)
    press_toast(studio, "Redo")
    await until(lambda: tab.editor.text == f"x{STORED}")


async def test_that_what_others_made_of_it_since_is_not_undone(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.workspace.edit(QUESTIONS.id, SetLabel("riddles"))
    await said(studio, until, "Renamed to riddles.")
    await studio.opener.write(QUESTIONS, SetLabel("puzzles"))
    await until(lambda: block(studio).block.label == "puzzles")
    press_toast(studio, "Undo")
    await said(studio, until, "Can't undo")
    await said(studio, until, "others have changed all of it since. Nothing was changed.")
    await calm(studio, until)
    assert block(studio).block.label == "puzzles"


async def test_that_nothing_of_others_is_undone_and_the_menu_says_so(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    await studio.opener.write(QUESTIONS, SetText("theirs"))
    await calm(studio, until)
    actions = studio.contents.services.actions
    while actions.row("change.undo").why_not() == "":
        step = studio.contents.workspace.file.next_undo
        assert step is not None
        assert all(change.actor == values.NOOR for change in step.changes)
        studio.contents.workspace.undo()
        await until(partial(has_other_step, studio, step))
    why = "no change of yours to undo, those of agents are undone in Changes"
    assert actions.row("change.undo").why_not() == why
    assert not actions.item("change.undo").isEnabled()


async def test_that_the_notice_lies_over_the_text_and_stays_under_the_pointer(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    front, toast = studio.window.centre, studio.window.toast
    before = front.mapToGlobal(front.rect().topLeft()), front.size()
    studio.contents.workspace.edit(NOTES.id, SetLabel("jottings"))
    await said(studio, until, "Renamed to jottings.")
    assert (front.mapToGlobal(front.rect().topLeft()), front.size()) == before
    gap = front.mapToGlobal(front.rect().bottomLeft()).y() - toast.mapToGlobal(toast.rect().bottomLeft()).y()
    assert 0 < gap < 40
    # Editors have their buttons at the beginning of that line.
    assert toast.x() > studio.window.width() // 3
    assert toast.is_passing
    QApplication.sendEvent(toast, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    assert not toast.is_passing
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert toast.is_passing


async def test_that_undo_lives_on_after_the_file_was_closed(studio: Studio, until: Until) -> None:
    await studio.opener.change_file(Edit(QUESTIONS, SetLabel("riddles")))
    await open_file(studio, until)
    await until(lambda: "Undo: rename riddles" in edit_menu(studio))
    tree_of(studio).setFocus()
    press(studio, "Ctrl+Z")
    await until(lambda: block(studio).block.label == "open_questions")


async def block_tab(studio: Studio, until: Until) -> BlockTab:
    """The block with questions, open in front with the keyboard in its editor."""
    studio.contents.services.selection.open(QUESTIONS)
    panel = studio.window.centre.currentWidget()
    assert panel is not None
    panel.first_focus().setFocus()  # type: ignore[attr-defined]
    made = BlockTab(studio, until, panel)  # type: ignore[arg-type]
    await made.calm()
    return made


async def test_that_where_nothing_was_typed_the_keys_undo_the_file(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    tab = await block_tab(studio, until)
    studio.contents.workspace.edit(CHECKLIST.id, SetLabel("tasks"))
    await said(studio, until, "Renamed to tasks.")
    await calm(studio, until)
    tab.editor.setFocus()
    press(studio, "Ctrl+Z")
    await until(lambda: studio.contents.workspace.file.blocks[CHECKLIST.id].block.label != "tasks")
    await calm(studio, until)
    press(studio, "Ctrl+Y")
    await until(lambda: studio.contents.workspace.file.blocks[CHECKLIST.id].block.label == "tasks")
    await calm(studio, until)
    await studio.opener.write(QUESTIONS, DeleteBlock())
    await until(lambda: tab.editor.isReadOnly())
    await calm(studio, until)
    tab.editor.setFocus()
    press(studio, "Ctrl+Z")
    await until(lambda: studio.contents.workspace.file.blocks[CHECKLIST.id].block.label != "tasks")
