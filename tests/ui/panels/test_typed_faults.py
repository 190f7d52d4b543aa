"""What is typed in a form and can't be taken yet: nothing saves it, others' values stay, and it can be discarded."""

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.blocks import EntrySchema, FieldDef, FieldType, LogSchema, MapSchema
from inspector.domain.content import LogContent
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import AppendEntry
from inspector.ui.panels.block import BlockPanel
from tests.ui.editors.structured_blocks import PLAN, SERVICE, WATCH, Made, block
from tests.ui.panels.structured_tab import RAW, Keys, StructuredTab

pytestmark = pytest.mark.slow
LEFT = Qt.MouseButton.LeftButton
COUNTS = block(
    "counts",
    LogSchema(20, EntrySchema(fields=(FieldDef("n", FieldType.NUMBER), FieldDef("note")))),
    LogContent(()),
)


def retype(line: Any, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)


def empty(editor: Any) -> None:
    editor.setFocus()
    editor.selectAll()
    QTest.keyClick(editor, Keys.Key_Backspace)


def discard(one: StructuredTab) -> None:
    assert one.panel.discard_button.isEnabled()
    QTest.mouseClick(one.panel.discard_button, LEFT)
    assert one.draft is None
    assert not one.panel.editors.faults
    assert not one.panel.discard_button.isEnabled()


@pytest.mark.parametrize("has_draft", [False, True])
async def test_that_a_field_with_a_fault_is_discarded(open_block: Any, has_draft: bool) -> None:
    one = await open_block(SERVICE)
    rows: Any = one.page.rows
    if has_draft:
        QTest.keyClicks(rows["name"].input.editor, "X")
    retype(rows["replicas"].input.line, "8y")
    assert rows["replicas"].fault.isVisible()
    discard(one)
    assert rows["replicas"].input.line.text() == "3"
    assert not rows["replicas"].fault.isVisible()
    assert rows["name"].input.editor.text == "harbor-queue"


async def test_that_a_fault_in_a_section_is_discarded(open_block: Any) -> None:
    one = await open_block(PLAN)
    line = one.page.sections["facts"].editor.rows["builds"].input.line
    retype(line, "9z")
    discard(one)
    assert line.text() == "7"


async def test_that_half_an_entry_is_discarded(open_block: Any) -> None:
    one = await open_block(WATCH)
    editor = one.page.rows["context"].input.editor
    QTest.keyClicks(editor, "Half")
    discard(one)
    assert editor.text == ""
    assert one.page.note.text() == ""


async def test_that_a_fault_in_a_cell_is_discarded(open_block: Any) -> None:
    one = await open_block(PLAN)
    view = one.page.sections["tasks"].editor.view
    view.table.setFocus()
    view.table.setCurrentIndex(view.model.index(0, 2))
    QTest.keyClick(view.table, Keys.Key_F2)
    QTest.keyClicks(one.studio.window.focusWidget(), "x")
    assert view.fault.isVisible()
    one.studio.contents.services.actions.run("edit.discard")
    assert not view.fault.isVisible()
    assert not one.panel.editors.faults
    assert view.model.index(0, 2).data() == "3"


async def test_that_an_entry_without_what_it_needs_is_no_draft_any_more(open_block: Any) -> None:
    one = await open_block(WATCH)
    rows: Any = one.page.rows
    QTest.keyClicks(rows["observation"].input.editor, "I regret this")
    assert isinstance(one.draft, AppendEntry)
    empty(rows["observation"].input.editor)
    assert one.draft is None
    # The box is as empty as before.
    assert not one.panel.editors.faults
    QTest.keyClicks(rows["observation"].input.editor, "Slow")
    QTest.keyClicks(rows["context"].input.editor, "CI")
    empty(rows["observation"].input.editor)
    assert one.draft is None
    assert rows["observation"].fault.isVisible()
    assert not one.page.next_button.isEnabled()
    QTest.keyClicks(rows["observation"].input.editor, "Fast")
    assert isinstance(one.draft, AppendEntry)
    assert one.draft.fields == {"observation": "Fast", "context": "CI"}


async def test_that_a_number_on_its_way_to_a_fault_is_no_draft_of_an_entry(open_block: Any) -> None:
    one = await open_block(COUNTS)
    rows: Any = one.page.rows
    QTest.keyClicks(rows["n"].input.line, "12x3")
    assert one.draft is None
    QTest.keyClicks(rows["note"].input.editor, "Lunch")
    assert one.draft is None
    assert not one.panel.save_button.isEnabled()
    QTest.keyClick(rows["n"].input.line, Keys.Key_Backspace)
    QTest.keyClick(rows["n"].input.line, Keys.Key_Backspace)
    assert isinstance(one.draft, AppendEntry)
    assert one.draft.fields == {"n": 12, "note": "Lunch"}


async def test_that_a_field_of_an_entry_is_reset(open_block: Any) -> None:
    one = await open_block(COUNTS)
    row: Any = one.page.rows["n"]
    QTest.keyClicks(one.page.rows["note"].input.editor, "Lunch")
    QTest.keyClicks(row.input.line, "12x3")
    QTest.mouseClick(row.reset_button, LEFT)
    assert row.input.line.text() == ""
    assert not row.fault.isVisible()
    assert isinstance(one.draft, AppendEntry)
    assert one.draft.fields == {"note": "Lunch"}


async def test_that_undo_of_a_fault_gives_back_what_others_stored_meanwhile(open_block: Any) -> None:
    one = await open_block(SERVICE)
    line = one.page.rows["replicas"].input.line
    retype(line, "8y")
    await one.world.write(SERVICE.ref, SetField("replicas", 9))
    await one.until(lambda: one.panel.editors.draft.content.fields["replicas"] == 9)
    QTest.keySequence(line, QKeySequence(QKeySequence.StandardKey.Undo))
    assert line.text() == "9"
    assert one.draft is None
    assert not one.panel.editors.faults
    # Where nobody else wrote, it is the value of before.
    retype(line, "7y")
    QTest.keySequence(line, QKeySequence(QKeySequence.StandardKey.Undo))
    assert line.text() == "9"
    assert one.draft is None


async def test_that_what_is_typed_stays_where_others_change_the_schema(open_block: Any) -> None:
    one = await open_block(WATCH)
    QTest.keyClicks(one.page.rows["context"].input.editor, "Half written")
    before = one.page.rows["context"]
    fields = (FieldDef("observation", required=True, description="What was seen"), FieldDef("context"))
    await one.world.write(WATCH.ref, SetSchema(LogSchema(20, EntrySchema(fields=fields))))
    await one.until(lambda: one.page.rows["context"] is not before)
    assert one.page.rows["context"].input.editor.text == "Half written"
    assert "observation" in one.page.note.text()
    QTest.keyClicks(one.page.rows["observation"].input.editor, "Seen")
    assert isinstance(one.draft, AppendEntry)
    assert one.draft.fields == {"observation": "Seen", "context": "Half written"}


async def test_that_a_fault_stays_where_others_change_the_schema(open_block: Any) -> None:
    one = await open_block(SERVICE)
    retype(one.page.rows["replicas"].input.line, "8y")
    before = one.page.rows["replicas"]
    assert isinstance(SERVICE.schema, MapSchema)
    first, *others = SERVICE.schema.fields
    fields = (replace(first, description="Other words"), *others)
    await one.world.write(SERVICE.ref, SetSchema(MapSchema(fields)))
    await one.until(lambda: one.page.rows["replicas"] is not before)
    row: Any = one.page.rows["replicas"]
    assert row.input.line.text() == "8y"
    assert row.fault.isVisible()
    # Where the other schema can take it, it is a draft.
    texts = tuple(FieldDef("replicas") if each.name == "replicas" else each for each in fields)
    await one.world.write(SERVICE.ref, SetSchema(MapSchema(texts), accept_loss=True))
    await one.until(lambda: one.draft is not None)
    assert one.draft == SetField("replicas", "8y")


async def test_that_a_fault_in_the_box_stays_where_others_change_the_schema(open_block: Any) -> None:
    one = await open_block(COUNTS)
    QTest.keyClicks(one.page.rows["n"].input.line, "12x3")
    before = one.page.rows["n"]
    fields = (FieldDef("n", FieldType.NUMBER, description="How many"), FieldDef("note"))
    await one.world.write(COUNTS.ref, SetSchema(LogSchema(20, EntrySchema(fields=fields))))
    await one.until(lambda: one.page.rows["n"] is not before)
    assert one.page.rows["n"].input.line.text() == "12x3"
    assert one.panel.editors.faults


@pytest.mark.parametrize(
    ("made", "field", "typed", "where"),
    [
        (SERVICE, "replicas", "8y", '"replicas": "8y"'),
        (WATCH, "context", "Half written", '"context": "Half written"'),
        (COUNTS, "n", "12x3", '"n": "12x3"'),
    ],
)
async def test_that_what_can_not_be_taken_is_there_as_json_after_its_tab_was_closed(
    open_block: Any, made: Made, field: str, typed: str, where: str
) -> None:
    one = await open_block(made)
    box: Any = one.page.rows[field].input
    retype(box.editor if hasattr(box, "editor") else box.line, typed)
    assert one.panel.editors.faults
    one.studio.contents.services.actions.run("view.close_tab")
    one.studio.contents.services.selection.open(made.ref)
    panel = one.studio.window.centre.currentWidget()
    assert isinstance(panel, BlockPanel)
    assert panel is not one.panel
    await one.until(lambda: panel.views.current == RAW)
    again = StructuredTab(one.studio, one.until, panel, made)
    assert where in again.raw.page.editor.text
    assert again.raw.fault.text()
    assert not panel.save_button.isEnabled()
    discard(again)
    assert not one.workspace.file.unread_json


async def test_that_a_fault_in_a_section_is_kept_where_the_file_is_left(open_block: Any) -> None:
    one = await open_block(PLAN)
    line = one.page.sections["facts"].editor.rows["builds"].input.line
    retype(line, "9z")
    one.workspace.live.leaving.emit()
    kept = one.workspace.file.unread_json[PLAN.ref.id]
    assert '"builds": "9z"' in kept.text
    assert line.text() == "7"


async def test_that_an_erased_value_is_stored_again_after_its_tab_was_closed(open_block: Any) -> None:
    one = await open_block(SERVICE)
    empty(one.page.rows["name"].input.editor)
    assert one.panel.editors.faults
    one.studio.contents.services.actions.run("view.close_tab")
    assert not one.workspace.file.unread_json
    assert one.draft is None
