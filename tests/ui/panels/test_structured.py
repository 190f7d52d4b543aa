"""Blocks of every schema edited with real keys and clicks, and found again in the file, the Request and its history."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QWidget

from inspector.domain.blocks import CompositeSchema, MapSchema, TextSchema, Viewport
from inspector.domain.content import (
    CompositeContent,
    ListContent,
    ListItem,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
)
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import Rename, SetSchema
from inspector.domain.edits.fields import Increment, SetField
from inspector.domain.edits.items import (
    AppendEntry,
    EditParts,
    InSection,
    InsertItem,
    MoveNode,
    RemoveItem,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import SetText
from inspector.ui.editors.composite import CompositeEditor
from inspector.ui.editors.list import ListEditor
from inspector.ui.editors.log import LogEditor
from inspector.ui.editors.map import MapEditor
from inspector.ui.editors.section_text import SectionText
from inspector.ui.editors.tree import TreeEditor
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import ElidedLabel
from inspector.ui.wording import moment
from tests.ui.conftest import Studio
from tests.ui.editors.structured_blocks import DECISIONS, PLAN, PROFILE, SERVICE, TASKS, WATCH, WORDS, Made
from tests.ui.open_window import calm, show_request, texts
from tests.ui.panels.structured_tab import (
    ALT,
    Keys,
    StructuredTab,
    editor_in,
    go_to,
    tick,
    titles,
)

pytestmark = pytest.mark.slow


async def test_that_a_tick_is_a_draft_of_that_one_field_and_is_saved_as_it(open_block: Any) -> None:
    one = await open_block(TASKS)
    assert isinstance(one.page, ListEditor)
    tick(one.page.view.table, one.page.model.index(1, 0))
    assert one.draft == UpdateItem("b", {"done": True})
    assert one.panel.marked
    await one.save()
    content = await one.found_everywhere("[x] Sign")
    assert content == await one.stored()
    assert isinstance(content, ListContent)
    assert [each.value["done"] for each in content.items if not isinstance(each.value, str)] == [
        True,
        True,
        False,
    ]


async def test_that_items_are_typed_added_moved_and_removed_by_keyboard(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 1, 1)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Sign it")
    assert one.draft == UpdateItem("b", {"title": "Sign it"})
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    QTest.keyClick(view, Keys.Key_Up, ALT)
    QTest.keyClick(view, Keys.Key_Insert)
    QTest.keyClicks(editor_in(view), "Tag")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    go_to(view, 3, 1)
    QTest.keyClick(view, Keys.Key_Delete)
    assert isinstance(one.draft, EditParts)
    kinds = [type(each) for each in one.draft.operations]
    assert sorted(each.__name__ for each in kinds) == ["InsertItem", "MoveItem", "RemoveItem", "UpdateItem"]
    assert titles(one.panel.editors.draft.content) == ["Sign it", "Tag", "Freeze the changelog"]
    await one.save()
    assert titles(await one.found_everywhere("Tag")) == ["Sign it", "Tag", "Freeze the changelog"]
    versions = await one.world.engine.memory.versions.versions(TASKS.ref.id)
    assert len(versions) == 2


async def test_that_a_mouse_that_is_pressed_and_moved_takes_the_selected_rows_along(
    open_block: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await open_block(TASKS)
    view, model = one.page.view.table, one.page.model
    taken: list[list[int]] = []
    given = ElementTable.mimeData

    def note(self: ElementTable, indexes: Sequence[QModelIndex]) -> Any:
        taken.append(sorted({index.row() for index in indexes}))
        return given(self, indexes)

    monkeypatch.setattr(ElementTable, "mimeData", note)
    go_to(view, 0, 1)
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    view.selectionModel().select(model.index(2, 0), flags)
    await drag(view, view.visualRect(model.index(2, 1)).center(), view.visualRect(model.index(1, 1)).center())
    assert taken == [[0, 2]]
    # From a cell that isn't selected, cells are.
    await drag(view, view.visualRect(model.index(1, 1)).center(), view.visualRect(model.index(0, 1)).center())
    assert taken[1:] == []
    assert one.page.view.chosen == ["a", "b"]
    # Without a screen Qt drops nothing: what comes of a drop is in the test above.
    assert one.draft is None


async def drag(view: QAbstractItemView, start: QPoint, end: QPoint) -> None:
    """Press the mouse on a view, move it and let it go, as the window gets that from the system."""
    window = view.window().windowHandle()
    assert window is not None
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    first, last = (view.viewport().mapTo(view.window(), each) for each in (start, end))
    loop = asyncio.get_running_loop()
    done = loop.create_future()

    def move() -> None:
        QTest.mousePress(window, left, none, first)
        for part in (1, 2, 3):
            QTest.mouseMove(window, first + (last - first) * part / 3)
        QTest.mouseRelease(window, left, none, last)
        done.set_result(None)

    # With a window, Qt runs what waits in the loop meanwhile: within a step of this task, a step of another one that
    # is due then would be lost, and with it whatever waits for that task.
    loop.call_soon(move)
    await done


async def test_that_undo_and_redo_go_through_what_was_done_to_a_list(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 1)
    QTest.keyClick(view, Keys.Key_Delete)
    one.studio.contents.services.actions.run("edit.undo")
    assert one.draft is None
    one.studio.contents.services.actions.run("edit.redo")
    assert one.draft == RemoveItem("a")


async def test_that_what_somebody_else_writes_meanwhile_is_kept_and_so_is_mine(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    go_to(view, 0, 1)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Freeze it")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    await one.world.write(TASKS.ref, InsertItem({"title": "Theirs"}, "b", "theirs"))
    await one.world.write(TASKS.ref, UpdateItem("a", {"priority": 1}))
    await one.world.write(TASKS.ref, RemoveItem("c"))
    await one.until(lambda: titles(one.panel.editors.draft.content) == ["Freeze it", "Theirs", "Sign"])
    await one.until(lambda: any("Grace" in each.text for each in one.panel.banners.notices))
    assert one.draft == UpdateItem("a", {"title": "Freeze it"})
    await one.save()
    content = await one.stored()
    assert isinstance(content, ListContent)
    assert content.items[0].value == {"title": "Freeze it", "done": True, "priority": 1}
    assert titles(content) == ["Freeze it", "Theirs", "Sign"]


async def test_that_a_draft_of_a_list_is_there_again_in_a_new_process(
    open_block: Any, studio: Studio
) -> None:
    await studio.opener.change_file(TASKS.edit)
    version = await studio.opener.version(TASKS.ref)
    operation = EditParts((InsertItem({"title": "Kept"}, None, "kept"), UpdateItem("b", {"done": True})))
    one = await open_block(TASKS, drafts=(Edit(TASKS.ref, operation, version),), create=False)
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Sign", "Announce", "Kept"]
    assert one.panel.marked
    await one.save()
    assert titles(await one.stored()) == ["Freeze the changelog", "Sign", "Announce", "Kept"]


async def test_that_a_draft_whose_base_is_gone_is_fitted_to_what_is_stored_now(
    open_block: Any, studio: Studio
) -> None:
    await studio.opener.change_file(TASKS.edit)
    version = await studio.opener.version(TASKS.ref)
    await studio.opener.change_file(Edit(TASKS.ref, InsertItem({"title": "Theirs"}, None, "theirs")))
    draft = Edit(TASKS.ref, UpdateItem("b", {"done": True}), version)
    one = await open_block(TASKS, drafts=(draft,), create=False)
    await one.until(lambda: not one.panel.work.is_waiting)
    assert titles(one.panel.editors.draft.content) == ["Freeze the changelog", "Sign", "Announce", "Theirs"]
    await one.save()
    content = await one.stored()
    assert isinstance(content, ListContent)
    assert [each.value["done"] for each in content.items if not isinstance(each.value, str)] == [
        True,
        True,
        False,
        False,
    ]


async def test_that_a_draft_of_a_list_can_be_discarded_and_brought_back(open_block: Any) -> None:
    one = await open_block(TASKS)
    go_to(one.page.view.table, 0, 1)
    QTest.keyClick(one.page.view.table, Keys.Key_Delete)
    QTest.mouseClick(one.panel.discard_button, Qt.MouseButton.LeftButton)
    assert one.draft is None
    assert titles(one.panel.editors.draft.content)[0] == "Freeze the changelog"
    one.studio.contents.services.actions.run("edit.undo")
    assert one.draft == RemoveItem("a")


async def test_that_the_figures_of_items_follow_what_is_typed(open_block: Any) -> None:
    one = await open_block(WORDS)
    model, view = one.page.model, one.page.view.table
    await one.until(lambda: model.index(0, 1).data())
    before = int(model.index(0, 1).data())
    go_to(view, 0, 0)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "a berth is the queue of one tenant")
    await one.until(lambda: int(model.index(0, 1).data() or 0) > before + 4)


async def test_that_each_kind_of_field_has_its_widget_and_is_saved_by_itself(open_block: Any) -> None:
    one = await open_block(SERVICE)
    assert isinstance(one.page, MapEditor)
    rows: Any = one.page.rows
    QTest.keyClicks(rows["name"].input.editor, "!")
    rows["stage"].input.combo.setCurrentIndex(3)
    rows["stage"].input.combo.activated.emit(3)
    QTest.keyClick(rows["replicas"].input.line, Keys.Key_Backspace)
    QTest.keyClicks(rows["replicas"].input.line, "4")
    QTest.mouseClick(rows["restarts"].input._more[1], Qt.MouseButton.LeftButton)  # noqa: SLF001
    QTest.mouseClick(rows["public"].input.box, Qt.MouseButton.LeftButton, pos=QPoint(8, 12))
    QTest.keyClicks(rows["owners"].input.editor, "Ada")
    QTest.keyClick(rows["owners"].input.editor, Keys.Key_Return)
    assert isinstance(one.draft, EditParts)
    assert Increment("restarts", 1) in one.draft.operations
    assert SetField("stage", "live") in one.draft.operations
    await one.save()
    content = await one.found_everywhere("stage: live")
    assert isinstance(content, MapContent)
    fields = dict(content.fields)
    owners = fields.pop("owners")
    assert isinstance(owners, tuple)
    assert [each.value for each in owners] == ["Ada", "Noor", "Sam"]
    assert fields == {
        "name": "!harbor-queue",
        "stage": "live",
        "replicas": 4,
        "restarts": 6,
        "public": False,
        "token": "kept by the vault",
    }


async def test_that_a_value_out_of_bounds_is_said_beside_its_field_and_can_be_reset(open_block: Any) -> None:
    one = await open_block(SERVICE)
    row: Any = one.page.rows["replicas"]
    QTest.keyClicks(row.input.line, "0")
    assert "1 to 9" in row.fault.text() or "9" in row.fault.text()
    assert row.fault.isVisible()
    assert one.draft is None
    assert not one.panel.save_button.isEnabled()
    row.reset_button.click()
    assert row.input.line.text() == "3"
    assert not row.fault.isVisible()


async def test_that_a_read_only_field_is_unlocked_by_hand_and_asked_for_again_when_saved(
    open_block: Any,
) -> None:
    one = await open_block(SERVICE)
    row: Any = one.page.rows["token"]
    QTest.keyClicks(row.input.editor, "x")
    assert one.draft is None
    QTest.mouseClick(row.unlock_button, Qt.MouseButton.LeftButton)
    QTest.keyClicks(row.input.editor, "x")
    assert one.draft == SetField("token", "xkept by the vault")


async def test_that_what_others_count_meanwhile_is_counted_too(open_block: Any) -> None:
    one = await open_block(PROFILE)
    more: Any = one.page.rows["energy_level"].input
    QTest.mouseClick(more._more[1], Qt.MouseButton.LeftButton)  # noqa: SLF001
    await one.world.write(PROFILE.ref, Increment("energy_level", 4))
    await one.until(lambda: more.line.text() == "10")
    await one.save()
    content = await one.stored()
    assert isinstance(content, MapContent)
    assert content.fields["energy_level"] == 10


async def test_that_an_entry_is_written_in_the_box_and_the_newest_is_first(open_block: Any) -> None:
    one = await open_block(WATCH)
    assert isinstance(one.page, LogEditor)
    rows: Any = one.page.rows
    QTest.keyClicks(rows["context"].input.editor, "CI")
    assert one.draft is None
    assert "observation" in one.page.note.text()
    QTest.keyClicks(rows["observation"].input.editor, "It is fast")
    assert isinstance(one.draft, AppendEntry)
    assert one.draft.fields == {"observation": "It is fast", "context": "CI"}
    rows["observation"].input.editor.setFocus()
    QTest.keyClick(rows["observation"].input.editor, Keys.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(rows["observation"].input.editor, "And stays so")
    assert one.page.model.index(0, 2).data() == "And stays so"
    await one.save()
    assert rows["observation"].input.editor.text == ""
    content = await one.found_everywhere("And stays so")
    assert isinstance(content, LogContent)
    assert [each.fields["observation"] for each in content.entries][2:] == ["It is fast", "And stays so"]
    assert content.entries[-1].author == "Noor"
    written = datetime.fromisoformat(str(content.entries[-1].timestamp))
    assert one.page.model.index(0, 0).data() == moment(written, one.panel.services.workspace.now())


async def test_that_nodes_are_indented_moved_and_typed_by_keyboard(open_block: Any) -> None:
    one = await open_block(DECISIONS)
    assert isinstance(one.page, TreeEditor)
    view = one.page.view
    remove = next(each for each in one.page.findChildren(QPushButton) if each.text() == "Remove")
    assert not remove.isEnabled()
    view.setFocus()
    view.setCurrentIndex(one.page.model.find("s"))
    assert remove.isEnabled()
    QTest.keyClick(view, Keys.Key_Tab)
    assert one.draft == MoveNode("s", "q", None)
    QTest.keyClick(view, Keys.Key_Up, ALT)
    assert one.draft == MoveNode("s", "q", "q2")
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "Sign twice")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    assert isinstance(one.draft, EditParts)
    assert UpdateNode("s", "Sign twice") in one.draft.operations
    QTest.keyClick(view, Keys.Key_Insert)
    QTest.keyClicks(editor_in(view), "New")
    QTest.keyClick(editor_in(view), Keys.Key_Return)
    QTest.keyClick(view, Keys.Key_Backtab)
    await one.save()
    content = await one.found_everywhere("Sign twice")
    assert isinstance(content, TreeContent)
    assert [each.value for each in content.roots] == ["One queue per tenant", "New"]
    assert [each.value for each in content.roots[0].children] == [
        "Because of quotas",
        "Sign twice",
        "And of noise",
    ]


async def test_that_each_section_of_a_composite_has_its_editor_and_all_is_one_draft(open_block: Any) -> None:
    one = await open_block(PLAN)
    assert isinstance(one.page, CompositeEditor)
    goal, tasks, facts = (one.page.sections[name].editor for name in ("goal", "tasks", "facts"))
    assert isinstance(goal, SectionText)
    assert isinstance(tasks, ListEditor)
    QTest.keyClicks(goal.page.editor, "Goal: ")
    assert isinstance(one.draft, InSection)
    tick(tasks.view.table, tasks.model.index(0, 0))
    row: Any = facts.rows["branch"]  # type: ignore[attr-defined]
    QTest.keyClicks(row.input.editor, "origin/")
    assert isinstance(one.draft, EditParts)
    await one.world.write(PLAN.ref, InSection("facts", Increment("builds", 2)))
    await one.until(lambda: _builds(one) == 9)
    await one.save()
    content = await one.found_everywhere("Goal: Ship")
    assert isinstance(content, CompositeContent)
    assert content.sections["goal"] == TextContent("Goal: Ship the queue without a migration.")
    assert content.sections["facts"] == MapContent({"branch": "origin/release/4.2", "builds": 9})


def _builds(one: StructuredTab) -> object:
    content = one.panel.editors.draft.content
    assert isinstance(content, CompositeContent)
    facts = content.sections["facts"]
    return facts.fields["builds"] if isinstance(facts, MapContent) else None


async def test_that_what_of_the_sections_is_sent_is_said_below_them(open_block: Any) -> None:
    one = await open_block(PLAN)
    page = one.page
    assert isinstance(page, CompositeEditor)
    await one.until(lambda: page.note == "Sent whole")
    request = one.workspace.file.request
    assert request is not None
    where = f"block:{PLAN.ref.id}"
    (piece,) = (each for section in request.sections for each in section.pieces if each.id == where)
    cut = replace(piece, parameters={**piece.parameters, "lines": 3, "of": 9})
    sections = tuple(
        replace(each, pieces=tuple(cut if found is piece else found for found in each.pieces))
        for each in request.sections
    )
    show_request(one.studio, replace(request, sections=sections))
    assert page.note == f"{piece.tokens} tokens sent (lines 1–3 of 9 in Rendered)"
    assert "sent" in one.panel.figures
    schema = PLAN.schema
    assert isinstance(schema, CompositeSchema)
    short = (replace(schema.sections[0], schema=TextSchema(Viewport(2, 1))), *schema.sections[1:])
    await one.world.write(PLAN.ref, InSection("goal", SetText("One.\nTwo.\nThree.")))
    await one.world.write(PLAN.ref, SetSchema(CompositeSchema(short)))
    await one.until(lambda: page.note == "Sent in part: goal")


async def test_that_a_section_is_folded_and_opened_again(open_block: Any) -> None:
    one = await open_block(PLAN)
    frame = one.page.sections["goal"]
    QTest.mouseClick(frame.fold_button, Qt.MouseButton.LeftButton)
    assert frame.editor.isHidden()
    QTest.mouseClick(frame.fold_button, Qt.MouseButton.LeftButton)
    assert not frame.editor.isHidden()


async def test_that_thousands_of_rows_open_without_a_widget_for_each(open_block: Any) -> None:
    rows = tuple(ListItem(f"i{at}", f"item {at}") for at in range(5_000))
    one = await open_block(Made(WORDS.ref, WORDS.schema, ListContent(rows)))
    view = one.page.view.table
    assert view.model().rowCount() == 5_000
    assert len(view.findChildren(QWidget)) < 60
    go_to(view, 2_500, 0)
    QTest.keyClick(view, Keys.Key_F2)
    QTest.keyClicks(editor_in(view), "changed")
    assert one.draft == UpdateItem("i2500", "changed")


async def test_that_the_title_of_items_has_room_where_the_tab_is_narrow(open_block: Any) -> None:
    one = await open_block(TASKS)
    view = one.page.view.table
    header = view.horizontalHeader()
    letter, wide = header.fontMetrics().averageCharWidth(), header.sectionSize(2)
    titles = [str(one.page.model.headerData(at, Qt.Orientation.Horizontal)) for at in range(header.count())]
    title = titles.index("title")
    view.setFixedWidth(letter * 55)
    await one.until(lambda: header.sectionSize(title) >= letter * 10)
    for at, text in enumerate(titles):
        assert header.sectionSize(at) > header.fontMetrics().horizontalAdvance(text)
    # What a person drags stays as it is.
    view.setMinimumWidth(letter * 40)
    header.resizeSection(2, wide)
    view.setFixedWidth(letter * 56)
    assert header.sectionSize(2) == wide


async def test_that_a_column_takes_no_more_room_than_its_cells_need(open_block: Any) -> None:
    tab = await open_block(TASKS)
    table = tab.panel.findChild(ListEditor).view.table
    await tab.until(lambda: table.isVisible() and table.model().rowCount())
    header, metrics = table.horizontalHeader(), table.fontMetrics()
    model = table.model()
    for at in range(model.columnCount()):
        if header.sectionResizeMode(at) is QHeaderView.ResizeMode.Stretch:
            continue
        title = str(model.headerData(at, Qt.Orientation.Horizontal))
        texts = [str(model.index(row, at).data() or "") for row in range(model.rowCount())]
        widest = max(metrics.horizontalAdvance(f"{text}mmmm") for text in [title, *texts])
        assert header.sectionSize(at) <= max(widest, 8 * metrics.averageCharWidth()), title


@pytest.mark.parametrize(("made", "field"), [(SERVICE, "name"), (PLAN, "branch")])
async def test_that_the_keyboard_stays_in_its_field_after_a_save(
    open_block: Any, made: Made, field: str
) -> None:
    one = await open_block(made)
    holder = one.page.sections["facts"].editor if made is PLAN else one.page
    editor: Any = holder.rows[field].input.editor
    editor.setFocus()
    QTest.keyClicks(editor, "a")
    await one.save()
    assert editor.hasFocus()
    QTest.keyClicks(editor, "b")
    assert one.draft is not None


async def test_that_what_was_typed_on_the_way_to_a_fault_is_no_draft(open_block: Any) -> None:
    one = await open_block(SERVICE)
    line: Any = one.page.rows["replicas"].input.line
    line.selectAll()
    QTest.keyClicks(line, "4")
    assert one.draft == SetField("replicas", 4)
    QTest.keyClicks(line, "x")
    assert one.page.rows["replicas"].fault.text()
    assert line.text() == "4x"
    assert one.draft is None
    QTest.keyClick(line, Keys.Key_Backspace)
    assert one.draft == SetField("replicas", 4)


async def test_that_the_head_of_a_section_follows_its_schema(open_block: Any) -> None:
    one = await open_block(PLAN)
    assert isinstance(PLAN.schema, CompositeSchema)
    first, tasks, facts = PLAN.schema.sections
    changed = replace(first, description="What 4.3 is for", read_only=True)
    assert isinstance(facts.schema, MapSchema)
    branch, *others = facts.schema.fields
    described = replace(facts, schema=MapSchema((replace(branch, description="Where it is cut"), *others)))
    editor = one.page.sections["goal"].editor
    await one.world.write(PLAN.ref, SetSchema(CompositeSchema((changed, tasks, described))))
    note = "What 4.3 is for · Read-only for its agent."
    await one.until(lambda: note in [each.original for each in one.page.findChildren(ElidedLabel)])
    assert one.page.sections["goal"].editor is editor
    # A form in a section follows it, too.
    await one.until(lambda: "Where it is cut" in texts(one.page).split("\n"))


UNFIT = "The schema of this block was changed while you were editing. Your draft doesn't fit it."


async def unfit_remark(one: StructuredTab) -> str:
    """What is said of a draft that doesn't fit the schema any more, once that is all that is said of it."""
    await one.until(lambda: [each.text for each in one.panel.banners.notices] == [UNFIT])
    await calm(one.studio, one.until)
    [notice] = one.panel.banners.notices
    return notice.remark


@pytest.mark.parametrize("renamed", [False, True], ids=["removed", "renamed"])
async def test_that_a_draft_on_a_field_that_is_gone_says_so_before_it_is_saved(
    open_block: Any, renamed: bool
) -> None:
    one = await open_block(SERVICE)
    assert isinstance(SERVICE.schema, MapSchema)
    editor: Any = one.page.rows["name"].input.editor
    editor.setFocus()
    QTest.keyClicks(editor, "Mine ")
    _, *others = fields = SERVICE.schema.fields
    assert fields[0].name == "name"
    kept = (replace(fields[0], name="title"), *others) if renamed else tuple(others)
    renames = (Rename("name", "title"),) if renamed else ()
    await one.world.write(SERVICE.ref, SetSchema(MapSchema(kept), renamed=renames, accept_loss=True))
    remark = await unfit_remark(one)
    assert remark.startswith("The schema has no field name.")
    assert remark.endswith("Your draft is kept. Copy it to use it elsewhere, or discard it.")
    assert one.draft is not None
    one.panel.work.discard()
    await one.until(lambda: UNFIT not in [each.text for each in one.panel.banners.notices])


async def test_that_a_draft_on_a_section_that_is_gone_says_so_before_it_is_saved(open_block: Any) -> None:
    one = await open_block(PLAN)
    assert isinstance(PLAN.schema, CompositeSchema)
    editor: Any = one.page.sections["goal"].editor.page.editor
    editor.setFocus()
    QTest.keyClicks(editor, "Mine ")
    left = CompositeSchema(PLAN.schema.sections[1:])
    await one.world.write(PLAN.ref, SetSchema(left, accept_loss=True))
    assert (await unfit_remark(one)).startswith("The schema has no section goal.")


async def test_that_a_draft_that_fits_another_schema_again_says_nothing_more(open_block: Any) -> None:
    one = await open_block(SERVICE)
    assert isinstance(SERVICE.schema, MapSchema)
    line: Any = one.page.rows["replicas"].input.line
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "7")
    fields = tuple(
        replace(each, maximum=5) if each.name == "replicas" else each for each in SERVICE.schema.fields
    )
    await one.world.write(SERVICE.ref, SetSchema(MapSchema(fields)))
    assert (await unfit_remark(one)).startswith("replicas must be between 1 and 5")
    # The form was made anew.
    line = one.page.rows["replicas"].input.line
    line.selectAll()
    QTest.keyClicks(line, "4")
    await one.until(lambda: not one.panel.banners.notices)
    await one.save()
