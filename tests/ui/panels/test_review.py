"""Drafts on what somebody else changed too: the quiet notice, the review before saving, and undo over both."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.content import ListContent, TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.items import UpdateItem
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.ui.editors.review_page import ReviewPage
from inspector.ui.editors.text import TextEditor
from tests.fixtures import SecondProcess
from tests.ui.conftest import Studio, Until
from tests.ui.editors.structured_blocks import TASKS
from tests.ui.open_window import calm, open_file
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.world import QUESTIONS, STORED, World

FIRST, SECOND = STORED.split("\n")
AT = STORED.index("arm64")
MINE, THEIRS = FIRST.replace("arm64", "MINE"), FIRST.replace("arm64 runner", "THEIRS")


def theirs(text: str = "THEIRS", old: str = "arm64 runner") -> SpliceText:
    return SpliceText((Splice(STORED.index(old), len(old), text),))


def click(page: ReviewPage, name: str) -> None:
    found = next(each for each in page.findChildren(QPushButton) if each.accessibleName() == name)
    assert found.isVisible()
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


async def in_conflict(open_tab: OpenTab) -> BlockTab:
    """A tab whose draft changes the same line as somebody else did."""
    tab = await open_tab()
    tab.editor.replace_range(AT, len("arm64"), "MINE")
    await tab.world.write(QUESTIONS, theirs())
    await tab.until(lambda: tab.says("Grace changed this block while you were editing"))
    return tab


async def test_that_saving_over_the_same_line_opens_the_review_and_stores_nothing(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    assert "page" not in vars(tab.panel.review), "it is made for the first review"
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    text = tab.panel.review.page.text
    assert text.isVisible()
    assert [each.text for each in (text.base, text.theirs, text.mine)] == [
        STORED,
        f"{THEIRS}\n{SECOND}",
        f"{MINE}\n{SECOND}",
    ]
    assert text.merged.text == f"{MINE}\n{SECOND}"
    assert tab.saves == []
    assert not tab.panel.save_button.isEnabled()
    tab.save()
    await tab.calm()
    assert tab.saves == []
    assert await tab.world.text() == f"{THEIRS}\n{SECOND}"


async def test_that_the_review_of_a_long_text_opens_at_its_first_change(open_tab: OpenTab) -> None:
    tab = await open_tab()
    lines = [f"{at}: " + "words that wrap in a narrow pane " * 3 for at in range(40)]
    stored = "\n".join(lines)
    await tab.world.write(QUESTIONS, SetText(stored))
    await tab.until(lambda: tab.editor.text == stored)
    at = stored.index("30: ")
    tab.editor.replace_range(at, 3, "mine")
    await tab.world.write(QUESTIONS, SpliceText((Splice(at, 3, "theirs"),)))
    await tab.until(lambda: tab.says("Grace changed this block while you were editing"))
    await tab.click("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    text = tab.panel.review.page.text

    def in_sight(pane: TextEditor) -> bool:
        return pane.viewport().rect().contains(pane.cursorRect().center())

    await tab.until(lambda: all(map(in_sight, (text.base, text.theirs, text.mine, text.merged))))


async def test_that_each_choice_is_what_is_saved(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    await tab.click("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    page = tab.panel.review.page
    wanted = {
        "Take theirs": f"{THEIRS}\n{SECOND}",
        "Take mine": f"{MINE}\n{SECOND}",
        "Take both": f"{THEIRS}\n{MINE}\n{SECOND}",
    }
    for name, text in wanted.items():
        click(page, name)
        assert page.text.merged.text == text
    tab.press(QKeySequence.StandardKey.Undo, page.text.merged)
    assert page.text.merged.text == wanted["Take mine"]
    tab.press("Ctrl+Shift+Z", page.text.merged)
    assert page.text.merged.text == wanted["Take both"]
    assert await tab.world.text() == wanted["Take theirs"]
    tab.save()
    await tab.saved(wanted["Take both"])
    assert not tab.panel.review.is_open
    assert not tab.says("while you were editing")


async def test_that_a_choice_that_is_undone_is_to_be_decided_again(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    await tab.click("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    page = tab.panel.review.page
    click(page, "Take theirs")
    assert tab.panel.save_button.isEnabled()
    tab.press(QKeySequence.StandardKey.Undo, page.text.merged)
    assert page.undecided == 1
    assert not tab.panel.save_button.isEnabled()
    click(page, "Take both")
    tab.save()
    await tab.saved(f"{THEIRS}\n{MINE}\n{SECOND}")


async def test_that_the_merged_text_is_edited_by_hand_and_that_decides_it(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    merged = tab.panel.review.page.text.merged
    assert merged.selected_text() == MINE
    QTest.keyClicks(merged, "By hand?")
    assert tab.panel.save_button.isEnabled()
    tab.press(QKeySequence.StandardKey.Save, merged)
    await tab.saved(f"By hand?\n{SECOND}")


async def test_that_keys_go_from_conflict_to_conflict_and_decide_them(open_tab: OpenTab) -> None:
    tab = await open_tab()
    tab.editor.replace_range(STORED.index("Noor"), len("Noor"), "Linus")
    tab.editor.replace_range(AT, len("arm64"), "MINE")
    await tab.world.write(QUESTIONS, theirs())
    at = (await tab.world.text()).index("Noor")
    await tab.world.write(QUESTIONS, SpliceText((Splice(at, 4, "Ada"),)))
    await tab.until(lambda: tab.says("while you were editing"))
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    page = tab.panel.review.page
    assert page.view.conflicts == 2
    merged = page.text.merged
    assert merged.hasFocus()
    tab.press("F7", merged)
    assert merged.selected_text() == SECOND.replace("Noor", "Linus")
    tab.press("Shift+F7", merged)
    assert merged.selected_text() == MINE
    tab.press("Alt+Shift+T", merged)
    # The next one that is not decided is gone to.
    assert merged.selected_text() == SECOND.replace("Noor", "Linus")
    tab.press("Alt+Shift+M", merged)
    assert page.undecided == 0
    tab.press(QKeySequence.StandardKey.Save, merged)
    await tab.saved(f"{THEIRS}\n{SECOND.replace('Noor', 'Linus')}")


async def test_that_different_places_are_merged_with_a_quiet_notice_and_can_be_looked_at(
    open_tab: OpenTab,
) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.world.insert(len(STORED), " theirs")
    await tab.until(lambda: tab.says("Grace changed this block while you were editing"))
    assert tab.editor.text == f"mine {STORED}"
    await tab.click("Review")
    await tab.until(lambda: tab.panel.review.is_open)
    page = tab.panel.review.page
    assert page.text.merged.text == f"mine {STORED} theirs"
    assert tab.panel.save_button.isEnabled()
    click(page, "Back to editing")
    assert tab.editor.text == f"mine {STORED} theirs"
    assert tab.panel.work.is_dirty
    tab.save()
    await tab.saved(f"mine {STORED} theirs")


async def test_that_going_back_without_a_decision_leaves_the_draft_as_it_was(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    tab.press("Escape", tab.panel.review.page.text.merged)
    assert not tab.panel.review.is_open
    assert tab.editor.text == f"{MINE}\n{SECOND}"
    tab.type("!", 0)
    await tab.until(lambda: tab.kept is not None)
    assert await tab.world.text() == f"{THEIRS}\n{SECOND}"


async def test_that_somebody_who_writes_during_the_review_is_reviewed_too(open_tab: OpenTab) -> None:
    tab = await in_conflict(open_tab)
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    text = await tab.world.text()
    await tab.world.write(QUESTIONS, SpliceText((Splice(text.index("THEIRS"), 6, "AGAIN"),)))
    await tab.until(lambda: tab.content == TextContent(f"{FIRST.replace('arm64 runner', 'AGAIN')}\n{SECOND}"))
    # Nothing is decided yet: what they wrote last is what is decided about.
    await tab.until(lambda: "AGAIN" in tab.panel.review.page.text.theirs.text)
    assert tab.panel.review.page.undecided
    click(tab.panel.review.page, "All mine")
    await tab.world.write(QUESTIONS, SpliceText((Splice(text.index("THEIRS"), 5, "ONCE MORE"),)))
    await tab.until(lambda: "ONCE MORE" in str(tab.content))
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open and tab.panel.review.page.undecided)
    assert tab.saves == []
    assert "ONCE MORE" in tab.panel.review.page.text.theirs.text
    click(tab.panel.review.page, "All mine")
    tab.save()
    await tab.saved(f"{MINE}\n{SECOND}")


async def test_that_undo_of_typing_goes_on_after_a_save_that_merged(open_tab: OpenTab) -> None:
    tab = await open_tab()
    tab.type("mine ", 0)
    await tab.world.insert(len(STORED), " theirs")
    await tab.until(lambda: tab.says("while you were editing"))
    tab.editor.select_range(5, 5)
    tab.save()
    await tab.saved(f"mine {STORED} theirs")
    assert tab.editor.selected_range() == (5, 5)
    tab.press(QKeySequence.StandardKey.Undo)
    assert tab.editor.text == f"{STORED} theirs"
    tab.press(QKeySequence.StandardKey.Redo)
    assert tab.editor.text == f"mine {STORED} theirs"


async def test_that_undo_of_typing_goes_on_where_somebody_writes_in_front_of_it(open_tab: OpenTab) -> None:
    tab = await open_tab()
    tab.type("mine ", STORED.index("Who"))
    tab.save()
    await tab.saved(STORED.replace("Who", "mine Who"))
    await tab.world.insert(0, "theirs ")
    await tab.until(lambda: tab.editor.text.startswith("theirs "))
    tab.press(QKeySequence.StandardKey.Undo)
    assert tab.editor.text == f"theirs {STORED}"


async def test_that_a_restored_draft_in_conflict_comes_back_as_it_was_on_its_base(
    open_tab: OpenTab, world: World
) -> None:
    base = await world.version()
    draft = Edit(QUESTIONS, SpliceText((Splice(AT, len("arm64"), "MINE"),)), base)
    tab = await open_tab(Edit(QUESTIONS, theirs()), drafts=(draft,))
    await tab.until(lambda: tab.editor.text == f"{MINE}\n{SECOND}")
    assert tab.editor.base_text == STORED
    assert tab.says("while you were editing")
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    click(tab.panel.review.page, "Take both")
    tab.save()
    await tab.saved(f"{THEIRS}\n{MINE}\n{SECOND}")


async def test_that_a_second_process_on_the_same_line_loses_nothing(
    open_tab: OpenTab, second_process: Any
) -> None:
    tab = await open_tab()
    tab.editor.replace_range(AT, len("arm64"), "MINE")
    other: SecondProcess = second_process(tab.world.path)
    plain = {
        "op": "splice_text",
        "splices": [{"start": AT, "delete": len("arm64 runner"), "insert": "THEIRS"}],
    }
    answer = await other.ask(do="edit", block=QUESTIONS.id, operation=plain)
    assert answer.get("changed"), answer
    await tab.until(lambda: tab.says("Ada changed this block while you were editing"))
    tab.save()
    await tab.until(lambda: tab.panel.review.is_open)
    click(tab.panel.review.page, "Take both")
    tab.save()
    await tab.saved(f"{THEIRS}\n{MINE}\n{SECOND}")
    assert (await other.ask(do="text", block=QUESTIONS.id))["text"] == f"{THEIRS}\n{MINE}\n{SECOND}"


async def test_that_fields_in_conflict_are_a_table_and_chosen_one_by_one(
    studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(TASKS.edit)
    await open_file(studio, until)
    studio.contents.services.selection.open(TASKS.ref)
    panel: Any = studio.window.centre.currentWidget()
    await calm(studio, until)
    draft = panel.editors.structured.draft
    items = draft.content.items
    changed = items[0].__class__(items[0].id, {**items[0].value, "title": "Mine"})
    draft.change(ListContent((changed, *items[1:])))
    await studio.opener.write(TASKS.ref, UpdateItem("a", {"title": "Theirs", "priority": 1}))
    await until(lambda: any("while you were editing" in each.text for each in panel.banners.notices))
    panel.window().activateWindow()
    QTest.keySequence(panel.window(), QKeySequence(QKeySequence.StandardKey.Save))
    await until(lambda: panel.review.is_open)
    table = panel.review.page.table
    [row] = [table.rows.topLevelItem(0)]
    assert [row.text(column) for column in range(1, 5)] == [
        "Freeze the changelog",
        "Theirs",
        "Mine",
        "not decided",
    ]
    assert not panel.save_button.isEnabled()
    click(panel.review.page, "Take theirs")
    assert row.text(4) == "theirs: Theirs"
    click(panel.review.page, "Take mine")
    QTest.keySequence(panel.window(), QKeySequence(QKeySequence.StandardKey.Save))
    await until(lambda: not panel.work.is_dirty and not panel.work.is_saving)
    stored = await studio.opener.engine.memory.content(TASKS.ref.id)
    assert isinstance(stored, ListContent)
    assert stored.items[0].value == {"title": "Mine", "done": True, "priority": 1}
