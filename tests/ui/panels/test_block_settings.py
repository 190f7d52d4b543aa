"""The Settings tab of a block: its form, its refusals, what is kept, and one change for all of it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.domain.blocks import BlockType, ListSchema, Permission
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import (
    DeleteBlock,
    SetCharLimit,
    SetDescription,
    SetLabel,
    SetPermission,
    SetPinned,
)
from inspector.domain.errors import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.schema_faults import MOST
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, toast_text
from tests.ui.panels.block_tab import words
from tests.ui.panels.settings_tab import OpenSettings
from tests.ui.world import NOTES, ONCALL, PERSONA, QUESTIONS, World

GONE = Ref(RefKind.BLOCK, "blk_gone")


async def test_that_all_settings_are_shown_and_nothing_is_unsaved(open_settings: OpenSettings) -> None:
    one = await open_settings(PERSONA)
    form = one.page.form
    assert form.label.text() == "persona"
    assert form.description.text == "Who Ada is and how she works"
    assert form.type_box.currentText() == "Core"
    assert form.level_box.currentText() == "Read and write"
    assert form.limit.value() == 5000
    assert not form.pinned.isChecked()
    assert not one.page.is_dirty
    assert not one.page.save_button.isEnabled()
    assert not one.panel.marked
    # The content's own buttons are for the other views.
    assert not one.panel.save_button.isVisible()


async def test_that_a_limit_above_the_largest_becomes_the_largest_and_none_of_its_digits_is_lost(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    limit = one.page.form.limit
    one.write(limit, "2500000000")
    assert (limit.value(), limit.text()) == (MOST, "1000000000")
    for pasted in ("99,999,999,999", " 99999999999 ", "9" * 6000):
        one.write(limit, "70")
        assert limit.value() == 70
        limit.selectAll()
        QApplication.clipboard().setText(pasted)
        QTest.keyClick(limit, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert limit.value() == MOST


async def test_that_several_settings_are_saved_as_one_change_and_undone_as_one(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    form = one.page.form
    one.write(form.label, "asked")
    one.write(form.description, "What is not known yet")
    one.choose(form.type_box, "Core")
    one.choose(form.level_box, "Append only")
    one.write(form.limit, "6000")
    form.pinned.setFocus()
    QTest.keyClick(form.pinned, Qt.Key.Key_Space)
    assert one.panel.marked
    before = one.block
    await one.save()
    block = await one.stored()
    assert (block.label, block.description) == ("asked", "What is not known yet")
    assert (block.block_type, block.permission) == (BlockType.CORE, Permission.APPEND)
    assert (block.char_limit, block.pinned) == (6000, True)
    assert "Settings of asked saved." in toast_text(one.studio)
    assert not one.panel.marked
    await one.undo()
    after = await one.stored()
    assert (after.label, after.block_type, after.char_limit) == ("open_questions", before.block_type, 5000)
    await one.until(lambda: form.label.text() == "open_questions" and not one.page.is_dirty)


async def test_that_a_label_in_use_is_said_beside_the_field_while_it_is_typed(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    line = one.page.form.lines["label"]
    one.write(one.page.form.label, "persona")
    assert line.fault.text() == "The owner already has a block called persona."
    assert not one.page.save_button.isEnabled()
    one.write(one.page.form.label, "persona2")
    assert not line.fault.isVisible()
    await one.previewed()
    assert one.page.save_button.isEnabled()
    one.write(one.page.form.label, " ")
    assert line.fault.text() == "The label can't be empty."
    one.page.form.label.selectAll()
    one.page.form.label.insert("a\u202eb")
    assert "U+202E" in line.fault.text()
    assert "A setting has an error" in words(one.page)


async def test_that_the_effect_on_the_request_is_said_before_it_is_saved(open_settings: OpenSettings) -> None:
    one = await open_settings()
    one.choose(one.page.form.type_box, "Archival")
    await one.previewed()
    assert "This block leaves the Request." in one.page.effect.text()
    assert "tokens" in one.page.effect.text()
    before = one.workspace.file.request
    assert before is not None
    assert (await one.stored()).block_type is BlockType.WORKING
    one.click(one.page.discard_button)
    assert not one.page.is_dirty
    await one.until(lambda: one.page.effect.text() == "")
    assert one.page.form.type_box.currentText() == "Working"


async def test_that_unsaved_settings_survive_a_closed_tab_and_another_change(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    one.write(one.page.form.label, "asked")
    await one.calm()
    one.studio.window.centre.close_view(("block", QUESTIONS))
    await one.world.write(QUESTIONS, SetDescription("Theirs"))
    # The tab comes back to what is stored by now: only the file's drafts know what the edit began with.
    await one.until(lambda: one.workspace.file.blocks[QUESTIONS.id].block.description == "Theirs")
    one.studio.contents.services.selection.open(QUESTIONS)
    panel = one.studio.window.centre.currentWidget()
    one.panel = panel  # type: ignore[assignment]
    one.panel.show_settings()
    await one.until(lambda: one.page.form.label.text() == "asked")
    await one.until(lambda: one.page.form.description.text == "Theirs")
    await one.save()
    block = await one.stored()
    assert (block.label, block.description) == ("asked", "Theirs")


async def test_that_unsaved_settings_are_there_after_a_crash(
    open_settings: OpenSettings, world: World
) -> None:
    one = await open_settings(NOTES)
    one.write(one.page.form.description, "Half a thou")
    await one.calm()
    drafts = await world.engine.drafts.take_over_records()
    assert [each.edit.target.id for each in drafts] == [NOTES.id]
    one.click(one.page.discard_button)
    await one.calm()
    assert await world.engine.drafts.take_over_records() == ()


async def test_that_what_others_set_meanwhile_is_shown_where_nothing_is_unsaved(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    one.write(one.page.form.label, "mine")
    await one.world.write(QUESTIONS, SetLabel("theirs"))
    await one.world.write(QUESTIONS, SetDescription("theirs"))
    await one.until(lambda: one.page.form.description.text == "theirs")
    assert one.page.form.label.text() == "mine"
    one.click(one.page.discard_button)
    assert one.page.form.label.text() == "theirs"


async def test_that_a_refused_save_keeps_the_settings_and_says_why(open_settings: OpenSettings) -> None:
    one = await open_settings()
    one.write(one.page.form.label, "late")
    await one.previewed()
    # Somebody takes the label at the same moment: the window has not heard of it yet.
    one.page.form.label_fault = lambda _: ""
    await one.world.write(PERSONA, SetLabel("late"))
    one.page.form.label_fault = lambda _: ""
    one.page.work.save("")
    await one.until(lambda: "already has a block called late" in words(one.page.banners))
    assert one.page.form.label.text() == "late"
    assert one.page.is_dirty


async def test_that_a_deleted_block_and_a_read_only_file_show_their_settings_closed(
    open_settings: OpenSettings, world: World
) -> None:
    one = await open_settings(GONE)
    assert one.page.form.label.isReadOnly()
    assert "The block is deleted." in words(one.page)
    await one.world.write(QUESTIONS, DeleteBlock())
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    world.prepare = lambda session: setattr(session, "read_only", problem)
    other = await open_settings(PERSONA)
    assert other.page.form.label.isReadOnly()
    assert not other.page.schema.kind_box.isEnabled()
    assert "The file is read-only." in words(other.page)


async def test_that_a_block_shared_by_another_agent_has_its_owners_labels(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings(ONCALL)
    one.write(one.page.form.label, "persona")
    # It is Ada's label, and the block is Grace's.
    assert one.page.form.lines["label"].fault.text() == ""


async def test_that_a_locked_block_asks_before_its_schema_changes(open_settings: OpenSettings) -> None:
    locked = Edit(QUESTIONS, SetPermission(Permission.READ_ONLY))
    one = await open_settings(QUESTIONS, locked)
    one.choose(one.page.schema.kind_box, "List")
    await one.previewed()
    one.click(one.page.save_button)
    await one.until(lambda: "is read-only for its agent" in words(one.page.banners))
    assert one.page.is_dirty
    await one.banner_button("Unlock and save")
    await one.until(lambda: not one.page.is_dirty)
    await one.calm()
    assert (await one.stored()).schema == ListSchema()


async def test_that_the_tab_is_reached_and_worked_by_keyboard_alone(open_settings: OpenSettings) -> None:
    one = await open_settings()
    one.panel.views.choose(0)
    actions = one.studio.contents.services.actions
    actions.run("edit.settings")
    form = one.page.form
    assert form.label.hasFocus() or form.hasFocus()
    one.write(form.label, "by_keys")
    for expected in (form.description, form.type_box, form.level_box, form.limit, form.pinned):
        QTest.keyClick(one.panel.window().focusWidget(), Qt.Key.Key_Tab)
        assert expected.hasFocus() or expected.isAncestorOf(one.panel.window().focusWidget())
    await one.previewed()
    QTest.keySequence(one.panel.window(), QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: one.block.label == "by_keys")


async def test_that_a_file_without_agents_or_blocks_has_no_settings_to_show(
    studio: Studio, until: Until, world: World
) -> None:
    empty = world.folder / "empty.constellation"
    studio.contents.workspace.create(empty)
    await until(lambda: studio.contents.workspace.file.path == empty)
    assert "edit.settings" not in studio.contents.services.actions
    await open_file(studio, until)


async def test_that_the_same_setting_changed_by_two_is_decided_before_it_is_saved(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    form, work = tab.page.form, tab.page.work
    tab.write(form.description, "mine")
    await tab.world.write(NOTES, SetDescription("theirs"))
    pinned = not tab.block.pinned
    await tab.world.write(NOTES, SetPinned(pinned))
    await tab.until(lambda: (tab.block.description, tab.block.pinned) == ("theirs", pinned))
    assert work.clashing == ("description",)
    assert form.description.text == "mine"
    await tab.previewed()
    tab.page.save()
    (notice,) = tab.page.banners.notices
    assert "description “theirs”" in notice.text
    assert tab.block.description == "theirs"
    checked = tab.studio.contents.services.actions
    assert not checked.row("edit.save").why_not(), "it can be asked for again"
    notice.choices[1][1]()
    assert form.description.text == "theirs"
    assert not tab.page.is_dirty
    tab.write(form.description, "mine again")
    await tab.world.write(NOTES, SetDescription("hers"))
    await tab.until(lambda: tab.block.description == "hers")
    await tab.previewed()
    tab.page.save()
    tab.page.banners.notices[0].choices[0][1]()
    await tab.until(lambda: tab.block.description == "mine again")
    assert tab.block.pinned == pinned
    assert not tab.page.banners.notices


async def test_that_the_same_setting_changed_by_two_is_told_at_once_and_is_theirs_when_mine_is_undone(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    form, page = tab.page.form, tab.page
    form.description.setFocus()
    QTest.keyClicks(form.description, "mine")
    await tab.world.write(NOTES, SetDescription("theirs"))
    await tab.until(lambda: page.banners.notices)
    (notice,) = page.banners.notices
    assert notice.text == "Someone else changed the same settings: description “theirs”."
    assert notice.remark == "Choose before you save."
    QTest.keySequence(form.description, QKeySequence(QKeySequence.StandardKey.Undo))
    await tab.until(lambda: form.description.text == "theirs")
    assert not page.is_dirty
    assert not page.banners.notices
    QTest.keyClicks(form.description, "x")
    await tab.save()
    assert tab.block.description in ("theirsx", "xtheirs")


async def test_that_a_limit_changed_by_two_is_theirs_when_mine_is_taken_back(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    limit = tab.page.form.limit
    was = limit.value()
    tab.write(limit, "777")
    await tab.world.write(NOTES, SetCharLimit(999))
    await tab.until(lambda: tab.page.work.clashing)
    tab.write(limit, str(was))
    await tab.until(lambda: limit.value() == 999)
    assert not tab.page.is_dirty


async def test_that_another_setting_changed_by_someone_else_is_kept_beside_mine(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "mine")
    was = tab.block.pinned
    await tab.world.write(NOTES, SetPinned(not was))
    await tab.until(lambda: tab.block.pinned != was)
    assert tab.page.work.clashing == ()
    await tab.save()
    assert (tab.block.description, tab.block.pinned) == ("mine", not was)


async def test_that_a_setting_that_another_program_saved_at_the_same_moment_is_not_overwritten(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "mine")
    await tab.previewed()
    await tab.world.write_elsewhere(NOTES, SetDescription("theirs"))
    tab.click(tab.page.save_button)
    await tab.until(lambda: tab.page.banners.notices)
    assert "description “theirs”" in tab.page.banners.notices[0].text
    await tab.calm()
    assert (await tab.stored()).description == "theirs"
    assert tab.page.is_dirty
    await tab.until(lambda: tab.block.description == "theirs")
    await tab.banner_button("Save mine")
    await tab.until(lambda: tab.block.description == "mine")
    assert not tab.page.banners.notices


async def test_that_the_same_value_saved_by_another_program_leaves_nothing_unsaved(
    open_settings: OpenSettings,
) -> None:
    tab = await open_settings(NOTES)
    tab.write(tab.page.form.description, "the same")
    await tab.previewed()
    await tab.world.write_elsewhere(NOTES, SetDescription("the same"))
    tab.click(tab.page.save_button)
    await tab.until(lambda: not tab.workspace.file.records)
    await tab.calm()
    assert not tab.page.is_dirty
    assert not tab.page.banners.notices
