"""One block's tab: what it shows, how it is edited, and what cannot be edited."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from inspector.domain.blocks import UnreadableSchema
from inspector.domain.content import TextContent
from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.detail import DetailPanel
from tests.ui.conftest import Studio
from tests.ui.merging_doors import MergingDoors
from tests.ui.panels.open_block import ID, REF, STORED, OpenDesk, words


async def test_that_a_text_block_opens_with_its_text_and_nothing_to_save(desk: OpenDesk) -> None:
    one = await desk()
    assert one.editor.text == STORED
    assert one.panel.heading == "open_questions"
    assert not one.panel.marked
    assert not one.panel.save_button.isEnabled()
    assert not one.panel.discard_button.isEnabled()
    assert "working · text · read and write" in words(one.panel)
    assert one.panel.figures == "69 of 5,000 characters · 598 tokens"


async def test_that_the_figures_follow_the_typing(desk: OpenDesk) -> None:
    one = await desk()
    one.type("a question more, ", at=0)
    await one.until(lambda: one.panel.figures == "86 of 5,000 characters · 600 tokens · +2")


async def test_that_no_block_is_called_out_of_a_request_that_cannot_be_built(desk: OpenDesk) -> None:
    one = await desk()
    assert "tokens" in one.panel.figures
    one.doors.too_large = {ID}
    one.type("far too much", 0)
    await one.until(lambda: one.workspace.file.request_problem is not None)
    assert "not in the Request" not in one.panel.figures
    assert "tokens" not in one.panel.figures
    one.panel.work.discard()
    await one.until(lambda: "tokens" in one.panel.figures)


async def test_that_the_rendered_view_shows_the_draft_as_the_model_gets_it(desk: OpenDesk) -> None:
    one = await desk()
    one.type("Draft. ", at=0)
    QTest.mouseClick(one.panel.views.buttons[1], Qt.MouseButton.LeftButton)
    assert one.panel.rendered.isVisible()
    assert one.panel.rendered.editor.text == f"Draft. {STORED}"
    QTest.keyClicks(one.panel.rendered.editor, "x")
    assert one.panel.rendered.editor.text == f"Draft. {STORED}"


async def test_that_another_schema_is_shown_rendered_with_no_editor(desk: OpenDesk) -> None:
    one = await desk(block_id="blk_checklist")
    assert one.panel.rendered.isVisible()
    assert one.panel.rendered.editor.text.startswith("1. [x] changelog frozen")
    assert not one.panel.save_button.isVisible()
    assert not one.panel.reason_field.isVisible()
    assert not one.panel.views.buttons[0].isVisible()
    assert "This list block can't be edited here yet." in words(one.panel)
    assert one.panel.figures.endswith("96 tokens")


async def test_that_a_file_open_for_reading_gives_a_read_only_editor_with_the_reason(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        doors.read_only = Problem("file.read_only", Severity.WARNING, "", {})

    one = await desk(prepare)
    assert one.editor.isReadOnly()
    assert one.banner("read-only") is not None
    one.type("x", at=0)
    assert one.editor.text == STORED
    assert ID not in one.workspace.file.drafts


async def test_that_a_deleted_block_is_shown_and_can_be_restored(desk: OpenDesk) -> None:
    one = await desk(block_id="blk_gone")
    assert one.editor.text == "Merge on Friday."
    assert one.editor.isReadOnly()
    assert one.banner("This block is deleted") is not None
    QTest.mouseClick(one.button("Restore"), Qt.MouseButton.LeftButton)
    await one.until(lambda: not one.editor.isReadOnly())
    assert one.banner("This block is deleted") is None


async def test_that_an_unreadable_block_says_why_and_offers_no_editor(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        state = doors.states[ID]
        problem = Problem("problem.block_unreadable", Severity.ERROR, str(REF), {"label": "open_questions"})
        schema = UnreadableSchema("{", "no JSON")
        doors.states[ID] = replace(
            state, block=replace(state.block, schema=schema), content=None, problem=problem
        )

    one = await desk(prepare)
    assert not one.panel.page.isVisible()
    assert not one.panel.rendered.isVisible()
    assert not one.panel.save_button.isVisible()
    assert "All other blocks work" in words(one.panel)


async def test_that_control_f_finds_and_escape_gives_the_keyboard_back(desk: OpenDesk) -> None:
    one = await desk()
    one.press("Ctrl+F")
    bar = one.panel.page.find_bar
    assert bar.isVisible()
    QTest.keyClicks(bar.words_field, "NO")
    assert bar.note == "1 of 2"
    assert one.editor.selected_text() == "no"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Return)
    assert one.editor.selected_text() == "No"
    assert bar.note == "2 of 2"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Return)
    assert bar.note == "1 of 2"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.note == "2 of 2"
    QTest.keyClick(bar.words_field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert one.editor.hasFocus()


async def test_that_control_h_replaces_one_and_all(desk: OpenDesk) -> None:
    one = await desk()
    one.press("Ctrl+H")
    bar = one.panel.page.find_bar
    assert bar.replacement_field.isVisible()
    QTest.keyClicks(bar.words_field, "a")
    bar.replacement_field.setFocus()
    QTest.keyClicks(bar.replacement_field, "4")
    QTest.keyClick(bar.replacement_field, Qt.Key.Key_Return)
    assert one.editor.text == STORED.replace("a", "4", 1)
    bar.replace_all.emit()
    assert one.editor.text == STORED.replace("a", "4")
    operation = one.editor.operation()
    assert operation is not None
    assert {each.insert for each in operation.splices} == {"4"}


async def test_that_the_actions_are_those_of_the_tab_in_front(desk: OpenDesk) -> None:
    one = await desk()
    actions, centre = one.studio.contents.services.actions, one.studio.window.centre
    assert actions.row("edit.save").why_not() != ""
    one.type("x", at=0)
    assert actions.row("edit.save").why_not() == ""
    one.studio.contents.services.selection.open(Ref(RefKind.BLOCK, "blk_persona"))
    await one.calm()
    assert actions.row("edit.save").why_not() != ""
    centre.setCurrentIndex(0)
    assert "edit.save" not in actions
    assert "request.find" in actions
    one.studio.contents.services.selection.open(REF)
    assert actions.row("edit.save").why_not() == ""


async def test_that_hidden_characters_are_told_of(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        doors.use(replace(doors.states[ID], content=TextContent("a\u202eb\u200bc")))

    one = await desk(prepare)
    assert one.panel.figures.startswith("5 of 5,000 characters, 2 of them hidden")


async def test_that_characters_near_and_past_the_limit_are_coloured(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        state = doors.states[ID]
        doors.use(replace(state, block=replace(state.block, char_limit=72)))

    one = await desk(prepare)
    label = next(each for each in one.panel.findChildren(QLabel) if "of 72 characters" in each.text())
    assert label.property("tone") == "warning"
    one.type("long", at=0)
    assert label.property("tone") == "error"


async def test_that_a_block_that_nobody_has_read_says_so(studio: Studio) -> None:
    panel = BlockPanel(studio.contents.services, Ref(RefKind.BLOCK, "blk_unknown"))
    assert "Reading the block" in words(panel)
    assert panel.heading == "blk_unknown"
    panel.deleteLater()


@pytest.mark.parametrize("block_id", [ID, "blk_checklist", "blk_oncall", "blk_observations"])
async def test_that_the_tab_and_the_card_say_the_same_of_what_kind_a_block_is(
    desk: OpenDesk, block_id: str
) -> None:
    one = await desk(block_id=block_id)
    detail = one.studio.window.panel("detail")
    assert isinstance(detail, DetailPanel)
    await one.until(lambda: detail.card is not None and detail.card.title == one.panel.heading)
    assert detail.card is not None
    assert detail.card.note in words(one.panel)
    assert detail.card.note.startswith("shared by Grace · ") == (block_id == "blk_oncall")
