"""One block's tab: drafts, saving, and what others write meanwhile."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Draft, Edit, Version
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.runtime.recovered_drafts import RestoredDraft
from inspector.ui.file_state import What
from inspector.ui.panels.block import BlockPanel
from tests.ui import values
from tests.ui.merging_doors import MergingDoors
from tests.ui.panels.open_block import ID, REF, STORED, Desk, OpenDesk, known, words


def told(one: Desk, words_: str) -> bool:
    """Whether a banner of the tab says so."""
    return any(words_ in each.text for each in one.panel.banners.notices)


async def test_that_saving_without_typing_makes_no_operation(desk: OpenDesk) -> None:
    one = await desk()
    one.press(QKeySequence.StandardKey.Save)
    one.studio.contents.services.actions.run("edit.save")
    await one.calm()
    assert one.doors.edits == []
    assert one.doors.kept == {}


async def test_that_a_typed_character_is_a_draft_on_its_base_at_once(desk: OpenDesk) -> None:
    one = await desk()
    base = one.doors.states[ID].version
    one.type("!", at=4)
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit == Edit(REF, SpliceText((Splice(4, 0, "!"),)), base)
    assert work.content == TextContent(f"{STORED[:4]}!{STORED[4:]}")
    assert one.panel.marked
    assert one.panel.save_button.isEnabled()
    await one.until(lambda: one.doors.kept.get(ID) == work.edit)


async def test_that_typing_a_character_and_taking_it_back_leaves_no_draft(desk: OpenDesk) -> None:
    one = await desk()
    one.type("x", at=0)
    QTest.keyClick(one.editor, Qt.Key.Key_Backspace)
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    await one.until(lambda: ID not in one.doors.kept)


async def test_that_control_s_saves_exactly_the_typed_operation_with_its_reason(desk: OpenDesk) -> None:
    one = await desk()
    base = one.doors.states[ID].version
    one.type("Now: ", at=0)
    QTest.keyClicks(one.panel.reason_field, "asked by Sam")
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    [(block_id, operation, options)] = one.doors.edits
    assert (block_id, operation) == (ID, SpliceText((Splice(0, 0, "Now: "),)))
    assert (options.reason, options.base, options.unlock) == ("asked by Sam", base, False)
    assert one.doors.text(ID) == f"Now: {STORED}"
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    assert one.panel.reason_field.text() == ""
    assert one.editor.base_text == f"Now: {STORED}"


async def test_that_the_save_button_saves_too_and_enter_in_the_reason(desk: OpenDesk) -> None:
    one = await desk()
    one.type("a", at=0)
    QTest.mouseClick(one.panel.save_button, Qt.MouseButton.LeftButton)
    await one.saved()
    one.type("b", at=0)
    QTest.keyClick(one.panel.reason_field, Qt.Key.Key_Return)
    await one.saved()
    assert one.doors.text(ID) == f"ba{STORED}"


async def test_that_a_second_save_counts_from_the_first(desk: OpenDesk) -> None:
    one = await desk()
    for letter in "abc":
        one.type(letter, at=0)
        one.press(QKeySequence.StandardKey.Save)
        await one.saved()
    assert one.doors.text(ID) == f"cba{STORED}"
    assert [operation for _, operation, _ in one.doors.edits] == [
        SpliceText((Splice(0, 0, letter),)) for letter in "abc"
    ]


async def test_that_undo_still_works_after_a_save(desk: OpenDesk) -> None:
    one = await desk()
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    one.press(QKeySequence.StandardKey.Undo)
    assert one.editor.text == STORED
    assert one.panel.work.is_dirty
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == STORED


async def test_that_what_is_typed_while_a_save_is_under_way_is_a_draft_on_what_was_saved(
    desk: OpenDesk,
) -> None:
    one = await desk()
    one.type("A", at=0)
    one.doors.pass_.clear()
    one.press(QKeySequence.StandardKey.Save)
    await asyncio.sleep(0.02)
    one.type("B", at=1)
    one.doors.pass_.set()
    await one.until(lambda: one.doors.text(ID) == f"A{STORED}")
    await one.until(lambda: ID in one.workspace.file.drafts and not one.panel.work.is_saving)
    await one.calm()
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit == Edit(REF, SpliceText((Splice(1, 0, "B"),)), one.doors.states[ID].version)
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"AB{STORED}"


async def test_that_nothing_is_lost_when_somebody_writes_while_a_save_is_under_way(desk: OpenDesk) -> None:
    one = await desk()
    one.type("A", at=0)
    one.doors.pass_.clear()
    one.press(QKeySequence.StandardKey.Save)
    await asyncio.sleep(0.02)
    one.doors.write(ID, len(STORED), 0, "\nGrace was here.")
    await asyncio.sleep(0.05)
    one.type("B", at=1)
    one.doors.pass_.set()
    await one.until(lambda: one.doors.text(ID) == f"A{STORED}\nGrace was here.")
    await one.until(lambda: one.editor.text == f"AB{STORED}\nGrace was here.")
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"AB{STORED}\nGrace was here."


async def test_that_a_second_save_during_the_first_follows_it(desk: OpenDesk) -> None:
    one = await desk()
    one.type("A", at=0)
    one.doors.pass_.clear()
    one.press(QKeySequence.StandardKey.Save)
    await asyncio.sleep(0.02)
    one.type("B", at=1)
    one.panel.work.save("second")
    one.doors.pass_.set()
    await one.until(lambda: one.doors.text(ID) == f"AB{STORED}")
    await one.saved()
    assert [options.reason for _, _, options in one.doors.edits] == ["", "second"]


async def test_that_a_change_of_somebody_else_shows_in_place_and_keeps_the_cursor(desk: OpenDesk) -> None:
    one = await desk()
    one.editor.select_range(10, 15)
    one.doors.write(ID, 0, 0, "First: ")
    await one.until(lambda: one.editor.text == f"First: {STORED}")
    assert one.editor.selected_range() == (17, 22)
    assert not one.panel.work.is_dirty
    assert one.doors.edits == []


async def test_that_a_draft_stays_on_its_base_when_somebody_writes_and_saving_merges(
    desk: OpenDesk,
) -> None:
    one = await desk()
    base = one.doors.states[ID].version
    one.type("Mine. ", at=0)
    one.doors.write(ID, len(STORED), 0, " Theirs.")
    await one.until(lambda: one.banner("Grace changed this block while you were editing"))
    assert one.editor.text == f"Mine. {STORED}"
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit.base == base
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.editor.text == f"Mine. {STORED} Theirs.")
    await one.saved()
    assert one.doors.text(ID) == f"Mine. {STORED} Theirs."
    assert one.banner("Grace changed this block while you were editing") is None


async def test_that_a_locked_block_asks_once_and_then_saves_unlocked(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.refuses = RefusedError(Refusal("refused.locked", {"label": "open_questions"}))
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.banner("read-only for its agent"))
    assert "Save your edit anyway?" in words(one.panel.banners)
    assert not failed
    assert one.editor.text == f"x{STORED}"
    QTest.mouseClick(one.button("Unlock and save"), Qt.MouseButton.LeftButton)
    await one.saved()
    assert [options.unlock for _, _, options in one.doors.edits] == [False, True]
    assert one.doors.text(ID) == f"x{STORED}"
    assert one.banner("read-only for its agent") is None


async def test_that_any_other_refusal_is_told_in_its_tab_and_loses_nothing(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.refuses = RefusedError(Refusal("refused.char_limit", {"limit": 10}))
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.banner("Saving open_questions"))
    assert "Your draft is kept" in words(one.panel.banners)
    assert failed == []
    assert one.editor.text == f"x{STORED}"
    assert ID in one.workspace.file.drafts
    assert one.panel.marked
    one.press(QKeySequence.StandardKey.Save)
    assert not told(one, "Saving open_questions")
    await one.saved()
    assert one.doors.text(ID) == f"x{STORED}"


async def test_that_the_word_of_a_refusal_goes_with_the_draft_that_it_speaks_of(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.refuses = RefusedError(Refusal("refused.char_limit", {"limit": 10}))
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.banner("Saving open_questions"))
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert not told(one, "Saving open_questions")


async def test_that_a_restored_draft_shows_as_unsaved_work(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        edit = Edit(REF, SpliceText((Splice(0, 4, "Can"),)), doors.states[ID].version)
        doors.restored = (RestoredDraft(Draft(REF, edit, values.NOW), TextContent(f"Can{STORED[4:]}")),)

    one = await desk(prepare)
    assert one.editor.text == f"Can{STORED[4:]}"
    assert one.panel.marked
    assert one.editor.operation() == SpliceText((Splice(0, 4, "Can"),))
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"Can{STORED[4:]}"


def stale_draft(doors: MergingDoors) -> None:
    """A draft on a version that somebody wrote on since."""
    edit = Edit(REF, SpliceText((Splice(0, 0, "Mine. "),)), doors.states[ID].version)
    doors.write(ID, len(STORED), 0, " Theirs.")
    doors.restored = (RestoredDraft(Draft(REF, edit, values.NOW), TextContent(f"Mine. {STORED} Theirs.")),)


async def test_that_a_restored_draft_on_an_older_version_shows_merged(desk: OpenDesk) -> None:
    one = await desk(stale_draft)
    assert one.editor.text == f"Mine. {STORED} Theirs."
    assert one.panel.marked
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"Mine. {STORED} Theirs."


async def test_that_typing_goes_on_in_a_restored_draft_on_an_older_version(desk: OpenDesk) -> None:
    one = await desk(stale_draft)
    one.type("And ", at=0)
    one.doors.write(ID, len(STORED) + 8, 0, " Again.")
    await one.until(lambda: one.banner("Grace changed this block while you were editing"))
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"And Mine. {STORED} Theirs. Again."


async def test_that_a_tab_that_is_closed_and_opened_again_has_the_draft(desk: OpenDesk) -> None:
    one = await desk()
    one.type("Mine. ", at=0)
    one.studio.window.centre.close_view(("block", REF))
    one.doors.write(ID, len(STORED), 0, " Theirs.")
    await one.until(lambda: known(one) == TextContent(f"{STORED} Theirs."))
    one.studio.contents.services.selection.open(REF)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await one.until(lambda: panel.page.editor.text == f"Mine. {STORED} Theirs.")
    QTest.keySequence(panel.page.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: one.doors.text(ID) == f"Mine. {STORED} Theirs." and not panel.work.is_dirty)


async def test_that_a_version_that_is_told_again_changes_nothing(desk: OpenDesk) -> None:
    one = await desk()
    one.type("x", at=0)
    one.workspace.changed.emit(What.BLOCKS)
    assert one.editor.text == f"x{STORED}"
    assert one.banner("while you were editing") is None
    assert one.doors.states[ID].version != Version("")


async def test_that_leaving_waits_for_the_save_that_was_asked_for(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.pass_.clear()
    one.type("Now: ", at=0)
    one.press(QKeySequence.StandardKey.Save)
    leaving = asyncio.ensure_future(one.workspace.close())
    await asyncio.sleep(0.05)
    assert not leaving.done()
    one.doors.pass_.set()
    await leaving
    assert one.doors.text(ID) == f"Now: {STORED}"
    assert len(one.doors.edits) == 1
    # Neither as a draft that would come back as new work.
    assert ID not in one.doors.kept
