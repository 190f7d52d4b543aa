"""Long contents in their editors: nothing is made for a row that is out of sight."""

from dataclasses import replace

from PySide6.QtWidgets import QApplication, QWidget

from inspector.domain.blocks import EntrySchema, FieldDef, ListSchema, LogSchema
from inspector.domain.content import ListContent, ListItem, LogContent, LogEntry
from inspector.domain.edits.items import AppendEntry, EditParts, MoveItem, RemoveEntry
from inspector.ui.appearance import Appearance
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.list import ListEditor
from inspector.ui.editors.log import LogEditor
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.token_figures import TokenFigures
from inspector.ui.icons import Icons
from tests.ui.values import state as a_state


def tools(appearance: Appearance, icons: Icons) -> tuple[EditorTools, list[str]]:
    """Tools whose figures are only asked for, and the texts that were asked about."""
    asked: list[str] = []
    figures = TokenFigures(lambda texts, _: asked.extend(texts), appearance)
    ids = iter(range(1_000_000))
    return EditorTools(
        appearance,
        icons,
        figures,
        lambda prefix: f"{prefix}_{next(ids)}",
        lambda: ("2026-11-20T14:02:00Z", "Noor"),
    ), asked


def test_that_a_hundred_thousand_entries_open_and_take_another(
    appearance: Appearance, icons: Icons, qtbot: object
) -> None:
    entries = tuple(
        LogEntry(f"e{at}", "2026-11-20T14:02:00Z", "Ada", {"text": f"entry {at}"}) for at in range(100_000)
    )
    schema = LogSchema(20, EntrySchema(fields=(FieldDef("text", required=True),)))
    draft = ContentDraft(schema, LogContent(entries))
    given, _ = tools(appearance, icons)
    editor = LogEditor(draft, given)
    editor.resize(800, 600)
    editor.show()
    assert editor.model.rowCount() == 100_000
    assert editor.model.index(0, 2).data() == "entry 99999"
    assert len(editor.view.table.findChildren(QWidget)) < 60
    editor.rows["text"].typed.emit("newest")
    operation = draft.operation()
    assert isinstance(operation, AppendEntry)
    editor.view.choose(["e7"])
    editor.view.table.removed.emit()
    assert draft.operation() in (
        EditParts((operation, RemoveEntry("e7"))),
        EditParts((RemoveEntry("e7"), operation)),
    )
    editor.deleteLater()


def test_that_only_rows_in_sight_are_counted(
    appearance: Appearance, icons: Icons, qapp: QApplication
) -> None:
    items = tuple(ListItem(f"i{at}", f"item {at}") for at in range(5_000))
    draft = ContentDraft(ListSchema(), ListContent(items))
    given, asked = tools(appearance, icons)
    editor = ListEditor(draft, given)
    editor.resize(800, 400)
    editor.show()
    editor.grab()
    # The figures are asked for when the loop comes round.
    for _ in range(5):
        qapp.processEvents()
    assert 0 < len(asked) < 200
    editor.view.choose(["i4000"])
    editor.view.table.moved.emit(-1)
    assert draft.operation() in (MoveItem("i3999", "i4001"), MoveItem("i4000", "i3999"))
    editor.deleteLater()


def test_that_what_is_loaded_again_as_it_is_shows_nothing_anew(
    appearance: Appearance, icons: Icons, qapp: QApplication
) -> None:
    content = ListContent((ListItem("i1", "one"), ListItem("i2", "two")))
    draft, shown = ContentDraft(ListSchema(), content), []
    given, _ = tools(appearance, icons)
    editor = ListEditor(draft, given)
    draft.shown.connect(lambda: shown.append(draft.content))
    block = replace(a_state("blk_checklist").block, schema=ListSchema())
    state = replace(a_state("blk_checklist"), block=block, content=content)
    draft.load(state)
    assert shown == []
    draft.change(ListContent(content.items[:1]))
    draft.load(state)
    assert shown == [ListContent(content.items[:1]), content]
    assert (draft.operation(), editor.model.rowCount()) == (None, 2)
    other = ListSchema(max_items=9)
    draft.load(replace(state, block=replace(state.block, schema=other)))
    assert draft.schema == other
    assert len(shown) == 3
    editor.deleteLater()
