"""What a save stores where somebody else wrote meanwhile is what a review would show, whoever knows of it when."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.edits.text import SetText, Splice, SpliceText
from tests.fixtures import SecondProcess
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.panels.test_review import AT, MINE, SECOND, THEIRS
from tests.ui.test_drafts import Drafts
from tests.ui.world import QUESTIONS, STORED

LINES = "Alpha one.\nBeta two.\nGamma three.\nDelta four."


async def with_text(open_tab: OpenTab, text: str) -> BlockTab:
    """A tab on a block with a text."""
    tab = await open_tab()
    await tab.world.write(QUESTIONS, SetText(text))
    await tab.until(lambda: tab.editor.text == text)
    await tab.calm()
    return tab


async def write_over(tab: BlockTab, text: str, old: str, new: str) -> None:
    """Somebody else writes, and the tab says so."""
    await tab.world.write(QUESTIONS, SpliceText((Splice(text.index(old), len(old), new),)))
    await tab.until(lambda: tab.says("while you were editing"))
    await tab.calm()


async def test_that_the_same_change_by_both_is_there_once(open_tab: OpenTab) -> None:
    text = "The deadline is March 2025.\nAda signs."
    tab = await with_text(open_tab, text)
    at = text.index("2025") + 3
    tab.editor.select_range(at, at + 1)
    QTest.keyClicks(tab.editor, "6")
    await write_over(tab, text, "2025", "2026")
    tab.save()
    await tab.saved(text.replace("2025", "2026"))
    assert not tab.panel.review.is_open


async def test_that_the_same_change_is_there_once_where_all_drafts_are_saved(open_tab: OpenTab) -> None:
    tab = await open_tab()
    tab.editor.replace_range(AT, len("arm64"), "x86")
    await write_over(tab, STORED, "arm64", "x86")
    drafts = Drafts(tab.studio, tab.until)
    await drafts.open(1)
    drafts.dialog.save_checked()
    await tab.saved(STORED.replace("arm64", "x86"))


async def test_that_a_whole_text_that_is_pasted_keeps_what_others_changed_in_it(open_tab: OpenTab) -> None:
    tab = await with_text(open_tab, LINES)
    pasted = LINES.replace("Alpha one", "Alpha MINE").replace("Delta four", "Delta MINE")
    tab.editor.selectAll()
    QApplication.clipboard().setText(pasted)
    tab.press("Ctrl+V")
    await write_over(tab, LINES, "Beta two", "Beta THEIRS")
    tab.save()
    await tab.saved(pasted.replace("Beta two", "Beta THEIRS"))
    tab.press("Ctrl+Z")
    assert "Beta THEIRS" in tab.editor.text


async def _write_unheard(other: SecondProcess) -> None:
    """Another process writes, and is waited for without the loop: the window hears of nothing."""
    written = [{"start": AT, "delete": len("arm64 runner"), "insert": "THEIRS"}]
    for _ in range(5):
        other.tell(do="edit", block=QUESTIONS.id, operation={"op": "splice_text", "splices": written})
        said = other.hear()
        if said.get("changed"):
            return
        # The window was looking the file over for damage, and could not end that while its loop stood still.
        assert said["error"].startswith("file.locked")
        await asyncio.sleep(0.2)
    pytest.fail("the file stays locked")


async def test_that_a_conflict_is_found_that_the_window_has_not_heard_of(
    open_tab: OpenTab, second_process: Callable[[Path], SecondProcess]
) -> None:
    tab = await open_tab()
    tab.editor.replace_range(AT, len("arm64"), "MINE")
    await tab.calm()
    await _write_unheard(second_process(tab.world.path))
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    assert await tab.world.text() == f"{THEIRS}\n{SECOND}"
    assert tab.panel.review.page.text.merged.text == f"{MINE}\n{SECOND}"
