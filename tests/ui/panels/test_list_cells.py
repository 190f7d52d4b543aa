"""Cells of a list: rectangles copied, several filled at once, rows sorted without changing how they are stored."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView

from inspector.domain.blocks import FieldDef, FieldType, ListSchema
from inspector.domain.content import (
    FieldEntry,
    ListContent,
    ListItem,
)
from inspector.domain.edits.items import (
    InsertItem,
    MoveItem,
    RemoveItem,
    UpdateItem,
)
from inspector.ui.exact_text import copy_text, leave_text
from tests.ui.editors.structured_blocks import TASKS, block
from tests.ui.panels.structured_tab import Keys, editor_in, go_to, paste, tick, titles

pytestmark = pytest.mark.slow
NO_KEYS = Qt.KeyboardModifier.NoModifier
LEFT, SHIFT, CONTROL = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def click(view: QTableView, row: int, column: int, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Click a cell, beside its box where it has one."""
    model = view.model()
    assert model is not None
    box = view.visualRect(model.index(row, column))
    QTest.mouseClick(view.viewport(), LEFT, modifiers, QPoint(box.right() - 3, box.center().y()))


def click_heading(view: QTableView, column: int) -> None:
    header = view.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(column) + 12, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=at)


def copied(view: QTableView) -> str:
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    return QApplication.clipboard().text()


async def test_that_a_rectangle_of_cells_is_copied_and_pasted(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    click(view, 0, 1)
    assert copied(view) == "Freeze the changelog\n"
    click(view, 1, 2, SHIFT)
    rectangle = copied(view)
    assert rectangle == "Freeze the changelog\t3\nSign\t3\n"
    click(view, 1, 1)
    QTest.keyClick(view, Keys.Key_Down, SHIFT)
    paste(view, rectangle)
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Freeze the changelog", "Sign"]
    click(view, 2, 1)
    QTest.keyClick(view, Keys.Key_Space, SHIFT)
    assert copied(view).startswith("no\tSign\t")
    leave_text()


async def test_that_several_cells_are_filled_at_once(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    click(view, 2, 1)
    click(view, 0, 1, SHIFT)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Later")
    QTest.keyClick(editor_in(view), Keys.Key_Return, CONTROL)
    assert titles(one.panel.editors.draft.content) == ["Later", "Later", "Later"]
    click(view, 0, 1)
    click(view, 1, 2, SHIFT)
    paste(view, "7")
    items = one.panel.editors.draft.content.items
    assert [(each.value["title"], each.value.get("priority")) for each in items[:2]] == [("7", 7), ("7", 7)]
    assert titles(one.panel.editors.draft.content)[2] == "Later"
    leave_text()


async def test_that_cells_of_columns_apart_are_pasted_where_they_belong(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    click(view, 0, 0)
    click(view, 0, 2, CONTROL)
    assert copied(view) == "yes\t3\n"
    click(view, 1, 0)
    click(view, 1, 2, CONTROL)
    paste(view, "yes\t5")
    second = one.panel.editors.draft.content.items[1].value
    assert (second["title"], second["done"], second["priority"]) == ("Sign", True, 5)
    click(view, 0, 1)
    click(view, 1, 2, CONTROL)
    paste(view, "7")
    items = one.panel.editors.draft.content.items
    assert [(each.value["title"], each.value["priority"]) for each in items[:2]] == [("7", 3), ("Sign", 7)]
    click(view, 0, 4)
    assert copied(view).strip().isdigit()
    leave_text()


async def test_that_filled_cells_are_one_step_to_undo(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    stored = titles(one.panel.editors.draft.content)
    click(view, 0, 1)
    click(view, 2, 1, SHIFT)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Same")
    QTest.keyClick(editor_in(view), Keys.Key_Return, CONTROL)
    assert titles(one.panel.editors.draft.content) == ["Same", "Same", "Same"]
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Undo))
    assert titles(one.panel.editors.draft.content) == stored


async def test_that_a_mouse_that_is_moved_from_a_cell_selects_a_rectangle(open_block: Any) -> None:
    one = await open_block(TASKS)
    view, model = one.page.view.table, one.page.model
    click(view, 2, 0)
    first, last = (view.visualRect(model.index(*each)).center() for each in ((0, 1), (1, 2)))
    QTest.mousePress(view.viewport(), LEFT, pos=first)
    for at in (QPoint(first.x() + 20, first.y() + 5), last):
        QTest.mouseMove(view.viewport(), at)
    QTest.mouseRelease(view.viewport(), LEFT, pos=last)
    assert one.page.view.chosen == ["a", "b"]
    assert one.page.view.chosen_columns == [model.columns[1].id, model.columns[2].id]
    assert view.dragEnabled()


async def test_that_rows_are_sorted_and_stored_as_they_were(open_block: Any) -> None:
    one = await open_block(TASKS)
    view, model = one.page.view.table, one.page.model
    stored = titles(one.panel.editors.draft.content)

    def shown() -> list[str]:
        return [model.index(row, 1).data() for row in range(model.rowCount())]

    click(view, 1, 1)
    click_heading(view, 1)
    assert shown() == sorted(map(str, stored)) != stored
    assert one.page.view.chosen == ["b"]
    click_heading(view, 1)
    assert shown() == sorted(map(str, stored), reverse=True)
    # What is typed stays where it is, what is new comes last, and moving waits for the stored order.
    click(view, 0, 1)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Aaa")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    assert shown()[0] == "Aaa"
    QTest.keyClick(view, Keys.Key_Insert)
    QTest.keyClicks(editor_in(view), "New")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    assert shown()[-1] == "New"
    before = titles(one.panel.editors.draft.content)
    QTest.keyClick(view, Keys.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert not one.page.view.up_button.isEnabled()
    assert titles(one.panel.editors.draft.content) == before
    click_heading(view, 1)
    assert shown() == before
    assert before == ["Freeze the changelog", "Aaa", "New", "Announce"]


async def test_that_the_dearest_item_is_found_by_the_button(open_block: Any) -> None:
    one = await open_block(TASKS)
    view, model = one.page.view, one.page.model
    tick(view.table, model.index(1, 0))
    paste(view.table, "no\tA title that is much longer than all of the others\t\t")
    menu = view.order.button.menu()
    menu.aboutToShow.emit()
    by_tokens = next(each for each in menu.actions() if each.text() == "By Tokens")
    by_tokens.trigger()
    await one.until(lambda: not view.order.is_stored)
    view.order.sort(model.columnCount() - 1)
    await one.until(lambda: str(model.index(0, 1).data()).startswith("A title that is much"))
    menu.aboutToShow.emit()
    assert [each.text() for each in menu.actions() if each.isChecked()] == ["By Tokens"]
    menu.actions()[0].trigger()
    assert view.order.is_stored
    assert model.index(0, 1).data() == "Freeze the changelog"
    assert not model.dropMimeData(
        model.mimeData([model.index(0, 0)]), Qt.DropAction.MoveAction, 2, 0, QModelIndex()
    )
    leave_text()


async def test_that_pasted_cells_begin_at_the_current_cell(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 1)
    paste(view, "a\t1\nb\t7")
    content = one.panel.editors.draft.content
    assert [each.value for each in content.items[1:3]] == [
        {"title": "a", "done": False, "priority": 1},
        {"title": "b", "done": False, "priority": 7},
    ]
    leave_text()


async def test_that_cells_are_pasted_over_those_that_are_selected(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 0)
    QTest.keyClick(view, Keys.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    paste(view, "FALSE\nTRUE")
    items = one.panel.editors.draft.content.items
    assert [each.value["done"] for each in items] == [False, True, False]
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Sign", "Announce"]
    # One line goes over each of them, and a fault over none.
    paste(view, "no\tRelease")
    assert titles(one.panel.editors.draft.content) == ["Release", "Release", "Announce"]
    paste(view, "soon")
    assert one.page.view.fault.text() == "Row 1: done must be yes or no, not “soon”."
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Undo))
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Sign", "Announce"]
    go_to(view, 0, 0)
    paste(view, "no\tPack\t2\t")
    assert titles(one.panel.editors.draft.content)[:2] == ["Freeze the changelog", "Pack"]
    go_to(view, 3, 1)
    paste(view, "Tell everybody")
    assert titles(one.panel.editors.draft.content)[3] == "Tell everybody"
    leave_text()


async def test_that_a_copied_row_is_pasted_as_it_is_from_any_cell(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 1)
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Copy))
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Paste))
    first, second, *_ = one.panel.editors.draft.content.items
    assert first.value["done"] is True
    assert second.value == first.value
    leave_text()


@pytest.mark.parametrize(
    ("column", "text", "fault"),
    [
        (0, "yes\tOne\nsoon\tTwo", "Row 2: done must be yes or no, not “soon”."),
        (2, "1\t2\t3", "Row 1: It has 3 cells, but only 2 columns are left from the current cell."),
        (1, "x\t" + "9" * 20, "Row 1: priority must be a number, not “99999999999999999999”."),
    ],
)
async def test_that_cells_that_do_not_fit_are_refused_and_nothing_is_pasted(
    open_block: Any, column: int, text: str, fault: str
) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, column)
    paste(view, text)
    assert one.page.view.fault.text() == fault
    assert one.draft is None
    leave_text()


async def test_that_rows_are_dragged_and_a_copied_table_is_pasted(open_block: Any) -> None:
    one = await open_block(TASKS)
    model, view = one.page.model, one.page.view.table
    dragged = model.mimeData([model.index(2, 0)])
    model.dropMimeData(dragged, Qt.DropAction.MoveAction, 0, 0, QModelIndex())
    assert one.draft == MoveItem("c", "a")
    go_to(view, 0, 0)
    copy_text('x\tPack\t1\nno\t"Two\nlines"\t\n')
    QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Paste))
    assert titles(one.panel.editors.draft.content) == [
        "Announce",
        "Pack",
        "Two\nlines",
        "Freeze the changelog",
        "Sign",
    ]
    leave_text()
    await one.save()
    content = await one.stored()
    assert isinstance(content, ListContent)
    assert content.items[1].value == {"title": "Pack", "done": True, "priority": 1}


async def test_that_a_number_that_is_too_long_is_not_cut_to_what_fits(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 2)
    before = one.panel.editors.draft.content
    QTest.keyClick(view, Keys.Key_F2)
    cell = editor_in(view)
    QTest.keySequence(cell, QKeySequence(QKeySequence.StandardKey.SelectAll))
    QTest.keyClicks(cell, "9" * 20)
    fault = one.page.view.fault.text()
    assert "99999999999999999999" in fault
    QTest.keyClick(cell, Keys.Key_Return)
    assert view.state() == view.State.EditingState
    assert not one.panel.save_button.isEnabled()
    one.page.view.add_button.setFocus()
    assert view.state() != view.State.EditingState
    assert one.panel.editors.draft.content == before
    assert one.page.view.fault.text() == fault


async def test_that_each_edit_of_a_cell_is_a_step_of_its_own(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    for word in ("one", "two"):
        go_to(view, 0, 1)
        QTest.keyClick(view, Keys.Key_F2)
        QTest.keySequence(editor_in(view), QKeySequence(QKeySequence.StandardKey.SelectAll))
        QTest.keyClicks(editor_in(view), word)
        QTest.keyClick(editor_in(view), Keys.Key_Return)
    seen = []
    for _ in range(2):
        QTest.keySequence(view, QKeySequence(QKeySequence.StandardKey.Undo))
        seen.append(titles(one.panel.editors.draft.content)[0])
    assert seen == ["one", "Freeze the changelog"]


async def test_that_a_number_that_is_none_is_refused_beside_the_cell_and_is_no_draft(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 2)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "high")
    assert "must be a number" in one.page.view.fault.text()
    assert one.draft is None
    assert not one.panel.save_button.isEnabled()
    QTest.keyClick(editor_in(view), Keys.Key_Escape)
    assert one.page.view.fault.text() == ""


async def test_that_a_cell_with_a_fault_leaves_its_item_as_it_is_stored(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 2)
    QTest.keyClick(view, Keys.Key_F2)
    editor_in(view).selectAll()
    QTest.keyClicks(editor_in(view), "7")
    assert one.draft == UpdateItem("a", {"priority": 7})
    QTest.keyClicks(editor_in(view), "x")
    assert "must be a number" in one.page.view.fault.text()
    assert one.draft is None
    assert editor_in(view).text == "7x"


async def test_that_a_cell_stays_open_and_a_row_selected_while_somebody_else_writes(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 1)
    QTest.keyClick(view, Keys.Key_F2)
    editor = editor_in(view)
    QTest.keyClicks(editor, "Half a")
    await one.world.write(TASKS.ref, InsertItem({"title": "Theirs"}, None, "theirs"))
    await one.until(lambda: view.model().rowCount() == 4)
    assert editor_in(view) is editor
    QTest.keyClicks(editor, " title")
    QTest.keyClick(editor, Keys.Key_Return)
    await one.until(lambda: "Half a title" in titles(one.panel.editors.draft.content))
    one.panel.editors.discard()
    await one.until(lambda: one.draft is None)
    go_to(view, 1, 0)
    key = one.page.model.key_at(1)
    await one.world.write(TASKS.ref, RemoveItem("a"))
    await one.until(lambda: view.model().rowCount() == 3)
    assert one.page.model.key_at(view.currentIndex().row()) == key


async def test_that_a_copied_row_says_what_of_it_is_not_in_the_schema(open_block: Any) -> None:
    one = await open_block(TASKS)
    assert isinstance(TASKS.content, ListContent)
    # As another program may have written it.
    stored = [(each, each.value) for each in TASKS.content.items if not isinstance(each.value, str)]
    items = tuple(replace(each, value={**value, "mood": "fine"}) for each, value in stored)
    state = one.workspace.file.blocks[TASKS.ref.id]
    one.panel.editors.draft.load(replace(state, content=ListContent(items)))
    view, model = one.page.view.table, one.page.model
    await one.until(lambda: any("not in the schema" in each.title for each in model.columns))
    click(view, 1, 1)
    QTest.keyClick(view, Keys.Key_Space, SHIFT)
    row = copied(view)
    assert "fine" in row.split()
    paste(view, row)
    assert one.page.view.fault.isVisible()
    assert one.page.view.fault.text() == "Pasted without mood: not in the schema."
    assert one.draft == InsertItem({"title": "Sign", "done": False, "priority": 3}, "c", one.draft.id)
    leave_text()


async def test_that_a_list_that_cannot_be_typed_in_a_cell_is_copied_as_it_is_shown(open_block: Any) -> None:
    owners = (FieldEntry("x", "line one\nline two"), FieldEntry("y", "Sam"))
    schema = ListSchema(item_schema=(FieldDef("title"), FieldDef("owners", FieldType.LIST)))
    one = await open_block(
        block("owned", schema, ListContent((ListItem("a", {"title": "A", "owners": owners}),)))
    )
    view = one.page.view.table
    click(view, 0, 1)
    assert "line one" in copied(view)
    assert "Sam" in copied(view)


async def test_that_a_cell_keeps_a_byte_order_mark(open_block: Any) -> None:
    one = await open_block(block("odd", ListSchema(), ListContent((ListItem("1", "\ufeffbom"),))))
    view = one.page.view.table
    go_to(view, 0, 0)
    QTest.keyClick(view, Qt.Key.Key_F2)
    editor = editor_in(view)
    editor.select_range(4, 4)
    QTest.keyClicks(editor, "Q")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert [each.value for each in one.panel.editors.draft.content.items] == ["\ufeffbomQ"]
