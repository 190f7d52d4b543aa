"""A save over the limit of characters: its notice raises the limit and saves, as one change."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.blocks import Permission
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetCharLimit, SetPermission
from tests.ui.open_window import press_toast, said
from tests.ui.panels.block_tab import BlockTab, OpenTab, words
from tests.ui.world import QUESTIONS, STORED

NARROW = Edit(QUESTIONS, SetCharLimit(len(STORED)))
TYPED = f"Now: {STORED}"


async def over_the_limit(open_tab: OpenTab, *more: Edit) -> BlockTab:
    """Save five characters more than the block may have."""
    one = await open_tab(NARROW, *more)
    one.type("Now: ", at=0)
    one.save()
    return one


def limit(one: BlockTab) -> int:
    return one.state.block.char_limit


async def test_that_the_refusal_names_both_figures_and_what_would_do(open_tab: OpenTab) -> None:
    one = await over_the_limit(open_tab)
    await one.until(lambda: one.banner(f"{len(TYPED)} characters, limit {len(STORED)}."))
    assert "Your draft is kept. Shorten it by 5 or raise the limit." in words(one.panel.banners)
    assert one.buttons("Raise limit to 100")


async def test_that_the_limit_is_raised_and_the_draft_saved_in_one_changeset(open_tab: OpenTab) -> None:
    one = await over_the_limit(open_tab)
    await one.click("Raise limit to 100")
    await one.saved(TYPED)
    assert limit(one) == 100
    assert not one.panel.banners.notices
    await said(one.studio, one.until, "saved")
    press_toast(one.studio, "Undo")
    await one.until(lambda: one.editor.text == STORED and limit(one) == len(STORED))


async def test_that_the_button_is_pressed_by_keyboard(open_tab: OpenTab) -> None:
    one = await over_the_limit(open_tab)
    await one.until(lambda: one.buttons("Raise limit to 100"))
    raise_button = one.buttons("Raise limit to 100")[0]
    raise_button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(raise_button, Qt.Key.Key_Space)
    await one.saved(TYPED)


async def test_that_a_block_unlocked_for_the_save_stays_so_when_its_limit_is_raised(
    open_tab: OpenTab,
) -> None:
    locked = Edit(QUESTIONS, SetPermission(Permission.READ_ONLY))
    one = await over_the_limit(open_tab, locked)
    await one.click("Unlock and save")
    await one.click("Raise limit to 100")
    await one.saved(TYPED)


async def test_that_what_is_typed_after_the_refusal_is_saved_too(open_tab: OpenTab) -> None:
    one = await over_the_limit(open_tab)
    await one.until(lambda: one.buttons("Raise limit to 100"))
    one.type("x" * 60, at=0)
    await one.click("Raise limit to 100")
    # It is longer by now than the notice knew.
    await one.until(lambda: one.buttons("Raise limit to 200"))
    await one.click("Raise limit to 200")
    await one.saved("x" * 60 + TYPED)


async def test_that_a_block_over_its_limit_is_edited_until_it_fits(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetCharLimit(5)))
    assert one.banner("You can only shorten it until it fits.")
    assert one.editor.text == STORED
    one.type("x", at=0)
    one.save()
    await one.until(lambda: one.banner(f"{len(STORED) + 1} characters, limit 5."))
    assert not one.banner("You can only shorten it until it fits.")
    one.editor.selectAll()
    QTest.keyClicks(one.editor, "Fits")
    one.save()
    await one.saved("Fits")
    assert not one.panel.banners.notices


async def test_that_the_limit_of_a_block_over_it_is_raised_without_a_draft(open_tab: OpenTab) -> None:
    one = await open_tab(Edit(QUESTIONS, SetCharLimit(5)))
    await one.click("Raise limit to 100")
    await one.until(lambda: limit(one) == 100)
    assert not one.panel.banners.notices
