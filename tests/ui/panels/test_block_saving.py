"""One block's tab: drafts, saving, and what others write meanwhile."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.blocks import Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetPermission
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.ui.file_state import What
from inspector.ui.panels.block import BlockPanel
from tests.ui.conftest import Until
from tests.ui.panels.block_tab import ID, BlockTab, OpenTab, words
from tests.ui.world import QUESTIONS, STORED, World


async def test_that_saving_without_typing_makes_no_operation(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.save()
    one.studio.contents.services.actions.run("edit.save")
    await one.calm()
    assert one.saves == []
    assert one.kept is None


async def test_that_a_typed_character_is_a_draft_on_its_base_at_once(open_tab: OpenTab) -> None:
    one = await open_tab()
    base = one.state.version
    one.type("!", at=4)
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit == Edit(QUESTIONS, SpliceText((Splice(4, 0, "!"),)), base)
    assert work.content == TextContent(f"{STORED[:4]}!{STORED[4:]}")
    assert one.panel.marked
    assert one.panel.save_button.isEnabled()
    await one.until(lambda: one.kept == work.edit)


async def test_that_typing_a_character_and_taking_it_back_leaves_no_draft(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("x", at=0)
    QTest.keyClick(one.editor, Qt.Key.Key_Backspace)
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    await one.calm()
    assert one.kept is None


async def test_that_control_s_saves_exactly_the_typed_operation_with_its_reason(open_tab: OpenTab) -> None:
    one = await open_tab()
    base = one.state.version
    one.type("Now: ", at=0)
    QTest.keyClicks(one.panel.reason_field, "asked by Sam")
    one.save()
    await one.saved(f"Now: {STORED}")
    [(args, options)] = one.saves
    assert args == (ID, SpliceText((Splice(0, 0, "Now: "),)))
    assert options == {"reason": "asked by Sam", "base": base, "unlock": False}
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    assert one.panel.reason_field.text() == ""
    assert one.editor.base_text == f"Now: {STORED}"


async def test_that_the_save_button_saves_too_and_enter_in_the_reason(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("a", at=0)
    QTest.mouseClick(one.panel.save_button, Qt.MouseButton.LeftButton)
    await one.saved(f"a{STORED}")
    one.type("b", at=0)
    QTest.keyClick(one.panel.reason_field, Qt.Key.Key_Return)
    await one.saved(f"ba{STORED}")


async def test_that_a_second_save_counts_from_the_first(open_tab: OpenTab) -> None:
    one = await open_tab()
    for letter, text in (("a", "a"), ("b", "ba"), ("c", "cba")):
        one.type(letter, at=0)
        one.save()
        await one.saved(f"{text}{STORED}")
    assert [call.args[1] for call in one.saves] == [SpliceText((Splice(0, 0, letter),)) for letter in "abc"]


async def test_that_the_partners_block_is_read_only_for_others_and_says_whose_it_is(
    open_tab: OpenTab, until: Until
) -> None:
    one = await open_tab()
    engine = one.studio.opener.engine

    def notices() -> list[str]:
        return [each.text for each in one.panel.banners.notices]

    await engine.consent.set_partner("human:paula", "Paula")
    await one.studio.opener.write(QUESTIONS, SetPermission(Permission.PARTNER), engine.actor)
    await until(lambda: "Only Paula, the file's partner, can edit this block." in notices())
    one.type("x", at=0)
    assert one.editor.text == STORED
    assert ID not in one.workspace.file.drafts
    # Who is the partner edits it.
    await engine.consent.set_partner(engine.actor.id, "Me")
    await until(lambda: not notices())
    one.type("x", at=0)
    one.save()
    await one.saved(f"x{STORED}")


async def test_that_undo_still_works_after_a_save(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("x", at=0)
    one.save()
    await one.saved(f"x{STORED}")
    one.press(QKeySequence.StandardKey.Undo)
    assert one.editor.text == STORED
    assert one.panel.work.is_dirty
    one.save()
    await one.saved(STORED)


async def test_that_what_is_typed_while_a_save_is_under_way_is_a_draft_on_what_was_saved(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    one.type("A", at=0)
    one.saving.gate.clear()
    one.save()
    await asyncio.sleep(0.02)
    one.type("B", at=1)
    one.saving.gate.set()
    await one.until(lambda: one.content == TextContent(f"A{STORED}"))
    await one.until(lambda: ID in one.workspace.file.drafts and not one.panel.work.is_saving)
    await one.calm()
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit == Edit(QUESTIONS, SpliceText((Splice(1, 0, "B"),)), one.state.version)
    one.save()
    await one.saved(f"AB{STORED}")


async def test_that_nothing_is_lost_when_somebody_writes_while_a_save_is_under_way(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("A", at=0)
    one.saving.gate.clear()
    one.save()
    await asyncio.sleep(0.02)
    await one.world.insert(len(STORED), "\nGrace was here.")
    await asyncio.sleep(0.05)
    one.type("B", at=1)
    one.saving.gate.set()
    await one.until(lambda: one.content == TextContent(f"A{STORED}\nGrace was here."))
    await one.until(lambda: one.editor.text == f"AB{STORED}\nGrace was here.")
    one.save()
    await one.saved(f"AB{STORED}\nGrace was here.")


async def test_that_a_second_save_during_the_first_follows_it(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("A", at=0)
    one.saving.gate.clear()
    one.save()
    await asyncio.sleep(0.02)
    one.type("B", at=1)
    one.panel.work.save("second")
    one.saving.gate.set()
    await one.saved(f"AB{STORED}")
    assert [call.options["reason"] for call in one.saves] == ["", "second"]


async def test_that_a_change_of_somebody_else_shows_in_place_and_keeps_the_cursor(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.editor.select_range(10, 15)
    await one.world.insert(0, "First: ")
    await one.until(lambda: one.editor.text == f"First: {STORED}")
    assert one.editor.selected_range() == (17, 22)
    assert not one.panel.work.is_dirty
    assert one.saves == []


async def test_that_a_draft_stays_on_its_base_when_somebody_writes_and_saving_merges(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    base = one.state.version
    one.type("Mine. ", at=0)
    await one.world.insert(len(STORED), " Theirs.")
    await one.until(lambda: one.banner("Grace changed this block while you were editing"))
    assert one.editor.text == f"Mine. {STORED}"
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.edit.base == base
    one.save()
    await one.until(lambda: one.editor.text == f"Mine. {STORED} Theirs.")
    await one.saved(f"Mine. {STORED} Theirs.")
    assert one.banner("Grace changed this block while you were editing") is None


async def test_that_a_locked_block_asks_once_and_then_saves_unlocked(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.saving.errors = iter([RefusedError(Refusal("refused.locked", {"label": "open_questions"}))])
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.save()
    await one.until(lambda: one.banner("read-only for its agent"))
    assert "Save your edit anyway?" in words(one.panel.banners)
    assert not failed
    assert one.editor.text == f"x{STORED}"
    await one.click("Unlock and save")
    await one.saved(f"x{STORED}")
    assert [call.options["unlock"] for call in one.saves] == [False, True]
    assert one.banner("read-only for its agent") is None


async def test_that_any_other_refusal_is_told_in_its_tab_and_loses_nothing(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.saving.errors = iter([RefusedError(Refusal("refused.char_limit", {"limit": 10}))])
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.save()
    await one.until(lambda: one.banner("Saving open_questions"))
    assert "Your draft is kept" in words(one.panel.banners)
    assert failed == []
    assert one.editor.text == f"x{STORED}"
    assert ID in one.workspace.file.drafts
    assert one.panel.marked
    one.save()
    assert not one.says("Saving open_questions")
    await one.saved(f"x{STORED}")


async def test_that_the_word_of_a_refusal_goes_with_the_draft_that_it_speaks_of(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.saving.errors = iter([RefusedError(Refusal("refused.char_limit", {"limit": 10}))])
    one.type("x", at=0)
    one.save()
    await one.until(lambda: one.banner("Saving open_questions"))
    one.discard()
    assert not one.says("Saving open_questions")


async def test_that_a_restored_draft_shows_as_unsaved_work(open_tab: OpenTab, world: World) -> None:
    draft = Edit(QUESTIONS, SpliceText((Splice(0, 4, "Can"),)), await world.version())
    one = await open_tab(drafts=(draft,))
    assert one.editor.text == f"Can{STORED[4:]}"
    assert one.panel.marked
    assert one.editor.operation() == SpliceText((Splice(0, 4, "Can"),))
    one.save()
    await one.saved(f"Can{STORED[4:]}")


async def open_with_stale_draft(open_tab: OpenTab, world: World) -> BlockTab:
    """The tab with a draft of last time on a version that somebody wrote on since."""
    draft = Edit(QUESTIONS, SpliceText((Splice(0, 0, "Mine. "),)), await world.version())
    return await open_tab(Edit(QUESTIONS, SpliceText((Splice(len(STORED), 0, " Theirs."),))), drafts=(draft,))


async def test_that_a_restored_draft_on_an_older_version_shows_merged(
    open_tab: OpenTab, world: World
) -> None:
    one = await open_with_stale_draft(open_tab, world)
    assert one.editor.text == f"Mine. {STORED} Theirs."
    assert one.panel.marked
    one.save()
    await one.saved(f"Mine. {STORED} Theirs.")


async def test_that_typing_goes_on_in_a_restored_draft_on_an_older_version(
    open_tab: OpenTab, world: World
) -> None:
    one = await open_with_stale_draft(open_tab, world)
    one.type("And ", at=0)
    await one.world.insert(len(STORED) + 8, " Again.")
    await one.until(lambda: one.banner("Grace changed this block while you were editing"))
    one.save()
    await one.saved(f"And Mine. {STORED} Theirs. Again.")


async def test_that_a_tab_that_is_closed_and_opened_again_has_the_draft(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("Mine. ", at=0)
    one.studio.window.centre.close_view(("block", QUESTIONS))
    await one.world.insert(len(STORED), " Theirs.")
    await one.until(lambda: one.content == TextContent(f"{STORED} Theirs."))
    one.studio.contents.services.selection.open(QUESTIONS)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await one.until(lambda: panel.page.editor.text == f"Mine. {STORED} Theirs.")
    QTest.keySequence(panel.page.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    await one.until(lambda: one.content == TextContent(f"Mine. {STORED} Theirs."))


async def test_that_a_version_that_is_told_again_changes_nothing(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("x", at=0)
    one.workspace.changed.emit(What.BLOCKS)
    assert one.editor.text == f"x{STORED}"
    assert one.banner("while you were editing") is None


async def test_that_leaving_waits_for_the_save_that_was_asked_for(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.saving.gate.clear()
    one.type("Now: ", at=0)
    one.save()
    leaving = asyncio.ensure_future(one.workspace.close())
    await asyncio.sleep(0.05)
    assert not leaving.done()
    one.saving.gate.set()
    await leaving
    assert len(one.saves) == 1
    session = await one.world.open(one.world.path)
    assert await one.world.text() == f"Now: {STORED}"
    # Nor as a draft that would come back as new work.
    assert await session.restore_drafts() == ()
    await session.engine.close()
