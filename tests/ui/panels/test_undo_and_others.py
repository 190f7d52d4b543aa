"""Ctrl+Z in an editor of a block: what it takes back of a draft, and what it leaves to others."""

import asyncio
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.blocks import TASK_LIST, FieldDef
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import UpdateItem
from inspector.domain.edits.text import AppendText, Splice, SpliceText
from tests.ui.editors.structured_blocks import SERVICE, TASKS
from tests.ui.open_window import calm
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.panels.structured_tab import StructuredTab, editor_in, go_to, titles
from tests.ui.values import NOOR
from tests.ui.world import NOTES, QUESTIONS, STORED

EARLIER = "my earlier change"


def undo(widget: QWidget) -> None:
    widget.setFocus()
    QTest.keySequence(widget, QKeySequence(QKeySequence.StandardKey.Undo))


async def settle(one: BlockTab | StructuredTab) -> None:
    """Give what was begun a turn, and wait until nothing happens any more."""
    await asyncio.sleep(0.05)
    await calm(one.studio, one.until)


def rename(one: Any, row: int, title: str) -> None:
    """Type another title into a row of a list of tasks."""
    view = one.page.view.table
    go_to(view, row, 1)
    QTest.keyClick(view, Qt.Key.Key_F2)
    editor_in(view).selectAll()
    QTest.keyClicks(editor_in(view), title)
    QTest.keyClick(editor_in(view), Qt.Key.Key_Return)


async def test_that_undo_in_a_draft_that_was_taken_up_again_changes_nothing_else(open_tab: OpenTab) -> None:
    """No step of it is there any more, and who presses the keys doesn't mean the change of another block."""
    one = await open_tab(
        Edit(NOTES, AppendText(EARLIER)), drafts=(Edit(QUESTIONS, SpliceText((Splice(0, 0, "DRAFT "),))),)
    )
    await one.until(lambda: one.editor.text == f"DRAFT {STORED}")
    undo(one.editor)
    await settle(one)
    assert one.editor.text == f"DRAFT {STORED}"
    assert (await one.world.text(NOTES)).endswith(EARLIER)


async def test_that_undo_in_a_list_with_a_draft_that_was_taken_up_again_changes_nothing_else(
    open_block: Any,
) -> None:
    one = await open_block(TASKS)
    await one.world.write(NOTES, AppendText(EARLIER), NOOR)
    rename(one, 1, "Mine")
    await settle(one)
    one.studio.contents.services.actions.run("view.close_tab")
    one.studio.contents.services.selection.open(TASKS.ref)
    await settle(one)
    panel = one.studio.window.centre.currentWidget()
    assert panel is not None
    undo(panel.editors.structured.page.view.table)
    await settle(one)
    assert titles(panel.editors.draft.content)[1] == "Mine"
    assert (await one.world.text(NOTES)).endswith(EARLIER)


async def test_that_undo_of_a_restored_draft_doubles_nothing(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("AAA ", at=0)
    await settle(one)
    one.discard()
    await settle(one)
    await one.world.insert(30, " THEIRS ")
    await settle(one)
    await one.click("Restore draft")
    await one.until(lambda: one.editor.text.startswith("AAA "))
    await settle(one)
    undo(one.editor)
    await settle(one)
    assert one.editor.text.count("AAA ") == 1


async def test_that_undo_of_an_edit_in_conflict_shows_what_is_stored(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.editor.replace_range(9, 5, "x86")
    await one.world.write(QUESTIONS, SpliceText((Splice(9, 5, "THEIRS"),)))
    await settle(one)
    undo(one.editor)
    await one.until(lambda: one.editor.text == STORED.replace("arm64", "THEIRS"))
    assert not one.panel.work.is_dirty


async def test_that_undo_of_an_item_in_conflict_shows_what_is_stored(open_block: Any) -> None:
    one = await open_block(TASKS)
    rename(one, 1, "Mine")
    await settle(one)
    await one.world.write(TASKS.ref, UpdateItem("b", {"title": "Theirs"}))
    await settle(one)
    undo(one.page.view.table)
    await one.until(lambda: titles(one.panel.editors.draft.content)[1] == "Theirs")
    assert one.draft is None


async def test_that_undo_leaves_what_others_wrote_over_a_saved_item(open_block: Any) -> None:
    one = await open_block(TASKS)
    rename(one, 0, "Mine")
    await one.save()
    await one.world.write(TASKS.ref, UpdateItem("a", {"title": "Their later title"}))
    await settle(one)
    undo(one.page.view.table)
    await settle(one)
    assert titles(one.panel.editors.draft.content)[0] == "Their later title"
    assert one.draft is None


async def test_that_undo_leaves_what_others_wrote_over_a_saved_field(open_block: Any) -> None:
    one = await open_block(SERVICE)
    name = one.page.rows["name"].input.editor
    name.setFocus()
    name.select_range(0, 0)
    QTest.keyClicks(name, "X")
    await one.save()
    await one.world.write(SERVICE.ref, SetField("name", "their name"))
    await settle(one)
    undo(name)
    await settle(one)
    assert name.text == "their name"
    assert one.draft is None


async def test_that_fields_that_others_add_and_remove_are_seen_under_a_draft(open_block: Any) -> None:
    one = await open_block(TASKS)
    rename(one, 2, "Mine")
    await settle(one)
    assert TASK_LIST.item_schema is not None
    fields = (*(each for each in TASK_LIST.item_schema if each.name != "due"), FieldDef("team"))
    await one.world.write(TASKS.ref, SetSchema(replace(TASK_LIST, item_schema=fields), accept_loss=True))
    await one.until(lambda: "team" in [each.title for each in one.page.model.columns])
    assert "due" not in [each.title for each in one.page.model.columns]
    assert titles(one.panel.editors.draft.content)[2] == "Mine"
    assert one.draft is not None
