"""One block's tab: what it shows, how it is edited, and what cannot be edited."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetCharLimit
from inspector.domain.edits.text import SetText
from inspector.domain.errors import BudgetError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.panels.block import BlockPanel
from inspector.ui.panels.detail import DetailPanel
from tests.ui.conftest import Studio, Until
from tests.ui.file_builders import alter
from tests.ui.open_window import calm, open_file
from tests.ui.panels.block_tab import ID, OpenTab, words
from tests.ui.world import CHECKLIST, QUESTIONS, STORED, Spy, World

TOO_LARGE = BudgetError("budget.does_not_fit", piece="x", label="x", needed=16_000, available=14_000)


async def test_that_a_text_block_opens_with_its_text_and_nothing_to_save(open_tab: OpenTab) -> None:
    one = await open_tab()
    assert one.editor.text == STORED
    assert one.panel.heading == "open_questions"
    assert not one.panel.marked
    assert not one.panel.save_button.isEnabled()
    assert not one.panel.discard_button.isEnabled()
    assert "working · text · read and write" in words(one.panel)
    assert re.fullmatch(r"69 of 5,000 characters · \d+ tokens", one.panel.figures)


async def test_that_the_figures_follow_the_typing(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("a question more, ", at=0)
    await one.until(lambda: re.fullmatch(r"86 of 5,000 characters · \d+ tokens · \+\d", one.panel.figures))


async def test_that_no_block_is_called_out_of_a_request_that_cannot_be_built(open_tab: OpenTab) -> None:
    one = await open_tab()
    assert "tokens" in one.panel.figures
    Spy(one.world.engine.context, "request").errors = iter([TOO_LARGE])
    one.type("far too much", 0)
    await one.until(lambda: one.workspace.file.request_problem is not None)
    assert "not in the Request" not in one.panel.figures
    assert "tokens" not in one.panel.figures
    one.panel.work.discard()
    await one.until(lambda: "tokens" in one.panel.figures)


async def test_that_the_rendered_view_shows_the_draft_as_the_model_gets_it(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("Draft. ", at=0)
    QTest.mouseClick(one.panel.views.buttons[1], Qt.MouseButton.LeftButton)
    assert one.panel.rendered.isVisible()
    shown = one.panel.rendered.editor
    await one.until(lambda: f"<open_questions>\nDraft. {STORED}\n</open_questions>" in shown.text)
    before = shown.text
    QTest.keyClicks(shown, "x")
    assert shown.text == before


async def test_that_a_list_has_an_editor_raw_json_and_what_the_model_reads(open_tab: OpenTab) -> None:
    one = await open_tab(block=CHECKLIST)
    assert one.panel.save_button.isVisible()
    assert all(each.isVisible() for each in one.panel.views.buttons)
    one.panel.views.choose(1)
    assert "<release_checklist>\n1. [x] changelog frozen" in one.panel.rendered.editor.text
    one.panel.views.choose(2)
    assert '"title": "changelog frozen"' in one.panel.editors.raw.page.editor.text
    assert re.search(r"\d tokens$", one.panel.figures)


async def test_that_a_file_open_for_reading_gives_a_read_only_editor_with_the_reason(
    open_tab: OpenTab, world: World
) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    world.prepare = lambda session: setattr(session, "read_only", problem)
    one = await open_tab()
    assert one.editor.isReadOnly()
    assert "read-only" not in words(one.panel)
    [notice] = one.studio.window.banners.notices
    assert notice.text == "This file is read-only."
    one.type("x", at=0)
    assert one.editor.text == STORED
    assert ID not in one.workspace.file.drafts


async def test_that_a_deleted_block_is_shown_and_can_be_restored(open_tab: OpenTab) -> None:
    one = await open_tab(block=Ref(RefKind.BLOCK, "blk_gone"))
    assert one.editor.text == "Merge on Friday."
    assert one.editor.isReadOnly()
    assert one.banner("This block is deleted") is not None
    await one.click("Restore")
    await one.until(lambda: not one.editor.isReadOnly())
    await one.until(lambda: one.banner("This block is deleted") is None)


async def test_that_an_unreadable_block_says_why_and_offers_no_editor(
    open_tab: OpenTab, world: World
) -> None:
    alter(world.path, "UPDATE blocks SET schema = '{' WHERE id = ?", ID)
    one = await open_tab()
    assert not one.panel.page.isVisible()
    assert not one.panel.rendered.isVisible()
    assert not one.panel.save_button.isVisible()
    assert "All other blocks work" in words(one.panel)


async def test_that_control_f_finds_and_escape_gives_the_keyboard_back(open_tab: OpenTab) -> None:
    one = await open_tab()
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


async def test_that_control_h_replaces_one_and_all(open_tab: OpenTab) -> None:
    one = await open_tab()
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


async def test_that_the_actions_are_those_of_the_tab_in_front(open_tab: OpenTab) -> None:
    one = await open_tab()
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
    one.studio.contents.services.selection.open(QUESTIONS)
    assert actions.row("edit.save").why_not() == ""


async def test_that_hidden_characters_are_told_of(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetText("a\u202eb\u200bc")))
    assert one.panel.figures.startswith("5 of 5,000 characters, 2 of them hidden")


async def test_that_characters_near_and_past_the_limit_are_coloured(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetCharLimit(72)))
    label = next(each for each in one.panel.findChildren(QLabel) if "of 72 characters" in each.text())
    assert label.property("tone") == "warning"
    one.type("long", at=0)
    assert label.property("tone") == "error"


async def test_that_a_block_that_nobody_has_read_says_so(studio: Studio) -> None:
    panel = BlockPanel(studio.contents.services, Ref(RefKind.BLOCK, "blk_unknown"))
    panel.complete()
    assert "Reading the block" in words(panel)
    assert panel.heading == "blk_unknown"
    assert not panel.save_button.isVisibleTo(panel)
    panel.deleteLater()


async def test_that_a_block_that_the_agent_does_not_see_says_so(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    studio.contents.services.selection.open(Ref(RefKind.BLOCK, "blk_unknown"))
    panel = studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert "Ada doesn't see this block." in words(panel)
    assert not panel.save_button.isVisible()
    assert not panel.discard_button.isVisible()
    await calm(studio, until)


@pytest.mark.parametrize("block_id", [ID, "blk_checklist", "blk_oncall", "blk_observations"])
async def test_that_the_tab_and_the_card_say_the_same_of_what_kind_a_block_is(
    open_tab: OpenTab, block_id: str
) -> None:
    one = await open_tab(block=Ref(RefKind.BLOCK, block_id))
    detail = one.studio.window.panel("detail")
    assert isinstance(detail, DetailPanel)
    await one.until(lambda: detail.card is not None and detail.card.title == one.panel.heading)
    assert detail.card is not None
    assert detail.card.note in words(one.panel)
    assert detail.card.note.startswith("shared by Grace · ") == (block_id == "blk_oncall")
