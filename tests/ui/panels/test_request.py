"""The Request panel: pointing, folding, searching, with and without drafts."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetCharLimit
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Mark, Piece, Request, SourceKind
from inspector.ui.panels.request import RequestPanel
from inspector.ui.selection import SelectedSpan, SelectionState
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, show_request
from tests.ui.values import made_piece, made_request
from tests.ui.world import PERSONA, QUESTIONS, STORED

Open = Callable[..., Awaitable[RequestPanel]]


@pytest.fixture
def shown(studio: Studio, until: Until) -> Open:
    """``await shown()``: the panel with the world's file open."""

    async def opened() -> RequestPanel:
        workspace = studio.contents.workspace
        before = studio.window.centre.currentWidget()
        workspace.open(studio.opener.path)
        await until(lambda: workspace.file.request and studio.window.centre.currentWidget() is not before)
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, RequestPanel)
        await until(lambda: panel.view.rows is not None and panel.view.rows.request is workspace.file.request)
        # Until the actions have looked at the new file, their keys do nothing.
        await until(studio.contents.services.actions.item("request.find").isEnabled)
        return panel

    return opened


def place_of(panel: RequestPanel, text: str) -> int:
    """Where a text stands in the Request that is shown."""
    assert panel.view.rows is not None
    return panel.view.rows.request.text.index(text)


def point_at(panel: RequestPanel, text: str) -> None:
    """Click on the first character of a text."""
    offset, rows = place_of(panel, text), panel.view.rows
    assert rows is not None
    row = rows.row_of_offset(offset)
    assert row is not None
    if panel.view.box_of_row(row) is None:
        panel.view.verticalScrollBar().setValue(row)
    box, place = panel.view.box_of_row(row), rows.place(row)
    assert box is not None
    point = box.center()
    point.setX(panel.view.text_left + panel.view.x_of(place, offset - place.start) + 2)
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=point.toPoint())


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


def section_rows(panel: RequestPanel, name: str) -> bool:
    assert panel.view.rows is not None
    return not panel.view.rows.is_folded(name)


def draft(studio: Studio, text: str) -> None:
    edit = Edit(QUESTIONS, SpliceText((Splice(0, 0, text),)))
    studio.contents.workspace.set_draft(edit, TextContent(text + STORED))


async def test_that_tools_are_folded_at_first_and_nothing_else(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    await put(studio, panel, until, values.request())
    assert panel.view.rows is not None
    folded = [each.name for each in panel.view.rows.request.sections if panel.view.rows.is_folded(each.name)]
    assert folded == ["tools"]


async def test_that_a_tool_that_is_selected_elsewhere_is_unfolded_and_shown(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    await put(studio, panel, until, values.request())
    request = studio.contents.workspace.file.request
    assert request is not None
    tools = next(each for each in request.sections if each.name == "tools")
    piece = next(each for each in tools.pieces if each.source.kind is SourceKind.TOOL)
    assert piece.source.ref is not None
    studio.contents.services.selection.select(piece.source.ref)
    await until(lambda: section_rows(panel, "tools"))
    rows = panel.view.rows
    assert rows is not None
    place = rows.rows_of_piece(piece.id)
    assert place is not None
    await until(lambda: panel.view.box_of_row(place[0]) is not None)
    assert panel.view.selected_piece == piece.id


async def test_that_a_click_selects_the_piece_with_its_span_everywhere(shown: Open, studio: Studio) -> None:
    panel = await shown()
    said: list[SelectionState] = []
    studio.contents.services.selection.changed.connect(said.append)
    point_at(panel, "runner sign?")
    start = place_of(panel, "<open_questions>")
    request = studio.contents.workspace.file.request
    assert request is not None
    piece = request.piece_at(start)
    assert piece is not None
    assert said == [SelectionState(QUESTIONS, SelectedSpan(piece.start, piece.end))]
    assert panel.view.selected_piece == "block:blk_questions"


async def test_that_a_click_inside_a_mark_selects_that_part(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    text = "<list>\n1. one\n2. two\n</list>\n"
    marks = (Mark("list", "all", 7, 21), Mark("item", "itm_2", 14, 20))
    await put(studio, panel, until, made_request({"core": [made_piece("blk_x", text, marks=marks)]}))
    point_at(panel, "two")
    selected = studio.contents.services.selection.ref
    assert selected == Ref(RefKind.BLOCK, "blk_x", "itm_2")
    assert panel.view.mark is not None
    assert (panel.view.mark.start, panel.view.mark.end) == (14, 20)


async def test_that_of_two_pieces_of_one_source_the_one_that_was_clicked_is_marked(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    block = made_piece("block:b", "<b>\ntext\n</b>\n")
    hint = replace(made_piece("hint:b", "- `b`: text\n"), source=block.source)
    await put(studio, panel, until, made_request({"core": [block], "hints": [hint]}))
    point_at(panel, "- `b`")
    assert panel.view.selected_piece == "hint:b"
    point_at(panel, "<b>")
    assert panel.view.selected_piece == "block:b"


async def put(studio: Studio, panel: RequestPanel, until: Until, request: Request) -> None:
    """Show a Request in place of the engine's."""
    await calm(studio, until)
    show_request(studio, request)
    await until(lambda: panel.view.rows is not None and panel.view.rows.request is request)


async def test_that_a_double_click_opens_the_source(shown: Open, studio: Studio) -> None:
    panel = await shown()
    opened: list[Ref] = []
    studio.contents.services.selection.opened.connect(opened.append)
    assert panel.view.rows is not None
    piece = panel.view.rows.piece("block:blk_persona")
    assert isinstance(piece, Piece)
    panel.view.asked_open.emit(piece)
    assert opened == [Ref(RefKind.BLOCK, "blk_persona")]


async def test_that_a_selection_elsewhere_comes_into_sight(shown: Open, studio: Studio) -> None:
    panel = await shown()
    studio.contents.services.selection.select(Ref(RefKind.MESSAGE, "msg_9"))
    assert panel.view.selected_piece == "message:msg_9"
    assert panel.view.rows is not None
    rows = panel.view.rows.rows_of_piece("message:msg_9")
    assert rows is not None
    assert panel.view.box_of_row(rows[0]) is not None
    studio.contents.services.selection.select(Ref(RefKind.BLOCK, "blk_old"))
    assert panel.view.selected_piece is None


async def test_that_a_live_update_does_not_scroll_to_the_selection(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    studio.window.resize(1280, 560)
    await asyncio.sleep(0.05)
    studio.contents.services.selection.select(Ref(RefKind.BLOCK, "blk_persona"))
    panel.view.verticalScrollBar().setValue(panel.view.verticalScrollBar().maximum())
    assert panel.view.rows is not None
    before = panel.view.rows.place(panel.view.verticalScrollBar().value())
    assert before.piece is not None
    draft(studio, "one line more\nand another\n")
    await until(lambda: panel.view.rows is not None and "one line more" in panel.view.rows.request.text)
    after = panel.view.rows.place(panel.view.verticalScrollBar().value())
    assert after.piece is not None
    assert (after.piece.id, after.row) == (before.piece.id, before.row)


async def test_that_folding_by_click_and_for_all(shown: Open, studio: Studio, until: Until) -> None:
    panel = await shown()
    await put(studio, panel, until, values.request())
    panel.view.toggled.emit("core")
    await until(lambda: not section_rows(panel, "core"))
    panel.view.toggled.emit("core")
    await until(lambda: section_rows(panel, "core"))
    actions = studio.contents.services.actions
    actions.run("request.fold_all")
    await until(lambda: panel.view.rows is not None and panel.view.rows.count == 10)
    actions.run("request.unfold_all")
    await until(lambda: section_rows(panel, "tools"))


async def test_that_now_shows_what_is_saved_and_with_drafts_the_drafts(
    shown: Open, studio: Studio, until: Until
) -> None:
    panel = await shown()
    draft(studio, "Unsaved words. ")
    await until(lambda: panel.view.rows is not None and "Unsaved words." in panel.view.rows.request.text)
    QTest.mouseClick(panel.states.segments.buttons[1], Qt.MouseButton.LeftButton)
    await until(lambda: panel.view.rows is not None and "Unsaved words." not in panel.view.rows.request.text)
    QTest.mouseClick(panel.states.segments.buttons[2], Qt.MouseButton.LeftButton)
    await until(lambda: panel.view.rows is not None and "Unsaved words." in panel.view.rows.request.text)


async def test_that_a_search_counts_and_goes_round(shown: Open, studio: Studio, until: Until) -> None:
    panel = await shown()
    await put(studio, panel, until, values.request())
    QTest.keySequence(panel.view, QKeySequence("Ctrl+F"))
    bar = panel.find_bar
    assert bar.isVisible()
    QTest.keyClicks(bar.words_field, "IS STEP")
    await until(lambda: bar.note == "1 of 10")
    assert panel.view.chosen_text == "Is step"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.note == "10 of 10"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Return)
    assert bar.note == "1 of 10"
    bar.words_field.setText("nowhere to be found")
    await until(lambda: bar.note == "not found")
    QTest.keyClick(bar.words_field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert panel.view.hasFocus()


async def test_that_what_was_found_follows_a_live_update(shown: Open, studio: Studio, until: Until) -> None:
    panel = await shown()
    QTest.keySequence(panel.view, QKeySequence("Ctrl+F"))
    assert panel.find_bar.isVisible()
    panel.find_bar.words_field.setText("runner")
    await until(lambda: panel.find_bar.note == "1 of 1")
    draft(studio, "runner, ")
    await until(lambda: panel.find_bar.note == "1 of 2")


async def test_that_the_whole_request_is_copied_as_it_is(shown: Open, studio: Studio) -> None:
    await shown()
    studio.contents.services.actions.run("request.copy")
    request = studio.contents.workspace.file.request
    assert request is not None
    assert QGuiApplication.clipboard().text() == request.text
    QGuiApplication.clipboard().clear()


async def test_that_opening_another_file_keeps_the_actions_working(shown: Open, studio: Studio) -> None:
    first = await shown()
    second = await shown()
    assert second is not first
    actions = studio.contents.services.actions
    assert actions.row("request.find").why_not() == ""
    actions.run("request.find")
    assert second.find_bar.isVisible()


async def test_that_without_a_request_the_panel_says_why(studio: Studio, until: Until) -> None:
    text = "far too much " * 20_000
    await studio.opener.change_file(Edit(PERSONA, SetCharLimit(0)), Edit(PERSONA, SetText(text)))
    studio.contents.workspace.open(studio.opener.path)
    await until(lambda: studio.contents.workspace.file.problems)
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, RequestPanel)
    await until(lambda: "Can't build the Request" in words(panel))
    assert not panel.view.isVisible()
    assert studio.contents.services.actions.row("request.copy").why_not() != ""
