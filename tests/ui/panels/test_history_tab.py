"""The History tab of a block: versions by pages, their differences, and restoring by clicks and keys."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetCharLimit, SetPermission
from inspector.domain.edits.items import InsertItem
from inspector.domain.edits.text import AppendText, ReplaceText, SetText
from inspector.ui.editors.difference_pane import LineKind
from inspector.ui.history.page import HistoryPage
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.world import CHECKLIST, QUESTIONS, STORED

SCOUT = Actor(ActorKind.AGENT, "agt_ada", "Ada")
LEFT = Qt.MouseButton.LeftButton


async def look(one: BlockTab) -> HistoryPage:
    """Click the History tab and wait until its versions are there."""
    QTest.mouseClick(one.panel.views.buttons[3], LEFT)
    page = one.panel.history
    await one.until(lambda: page.versions.rows)
    await one.calm()
    return page


def shown(page: HistoryPage, *kinds: LineKind) -> list[str]:
    """The lines of those kinds in the pane."""
    lines = page.difference.inline.lines
    return ["".join(part.text for part in line.parts) for line in lines if line.kind in kinds]


def cell(page: HistoryPage, row: int, column: int) -> str:
    return str(page.versions.view.model().index(row, column).data())


async def choose(one: BlockTab, page: HistoryPage, row: int) -> None:
    """Click a row of the versions and wait for its difference."""
    view = page.versions.view
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 1)).center())
    await one.calm()


async def test_that_two_edits_are_two_versions_and_the_first_can_be_restored(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("One. ", at=0)
    one.panel.reason_field.setText("because")
    one.save()
    await one.saved(f"One. {STORED}")
    one.type("Two. ", at=0)
    one.save()
    await one.saved(f"Two. One. {STORED}")
    page = await look(one)
    assert [each.version.seq for each in page.versions.rows] == [3, 2, 1]
    assert [cell(page, row, 3) for row in range(3)] == ["Text edited", "Text edited", "Block created"]
    assert cell(page, 1, 2) == "Noor (you)"
    assert cell(page, 1, 4) == str(len(STORED) + 5)
    assert cell(page, 1, 5).startswith("+")
    assert cell(page, 1, 6) == "because"
    assert not page.bar.restore_button.isEnabled()
    await choose(one, page, 2)
    assert shown(page, LineKind.ADDED) == [f"Two. One. {STORED.splitlines()[0]}"]
    assert shown(page, LineKind.REMOVED) == [STORED.splitlines()[0]]
    assert await one.world.text() == f"Two. One. {STORED}"
    QTest.mouseClick(page.bar.restore_button, LEFT)
    await one.until(lambda: len(page.versions.rows) == 4)
    await one.calm()
    assert await one.world.text() == STORED
    assert one.editor.text == STORED
    assert (cell(page, 0, 3), cell(page, 0, 6)) == ("Version restored", "From version 1")
    request = one.workspace.file.request
    assert request is not None
    texts = [run.text for section in request.sections for piece in section.pieces for run in piece.runs]
    assert any(STORED in text for text in texts)
    assert not any("One." in text for text in texts)


async def test_that_columns_stay_as_wide_as_somebody_made_them(open_tab: OpenTab) -> None:
    one = await open_tab()
    page = await look(one)
    columns = page.versions.view.horizontalHeader()
    wide = columns.sectionSize(1) + 30
    columns.resizeSection(1, wide)
    for place in (0, 3):
        QTest.mouseClick(one.panel.views.buttons[place], Qt.MouseButton.LeftButton)
    await one.until(page.isVisible)
    assert columns.sectionSize(1) == wide


async def test_that_one_change_of_several_is_restored_by_keyboard(open_tab: OpenTab) -> None:
    lines = "\n".join(f"line {number}" for number in range(9))
    changed = lines.replace("line 1", "first").replace("line 7", "last")
    one = await open_tab(Edit(QUESTIONS, SetText(lines)), Edit(QUESTIONS, SetText(changed)))
    page = await look(one)
    page.versions.view.setFocus()
    QTest.keyClick(page.versions.view, Qt.Key.Key_Down)
    await one.calm()
    assert shown(page, LineKind.HEAD)[0].startswith("Change 1 of 2")
    assert page.difference.hunk == 0
    one.press("F8", page.versions.view)
    assert page.difference.hunk == 1
    page.bar.hunk_button.setFocus()
    QTest.keyClick(page.bar.hunk_button, Qt.Key.Key_Space)
    await one.until(lambda: len(page.versions.rows) == 4)
    assert await one.world.text() == lines.replace("line 1", "first")


async def test_that_unchanged_lines_have_the_number_that_each_side_gives_them(open_tab: OpenTab) -> None:
    one = await open_tab(
        Edit(QUESTIONS, SetText("same\nold\nend")),
        Edit(QUESTIONS, SetText("new\nnew\nsame\nold, changed\nend")),
    )
    page = await look(one)
    await choose(one, page, 1)
    page.difference.set_beside(beside=True)
    left, right = ([line.name for line in pane.lines if line.name] for pane in page.difference.panes[1:])
    assert left == ["1", "−2", "3"]
    assert right == ["+1", "+2", "3", "+4", "5"]


async def test_that_only_what_is_selected_is_restored(open_tab: OpenTab) -> None:
    one = await open_tab(
        Edit(QUESTIONS, SetText("red green blue")), Edit(QUESTIONS, SetText("RED green BLUE"))
    )
    page = await look(one)
    await choose(one, page, 1)
    assert not page.bar.selection_button.isEnabled()
    pane = page.difference.inline
    pane.find("BLUE")
    assert page.bar.selection_button.isEnabled()
    QTest.mouseClick(page.bar.selection_button, LEFT)
    await one.until(lambda: len(page.versions.rows) == 4)
    assert await one.world.text() == "RED green blue"


async def test_that_a_change_far_into_a_very_long_line_is_shown_and_restored(open_tab: OpenTab) -> None:
    old = f"{'a ' * 100_000}red{' b' * 100_000}"
    new = old.replace("red", "green")
    lift = Edit(QUESTIONS, SetCharLimit(0))
    one = await open_tab(lift, Edit(QUESTIONS, SetText(old)), Edit(QUESTIONS, SetText(new)))
    page = await look(one)
    await choose(one, page, 1)
    (line,) = shown(page, LineKind.REMOVED)
    assert "red" in line
    assert "more characters" in line
    assert len(line) < 10_000
    QTest.mouseClick(page.bar.hunk_button, LEFT)
    await one.until(lambda: len(page.versions.rows) == 4)
    assert await one.world.text() == old


async def test_that_side_by_side_has_as_many_lines_on_both_sides(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("a\nb\nc")), Edit(QUESTIONS, SetText("a\nB\nB2\nc\nd")))
    page = await look(one)
    await choose(one, page, 1)
    QTest.mouseClick(page.bar.form.buttons[1], LEFT)
    left, right = page.difference.left, page.difference.right
    assert left.isVisible()
    assert len(left.lines) == len(right.lines)
    assert (
        left.toPlainText().splitlines()[1:3] == ["Change 1 of 2 · ±0 tokens", "b"]
        or "b" in left.toPlainText()
    )
    assert "B2" in right.toPlainText()
    assert "B2" not in left.toPlainText()


async def test_that_what_an_agent_writes_meanwhile_appears(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("one")))
    page = await look(one)
    await choose(one, page, 1)
    await one.world.write(QUESTIONS, AppendText(" more"), SCOUT)
    await one.until(lambda: len(page.versions.rows) == 3)
    await one.calm()
    assert cell(page, 0, 2) == "Ada · agent"
    assert page.versions.view.currentIndex().row() == 2
    assert shown(page, LineKind.ADDED) == ["one more"]


async def test_that_a_block_that_is_read_only_for_its_agent_asks_before_it_is_restored(
    open_tab: OpenTab,
) -> None:
    one = await open_tab(
        Edit(QUESTIONS, SetText("one")), Edit(QUESTIONS, SetPermission(Permission.READ_ONLY))
    )
    page = await look(one)
    await choose(one, page, 1)
    QTest.mouseClick(page.bar.restore_button, LEFT)
    await one.until(lambda: page.banners.notices)
    assert await one.world.text() == "one"
    buttons = [each for each in page.banners.findChildren(QPushButton) if each.text() == "Unlock and restore"]
    QTest.mouseClick(buttons[0], LEFT)
    await one.until(lambda: len(page.versions.rows) == 3)
    assert await one.world.text() == STORED
    assert not page.banners.notices


async def test_that_a_draft_keeps_a_restore_from_being_made(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("one")))
    one.type("draft ", at=0)
    page = await look(one)
    await choose(one, page, 1)
    assert not page.bar.restore_button.isEnabled()
    assert page.bar.restore_button.toolTip().count("draft") == 1
    assert page.bar.hunk_button.toolTip().count("draft") == 1
    # What can't be restored at all isn't said to wait for the draft.
    await choose(one, page, 0)
    assert "this is the current version" in page.bar.restore_button.toolTip()
    assert "no difference is shown" in page.bar.hunk_button.toolTip()
    QTest.mouseClick(page.bar.against.buttons[1], LEFT)
    await one.calm()
    assert "compare with now first" in page.bar.hunk_button.toolTip()
    QTest.mouseClick(page.bar.against.buttons[0], LEFT)
    await choose(one, page, 1)
    one.discard()
    await one.until(page.bar.restore_button.isEnabled)


async def test_that_a_list_is_compared_as_the_model_reads_it_and_restored_whole(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(CHECKLIST, InsertItem({"title": "ship it"})), block=CHECKLIST)
    page = await look(one)
    await choose(one, page, 1)
    assert any("ship it" in line for line in shown(page, LineKind.ADDED))
    assert not page.bar.hunk_button.isEnabled()
    QTest.mouseClick(page.bar.restore_button, LEFT)
    await one.until(lambda: len(page.versions.rows) == 3)


async def test_that_long_histories_are_read_by_pages_and_the_slider_reaches_all_of_them(
    open_tab: OpenTab,
) -> None:
    edits = [Edit(QUESTIONS, SetText(f"text number {number}")) for number in range(250)]
    one = await open_tab(*edits)
    page = await look(one)
    assert len(page.versions.rows) == 100
    bar = page.versions.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    await one.until(lambda: len(page.versions.rows) == 200)
    page.slider.setValue(3)
    await one.until(lambda: shown(page, LineKind.REMOVED) == ["text number 1"])
    assert len(page.versions.rows) == 200
    assert page.bar.restore_button.isEnabled()


@pytest.mark.parametrize(("old", "new"), [("a\r\nb\r\n", "a\nb\n"), ("a\n", "a"), ("", "x"), ("x", "")])
async def test_that_ends_of_lines_and_empty_texts_are_shown_and_restored(
    open_tab: OpenTab, old: str, new: str
) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText(old)), Edit(QUESTIONS, SetText(new)))
    page = await look(one)
    await choose(one, page, 1)
    assert shown(page, LineKind.HEAD)
    QTest.mouseClick(page.bar.hunk_button, LEFT)
    await one.until(lambda: len(page.versions.rows) == 4)
    await one.calm()
    assert (await one.world.text()).startswith(old[:3])


async def test_that_any_two_versions_are_compared(open_tab: OpenTab) -> None:
    one = await open_tab(*(Edit(QUESTIONS, SetText(text)) for text in ("one", "two", "three")))
    page = await look(one)
    view = page.versions.view
    for row, key in ((0, Qt.KeyboardModifier.NoModifier), (2, Qt.KeyboardModifier.ControlModifier)):
        at = view.visualRect(view.model().index(row, 1)).center()
        QTest.mouseClick(view.viewport(), LEFT, key, at)
    await one.calm()
    assert (shown(page, LineKind.REMOVED), shown(page, LineKind.ADDED)) == (["one"], ["three"])
    assert not page.bar.restore_button.isEnabled()
    await choose(one, page, 1)
    assert (shown(page, LineKind.REMOVED), shown(page, LineKind.ADDED)) == (["two"], ["three"])
    assert page.bar.restore_button.isEnabled()


async def test_that_what_a_version_changed_is_compared_with_the_one_before(open_tab: OpenTab) -> None:
    one = await open_tab(
        Edit(QUESTIONS, SetText("one two")),
        Edit(QUESTIONS, ReplaceText("two", "three")),
        Edit(QUESTIONS, SetText("x")),
    )
    page = await look(one)
    await choose(one, page, 1)
    QTest.mouseClick(page.bar.against.buttons[1], LEFT)
    await one.calm()
    assert shown(page, LineKind.REMOVED) == ["one two"]
    assert shown(page, LineKind.ADDED) == ["one three"]
    assert not page.bar.hunk_button.isEnabled()


async def test_that_undo_in_the_history_is_of_the_file_and_not_of_typing_out_of_sight(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    one.type("One. ", at=0)
    one.save()
    await one.saved(f"One. {STORED}")
    page = await look(one)
    page.versions.view.setFocus()
    one.press("Ctrl+Z", page.versions.view)
    await one.until(lambda: len(page.versions.rows) == 3)
    await one.calm()
    assert await one.world.text() == STORED
    assert not one.panel.work.is_dirty


def _is_as_wide(page: HistoryPage, width: int) -> bool:
    header = page.versions.view.horizontalHeader()
    return page.versions.width() == width and header.width() <= width


async def test_that_columns_without_room_go_and_no_title_is_cut(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, AppendText(" more")))
    page = await look(one)
    view = page.versions.view
    header, model = view.horizontalHeader(), view.model()
    reasons = model.columnCount() - 1
    assert header.isSectionHidden(reasons)
    one.panel.views.choose(0)
    one.panel.reason_field.setText("because")
    one.type("x", 0)
    one.save()
    page = await look(one)
    await one.until(lambda: not header.isSectionHidden(reasons))
    for width, hidden in ((900, set()), (600, {"Characters"}), (500, {"Characters", "Reason"})):
        page.versions.setFixedWidth(width)
        await one.until(partial(_is_as_wide, page, width))
        titles = [str(model.headerData(at, Qt.Orientation.Horizontal)) for at in range(model.columnCount())]
        assert {title for at, title in enumerate(titles) if header.isSectionHidden(at)} == hidden
        for at, title in enumerate(titles):
            if not header.isSectionHidden(at):
                assert header.sectionSize(at) > header.fontMetrics().horizontalAdvance(title)
    assert "characters" in page.bar.title.toolTip()
