"""One block's tab: a draft that is given up, and comes back."""

import asyncio
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.changes import Change
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Draft, Edit
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.runtime.recovered_drafts import RestoredDraft
from tests.ui import values
from tests.ui.merging_doors import GRACE, MergingDoors
from tests.ui.panels.open_block import ID, REF, STORED, Desk, OpenDesk, words


def told(one: Desk, words_: str) -> bool:
    """Whether a banner of the tab says so."""
    return any(words_ in each.text for each in one.panel.banners.notices)


async def brought_back(one: Desk) -> None:
    """Discard a draft on a base that is gone, and bring it back while what it gives now is not known."""
    one.type("Mine. ", at=0)
    one.doors.write(ID, len(STORED), 0, "\nTheirs.")
    await one.until(lambda: told(one, "while you were editing"))
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    await asyncio.sleep(0.01)
    one.doors.hold.clear()
    QTest.mouseClick(one.button("Restore draft"), Qt.MouseButton.LeftButton)


async def test_that_what_is_typed_before_the_draft_is_back_comes_into_it(desk: OpenDesk) -> None:
    one = await desk()
    whole = f"Mine. {STORED[:4]}?{STORED[4:]}\nTheirs.!"
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    one.type("?", at=4)
    assert one.editor.text == f"{STORED[:4]}?{STORED[4:]}\nTheirs.!"
    one.doors.hold.set()
    await one.until(lambda: one.editor.text == whole)
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.content == TextContent(whole)
    assert work.edit.base == one.doors.states[ID].version
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == whole


async def test_that_a_draft_that_nothing_is_typed_into_comes_back_as_it_was(desk: OpenDesk) -> None:
    one = await desk()
    await brought_back(one)
    before = one.workspace.file.drafts.get(ID)
    one.doors.hold.set()
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    assert one.workspace.file.drafts.get(ID) == before


async def test_that_a_save_asked_for_before_the_draft_is_back_saves_all_of_it(desk: OpenDesk) -> None:
    one = await desk()
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    one.press(QKeySequence.StandardKey.Save)
    await asyncio.sleep(0.02)
    assert one.doors.edits == []
    one.doors.hold.set()
    await one.until(lambda: one.doors.text(ID) == f"Mine. {STORED}\nTheirs.!")
    await one.saved()
    assert len(one.doors.edits) == 1


async def test_that_somebody_who_writes_before_the_draft_is_back_takes_nothing_from_it(
    desk: OpenDesk,
) -> None:
    one = await desk()
    await brought_back(one)
    one.type("!", at=len(STORED) + len("\nTheirs."))
    one.doors.write(ID, 0, 0, "First. ")
    await asyncio.sleep(0.05)
    one.type("?", at=len(STORED) + len("\nTheirs.!"))
    one.doors.hold.set()
    await one.until(lambda: "Mine. " in one.editor.text)
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    text = one.doors.text(ID)
    assert text.endswith(f"{STORED}\nTheirs.!?")
    assert sorted(text) == sorted(f"First. Mine. {STORED}\nTheirs.!?")


async def test_that_what_is_typed_into_a_draft_that_fits_no_more_is_a_draft(desk: OpenDesk) -> None:
    one = await desk()
    await brought_back(one)
    one.type("!", at=0)
    one.doors.unfit = RefusedError(Refusal("refused.char_limit", {"limit": 10}))
    one.doors.hold.set()
    await one.calm()
    assert one.editor.text == f"!{STORED}\nTheirs."
    work = one.workspace.file.drafts.get(ID)
    assert work is not None
    assert work.content == TextContent(f"!{STORED}\nTheirs.")


async def test_that_a_draft_discarded_before_it_is_back_can_be_brought_back_again(desk: OpenDesk) -> None:
    one = await desk()
    await brought_back(one)
    before = one.workspace.file.drafts.get(ID)
    one.type("!", at=0)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.editor.text == f"{STORED}\nTheirs."
    one.doors.hold.set()
    await asyncio.sleep(0.02)
    assert one.editor.text == f"{STORED}\nTheirs."
    QTest.mouseClick(one.button("Restore draft"), Qt.MouseButton.LeftButton)
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    assert one.workspace.file.drafts.get(ID) == before


async def test_that_discarding_brings_the_stored_text_back(desk: OpenDesk) -> None:
    one = await desk()
    one.type("nonsense", at=3)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.editor.text == STORED
    assert ID not in one.workspace.file.drafts
    assert not one.panel.marked
    await one.until(lambda: ID not in one.doors.kept)
    assert one.doors.edits == []


async def test_that_a_discarded_draft_can_be_brought_back(desk: OpenDesk) -> None:
    one = await desk()
    one.type("nonsense", at=3)
    before = one.workspace.file.drafts.get(ID)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    await one.until(lambda: ID not in one.doors.kept)
    await asyncio.sleep(0.01)
    QTest.mouseClick(one.button("Restore draft"), Qt.MouseButton.LeftButton)
    assert one.editor.text == f"{STORED[:3]}nonsense{STORED[3:]}"
    assert one.workspace.file.drafts.get(ID) == before
    assert not told(one, "discarded")
    await one.until(lambda: ID in one.doors.kept)
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"{STORED[:3]}nonsense{STORED[3:]}"


async def test_that_a_discarded_draft_comes_back_with_what_somebody_wrote_meanwhile(desk: OpenDesk) -> None:
    one = await desk()
    one.type("Mine. ", at=0)
    one.doors.write(ID, len(STORED), 0, "\nTheirs.")
    await one.until(lambda: one.banner("while you were editing"))
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.editor.text == f"{STORED}\nTheirs."
    assert not one.editor.steps.can_undo
    await asyncio.sleep(0.01)
    QTest.mouseClick(one.button("Restore draft"), Qt.MouseButton.LeftButton)
    await one.until(lambda: one.editor.text == f"Mine. {STORED}\nTheirs.")
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"Mine. {STORED}\nTheirs."


async def test_that_control_z_undoes_a_discard(desk: OpenDesk) -> None:
    one = await desk()
    one.type("nonsense", at=3)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.banner("discarded")
    one.editor.setFocus()
    one.press(QKeySequence.StandardKey.Undo)
    assert one.editor.text == f"{STORED[:3]}nonsense{STORED[3:]}"
    assert ID in one.workspace.file.drafts
    assert one.panel.marked
    assert not told(one, "discarded")


async def test_that_a_draft_on_a_block_that_was_deleted_is_spoken_of_and_can_be_discarded(
    desk: OpenDesk,
) -> None:
    one = await desk()
    one.type("Mine. ", at=0)
    state = one.doors.states[ID]
    one.doors.states[ID] = replace(state, block=replace(state.block, is_active=False))
    one.doors.tell(Change(9, "delete_block", REF, GRACE, "", values.NOW, False, state.block.owner))
    await one.until(lambda: one.banner("This block is deleted"))
    assert "Your draft is kept" in words(one.panel.banners)
    assert not one.panel.save_button.isVisible()
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert ID not in one.workspace.file.drafts
    assert "Your draft is kept" not in words(one.panel.banners)
    assert not one.panel.discard_button.isVisible()
    await asyncio.sleep(0.01)
    QTest.mouseClick(one.button("Restore draft"), Qt.MouseButton.LeftButton)
    assert ID in one.workspace.file.drafts
    await asyncio.sleep(0.01)
    QTest.mouseClick(one.button("Restore"), Qt.MouseButton.LeftButton)
    await one.until(lambda: not told(one, "This block is deleted"))
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"Mine. {STORED}"


async def test_that_a_draft_that_fits_no_more_can_be_given_up_when_its_tab_is_opened(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        edit = Edit(REF, SpliceText((Splice(0, 0, "Mine. "),)), doors.states[ID].version)
        doors.write(ID, len(STORED), 0, "\nTheirs.")
        doors.restored = (RestoredDraft(Draft(REF, edit, values.NOW), TextContent(f"Mine. {STORED}")),)
        doors.unfit = RefusedError(Refusal("refused.char_limit", {"limit": 10}))

    one = await desk(prepare)
    assert one.editor.isReadOnly()
    assert not one.panel.save_button.isEnabled()
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert ID not in one.workspace.file.drafts
    assert one.editor.text == f"{STORED}\nTheirs."
    assert not one.editor.isReadOnly()
