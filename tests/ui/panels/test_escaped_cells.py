"""A cell that is left with Escape, or with what can't be taken, holds what it would without what was typed in it."""

from typing import Any

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.content import ListContent
from inspector.domain.edits.items import UpdateItem, UpdateNode
from tests.ui.editors.structured_blocks import DECISIONS, TASKS
from tests.ui.open_window import calm
from tests.ui.panels.structured_tab import Keys, StructuredTab, editor_in, go_to, titles

pytestmark = pytest.mark.slow


def priorities(one: StructuredTab) -> list[object]:
    content = one.panel.editors.draft.content
    assert isinstance(content, ListContent)
    return [each.value["priority"] for each in content.items if not isinstance(each.value, str)]


async def test_that_escape_writes_nothing_where_nothing_was_typed(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 1)
    QTest.keyClick(view, Keys.Key_F2)
    await one.world.write(TASKS.ref, UpdateItem("b", {"title": "Theirs"}))
    await one.until(lambda: editor_in(view).text == "Theirs")
    QTest.keyClick(editor_in(view), Keys.Key_Escape)
    assert one.draft is None
    assert titles(one.panel.editors.draft.content)[1] == "Theirs"


async def test_that_escape_in_an_outline_writes_nothing_where_nothing_was_typed(open_block: Any) -> None:
    one = await open_block(DECISIONS)
    view = one.page.view
    view.setFocus()
    view.setCurrentIndex(one.page.model.find("s"))
    QTest.keyClick(view, Keys.Key_F2)
    await one.world.write(DECISIONS.ref, UpdateNode("s", "Theirs"))
    await one.until(lambda: editor_in(view).text == "Theirs")
    QTest.keyClick(editor_in(view), Keys.Key_Escape)
    assert one.draft is None


@pytest.mark.parametrize("how", ["focus", "escape", "undo"])
async def test_that_a_cell_with_a_fault_gets_back_what_others_stored_meanwhile(
    open_block: Any, how: str
) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 2)
    QTest.keyClick(view, Keys.Key_F2)
    editor = editor_in(view)
    editor.selectAll()
    QTest.keyClicks(editor, "x")
    await one.world.write(TASKS.ref, UpdateItem("b", {"priority": 5}))
    await one.until(lambda: priorities(one) == [3, 5, 3])
    if how == "focus":
        one.page.view.add_button.setFocus()
    elif how == "escape":
        QTest.keyClick(editor, Keys.Key_Escape)
    else:
        QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Undo))
        assert editor.text == "5"
        assert not one.page.view.fault.isVisible()
        QTest.keyClick(editor, Keys.Key_Return)
    assert priorities(one) == [3, 5, 3]
    assert one.draft is None


@pytest.mark.parametrize("is_quick", [False, True])
async def test_that_escape_goes_back_to_what_was_saved_in_the_cell(open_block: Any, is_quick: bool) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 1)
    QTest.keyClick(view, Keys.Key_F2)
    editor = editor_in(view)
    editor.selectAll()
    QTest.keyClicks(editor, "In the cell")
    QTest.keySequence(editor, QKeySequence(QKeySequence.StandardKey.Save))
    QTest.keyClicks(editor, " and more")
    if not is_quick:
        await one.until(lambda: not one.panel.work.is_saving)
        await calm(one.studio, one.until)
        assert one.draft == UpdateItem("b", {"title": "In the cell and more"})
    QTest.keyClick(editor, Keys.Key_Escape)
    await one.saved()
    assert one.draft is None
    assert titles(await one.stored())[1] == "In the cell"
    assert titles(one.panel.editors.draft.content)[1] == "In the cell"


async def test_that_escape_keeps_an_earlier_draft_of_the_cell(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 1)
    for text, key in (("First", Keys.Key_Return), ("Second", Keys.Key_Escape)):
        QTest.keyClick(view, Keys.Key_F2)
        QTest.keyClicks(editor_in(view), text)
        QTest.keyClick(editor_in(view), key)
    assert one.draft == UpdateItem("b", {"title": "First"})
