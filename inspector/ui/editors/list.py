"""The list editor: a table of items with boxes to tick, edited, moved and pasted in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.domain.blocks import FieldDef, FieldType, ListSchema
from inspector.domain.content import FieldItem, ListContent, ListItem
from inspector.domain.content_faults import with_defaults
from inspector.domain.rendering.render import render
from inspector.ui.editors.element_columns import (
    TEXT,
    UnknownNames,
    changed_value,
    columns_of,
    edited_text,
    field_column,
    field_of_column,
    first_text,
    first_widths,
    new_object,
    sort_keys,
    stored_again,
    tokens_column,
    values_of,
)
from inspector.ui.editors.element_rows import inserted, moved_before, moved_by, read_table, without
from inspector.ui.editors.elements_view import ElementsView
from inspector.ui.editors.field_values import FieldFault, checked_value, read_value, with_field
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.exact_text import carried
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Index
from inspector.ui.models.elements import ElementTable
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, tr, tr_count


class ListEditor(QWidget):
    """Edits a list's items. Each change is of one item or of the places of some."""

    def __init__(self, part: Part, tools: EditorTools, *, sorts: bool = True) -> None:
        super().__init__()
        self._part = part
        self._tools = tools
        self._columns_for: object = None
        self._unknown = UnknownNames()
        self.place_of_new: Callable[[str], str] = lambda id_: id_
        """Behind which item a new one goes, by the selected one."""
        self.model = ElementTable(lambda item: str(item.id))
        self.model.can_move = True
        self.view = ElementsView(self.model, tools, tr("Items of the list"))
        if sorts:
            order = self.view.let_sort(partial(sort_keys, tools, self._rendered))
            order.changed.connect(self._show)
        arrange(QVBoxLayout(self), self.view)
        self.setFocusProxy(self.view)
        self._connect()
        part.shown.connect(self._show)
        part.given_up.connect(self._give_up)
        self._show()

    def _connect(self) -> None:
        table = self.view.table
        table.added.connect(self._add)
        table.removed.connect(self._remove)
        table.moved.connect(self._move)
        table.ticked.connect(self._tick)
        table.pasted.connect(self._paste)
        self.model.typed.connect(self._typed)
        self.model.dropped.connect(self._dropped)
        self.view.delegate.stored = self._stored_text
        self.view.delegate.ended.connect(self._end_cell)
        self.view.delegate.filled.connect(self._fill)

    @property
    def _items(self) -> tuple[ListItem, ...]:
        content = self._part.content
        return content.items if isinstance(content, ListContent) else ()

    @property
    def _schema(self) -> ListSchema:
        schema = self._part.schema
        return schema if isinstance(schema, ListSchema) else ListSchema()

    def _show(self) -> None:
        schema, items = self._schema, self._items
        fields = schema.item_schema
        unknown = self._unknown.of(items, fields)
        if self._columns_for != (fields, unknown):
            self._columns_for = (fields, unknown)
            columns = [*columns_of(fields, unknown, self._tools), tokens_column(self._tools, self._rendered)]
            editable = {TEXT} if fields is None else {field_column(each.name) for each in fields}
            self.model.set_columns(columns, frozenset(editable))
            if self.view.order is not None:
                self.view.order.forget()
            fit_columns(self.view.table.horizontalHeader(), self.model.columns, first_widths(fields))
        self.model.is_read_only = self._part.is_read_only
        order = self.view.order
        self.model.set_values(items if order is None else order.shown(items))
        self.view.note.setText(self._count(len(items), schema.max_items))
        self.view.look()

    def _count(self, count: int, most: int | None) -> str:
        if most is None:
            return tr_count("{count} item", "{count} items", count)
        return tr("{count} of {most} items", count=number(count), most=number(most))

    def _rendered(self, item: object) -> str:
        return render(self._schema, ListContent((item,))).text if isinstance(item, ListItem) else ""

    def _stored(self, id_: str | None) -> ListItem | None:
        base = self._part.base
        items = base.items if isinstance(base, ListContent) else ()
        return next((each for each in items if each.id == id_), None)

    def _stored_text(self, index: Index) -> str:
        return edited_text(self.model.columns, index, self._stored(self.model.key_at(index.row())))

    def _put(self, items: Sequence[ListItem], place: object = None) -> None:
        self._part.change(ListContent(tuple(items)), place)

    def _add(self) -> None:
        if self._part.is_read_only:
            return
        fields = self._schema.item_schema
        made = ListItem(self._tools.new_id("itm"), "" if fields is None else new_object(fields, self._tools))
        chosen = self.view.chosen
        self._put(inserted(self._items, [made], self.place_of_new(chosen[-1]) if chosen else None))
        self.view.choose([made.id], edit=first_text(fields))

    def _remove(self) -> None:
        chosen = self.view.chosen
        if chosen:
            row = self.model.row_of(chosen[0])
            self._put(without(self._items, set(chosen)))
            near = self.model.key_at(min(row, self.model.rowCount() - 1))
            self.view.choose([] if near is None else [near])

    def _move(self, step: int) -> None:
        chosen = self.view.chosen
        if not self.model.can_move:
            return
        self._put(moved_by(self._items, set(chosen), step))
        self.view.choose(chosen)

    def _dropped(self, ids: list[str], before: str | None) -> None:
        self._put(moved_before(self._items, set(ids), before))
        self.view.choose(ids)

    def _tick(self) -> None:
        """Tick the first box of the selected items, or clear it where all have it."""
        fields = self._schema.item_schema or ()
        column = next(iter(self.model.columns), None)
        name = field_of_column(column.id) if column else None
        field = next((each for each in fields if each.name == name), None)
        chosen = set(self.view.chosen)
        if field is None or field.field_type is not FieldType.BOOLEAN or not chosen:
            return
        rows = [each for each in self._items if each.id in chosen]
        value = not all(values_of(each).get(field.name) is True for each in rows)
        self._put([self._with(each, field, value) if each.id in chosen else each for each in self._items])

    def _typed(self, id_: str, column: str, value: object) -> None:
        item = next((each for each in self._items if each.id == id_), None)
        if item is None:
            return
        read = changed_value(item, self._schema.item_schema, (column, value), self._tools.new_id)
        if isinstance(read, FieldFault):
            self._tell(read.text)
            self._take_back(item, column)
            return
        self._tell("")
        changed = replace(item, value=read)
        self._put([changed if each is item else each for each in self._items], (id_, column))

    def _take_back(self, item: ListItem, column: str) -> None:
        value = stored_again(item, self._stored(item.id), self._schema.item_schema, column)
        if value is not None:
            was = replace(item, value=value)
            self._put([was if each is item else each for each in self._items], (item.id, column))

    def _with(self, item: ListItem, field: FieldDef, value: FieldItem) -> ListItem:
        order = [each.name for each in self._schema.item_schema or ()]
        return replace(item, value=with_field(values_of(item), field.name, value, order))

    def _paste(self) -> None:
        """Write the cells of a table that was copied elsewhere over those that are selected, or add rows of them.

        They go to the columns from the current cell on. As many lines as rows are selected are written over those, a
        single one over each of them. Whole rows, and more or fewer lines, become new rows.
        """
        if self._part.is_read_only:
            return
        rows = read_table(carried(QGuiApplication.clipboard().mimeData()))
        chosen, columns = self.view.chosen, self.view.chosen_columns
        width = max(map(len, rows), default=0)
        is_part = len(columns) < len(self._names)
        if width == len(rows) == 1 and columns and is_part:
            # One cell goes over each of those that are selected.
            self._write_over(
                {key: dict.fromkeys(cells, rows[0][0]) for key, cells in self.view.chosen_cells.items()}
            )
            return
        names = columns if is_part and 1 < len(columns) == width else self._columns_for_paste(width)
        if chosen and self._is_part(width) and len(rows) in (1, len(chosen)):
            wide = next((at for at, each in enumerate(rows) if len(each) > len(names)), None)
            if wide is not None:
                self._tell_row(wide, self._too_wide(rows[wide], names))
                return
            lines = rows * (len(chosen) if len(rows) == 1 else 1)
            self._write_over(
                {key: dict(zip(names, each, strict=False)) for key, each in zip(chosen, lines, strict=True)}
            )
            return
        made: list[ListItem] = []
        for cells in rows:
            item = self._pasted(names, cells)
            if isinstance(item, FieldFault):
                self._tell_row(len(made), item)
                return
            made.append(item)
        if made:
            self._tell(self._dropped_fields(names, rows))
            self._put(inserted(self._items, made, chosen[-1] if chosen else None))
            self.view.choose([each.id for each in made])

    @property
    def _names(self) -> list[str]:
        return [column.id for column in self.model.columns if column.id != "tokens"]

    def _is_part(self, width: int) -> bool:
        """Whether so many cells go to the columns from the current cell on; else they are of whole rows."""
        return bool(self._current_name) and width < len(self._names)

    @property
    def _current_name(self) -> str:
        """The column of the current cell, the first one of a rectangle of cells that is selected."""
        names, current = self._names, self.view.table.currentIndex()
        chosen = self.view.chosen_columns
        if 1 < len(chosen) < len(names):
            return chosen[0]
        return names[current.column()] if current.isValid() and current.column() < len(names) else ""

    def _columns_for_paste(self, count: int) -> list[str]:
        names = self._names
        return names[names.index(self._current_name) :] if self._is_part(count) else names

    def _fill(self, text: str) -> None:
        """Write what is typed in the current cell in the same column of all selected rows, as one step with it."""
        current = self.view.table.currentIndex()
        name, key = self._names[current.column()], self.model.key_at(current.row())
        if len(self.view.chosen) > 1:
            self._write_over({each: {name: text} for each in self.view.chosen}, (key, name))

    def _write_over(self, cells: Mapping[str, Mapping[str, str]], place: object = None) -> None:
        """Write texts in columns of some items; all of them or none."""
        items = {each.id: each for each in self._items}
        written: dict[str, ListItem] = {}
        for row, (id_, texts) in enumerate(cells.items()):
            item: ListItem | FieldFault = items[id_]
            for name, text in texts.items():
                item = item if isinstance(item, FieldFault) else self._written(item, name, text)
            if isinstance(item, FieldFault):
                self._tell_row(row, item)
                return
            written[id_] = item
        self._tell("")
        self._put([written.get(each.id, each) for each in self._items], place)

    def _written(self, item: ListItem, column: str, text: str) -> ListItem | FieldFault:
        fields = self._schema.item_schema
        field = next((each for each in fields or () if field_column(each.name) == column), None)
        value: object = text
        if field is None and fields is not None:
            name = one_line(field_of_column(column) or column, 40)
            return FieldFault(tr("{name} isn't in the schema.", name=name))
        if field is not None and field.field_type is FieldType.BOOLEAN:
            value = _box_value(field, text.strip().lower(), values_of(item).get(field.name, False))
        if isinstance(value, FieldFault):
            return value
        read = changed_value(item, fields, (column, value), self._tools.new_id)
        return read if isinstance(read, FieldFault) else replace(item, value=read)

    def _pasted(self, names: Sequence[str], row: Sequence[str]) -> ListItem | FieldFault:
        fields = self._schema.item_schema
        if fields is None:
            return ListItem(self._tools.new_id("itm"), "\t".join(row))
        if len(row) > len(names):
            return self._too_wide(row, names)
        cells = dict(zip(names, row, strict=False))
        values: dict[str, FieldItem] = with_defaults(fields)
        for field in fields:
            text = cells.get(field_column(field.name), "")
            if field.field_type is FieldType.BOOLEAN:
                read = _box_value(field, text.strip().lower(), values.get(field.name, False))
            elif text:
                read = read_value(field, text, None, self._tools.new_id)
            else:
                read = checked_value(field, values.get(field.name))
            if isinstance(read, FieldFault):
                return read
            values = with_field(values, field.name, read, [each.name for each in fields])
        return ListItem(self._tools.new_id("itm"), values)

    def _dropped_fields(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """What of pasted rows isn't in new items, as a schema refuses new values of fields that it hasn't."""
        in_schema = {field_column(each.name) for each in self._schema.item_schema or ()}
        unknown = [
            one_line(field_of_column(column) or column, 40)
            for at, column in enumerate(names)
            if column not in in_schema and any(at < len(row) and row[at] for row in rows)
        ]
        if not unknown or self._schema.item_schema is None:
            return ""
        return tr("Pasted without {names}: not in the schema.", names=", ".join(unknown))

    @staticmethod
    def _too_wide(row: Sequence[str], names: Sequence[str]) -> FieldFault:
        left = tr_count("{count} column is", "{count} columns are", len(names))
        why = "It has {cells} cells, but only {columns} left from the current cell."
        return FieldFault(tr(why, cells=number(len(row)), columns=left))

    def _end_cell(self, refused: str) -> None:
        self._tell("")
        self._show_fault(refused)
        self._part.end_step()

    def _give_up(self) -> None:
        if self.view.table.state() == self.view.table.State.EditingState:
            # The cell is left, as by a click elsewhere.
            self.view.table.setFocus()
        self._show_fault("")

    def _tell_row(self, row: int, fault: FieldFault) -> None:
        self._tell(tr("Row {row}: {fault}", row=number(row + 1), fault=fault.text))

    def _tell(self, fault: str) -> None:
        self._show_fault(fault)
        is_in_cell = self.view.table.state() == self.view.table.State.EditingState
        self.view.delegate.refusal = fault if is_in_cell else ""
        self._part.tell_fault("cell", fault if is_in_cell else "")

    def _show_fault(self, fault: str) -> None:
        self.view.fault.setText(fault)
        self.view.fault.setVisible(bool(fault))


_TRUE = frozenset({"true", "yes", "x", "[x]", "1", "✓", "done"})
_FALSE = frozenset({"false", "no", "[ ]", "0"})


def _box_value(field: FieldDef, text: str, default: FieldItem) -> FieldItem | FieldFault:
    """Yes or no, as a spreadsheet may write it; the default where nothing is written."""
    if text and text not in _TRUE | _FALSE:
        return FieldFault(
            tr("{name} must be yes or no, not “{value}”.", name=field.name, value=one_line(text, 40))
        )
    return checked_value(field, text in _TRUE if text else default)
