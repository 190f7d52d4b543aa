"""The schema of a block, changed in its Settings tab: previewed, done, in the Request, in the file, and undone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QWidget

from inspector.domain.blocks import (
    TASK_LIST,
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.content import CompositeContent, ListContent, MapContent, TextContent
from inspector.domain.edits.block_rows import SetSchema
from inspector.runtime.engine import Engine
from tests.ui.editors.structured_blocks import PLAN, SERVICE, TASKS, WATCH, WORDS, Made
from tests.ui.panels.block_tab import words
from tests.ui.panels.settings_tab import OpenSettings, SettingsTab
from tests.ui.world import CHECKLIST, QUESTIONS, STORED

pytestmark = pytest.mark.slow

LINES = STORED.split("\n")


def begin_from(one: SettingsTab, title: str) -> None:
    """Choose a ready-made schema from the button's menu, which the offscreen platform can't pop up."""
    assert one.page.schema.ready_button.isEnabled()
    [menu] = one.page.schema.findChildren(QMenu)
    action = next(each for each in menu.actions() if each.text() == title)
    action.trigger()


def input_of(one: SettingsTab, name: str) -> QWidget:
    """What a detail of the selected field is typed into."""
    widget = one.plain.fields.details.rows[name].input.widget
    return widget.findChild(QLineEdit) or widget


async def test_that_a_text_becomes_a_list_after_a_preview_and_is_a_text_again_when_undone(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    one.choose(one.page.schema.kind_box, "List")
    await one.previewed()
    assert one.page.preview.isVisible()
    assert one.page.preview.losses.text() == "Keeps all content."
    assert f"1. {LINES[0]}" in one.page.preview.difference.inline.toPlainText()
    assert isinstance((await one.stored()).schema, TextSchema)
    await one.save()
    assert one.schema == ListSchema()
    assert isinstance(one.content, ListContent)
    assert [each.value for each in one.content.items] == LINES
    assert f"1. {LINES[0]}" in one.request_text()
    assert not one.page.preview.isVisible()
    path = one.world.path
    reopened = await Engine.open(path, one.world.environment, older="copy")
    state = await reopened.memory.get(QUESTIONS.id)
    await reopened.close()
    assert state is not None
    assert state.content == one.content
    await one.undo()
    await one.until(lambda: one.content == TextContent(STORED))
    assert one.page.schema.kind_box.currentText() == "Text"
    one.panel.views.choose(0)
    assert one.panel.page.editor.text == STORED


async def test_that_losses_are_named_before_they_happen(open_settings: OpenSettings) -> None:
    one = await open_settings(CHECKLIST)
    one.choose(one.page.schema.kind_box, "Map")
    await one.previewed()
    # A title is required, and nobody can say which.
    assert one.page.preview.losses.text() == "Removes the items, “title”."
    assert one.page.save_button.text() == "Save and remove 2 parts"
    assert not isinstance((await one.stored()).schema, MapSchema)
    await one.save()
    assert isinstance(one.schema, MapSchema)
    assert [each.name for each in one.schema.fields] == [each.name for each in TASK_LIST.item_schema or ()]
    await one.undo()
    assert isinstance(one.content, ListContent)
    assert len(one.content.items) == 4


async def test_that_a_loss_is_not_accepted_before_its_preview_is_there(open_settings: OpenSettings) -> None:
    one = await open_settings(CHECKLIST)
    one.choose(one.page.schema.kind_box, "Map")
    assert one.page.not_savable == "previewing …"
    one.page.work.save("")
    await one.until(lambda: "would lose" in words(one.page.banners))
    assert one.page.is_dirty
    assert (await one.stored()).schema == TASK_LIST


async def test_that_fields_are_added_renamed_moved_and_removed_and_values_stay(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings(SERVICE.ref, SERVICE.edit)
    assert one.names()[:3] == ["name", "stage", "replicas"]
    one.edit(0, "Name", "title")
    one.select(1)
    QTest.keyClick(one.table.table, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    one.select(3)
    QTest.keyClick(one.table.table, Qt.Key.Key_Delete)
    one.select(0)
    QTest.keyClick(one.table.table, Qt.Key.Key_Insert)
    one.type_cell("team")
    one.tick(1, "Required")
    assert one.names() == ["title", "team", "replicas", "stage", "public", "owners", "checked", "token"]
    await one.previewed()
    assert "“restarts”" in one.page.preview.losses.text()
    await one.save()
    schema, content = one.schema, one.content
    assert isinstance(schema, MapSchema)
    assert isinstance(content, MapContent)
    assert [each.name for each in schema.fields] == one.names()
    assert schema.fields[0].description == "As it is called in the register"
    assert schema.fields[1].required
    assert (content.fields["title"], content.fields["replicas"]) == ("harbor-queue", 3)
    assert "title: harbor-queue" in one.request_text()
    await one.undo()
    assert isinstance(one.content, MapContent)
    assert one.content.fields["name"] == "harbor-queue"
    assert one.content.fields["restarts"] == 5


@pytest.mark.parametrize(("structured", "name"), [(TASKS, "priority"), (WATCH, "context")])
async def test_that_what_the_preview_says_is_removed_is_gone_and_comes_back_with_undo(
    open_settings: OpenSettings, structured: Made, name: str
) -> None:
    one = await open_settings(structured.ref, structured.edit)
    had = one.content
    one.select(one.names().index(name))
    QTest.keyClick(one.table.table, Qt.Key.Key_Delete)
    await one.until(lambda: one.page.preview.losses.text() == f"Removes “{name}”.")
    assert one.page.save_button.text() == "Save and remove 1 part"
    await one.save()
    assert name not in str(one.content)
    await one.undo()
    assert one.content == had


async def test_that_a_fields_type_and_details_are_set(open_settings: OpenSettings) -> None:
    one = await open_settings(CHECKLIST)
    one.edit(0, "Description", "What to do")
    one.select(2)
    details = one.plain.fields.details
    assert details.isVisible()
    one.write(input_of(one, "Default"), "2")
    one.write(input_of(one, "Minimum"), "1")
    one.edit(3, "Type", "Text")
    await one.save()
    schema = one.schema
    assert isinstance(schema, ListSchema)
    assert schema.item_schema is not None
    title, _, priority, due = schema.item_schema
    assert title.description == "What to do"
    assert (priority.default, priority.minimum) == (2, 1)
    assert due.field_type is FieldType.TEXT


@pytest.mark.parametrize(
    ("row", "name", "text", "fault"),
    [
        (0, "Name", "done", "The schema uses the name done twice."),
        (0, "Name", " title", "must be one line, without spaces at its ends"),
        (2, "Default", "many", "default"),
        (2, "Minimum", "much", "Minimum"),
    ],
)
async def test_that_a_schema_nobody_could_use_is_refused_while_it_is_made(
    open_settings: OpenSettings, row: int, name: str, text: str, fault: str
) -> None:
    one = await open_settings(CHECKLIST)
    if name == "Name":
        one.edit(row, name, text)
    else:
        one.select(row)
        one.write(input_of(one, name), text)
    assert fault in one.page.schema.fault.text()
    assert one.page.not_savable == "a setting has an error"
    assert not one.page.save_button.isEnabled()


async def test_that_changes_of_the_table_are_undone_by_keyboard(open_settings: OpenSettings) -> None:
    one = await open_settings(CHECKLIST)
    before = one.names()
    one.select(1)
    QTest.keyClick(one.table.table, Qt.Key.Key_Delete)
    assert len(one.names()) == 3
    QTest.keySequence(one.table.table, QKeySequence(QKeySequence.StandardKey.Undo))
    assert one.names() == before
    assert not one.page.is_dirty
    QTest.keySequence(one.table.table, QKeySequence(QKeySequence.StandardKey.Redo))
    assert len(one.names()) == 3


async def test_that_undo_in_a_table_without_changes_takes_back_the_last_save(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings(CHECKLIST)
    before = one.names()
    one.edit(1, "Name", "renamed")
    await one.save()
    assert one.names()[1] == "renamed"
    one.select(0)
    QTest.keySequence(one.table.table, QKeySequence(QKeySequence.StandardKey.Undo))
    await one.until(lambda: one.names() == before)


async def test_that_a_ready_made_schema_begins_one(open_settings: OpenSettings) -> None:
    one = await open_settings()
    begin_from(one, "Task list")
    assert one.names() == ["title", "done", "priority", "due"]
    assert one.page.schema.kind_box.currentText() == "List"
    await one.save()
    content = one.content
    assert isinstance(content, ListContent)
    assert content.items[0].value == {"title": LINES[0], "done": False, "priority": 3}


async def test_that_options_of_each_kind_are_stored(open_settings: OpenSettings) -> None:
    one = await open_settings(WATCH.ref, WATCH.edit, WORDS.edit)
    one.write(one.plain._figures["shown"], "5")  # noqa: SLF001
    await one.save()
    schema = one.schema
    assert isinstance(schema, LogSchema)
    assert schema.display_limit == 5
    other = await open_settings(QUESTIONS)
    switch = other.plain._switches["part"]  # noqa: SLF001
    switch.setFocus()
    QTest.keyClick(switch, Qt.Key.Key_Space)
    other.write(other.plain._figures["lines"], "1")  # noqa: SLF001
    await other.save()
    assert other.schema == TextSchema(Viewport(1, 1))


async def test_that_sections_are_added_renamed_and_given_fields(open_settings: OpenSettings) -> None:
    one = await open_settings(PLAN.ref, PLAN.edit)
    old = one.schema
    assert isinstance(old, CompositeSchema)
    first = old.sections[0].name
    one.edit(0, "Name", "renamed")
    one.select(0)
    QTest.keyClick(one.table.table, Qt.Key.Key_Insert)
    one.type_cell("risks")
    one.edit(1, "Type", "Tree")
    await one.save()
    new, content = one.schema, one.content
    assert isinstance(new, CompositeSchema)
    assert isinstance(content, CompositeContent)
    assert [each.name for each in new.sections[:2]] == ["renamed", "risks"]
    assert isinstance(new.sections[1].schema, TreeSchema)
    assert isinstance(PLAN.content, CompositeContent)
    assert content.sections["renamed"] == PLAN.content.sections[first]
    await one.undo()
    assert one.content == PLAN.content


async def test_that_a_schema_does_not_change_under_an_unsaved_edit_of_the_content(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    one.panel.views.choose(0)
    QTest.keyClicks(one.panel.page.editor, "Now: ")
    one.panel.show_settings()
    one.choose(one.page.schema.kind_box, "List")
    await one.previewed()
    assert "Save or discard the edits of the content before the schema changes." in words(one.page)
    assert not one.page.save_button.isEnabled()
    one.panel.views.choose(0)
    QTest.keySequence(one.panel.page.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: not one.panel.work.is_dirty)
    await one.calm()
    one.panel.show_settings()
    await one.save()
    assert isinstance(one.content, ListContent)
    assert str(one.content.items[0].value).endswith(LINES[0][-5:])


async def test_that_a_draft_stays_when_somebody_else_changes_the_schema_under_it(
    open_settings: OpenSettings,
) -> None:
    one = await open_settings()
    one.panel.views.choose(0)
    QTest.keyClicks(one.panel.page.editor, "Now: ")
    await one.world.write(QUESTIONS, SetSchema(ListSchema()))
    await one.until(lambda: isinstance(one.content, ListContent))
    await one.calm()
    draft = one.workspace.file.drafts[QUESTIONS.id]
    assert draft.content == TextContent(f"Now: {STORED}")
    # Back under its own schema, it is there to be saved.
    await one.world.write(QUESTIONS, SetSchema(TextSchema()))
    await one.until(lambda: one.panel.page.editor.text == f"Now: {STORED}")


async def test_that_a_hostile_name_of_a_field_is_shown_as_text(open_settings: OpenSettings) -> None:
    schema = MapSchema((FieldDef("<b>x</b>\u202e"), FieldDef("y" * 3000)))
    one = await open_settings()
    one.page.schema.load(TextSchema(), schema)
    assert one.names()[0] == "<b>x</b>[RLO]"
    assert len(one.names()[1]) <= 200
    assert one.page.schema.schema == schema
