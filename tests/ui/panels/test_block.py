"""One block's tab: editing, drafts, saving, what others write meanwhile, and what cannot be edited."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from inspector.domain.blocks import UnreadableSchema
from inspector.domain.content import Content, TextContent
from inspector.domain.drafts import Draft
from inspector.domain.edits.base import Edit, Version
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.errors import Refusal, RefusedError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.ui.doors import RestoredDraft
from inspector.ui.panels.block import BlockPanel
from tests.ui import invented
from tests.ui.conftest import Studio, Until
from tests.ui.merging_doors import MergingDoors

ID = "blk_questions"
REF = Ref(RefKind.BLOCK, ID)
STORED = "Does the arm64 runner sign?\nWho announces in #harbor if Noor is away?"
CONTROL = Qt.KeyboardModifier.ControlModifier
Prepare = Callable[[MergingDoors], None]
OpenDesk = Callable[..., Awaitable["Desk"]]


class Desk:
    """A window with one block open."""

    def __init__(self, studio: Studio, until: Until, doors: MergingDoors, panel: BlockPanel) -> None:
        self.studio, self.until, self.doors, self.panel = studio, until, doors, panel
        self.editor = panel.page.editor
        self.workspace = studio.furniture.workspace

    def type(self, text: str, at: int | None = None) -> None:
        """Type at a place."""
        if at is not None:
            self.editor.select_range(at, at)
        QTest.keyClicks(self.editor, text)

    def press(self, keys: str | QKeySequence.StandardKey, widget: QWidget | None = None) -> None:
        """Press a shortcut."""
        QTest.keySequence(widget or self.editor, QKeySequence(keys))

    async def saved(self) -> None:
        """Wait until nothing is unsaved and the stored text is shown."""
        await self.until(lambda: not self.panel.work.is_dirty and not self.panel.work.is_saving)
        await self.until(lambda: self.editor.text == self.doors.text(ID))
        await self.calm()

    async def calm(self) -> None:
        """Wait until nothing happens any more."""
        await self.until(lambda: not self.busy())

    def busy(self) -> bool:
        """Whether something is under way but for the feed."""
        return bool([name for name in self.studio.bridge.running if name != "Following changes"])

    def banner(self, word: str) -> QWidget | None:
        """The banner that says so."""
        return next(
            (each for each in self.panel.banners.findChildren(QWidget) if word in each.accessibleName()), None
        )

    def button(self, text: str) -> QAbstractButton:
        """A button of the panel's banners."""
        found = self.panel.banners.findChildren(QAbstractButton)
        return next(each for each in found if each.text() == text and each.isVisible())


@pytest.fixture
def desk(studio: Studio, until: Until) -> OpenDesk:
    """``await desk()``: a window with the block open."""

    async def opened(prepare: Prepare | None = None, block_id: str = ID) -> Desk:
        doors = MergingDoors(Path("harbor.constellation"))
        if prepare is not None:
            prepare(doors)
        studio.opener.prepare = lambda _: doors  # type: ignore[assignment]
        studio.furniture.workspace.open(doors.path)
        await until(lambda: studio.furniture.workspace.request)
        studio.furniture.services.selection.open(Ref(RefKind.BLOCK, block_id))
        panel = studio.window.centre.currentWidget()
        assert isinstance(panel, BlockPanel)
        panel.first_focus().setFocus()
        made = Desk(studio, until, doors, panel)
        await made.calm()
        return made

    return opened


def known(one: Desk) -> Content | None:
    """What the window knows the block to hold."""
    state = one.workspace.block(ID)
    return None if state is None else state.content


def words(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))


async def test_that_a_text_block_opens_with_its_text_and_nothing_to_save(desk: OpenDesk) -> None:
    one = await desk()
    assert one.editor.text == STORED
    assert one.panel.heading == "open_questions"
    assert not one.panel.marked
    assert not one.panel.save_button.isEnabled()
    assert not one.panel.discard_button.isEnabled()
    assert "working · text · read write" in words(one.panel)
    assert one.panel.figures == "69 of 5,000 characters · 598 tokens"


async def test_that_saving_without_typing_makes_no_operation(desk: OpenDesk) -> None:
    one = await desk()
    one.press(QKeySequence.StandardKey.Save)
    one.studio.furniture.services.actions.run("edit.save")
    await one.calm()
    assert one.doors.edits == []
    assert one.doors.kept == {}


async def test_that_a_typed_character_is_a_draft_on_its_base_at_once(desk: OpenDesk) -> None:
    one = await desk()
    base = one.doors.states[ID].version
    one.type("!", at=4)
    work = one.workspace.drafts.get(ID)
    assert work is not None
    assert work.edit == Edit(REF, SpliceText((Splice(4, 0, "!"),)), base)
    assert work.content == TextContent(f"{STORED[:4]}!{STORED[4:]}")
    assert one.panel.marked
    assert one.panel.save_button.isEnabled()
    await one.until(lambda: one.doors.kept.get(ID) == work.edit)


async def test_that_the_figures_follow_the_typing(desk: OpenDesk) -> None:
    one = await desk()
    one.type("a question more, ", at=0)
    await one.until(lambda: one.panel.figures == "86 of 5,000 characters · 600 tokens · +2")


async def test_that_typing_a_character_and_taking_it_back_leaves_no_draft(desk: OpenDesk) -> None:
    one = await desk()
    one.type("x", at=0)
    QTest.keyClick(one.editor, Qt.Key.Key_Backspace)
    assert ID not in one.workspace.drafts
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
    assert ID not in one.workspace.drafts
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


async def test_that_discarding_brings_the_stored_text_back(desk: OpenDesk) -> None:
    one = await desk()
    one.type("nonsense", at=3)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.editor.text == STORED
    assert ID not in one.workspace.drafts
    assert not one.panel.marked
    await one.until(lambda: ID not in one.doors.kept)
    assert one.doors.edits == []


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
    await one.until(lambda: ID in one.workspace.drafts and not one.panel.work.is_saving)
    await one.calm()
    work = one.workspace.drafts.get(ID)
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
    await one.until(lambda: one.banner("Grace wrote meanwhile"))
    assert one.editor.text == f"Mine. {STORED}"
    work = one.workspace.drafts.get(ID)
    assert work is not None
    assert work.edit.base == base
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.editor.text == f"Mine. {STORED} Theirs.")
    await one.saved()
    assert one.doors.text(ID) == f"Mine. {STORED} Theirs."
    assert one.banner("Grace wrote meanwhile") is None


async def test_that_a_locked_block_asks_once_and_then_saves_unlocked(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.refuses = RefusedError(Refusal("refused.locked", {"label": "open_questions"}))
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: one.banner("read-only for its agent"))
    assert "Unlock to edit as human?" in words(one.panel.banners)
    assert not failed
    assert one.editor.text == f"x{STORED}"
    QTest.mouseClick(one.button("Unlock and save"), Qt.MouseButton.LeftButton)
    await one.saved()
    assert [options.unlock for _, _, options in one.doors.edits] == [False, True]
    assert one.doors.text(ID) == f"x{STORED}"
    assert one.banner("read-only for its agent") is None


async def test_that_any_other_refusal_is_told_and_loses_nothing(desk: OpenDesk) -> None:
    one = await desk()
    one.doors.refuses = RefusedError(Refusal("refused.char_limit", {"limit": 10}))
    failed: list[object] = []
    one.studio.bridge.failed.connect(failed.append)
    one.type("x", at=0)
    one.press(QKeySequence.StandardKey.Save)
    await one.until(lambda: failed)
    assert one.editor.text == f"x{STORED}"
    assert ID in one.workspace.drafts
    assert one.panel.marked
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"x{STORED}"


async def test_that_a_restored_draft_shows_as_unsaved_work(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        edit = Edit(REF, SpliceText((Splice(0, 4, "Can"),)), doors.states[ID].version)
        doors.restored = (RestoredDraft(Draft(REF, edit, invented.NOW), TextContent(f"Can{STORED[4:]}")),)

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
    doors.restored = (RestoredDraft(Draft(REF, edit, invented.NOW), TextContent(f"Mine. {STORED} Theirs.")),)


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
    await one.until(lambda: one.banner("Grace wrote meanwhile"))
    one.press(QKeySequence.StandardKey.Save)
    await one.saved()
    assert one.doors.text(ID) == f"And Mine. {STORED} Theirs. Again."


async def test_that_a_tab_that_is_closed_and_opened_again_has_the_draft(desk: OpenDesk) -> None:
    one = await desk()
    one.type("Mine. ", at=0)
    one.studio.window.centre.close_view(("block", REF))
    one.doors.write(ID, len(STORED), 0, " Theirs.")
    await one.until(lambda: known(one) == TextContent(f"{STORED} Theirs."))
    one.studio.furniture.services.selection.open(REF)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    await one.until(lambda: panel.page.editor.text == f"Mine. {STORED} Theirs.")
    QTest.keySequence(panel.page.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: one.doors.text(ID) == f"Mine. {STORED} Theirs." and not panel.work.is_dirty)


async def test_that_the_rendered_view_shows_the_draft_as_the_model_gets_it(desk: OpenDesk) -> None:
    one = await desk()
    one.type("Draft. ", at=0)
    QTest.mouseClick(one.panel.views.buttons[1], Qt.MouseButton.LeftButton)
    assert one.panel.rendered.isVisible()
    assert one.panel.rendered.editor.text == f"Draft. {STORED}"
    QTest.keyClicks(one.panel.rendered.editor, "x")
    assert one.panel.rendered.editor.text == f"Draft. {STORED}"


async def test_that_another_schema_is_shown_rendered_with_no_editor(desk: OpenDesk) -> None:
    one = await desk(block_id="blk_checklist")
    assert one.panel.rendered.isVisible()
    assert one.panel.rendered.editor.text.startswith("1. [x] changelog frozen")
    assert not one.panel.save_button.isVisible()
    assert not one.panel.reason_field.isVisible()
    assert not one.panel.views.buttons[0].isVisible()
    assert "The editor for a list comes with a later version." in words(one.panel)
    assert one.panel.figures.endswith("96 tokens")


async def test_that_a_file_open_for_reading_gives_a_read_only_editor_with_the_reason(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        doors.read_only = Problem("file.read_only", Severity.WARNING, "", {})

    one = await desk(prepare)
    assert one.editor.isReadOnly()
    assert one.banner("open for reading only") is not None
    one.type("x", at=0)
    assert one.editor.text == STORED
    assert ID not in one.workspace.drafts


async def test_that_a_deleted_block_is_shown_and_can_be_restored(desk: OpenDesk) -> None:
    one = await desk(block_id="blk_gone")
    assert one.editor.text == "Merge on Friday."
    assert one.editor.isReadOnly()
    assert one.banner("This block is deleted") is not None
    QTest.mouseClick(one.button("Restore"), Qt.MouseButton.LeftButton)
    await one.until(lambda: not one.editor.isReadOnly())
    assert one.banner("This block is deleted") is None


async def test_that_an_unreadable_block_says_why_and_offers_no_editor(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        state = doors.states[ID]
        problem = Problem("problem.block_unreadable", Severity.ERROR, str(REF), {"label": "open_questions"})
        schema = UnreadableSchema("{", "no JSON")
        doors.states[ID] = replace(
            state, block=replace(state.block, schema=schema), content=None, problem=problem
        )

    one = await desk(prepare)
    assert not one.panel.page.isVisible()
    assert not one.panel.rendered.isVisible()
    assert not one.panel.save_button.isVisible()
    assert "all other blocks work" in words(one.panel)


async def test_that_control_f_finds_and_escape_gives_the_keyboard_back(desk: OpenDesk) -> None:
    one = await desk()
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


async def test_that_control_h_replaces_one_and_all(desk: OpenDesk) -> None:
    one = await desk()
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


async def test_that_the_actions_are_those_of_the_tab_in_front(desk: OpenDesk) -> None:
    one = await desk()
    actions, centre = one.studio.furniture.services.actions, one.studio.window.centre
    assert actions.row("edit.save").why_not() != ""
    one.type("x", at=0)
    assert actions.row("edit.save").why_not() == ""
    one.studio.furniture.services.selection.open(Ref(RefKind.BLOCK, "blk_persona"))
    await one.calm()
    assert actions.row("edit.save").why_not() != ""
    centre.setCurrentIndex(0)
    assert "edit.save" not in actions
    assert "request.find" in actions
    one.studio.furniture.services.selection.open(REF)
    assert actions.row("edit.save").why_not() == ""


async def test_that_hidden_characters_are_told_of(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        doors.use(replace(doors.states[ID], content=TextContent("a\u202eb\u200bc")))

    one = await desk(prepare)
    assert one.panel.figures.startswith("5 of 5,000 characters, 2 of them hidden")


async def test_that_characters_near_and_past_the_limit_are_coloured(desk: OpenDesk) -> None:
    def prepare(doors: MergingDoors) -> None:
        state = doors.states[ID]
        doors.use(replace(state, block=replace(state.block, char_limit=72)))

    one = await desk(prepare)
    label = next(each for each in one.panel.findChildren(QLabel) if "of 72 characters" in each.text())
    assert label.property("tone") == "warning"
    one.type("long", at=0)
    assert label.property("tone") == "error"


async def test_that_a_block_that_nobody_has_read_says_so(studio: Studio) -> None:
    panel = BlockPanel(studio.furniture.services, Ref(RefKind.BLOCK, "blk_unknown"))
    assert "Reading the block" in words(panel)
    assert panel.heading == "blk_unknown"
    panel.deleteLater()


async def test_that_a_version_that_is_told_again_changes_nothing(desk: OpenDesk) -> None:
    one = await desk()
    one.type("x", at=0)
    one.workspace.blocks_changed.emit((ID,))
    assert one.editor.text == f"x{STORED}"
    assert one.banner("wrote meanwhile") is None
    assert one.doors.states[ID].version != Version("")
