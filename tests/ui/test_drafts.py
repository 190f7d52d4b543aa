"""The list of unsaved drafts: opened from the status bar, saved as one change or none, discarded and brought back."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QTreeWidgetItem

from inspector.domain.blocks import ListSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import InsertArchival, SetLabel, SetSchema
from inspector.domain.edits.items import EditParts
from inspector.domain.edits.rows import EditMessage, PutLayout
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.catalogues import shipped_layouts
from inspector.ui.presentation.unsaved import said_version
from inspector.ui.widgets.drafts_dialog import DraftsDialog
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, press_toast, said
from tests.ui.panels.block_tab import BlockTab
from tests.ui.world import NOTES, QUESTIONS, STORED

MESSAGE, ENTRY = Ref(RefKind.MESSAGE, "msg_8"), Ref(RefKind.ARCHIVAL, "arc_new")
Keys = Qt.Key
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class Drafts:
    """A window with drafts in it and their list open."""

    def __init__(self, studio: Studio, until: Until) -> None:
        self.studio, self.until, self.world = studio, until, studio.opener
        self.workspace = studio.contents.workspace

    @property
    def dialog(self) -> DraftsDialog:
        found = self.studio.contents.drafts.dialog
        assert found is not None
        return found

    @property
    def items(self) -> list[QTreeWidgetItem]:
        rows = self.dialog.rows
        return [item for at in range(rows.topLevelItemCount()) if (item := rows.topLevelItem(at)) is not None]

    def lines(self, column: int = 0) -> list[str]:
        return [item.text(column) for item in self.items]

    def why(self, name: str) -> str:
        """What is said below a row."""
        item = next(item for item in self.items if item.text(0) == name)
        line = item.child(0)
        return "" if line is None else line.text(0)

    def tab(self, ref: Ref) -> BlockTab:
        """The tab of a block, in front."""
        self.studio.contents.services.selection.open(ref)
        panel: Any = self.studio.window.centre.currentWidget()
        return BlockTab(self.studio, self.until, panel)

    def press(self, text: str) -> None:
        found = next(each for each in self.dialog.findChildren(QPushButton) if each.accessibleName() == text)
        QTest.mouseClick(found, Qt.MouseButton.LeftButton)

    def restore(self) -> None:
        found = self.studio.window.banners.findChildren(QPushButton)
        QTest.mouseClick(next(each for each in found if each.text() == "Restore"), Qt.MouseButton.LeftButton)

    async def open(self, count: int) -> None:
        QTest.mouseClick(self.studio.window.status_line.drafts_button, Qt.MouseButton.LeftButton)
        await self.until(lambda: len(self.items) == count)
        await calm(self.studio, self.until)

    def change_all(self) -> None:
        """Type into two blocks, and have a message and a new archival entry edited."""
        self.tab(QUESTIONS).type("mine ", 0)
        self.tab(NOTES).type("more ", 0)
        self.workspace.records.put(Edit(MESSAGE, EditMessage((TextPart("Is step 8 signed?"),))))
        self.workspace.records.put(
            Edit(ENTRY, InsertArchival(values.ADA, "Keys are in the vault.", ("keys",)))
        )

    async def stored(self) -> tuple[str, str, str]:
        message = await self.world.engine.conversation.message(MESSAGE.id)
        assert message is not None
        [part] = message.content
        assert isinstance(part, TextPart)
        return await self.world.text(QUESTIONS), await self.world.text(NOTES), part.text


OpenDrafts = Callable[[], Awaitable[Drafts]]


@pytest.fixture
def drafts(studio: Studio, until: Until) -> OpenDrafts:
    """``await drafts()``: the world's file with four drafts, and their list open."""

    async def opened() -> Drafts:
        await open_file(studio, until)
        made = Drafts(studio, until)
        made.change_all()
        await until(lambda: studio.window.status_line.drafts_button.text() == "4 drafts")
        await calm(studio, until)
        await made.open(4)
        return made

    return opened


async def test_that_the_status_bar_lists_every_draft_and_discards_none(drafts: OpenDrafts) -> None:
    one = await drafts()
    assert set(one.lines()) == {
        "open_questions",
        "design_notes",
        "Is step 8 signed?",
        "Keys are in the vault.",
    }
    kinds = dict(zip(one.lines(), one.lines(1), strict=True))
    assert kinds["Is step 8 signed?"] == "message"
    assert kinds["Keys are in the vault."] == "archival entry"
    assert set(one.lines(2)) == {"Ada"}
    changes = dict(zip(one.lines(), one.lines(3), strict=True))
    assert changes["open_questions"].lstrip("~").startswith("+")
    assert changes["Keys are in the vault."] == "0"
    assert len(one.workspace.file.drafts) == len(one.workspace.file.records) == 2
    assert not one.studio.contents.palette.isVisible()


async def test_that_below_the_list_stands_what_the_current_draft_changes(drafts: OpenDrafts) -> None:
    one = await drafts()
    shown = one.studio.contents.drafts.list
    assert shown is not None
    difference = shown.difference

    async def changed_by(name: str) -> str:
        one.dialog.rows.setCurrentItem(next(each for each in one.items if each.text(0) == name))
        await calm(one.studio, one.until)
        return str(difference.inline.toPlainText()) if difference.isVisible() else ""

    assert "mine " in await changed_by("open_questions")
    assert "more " in await changed_by("design_notes")
    message = await changed_by("Is step 8 signed?")
    assert "done" in message
    assert "signed" in message
    entry = await changed_by("Keys are in the vault.")
    assert "Keys are in the vault." in entry
    assert "Tags: keys" in entry
    one.dialog.discard_asked.emit(tuple(one.workspace.file.draft_refs))
    await one.until(lambda: not one.items)
    assert not difference.isVisible()


async def test_that_a_draft_that_fits_its_block_no_more_leaves_the_list_of_the_others(
    drafts: OpenDrafts,
) -> None:
    one = await drafts()
    shown = one.studio.contents.drafts.list
    assert shown is not None
    await one.world.write(QUESTIONS, SetSchema(ListSchema(), accept_loss=True))
    await one.until(lambda: one.workspace.file.is_draft_unfit(QUESTIONS.id))
    await calm(one.studio, one.until)
    one.dialog.rows.setCurrentItem(next(each for each in one.items if each.text(0) == "design_notes"))
    await one.until(shown.difference.isVisible)
    one.dialog.rows.setCurrentItem(next(each for each in one.items if each.text(0) == "open_questions"))
    await one.until(lambda: not shown.difference.isVisible())
    one.workspace.show_agent(values.GRACE)
    shown.read()
    await calm(one.studio, one.until)
    assert len(one.items) == 4
    assert not one.studio.window.banners.isVisible()


async def test_that_the_difference_follows_what_others_write(drafts: OpenDrafts) -> None:
    one = await drafts()
    shown = one.studio.contents.drafts.list
    assert shown is not None
    one.dialog.rows.setCurrentItem(next(each for each in one.items if each.text(0) == "Is step 8 signed?"))
    await one.until(lambda: "done" in shown.difference.inline.toPlainText())
    await one.world.write(MESSAGE, EditMessage((TextPart("Totally other text"),)))
    await one.until(lambda: "Totally other text" in shown.difference.inline.toPlainText())


async def test_that_hundreds_of_drafts_are_listed_without_buttons_for_each(drafts: OpenDrafts) -> None:
    one = await drafts()
    for number in range(300):
        ref = Ref(RefKind.ARCHIVAL, f"arc_{number}")
        one.workspace.records.put(Edit(ref, InsertArchival(values.ADA, f"Entry {number}.", ())))
    await one.until(lambda: len(one.items) == 304)
    assert len(one.dialog.findChildren(QPushButton)) < 200


async def test_that_settings_of_a_block_are_a_row_with_their_tokens_and_what_they_change(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    one = Drafts(studio, until)
    operations = EditParts((SetLabel("questions_that_are_still_open_and_wait_for_an_answer"),))
    await one.until(lambda: QUESTIONS.id in one.workspace.file.blocks)
    one.workspace.records.put(Edit(Ref(RefKind.SETTING, QUESTIONS.id), operations))
    await one.open(1)
    assert one.lines() == ["Settings of open_questions"]
    assert one.lines(3)[0].lstrip("~").startswith("+")
    shown = studio.contents.drafts.list
    assert shown is not None
    await one.until(lambda: "still_open" in shown.difference.inline.toPlainText())


async def test_that_all_drafts_are_saved_as_one_change_with_its_reason_and_undone_as_one(
    drafts: OpenDrafts,
) -> None:
    one = await drafts()
    before = await one.world.text(NOTES)
    assert one.dialog.save_button.text() == "Save 4 drafts"
    QTest.keyClicks(one.dialog.reason_field, "agreed on Monday")
    QTest.keyClick(one.dialog.reason_field, Keys.Key_Return)
    await said(one.studio, one.until, "Saved 4 drafts.")
    assert await one.stored() == (f"mine {STORED}", f"more {before}", "Is step 8 signed?")
    step = (await one.world.engine.edits.undo_stack(values.NOOR)).undo[0]
    assert [change.reason for change in step.changes] == ["agreed on Monday"] * 4
    await one.until(lambda: not one.workspace.file.drafts and not one.workspace.file.records)
    assert not one.dialog.isVisible()
    tab = one.tab(NOTES)
    await one.until(lambda: not tab.panel.work.is_dirty and not tab.panel.work.is_saving)
    assert not tab.panel.marked
    press_toast(one.studio, "Undo")
    await said(one.studio, one.until, "Undone")
    assert await one.stored() == (STORED, before, "Is step 8 done?")


async def test_that_nothing_is_saved_where_one_is_refused_and_its_row_says_why(drafts: OpenDrafts) -> None:
    one = await drafts()
    before = await one.stored()
    one.tab(NOTES).type("x" * 10, 0)
    one.workspace.records.put(Edit(ENTRY, InsertArchival(values.ADA, "  ", ())))
    await one.world.write(QUESTIONS, SpliceText((Splice(0, 0, "theirs "),)))
    await calm(one.studio, one.until)
    one.dialog.save_checked()
    await one.until(lambda: one.why("open_questions"))
    assert "changed the same place" in one.why("open_questions")
    assert "Enter the text" in one.why("(empty)")
    assert one.why("design_notes") == ""
    await calm(one.studio, one.until)
    assert await one.stored() == (f"theirs {STORED}", *before[1:])
    assert len(one.workspace.file.drafts) == len(one.workspace.file.records) == 2
    # What can be saved is saved without the others, and typing goes on.
    for item in one.items:
        if item.childCount():
            item.setCheckState(0, Qt.CheckState.Unchecked)
    assert one.dialog.save_button.text() == "Save 2 drafts"
    one.press("Save 2 drafts")
    await said(one.studio, one.until, "Saved 2 drafts.")
    assert (await one.stored())[2] == "Is step 8 signed?"
    assert set(one.workspace.file.drafts) == {QUESTIONS.id}


async def test_that_a_layout_that_somebody_else_saved_is_not_overwritten(drafts: OpenDrafts) -> None:
    one = await drafts()
    layout = Ref(RefKind.LAYOUT, "mine")
    mine = replace(shipped_layouts()["standard"], name=layout.id)
    theirs = replace(mine, description="theirs")
    one.workspace.records.put(Edit(layout, PutLayout(mine), said_version(None)))
    await one.world.write(layout, PutLayout(theirs))
    await one.until(lambda: len(one.items) == 5)
    one.dialog.save_checked()
    await one.until(lambda: one.why("mine"))
    assert "Someone else saved this layout" in one.why("mine")
    await calm(one.studio, one.until)
    assert (await one.world.engine.layouts.list())[0] == (theirs,)
    assert layout in one.workspace.file.records


async def test_that_a_limit_refuses_all_and_the_editor_keeps_what_is_typed(drafts: OpenDrafts) -> None:
    one = await drafts()
    tab = one.tab(QUESTIONS)
    tab.editor.replace_range(0, 0, "long " * 5_000)
    await calm(one.studio, one.until)
    before = await one.stored()
    one.dialog.save_checked()
    await one.until(lambda: "limit" in one.why("open_questions"))
    await calm(one.studio, one.until)
    assert await one.stored() == before
    assert tab.editor.text.startswith("long long")
    assert tab.panel.work.is_dirty
    tab.type("!", 0)
    assert tab.workspace.file.drafts[QUESTIONS.id].content == TextContent(tab.editor.text)


async def test_that_the_list_raises_a_limit_and_saves_all_as_one_change(drafts: OpenDrafts) -> None:
    one = await drafts()
    tab = one.tab(QUESTIONS)
    tab.editor.replace_range(0, 0, "long " * 5_000)
    await calm(one.studio, one.until)
    before, typed = await one.stored(), tab.editor.text
    limit = tab.state.block.char_limit
    one.dialog.reason_field.setText("Long ones")
    one.dialog.save_checked()
    await one.until(lambda: "limit" in one.why("open_questions"))
    one.dialog.reason_field.setText("Longer after all")
    one.press("Raise limit of open_questions to 25,100")
    await said(one.studio, one.until, "Saved 4 drafts.")
    [newest, *_] = await one.world.engine.history.changes(None, 1, None)
    assert newest.change.reason == "Longer after all"
    assert (await one.stored())[0] == typed
    await one.until(lambda: tab.state.block.char_limit == 25_100)
    await calm(one.studio, one.until)
    assert not tab.panel.work.is_dirty
    assert tab.editor.text == typed
    press_toast(one.studio, "Undo")
    await one.until(lambda: tab.state.block.char_limit == limit)
    await calm(one.studio, one.until)
    assert await one.stored() == before


async def test_that_a_limit_that_was_raised_is_not_for_another_save(drafts: OpenDrafts) -> None:
    one = await drafts()
    for ref in (QUESTIONS, NOTES):
        one.tab(ref).editor.replace_range(0, 0, "long " * 5_000)
    await calm(one.studio, one.until)
    one.dialog.save_checked()
    await one.until(lambda: "limit" in one.why("open_questions"))
    one.press("Raise limit of open_questions to 25,100")
    await one.until(lambda: not one.why("open_questions") and one.why("design_notes"))
    await calm(one.studio, one.until)
    for item in one.items:
        if item.text(0) == "design_notes":
            item.setCheckState(0, Qt.CheckState.Unchecked)
    one.dialog.save_checked()
    await one.until(lambda: "limit" in one.why("open_questions"))
    await calm(one.studio, one.until)
    assert len(one.workspace.file.drafts) == 2


async def test_that_keys_open_save_and_discard_one(drafts: OpenDrafts) -> None:
    one = await drafts()
    rows = one.dialog.rows
    rows.go_to(NOTES)
    QTest.keyClick(rows, Keys.Key_Return)
    assert one.studio.window.centre.current_key == ("block", NOTES)
    rows.go_to(NOTES)
    QTest.keyClick(rows, Keys.Key_S, Qt.KeyboardModifier.ControlModifier)
    await one.until(lambda: set(one.workspace.file.drafts) == {QUESTIONS.id})
    await one.until(lambda: len(one.items) == 3)
    rows.go_to(MESSAGE)
    QTest.keyClick(rows, Keys.Key_Delete)
    await one.until(lambda: MESSAGE not in one.workspace.file.records)
    one.restore()
    assert one.workspace.file.records[MESSAGE].operation == EditMessage((TextPart("Is step 8 signed?"),))


async def test_that_all_discarded_drafts_come_back(drafts: OpenDrafts) -> None:
    one = await drafts()
    one.studio.contents.services.actions.run("drafts.discard_all")
    assert not one.workspace.file.drafts
    assert not one.workspace.file.records
    assert one.tab(NOTES).panel.page.editor.text == await one.world.text(NOTES)
    one.restore()
    await one.until(lambda: len(one.workspace.file.drafts) == len(one.workspace.file.records) == 2)
    tab = one.tab(NOTES)
    await one.until(lambda: tab.editor.text.startswith("more "))
    await calm(one.studio, one.until)
    kept = {draft.ref for draft in await one.world.engine.drafts.own()}
    assert kept == {QUESTIONS, NOTES, MESSAGE, ENTRY}


async def test_that_a_draft_without_a_tab_is_saved_from_the_list(drafts: OpenDrafts) -> None:
    one = await drafts()
    one.studio.window.centre.close_view(("block", QUESTIONS))
    one.press("Save open_questions")
    await one.until(lambda: QUESTIONS.id not in one.workspace.file.drafts)
    assert await one.world.text() == f"mine {STORED}"
