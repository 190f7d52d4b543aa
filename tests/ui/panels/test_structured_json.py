"""Structured contents edited as JSON."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.domain.edits.items import (
    InsertItem,
)
from inspector.ui.panels.block import BlockPanel
from tests.ui.editors.structured_blocks import DECISIONS, PLAN, SERVICE, TASKS, WATCH, Made
from tests.ui.panels.structured_tab import RAW, StructuredTab, titles

pytestmark = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize("made", [TASKS, SERVICE, WATCH, DECISIONS, PLAN], ids=lambda made: made.ref.id)
async def test_that_every_schema_can_be_edited_as_json(open_block: Any, made: Made) -> None:
    one = await open_block(made)
    one.panel.views.choose(RAW)
    editor = one.raw.page.editor
    before = editor.text
    word, other = {
        TASKS.ref.id: ("Announce", "Shout"),
        SERVICE.ref.id: ("harbor-queue", "harbor-line"),
        WATCH.ref.id: ("[", ""),
        DECISIONS.ref.id: ("Because of quotas", "Quotas"),
        PLAN.ref.id: ("Cut the branch", "Cut it"),
    }[made.ref.id]
    if made is WATCH:
        start = editor.text.rindex("]")
        editor.replace_range(start, 0, ', {"id": "new", "fields": {"observation": "By hand"}}')
        other = "By hand"
    else:
        start = editor.text.index(word)
        editor.replace_range(start, len(word), other)
    assert one.draft is not None
    assert editor.text != before
    await one.save()
    await one.found_everywhere(other)


async def test_that_json_that_fits_no_schema_is_named_with_its_line_and_blocks_saving(
    open_block: Any,
) -> None:
    one = await open_block(TASKS)
    one.panel.views.choose(RAW)
    editor = one.raw.page.editor
    at = editor.text.index('"Announce"')
    editor.replace_range(at, len('"Announce"'), "5")
    line = editor.text.count("\n", 0, at) + 1
    assert one.raw.fault.text().startswith(f"Line {line}: ")
    assert "must be a text" in one.raw.fault.text()
    assert one.draft is None
    assert not one.panel.save_button.isEnabled()
    editor.undo_step()
    assert one.raw.fault.text() == ""


async def test_that_a_number_that_json_does_not_have_is_named_with_its_line(open_block: Any) -> None:
    one = await open_block(TASKS)
    one.panel.views.choose(RAW)
    editor = one.raw.page.editor
    at = editor.text.index('"Announce"')
    line, column = editor.text.count("\n", 0, at) + 1, at - editor.text.rfind("\n", 0, at)
    for wrong in ("NaN", "-Infinity", "1e999"):
        editor.replace_range(at, len('"Announce"'), wrong)
        assert one.raw.fault.text() == f"{wrong} can't be stored as a number (line {line}, column {column})."
        editor.undo_step()
    editor.replace_range(at, len('"Announce"'), "true")
    assert one.raw.fault.text() == f"Line {line}: title must be a text, not “true”."
    assert one.draft is None


async def test_that_json_that_cannot_be_read_yet_does_not_undo_what_others_write(open_block: Any) -> None:
    one = await open_block(TASKS)
    one.panel.views.choose(RAW)
    editor = one.raw.page.editor
    at = editor.text.index('"Announce"')
    editor.replace_range(at, 0, "{")
    await one.world.write(TASKS.ref, InsertItem({"title": "Theirs"}, None, "theirs"))
    await one.until(lambda: "Theirs" in titles(one.panel.editors.draft.content))
    editor.replace_range(at, len('{"Announce"'), '"Shout"')
    assert one.raw.fault.text() == ""
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Sign", "Shout", "Theirs"]
    assert "Theirs" in editor.text


async def test_that_json_that_cannot_be_read_yet_is_there_again_after_its_tab_was_closed(
    open_block: Any,
) -> None:
    one = await open_block(TASKS)
    one.panel.views.choose(RAW)
    one.raw.page.editor.selectAll()
    QTest.keyClicks(one.raw.page.editor, '{"items": [')
    assert one.raw.fault.text()
    one.studio.window.centre.close_view(("block", TASKS.ref))
    one.studio.contents.services.selection.open(TASKS.ref)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert panel is not one.panel
    again = StructuredTab(one.studio, one.until, panel, TASKS)
    await one.until(lambda: panel.views.current == RAW)
    assert again.raw.page.editor.text == '{"items": ['
    assert again.raw.fault.text()
    assert not panel.save_button.isEnabled()
    QTest.mouseClick(panel.discard_button, Qt.MouseButton.LeftButton)
    assert not again.raw.fault.text()
    assert not one.workspace.file.unread_json
