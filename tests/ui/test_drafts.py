"""Unsaved drafts: the way to them from the status bar, and what happens when somebody else writes the same."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from inspector.domain.edits.text import Splice, SpliceText
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.panels.conftest import open_tab as open_tab
from tests.ui.world import NOTES, QUESTIONS, STORED


def press_drafts(studio: Studio) -> None:
    QTest.mouseClick(studio.window.status_line.drafts_button, Qt.MouseButton.LeftButton)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
async def test_that_the_status_bar_leads_to_the_draft_and_discards_none(studio: Studio, until: Until) -> None:
    await open_file(studio, until)
    workspace, centre = studio.contents.workspace, studio.window.centre
    studio.contents.services.selection.open(QUESTIONS)
    first = BlockTab(studio, until, centre.currentWidget())  # type: ignore[arg-type]
    first.type("mine ", 0)
    await until(lambda: studio.window.status_line.drafts_button.text() == "1 draft")
    centre.close_view(("block", QUESTIONS))
    press_drafts(studio)
    assert centre.current_key == ("block", QUESTIONS)
    assert not studio.contents.palette.isVisible()
    studio.contents.services.selection.open(NOTES)
    second = BlockTab(studio, until, centre.currentWidget())  # type: ignore[arg-type]
    second.type("more ", 0)
    await until(lambda: studio.window.status_line.drafts_button.text() == "2 drafts")
    await calm(studio, until)
    press_drafts(studio)
    menu = next(each for each in studio.window.status_line.findChildren(QMenu) if each.isVisible())
    lines = [each.text() for each in menu.actions()]
    assert [line.split(" · ")[:2] for line in lines] == [["open_questions", "Ada"], ["design_notes", "Ada"]]
    assert lines[0].split(" · ")[2].startswith("+")
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(menu.actions()[0]).center())
    assert centre.current_key == ("block", QUESTIONS)
    assert set(workspace.file.drafts) == {QUESTIONS.id, NOTES.id}


async def test_that_a_draft_on_what_somebody_else_wrote_too_is_shown_merged_before_it_is_saved(
    open_tab: OpenTab,
) -> None:
    tab = await open_tab()
    at = STORED.index("arm64")
    tab.editor.replace_range(at, len("arm64"), "MINE")
    await tab.world.write(QUESTIONS, SpliceText((Splice(at, len("arm64"), "THEIRS"),)))
    await tab.until(lambda: tab.says("changed this block while you were editing"))
    tab.save()
    await tab.until(lambda: tab.says("Both versions are merged here."))
    assert tab.saves == []
    merged = tab.editor.text
    assert "MINE" in merged
    assert "THEIRS" in merged
    [mark] = tab.editor.extraSelections()
    assert mark.cursor.selectedText() == "THEIRS"
    # What was merged is a draft like any other: it is mended, and only then saved.
    start = merged.index("THEIRS")
    tab.editor.replace_range(start, len("THEIRS"), "")
    mended = tab.editor.text
    tab.save()
    await tab.saved(mended)


async def test_that_both_versions_are_shown_as_one_where_that_is_asked_for(open_tab: OpenTab) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.world.insert(len(STORED), " theirs")
    await tab.until(lambda: tab.says("changed this block while you were editing"))
    await tab.click("Show merged")
    await tab.until(lambda: tab.editor.text == f"mine {STORED} theirs")
    [mark] = tab.editor.extraSelections()
    assert mark.cursor.selectedText() == " theirs"
    assert tab.panel.work.is_dirty
    assert await tab.world.text() == f"{STORED} theirs"
    tab.save()
    await tab.saved(f"mine {STORED} theirs")
