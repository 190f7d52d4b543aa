"""The table of a schema's fields, with the details of the selected one below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QTableView, QVBoxLayout, QWidget

from inspector.domain.blocks import FieldDef
from inspector.domain.content import FieldItem, ListContent, ListItem
from inspector.ui.block_settings.schema_rows import SchemaRows, row_fields, rows_schema, titles
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.element_columns import field_column, first_widths
from inspector.ui.editors.field_values import with_field
from inspector.ui.editors.fields import FieldRow
from inspector.ui.editors.list import ListEditor
from inspector.ui.editors.part import EditorTools
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr

_TABLE_STEPS = 46
_NAME_LETTERS = 24


class RowsTable(QWidget):
    """A list that is edited in a table, of which only some columns are shown; `chosen` carries the selected row.

    `changed` tells that a person changed a row.
    """

    changed = Signal()
    chosen = Signal(object)

    def __init__(
        self,
        draft: ContentDraft,
        tools: EditorTools,
        columns: Sequence[str],
        name: str,
        widest: str = "",
        name_letters: int = _NAME_LETTERS,
    ) -> None:
        """`widest` is the column that takes what others leave, the description if not given."""
        super().__init__()
        self._widest = field_column(widest or titles().description)
        self.draft = draft
        draft.setParent(self)
        self.editor = ListEditor(draft, tools, sorts=False)
        self.editor.view.keep_edge(0)
        self.table = self.editor.view.table
        self.table.setAccessibleName(name)
        # A row is what the form beside it shows.
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        arrange(QVBoxLayout(self), self.editor)
        self.setFocusProxy(self.editor)
        self._least = tools.appearance.space(_TABLE_STEPS)
        self.setMinimumHeight(self._least)
        self._widths = {
            **first_widths(row_order(draft)),
            field_column(titles().name): name_letters,
        }
        self._show_columns([field_column(each) for each in columns])
        draft.edited.connect(self.changed)
        draft.shown.connect(self._tell)
        self.table.selectionModel().selectionChanged.connect(self._tell)
        if self.rows:
            self.editor.view.choose([self.rows[0].id])

    @property
    def rows(self) -> tuple[ListItem, ...]:
        content = self.draft.content
        return content.items if isinstance(content, ListContent) else ()

    @property
    def content(self) -> ListContent:
        return ListContent(self.rows)

    @property
    def row(self) -> ListItem | None:
        """The one row that is selected."""
        ids = self.editor.view.chosen
        return next((each for each in self.rows if [each.id] == ids), None)

    def put(self, name: str, value: FieldItem) -> None:
        """Give the selected row another value."""
        row = self.row
        if row is not None and not isinstance(row.value, str):
            order = [each.name for each in row_order(self.draft)]
            changed = replace(row, value=with_field(row.value, name, value, order))
            rows = tuple(changed if each is row else each for each in self.rows)
            self.draft.change(ListContent(rows), (row.id, name))

    def fit(self, room: int) -> None:
        """Be as high as the rows and the buttons take, up to so many pixels of room."""
        table = self.table
        around = self.editor.sizeHint().height() - table.sizeHint().height()
        whole = table.verticalHeader().length() + table.horizontalHeader().sizeHint().height() + around
        self.setMinimumHeight(max(self._least, min(whole, room)))

    def _show_columns(self, ids: Sequence[str]) -> None:
        header = self.table.horizontalHeader()
        # The first one's width follows its names, and the descriptions take what is left.
        fit_columns(header, self.editor.model.columns, {**self._widths, self._widest: 0})
        for at, column in enumerate(self.editor.model.columns):
            header.setSectionHidden(at, column.id not in ids)
        places = {column.id: at for at, column in enumerate(self.editor.model.columns)}
        for at, id_ in enumerate(ids):
            header.moveSection(header.visualIndex(places[id_]), at)

    def _tell(self, *_: object) -> None:
        self.chosen.emit(self.row)


def row_order(draft: ContentDraft) -> Sequence[FieldDef]:
    """The fields of each row of a table, in their order."""
    return getattr(draft.schema, "item_schema", None) or ()


class RowDetails(QFrame):
    """What the table does not show of the selected row. `typed` carries a name and its value."""

    typed = Signal(str, object)
    faulted = Signal()

    def __init__(
        self, fields: Sequence[FieldDef], tools: EditorTools, title: Callable[[str], str] | None = None
    ) -> None:
        """`title` says what a row of a name is."""
        super().__init__()
        self._title_of = title or (lambda name: tr("Field {name}", name=name))
        space = tools.appearance.space
        self.setProperty("role", "card")
        self._title = PlainLabel("", strong=True)
        self._tools = tools
        self.rows = {each.name: FieldRow(each, tools, plain=True) for each in fields}
        self._faults: dict[str, str] = {}
        self._shown = ""
        arrange(QVBoxLayout(self), self._title, *self.rows.values(), margins=space(3), spacing=space(2))
        for name, row in self.rows.items():
            row.typed.connect(partial(self.typed.emit, name))
            row.faulted.connect(partial(self._note, name))

    @property
    def faults(self) -> tuple[str, ...]:
        return tuple(self._faults.values())

    def show_row(self, row: ListItem | None) -> None:
        """Show a row, nothing where none is selected."""
        self.setVisible(row is not None)
        if row is None or isinstance(row.value, str):
            return
        if row.id != self._shown:
            self._shown = row.id
            for each in self.rows.values():
                each.clear_fault()
        self._title.setText(self._title_of(str(row.value.get(titles().name, ""))))
        for name, each in self.rows.items():
            each.show_value(row.value.get(name), changed=False)

    def set_open(self, *, is_open: bool) -> None:
        for each in self.rows.values():
            each.set_open(is_open)

    def _note(self, name: str, fault: str) -> None:
        self._faults.pop(name, None)
        if fault:
            self._faults[name] = tr("{name}: {fault}", name=name, fault=fault)
        self.faulted.emit()


class FieldsTable(QWidget):
    """Edits the fields of a schema. `changed` tells of every change that a person makes."""

    changed = Signal()

    def __init__(self, rows: SchemaRows, tools: EditorTools) -> None:
        super().__init__()
        of = titles()
        self._rows = rows
        in_table = (of.name, of.type, of.required, of.description)
        draft = ContentDraft(rows_schema(), self._rows.content)
        self.details = RowDetails([each for each in row_fields() if each.name not in in_table], tools)
        self.table = RowsTable(draft, tools, in_table, tr("Fields of the schema"))
        arrange(QVBoxLayout(self), self.table, self.details, spacing=tools.appearance.space(2))
        self.setFocusProxy(self.table)
        self.table.chosen.connect(self.details.show_row)
        self.details.typed.connect(self.table.put)
        self.details.faulted.connect(self.changed)
        self.table.changed.connect(self.changed)
        self.details.show_row(self.table.row)

    @property
    def faults(self) -> tuple[str, ...]:
        """What of it cannot be taken."""
        wrong = self._rows.fields_in(self.table.content)[1]
        return (*self.table.draft.faults, *self.details.faults, *wrong)

    def set_open(self, *, is_open: bool) -> None:
        self.table.draft.set_read_only(not is_open)
        self.details.set_open(is_open=is_open)
