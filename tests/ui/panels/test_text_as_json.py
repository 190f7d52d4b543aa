"""A text block edited as JSON: the same draft as in its editor, with what cannot be read named."""

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.blocks import ListSchema
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetCharLimit, SetSchema
from inspector.domain.edits.text import SetText
from inspector.ui.editors.raw import RawPage
from inspector.ui.editors.text import TextEditor
from inspector.ui.notices.block_head import BlockTabView
from inspector.ui.panels.block import BlockPanel
from tests.ui.panels.block_tab import BlockTab, OpenTab
from tests.ui.test_drafts import Drafts
from tests.ui.world import QUESTIONS, STORED, prepare_file


def opened_json(one: BlockTab) -> tuple[RawPage, TextEditor]:
    """Its JSON in front, with the keyboard in it."""
    one.panel.views.choose(BlockTabView.RAW)
    raw = one.panel.editors.raw
    raw.page.editor.setFocus()
    return raw, raw.page.editor


def write(editor: TextEditor, old: str, new: str) -> None:
    """Select what stands in the JSON, and type over it."""
    at = editor.text.index(old)
    editor.select_range(at, at + len(old))
    QTest.keyClicks(editor, new)


async def test_that_a_text_is_edited_as_json_and_undone_step_by_step_in_either_view(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    _, editor = opened_json(one)
    assert json.loads(editor.text)["text"] == STORED
    first = STORED.split()[0]
    write(editor, first, "Whoever")
    changed = STORED.replace(first, "Whoever", 1)
    assert one.editor.text == changed
    assert one.panel.marked
    one.press("Ctrl+Z", editor)
    assert one.editor.text != changed
    one.press("Ctrl+Y", editor)
    assert one.editor.text == changed
    one.panel.views.choose(BlockTabView.EDIT)
    one.editor.setFocus()
    while one.editor.steps.can_undo:
        one.press("Ctrl+Z")
    assert one.editor.text == STORED
    assert not one.panel.marked
    _, editor = opened_json(one)
    assert json.loads(editor.text)["text"] == STORED
    write(editor, first, "Whoever")
    one.press("Ctrl+S", editor)
    await one.saved(changed)


async def test_that_what_can_not_be_read_is_named_and_is_there_again_after_the_tab_was_closed(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    raw, editor = opened_json(one)
    write(editor, editor.text, '{"txt": "x"}')
    assert raw.fault.text()
    assert one.editor.text == STORED
    assert one.panel.state_note.text() == "the JSON has an error"
    assert not one.panel.save_button.isEnabled()
    one.studio.window.centre.close_view(("block", QUESTIONS))
    one.studio.contents.services.selection.open(QUESTIONS)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert panel is not one.panel
    await one.until(lambda: panel.views.current == BlockTabView.RAW)
    assert panel.editors.raw.page.editor.text == '{"txt": "x"}'
    assert panel.editors.raw.fault.text()
    QTest.mouseClick(panel.discard_button, Qt.MouseButton.LeftButton)
    assert not panel.editors.raw.fault.text()
    assert json.loads(panel.editors.raw.page.editor.text)["text"] == STORED
    assert not one.workspace.file.unread_json


async def test_that_what_others_write_meanwhile_comes_into_the_json_and_is_kept(open_tab: OpenTab) -> None:
    one = await open_tab()
    _, editor = opened_json(one)
    await one.world.write(QUESTIONS, SetText(STORED + "\nTheirs."))
    await one.until(lambda: "Theirs." in editor.text)
    write(editor, STORED.split()[0], "Mine")
    assert one.editor.text.startswith("Mine")
    assert one.editor.text.endswith("Theirs.")


async def test_that_json_of_a_text_is_only_read_where_the_block_is(open_tab: OpenTab) -> None:
    one = await open_tab()
    _, editor = opened_json(one)
    one.panel.editors.set_read_only(True)
    assert editor.isReadOnly()
    before = editor.text
    QTest.keyClicks(editor, "x")
    assert (editor.text, one.editor.text) == (before, STORED)


async def test_that_json_that_is_read_late_does_not_undo_what_others_wrote_at_the_same_place(
    open_tab: OpenTab,
) -> None:
    one = await open_tab()
    raw, editor = opened_json(one)
    quote = len(editor.text) - len('"\n}')
    editor.replace_range(quote, 1, "")
    write(editor, "arm64 runner", "MINE")
    assert raw.fault.text()
    theirs = STORED.replace("arm64 runner", "THEIRS")
    await one.world.write(QUESTIONS, SetText(theirs))
    await one.until(lambda: one.editor.text == theirs)
    editor.replace_range(len(editor.text) - len("\n}"), 0, '"')
    assert raw.fault.text().startswith("Someone else changed the same place meanwhile.")
    assert one.editor.text == theirs
    assert not one.panel.save_button.isEnabled()
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert json.loads(editor.text)["text"] == theirs


async def test_that_the_list_of_drafts_saves_no_half_of_what_can_not_be_read(open_tab: OpenTab) -> None:
    one = await open_tab()
    raw, editor = opened_json(one)
    write(editor, "arm64", "MINE")
    editor.replace_range(len(editor.text) - 1, 1, "")
    assert raw.fault.text()
    drafts = Drafts(one.studio, one.until)
    await drafts.open(1)
    drafts.dialog.save_checked()
    await one.until(lambda: "JSON has an error" in drafts.why("open_questions"))
    await one.calm()
    assert await one.world.text() == STORED


async def test_that_json_that_can_not_be_read_is_a_draft_in_the_list_of_all(open_tab: OpenTab) -> None:
    one = await open_tab()
    raw, editor = opened_json(one)
    typed = editor.text.removesuffix("}")
    editor.replace_range(len(typed), 1, "")
    await one.calm()
    [kept] = await one.world.engine.drafts.take_over_unread()
    assert kept.text == typed
    drafts = Drafts(one.studio, one.until)
    await drafts.open(1)
    assert drafts.lines(1) == ["JSON with an error"]
    drafts.dialog.save_checked()
    await one.until(lambda: "JSON has an error" in drafts.why("open_questions"))
    drafts.press("Discard open_questions")
    await one.until(lambda: not raw.fault.text())
    assert json.loads(editor.text)["text"] == STORED
    await one.calm()
    assert await one.world.engine.drafts.take_over_unread() == ()
    drafts.restore()
    await one.until(lambda: raw.fault.text())
    assert editor.text == typed
    await one.calm()
    [kept] = await one.world.engine.drafts.take_over_unread()
    assert kept.text == typed


async def test_that_json_with_an_error_outlives_another_kind_of_the_block(open_tab: OpenTab) -> None:
    one = await open_tab()
    _, editor = opened_json(one)
    typed = '{"kind": "text", "text": "a whole new text'
    write(editor, editor.text, typed)
    await one.calm()
    await one.world.write(QUESTIONS, SetSchema(ListSchema(), accept_loss=True))
    await one.until(lambda: one.panel.editors.structured is not None)
    await one.until(lambda: one.panel.views.current == BlockTabView.RAW)
    assert one.panel.editors.raw.page.editor.text == typed
    assert one.panel.editors.raw.fault.text()
    await one.calm()
    [kept] = await one.world.engine.drafts.take_over_unread()
    assert kept.text == typed


async def test_that_json_with_an_error_is_brought_back_after_the_tab_discarded_it(open_tab: OpenTab) -> None:
    one = await open_tab()
    raw, editor = opened_json(one)
    write(editor, "arm64", "MINE")
    typed = editor.text.removesuffix("}")
    editor.replace_range(len(typed), 1, "")
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert not raw.fault.text()
    assert one.editor.text == STORED
    await one.click("Restore draft")
    await one.until(lambda: raw.fault.text())
    assert editor.text == typed
    assert "MINE" in one.editor.text


async def test_that_json_that_waits_to_be_read_stays_with_its_file(
    open_tab: OpenTab, tmp_db_dir: Path
) -> None:
    one = await open_tab(Edit(QUESTIONS, SetCharLimit(0)), Edit(QUESTIONS, SetText("word " * 20_000)))
    _, editor = opened_json(one)
    editor.replace_range(len(editor.text) - 1, 1, "")
    await one.calm()
    (tmp_db_dir / "second").mkdir()
    other = await prepare_file(tmp_db_dir / "second")
    workspace = one.studio.contents.workspace
    first = one.world.path
    editor.replace_range(len(editor.text), 0, "late")
    workspace.open(other)
    await one.until(lambda: workspace.file.path == other)
    assert not workspace.file.unread_json
    workspace.open(first)
    await one.until(lambda: workspace.file.path == first)
    assert workspace.file.unread_json[QUESTIONS.id].text.endswith("late")


async def test_that_json_that_waits_to_be_read_is_there_when_its_file_is_opened_again(
    open_tab: OpenTab,
) -> None:
    one = await open_tab(Edit(QUESTIONS, SetCharLimit(0)), Edit(QUESTIONS, SetText("word " * 20_000)))
    _, editor = opened_json(one)
    editor.replace_range(len(editor.text) - 1, 1, "")
    workspace, session = one.studio.contents.workspace, one.studio.contents.workspace.live.session
    workspace.open(one.world.path)
    await one.until(lambda: workspace.live.session is not session and workspace.file.blocks)
    assert QUESTIONS.id in workspace.file.unread_json
