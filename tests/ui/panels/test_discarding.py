"""One block's tab: a draft that is given up, and comes back."""

import asyncio
import itertools

from PySide6.QtGui import QKeySequence

from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteBlock
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.resolution import Choice
from inspector.runtime.session import FileSession
from tests.ui.panels.block_tab import ID, BlockTab, OpenTab, words
from tests.ui.world import QUESTIONS, STORED, Spy, World

TOO_LONG = RefusedError(Refusal("refused.char_limit", {"limit": 10}))


async def brought_back(one: BlockTab) -> None:
    """Discard a draft on a base that is gone, and bring it back while what it gives now is not known."""
    one.type("Mine. ", at=0)
    await one.world.insert(len(STORED), "\nTheirs.")
    await one.until(lambda: one.says("while you were editing"))
    one.discard()
    await asyncio.sleep(0.01)
    one.previewing.gate.clear()
    await one.click("Restore draft")


async def test_that_what_is_typed_before_the_draft_is_back_comes_into_it(open_tab: OpenTab) -> None:
    one = await open_tab()
    whole = f"Mine. {STORED[:4]}?{STORED[4:]}\nTheirs.!"
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    one.type("?", at=4)
    assert one.editor.text == f"{STORED[:4]}?{STORED[4:]}\nTheirs.!"
    one.previewing.gate.set()
    await one.until(lambda: one.editor.text == whole)
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.content == TextContent(whole)
    assert work.edit.base == one.state.version
    one.save()
    await one.saved(whole)


async def test_that_a_draft_that_nothing_is_typed_into_comes_back_as_it_was(open_tab: OpenTab) -> None:
    one = await open_tab()
    await brought_back(one)
    before = one.workspace.file.drafts.get(ID)
    one.previewing.gate.set()
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    assert one.workspace.file.drafts.get(ID) == before


async def test_that_a_save_asked_for_before_the_draft_is_back_saves_all_of_it(open_tab: OpenTab) -> None:
    one = await open_tab()
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    one.save()
    await asyncio.sleep(0.02)
    assert one.saves == []
    one.previewing.gate.set()
    await one.saved(f"Mine. {STORED}\nTheirs.!")
    assert len(one.saves) == 1


async def test_that_somebody_who_writes_before_the_draft_is_back_takes_nothing_from_it(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    await one.world.insert(0, "First. ")
    await asyncio.sleep(0.05)
    one.type("?", at=len(one.editor.text))
    one.previewing.gate.set()
    await one.until(lambda: "Mine. " in one.editor.text)
    one.save()
    # Both wrote at the beginning, which is decided before it is saved.
    await one.until(lambda: one.panel.review.is_open)
    one.panel.review.page.choose_all(Choice.BOTH)
    one.save()
    await one.until(lambda: not one.panel.work.is_dirty and not one.panel.work.is_saving)
    assert sorted(await one.world.text()) == sorted(f"First. Mine. {STORED}\nTheirs.!?")


async def test_that_what_is_typed_into_a_draft_that_fits_no_more_is_a_draft(open_tab: OpenTab) -> None:
    one = await open_tab()
    await brought_back(one)
    one.type("!", at=0)
    one.previewing.errors = itertools.repeat(TOO_LONG)
    one.previewing.gate.set()
    await one.calm()
    assert one.editor.text == f"!{STORED}\nTheirs."
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.content == TextContent(f"!{STORED}\nTheirs.")


async def test_that_a_draft_discarded_before_it_is_back_can_be_brought_back_again(open_tab: OpenTab) -> None:
    one = await open_tab()
    await brought_back(one)
    before = one.workspace.file.drafts.get(ID)
    one.type("!", at=0)
    one.discard()
    assert one.editor.text == f"{STORED}\nTheirs."
    one.previewing.gate.set()
    await asyncio.sleep(0.02)
    assert one.editor.text == f"{STORED}\nTheirs."
    await one.click("Restore draft")
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    assert one.workspace.file.drafts.get(ID) == before


async def test_that_discarding_brings_the_stored_text_back(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("nonsense", at=3)
    one.discard()
    assert one.editor.text == STORED
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    await one.until(lambda: one.kept is None)
    assert one.saves == []


async def test_that_a_discarded_draft_can_be_brought_back(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("nonsense", at=3)
    before = one.workspace.file.drafts.get(ID)
    one.discard()
    await one.until(lambda: one.kept is None)
    await one.click("Restore draft")
    assert one.editor.text == f"{STORED[:3]}nonsense{STORED[3:]}"
    assert one.workspace.file.drafts.get(ID) == before
    assert not one.says("discarded")
    await one.until(lambda: one.kept is not None)
    one.save()
    await one.saved(f"{STORED[:3]}nonsense{STORED[3:]}")


async def test_that_a_discarded_draft_comes_back_with_what_somebody_wrote_meanwhile(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    one.type("Mine. ", at=0)
    await one.world.insert(len(STORED), "\nTheirs.")
    await one.until(lambda: one.banner("while you were editing"))
    one.discard()
    assert one.editor.text == f"{STORED}\nTheirs."
    assert not one.editor.steps.can_undo
    await one.click("Restore draft")
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    one.save()
    await one.saved(f"Mine. {STORED}\nTheirs.")


async def test_that_control_z_undoes_a_discard(open_tab: OpenTab) -> None:
    one = await open_tab()
    one.type("nonsense", at=3)
    one.discard()
    assert one.banner("discarded")
    one.editor.setFocus()
    one.press(QKeySequence.StandardKey.Undo)
    assert one.editor.text == f"{STORED[:3]}nonsense{STORED[3:]}"
    assert ID in one.workspace.file.drafts
    assert one.panel.marked
    assert not one.says("discarded")


async def test_that_a_draft_on_a_block_that_was_deleted_is_spoken_of_and_can_be_discarded(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    one.type("Mine. ", at=0)
    await one.world.write(QUESTIONS, DeleteBlock())
    await one.until(lambda: one.banner("This block is deleted"))
    assert "Your draft is kept" in words(one.panel.banners)
    assert not one.panel.save_button.isVisible()
    one.discard()
    assert ID not in one.workspace.file.drafts
    assert "Your draft is kept" not in words(one.panel.banners)
    assert not one.panel.discard_button.isVisible()
    await one.click("Restore draft")
    assert ID in one.workspace.file.drafts
    await one.click("Restore")
    await one.until(lambda: not one.says("This block is deleted"))
    one.save()
    await one.saved(f"Mine. {STORED}")


async def test_that_a_draft_that_fits_no_more_can_be_given_up_when_its_tab_is_opened(
    open_tab: OpenTab, world: World
) -> None:
    def prepare(session: FileSession) -> None:
        # It fits when the file is opened, and no more when its tab is.
        previews = Spy(session.engine.memory, "preview")
        previews.errors = itertools.chain([None], itertools.repeat(TOO_LONG))

    world.prepare = prepare
    draft = Edit(QUESTIONS, SpliceText((Splice(0, 0, "Mine. "),)), await world.version())
    theirs = Edit(QUESTIONS, SpliceText((Splice(len(STORED), 0, "\nTheirs."),)))
    one = await open_tab(theirs, drafts=(draft,))
    assert one.editor.isReadOnly()
    assert not one.panel.save_button.isEnabled()
    one.discard()
    assert ID not in one.workspace.file.drafts
    assert one.editor.text == f"{STORED}\nTheirs."
    assert not one.editor.isReadOnly()
