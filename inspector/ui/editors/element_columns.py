"""The columns of a table or outline of elements: one for each field of the schema, and what an element costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import Qt

from inspector.domain.blocks import FieldDef, FieldType
from inspector.domain.content import FieldEntry, FieldItem, ListItem, LogEntry, TreeNode
from inspector.domain.content_faults import with_defaults
from inspector.domain.differences.contents import same_value, unshared
from inspector.domain.rendering.structured import DONE, scalar_text, value_text
from inspector.ui.editors.cells import CHOICES_ROLE
from inspector.ui.editors.field_values import (
    FieldFault,
    checked_value,
    is_typable,
    read_value,
    typed_text,
    with_field,
)
from inspector.ui.editors.part import EditorTools
from inspector.ui.editors.row_order import comparable
from inspector.ui.models.columns import Column, Index, cell
from inspector.ui.wording import moment, tr

Row = ListItem | LogEntry | TreeNode
TOKENS = "tokens"
TEXT = "="
"""The id of the column of an element that is a text; no field can be called so, see `field_column`."""
_FIELD = "."
_WIDTHS = {
    FieldType.TEXT: 18,
    FieldType.NUMBER: 8,
    FieldType.COUNTER: 8,
    FieldType.BOOLEAN: 6,
    FieldType.TIMESTAMP: 14,
    FieldType.LIST: 18,
}


def field_column(name: str) -> str:
    """The id of the column of a field."""
    return _FIELD + name


def field_of_column(column: str) -> str | None:
    """The field that a column shows, None for one that shows none."""
    return column[len(_FIELD) :] if column.startswith(_FIELD) else None


def columns_of(
    fields: Sequence[FieldDef] | None, unknown: Sequence[str], tools: EditorTools
) -> list[Column[Row]]:
    """The columns of elements with those fields, boxes first; `unknown` are names that the schema does not have."""
    if fields is None:
        return [Column(TEXT, tr("Item"), _text, roles={Qt.ItemDataRole.EditRole: _typed})]
    boxes = [each for each in fields if each.field_type is FieldType.BOOLEAN]
    boxes.sort(key=lambda each: each.name != DONE)
    others = [each for each in fields if each.field_type is not FieldType.BOOLEAN]
    columns = [_box(each) for each in boxes] + [_column(each, tools) for each in others]
    return columns + [_unknown(name) for name in unknown]


def tokens_column(tools: EditorTools, rendered: Callable[[Row], str]) -> Column[Row]:
    """What each element costs as the model reads it."""

    def figure(row: Row) -> str:
        return tools.figures.of(rendered(row), row.id)

    return Column(TOKENS, tr("Tokens"), figure, right=True)


def sort_keys(
    tools: EditorTools,
    rendered: Callable[[Row], str],
    column: Column[Row],
    rows: Sequence[Row],
    on_done: Callable[[Sequence[Any]], None],
) -> None:
    """What rows are compared by in a column: values as what they are, tokens as the numbers that they will be."""
    name = field_of_column(column.id)
    if column.id == TOKENS:
        _count_rows(tools, rendered, rows, on_done)
    elif name is None:
        on_done([comparable(column.text(each)) for each in rows])
    else:
        on_done([comparable(_compared(values_of(each).get(name))) for each in rows])


def _count_rows(
    tools: EditorTools,
    rendered: Callable[[Row], str],
    rows: Sequence[Row],
    on_done: Callable[[Sequence[int]], None],
) -> None:
    def texts() -> list[str]:
        return [rendered(each) for each in rows]

    def count(found: list[str]) -> None:
        tools.figures.count_all(found, on_done)

    if tools.bridge is None:
        count(texts())
    else:
        # Of thousands of rows, that takes longer than a frame.
        tools.bridge.spawn(asyncio.to_thread(texts), name=tr("Counting tokens"), on_done=count)


def _compared(value: FieldItem) -> object:
    return value_text(value) if isinstance(value, tuple) else value


def first_widths(fields: Sequence[FieldDef] | None) -> dict[str, int]:
    """The first widths of columns in characters; the first text takes what is left, which 0 stands for."""
    if fields is None:
        return {TEXT: 0, TOKENS: 8}
    widths = {field_column(each.name): _WIDTHS[each.field_type] for each in fields}
    texts = (each for each in fields if each.field_type is FieldType.TEXT)
    title = next(texts, fields[0] if fields else None)
    return {**widths, **({} if title is None else {field_column(title.name): 0}), TOKENS: 8}


def values_of(row: Row) -> Mapping[str, FieldItem]:
    """The named values of an element; none where it is a text."""
    if isinstance(row, LogEntry):
        return row.fields
    return {} if isinstance(row.value, str) else row.value


def unknown_names(rows: Iterable[Row], fields: Sequence[FieldDef] | None) -> tuple[str, ...]:
    """The names that elements have and their schema has not, in order of appearance."""
    if fields is None:
        return ()
    names = {each.name for each in fields}
    found = (name for row in rows for name in values_of(row) if name not in names)
    return tuple(dict.fromkeys(found))


class UnknownNames:
    """The unknown names of rows that are looked at again and again, while most of them stay the very same."""

    def __init__(self, with_inner: Callable[[tuple[Any, ...]], Iterable[Row]] = iter) -> None:
        """`with_inner` gives rows together with those under them, where there are any."""
        self._with_inner = with_inner
        self._seen: tuple[tuple[Row, ...], Sequence[FieldDef] | None] = (), ()
        self._found: tuple[str, ...] = ()

    def of(self, rows: tuple[Row, ...], fields: Sequence[FieldDef] | None) -> tuple[str, ...]:
        """What `unknown_names` would find in all of these rows and under them."""
        before, fields_before = self._seen
        self._seen = rows, fields
        others = unshared(before, rows)
        if fields != fields_before or any(unknown_names(self._with_inner(each), fields) for each in others):
            self._found = unknown_names(self._with_inner(rows), fields)
        return self._found


def _typed(row: Row) -> Any:
    return typed_text(_text(row))


def _text(row: Row) -> str:
    if isinstance(row, LogEntry):
        return ""
    # After a change of schema there may still be an object.
    if isinstance(row.value, str):
        return row.value
    return ", ".join(f"{name}: {value_text(each)}" for name, each in row.value.items())


def time_text(written: str, tools: EditorTools) -> str:
    """A time as the other panels say it; what is no time with a zone stands as it was written."""
    try:
        at = datetime.fromisoformat(written)
        return written if at.tzinfo is None else moment(at, datetime.fromisoformat(tools.stamp()[0]))
    except ValueError:
        return written


def _column(field: FieldDef, tools: EditorTools) -> Column[Row]:
    def exact(row: Row) -> str:
        value = values_of(row).get(field.name)
        return "" if value is None else value_text(value)

    def text(row: Row) -> str:
        said = exact(row)
        return time_text(said, tools) if field.field_type is FieldType.TIMESTAMP else said

    def edit(row: Row) -> str | None:
        value = values_of(row).get(field.name)
        return typed_text(value) if is_typable(value) else None

    roles: dict[int, Callable[[Row], Any]] = {Qt.ItemDataRole.EditRole: edit}
    if field.choices and field.field_type is not FieldType.LIST:
        choices = [*(() if field.required else ("",)), *map(scalar_text, field.choices)]
        roles[CHOICES_ROLE] = lambda _: choices
    is_figure = field.field_type in (FieldType.NUMBER, FieldType.COUNTER)
    return Column(field_column(field.name), field.name, text, right=is_figure, tip=exact, roles=roles)


def _box(field: FieldDef) -> Column[Row]:
    def ticked(row: Row) -> Qt.CheckState:
        is_on = values_of(row).get(field.name) is True
        return Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked

    def spoken(row: Row) -> str:
        return tr("{name}: yes", name=field.name) if values_of(row).get(field.name) is True else field.name

    return Column(
        field_column(field.name),
        field.name,
        lambda _: "",
        spoken=spoken,
        roles={Qt.ItemDataRole.CheckStateRole: ticked},
    )


def _unknown(name: str) -> Column[Row]:
    def text(row: Row) -> str:
        value = values_of(row).get(name)
        return "" if value is None else value_text(value)

    return Column(field_column(name), tr("{name} (not in the schema)", name=name), text, tip=text)


def new_object(fields: Sequence[FieldDef], tools: EditorTools) -> dict[str, FieldItem]:
    """A new object with its defaults, and with something to be written over where a value is required."""
    given = with_defaults(fields)
    values = {each.name: given.get(each.name, _first_value(each, tools)) for each in fields}
    return {name: value for name, value in values.items() if value is not None}


def _first_value(field: FieldDef, tools: EditorTools) -> FieldItem:
    if not field.required:
        return None
    if field.choices and field.field_type is not FieldType.LIST:
        return field.choices[0]
    match field.field_type:
        case FieldType.BOOLEAN:
            return False
        case FieldType.NUMBER | FieldType.COUNTER:
            return int(field.minimum or 0)
        case FieldType.TIMESTAMP:
            return tools.stamp()[0]
        case FieldType.LIST:
            return (FieldEntry(tools.new_id("itm"), field.choices[0] if field.choices else tr("New")),)
    return tr("New")


def first_text(fields: Sequence[FieldDef] | None) -> str:
    """The column in which a new item is begun."""
    if fields is None:
        return TEXT
    texts = (each for each in fields if each.field_type is FieldType.TEXT)
    field = next(texts, next((each for each in fields if each.field_type is not FieldType.BOOLEAN), None))
    return "" if field is None else field_column(field.name)


def changed_value(
    row: Row, fields: Sequence[FieldDef] | None, typed: tuple[str, object], new_id: Callable[[str], str]
) -> str | dict[str, FieldItem] | FieldFault:
    """The value of an element after something was `typed` or ticked: the column's id and what stands there now."""
    column, value = typed
    name = field_of_column(column)
    field = next((each for each in fields or () if each.name == name), None)
    if field is None:
        return str(value)
    read: FieldItem | FieldFault
    if isinstance(value, bool):
        read = checked_value(field, value)
    else:
        read = read_value(field, str(value), values_of(row).get(field.name), new_id)
    if isinstance(read, FieldFault):
        return read
    return with_field(values_of(row), field.name, read, [each.name for each in fields or ()])


def edited_text(columns: Sequence[Column[Row]], index: Index, row: Row | None) -> str:
    """The text that a cell of a row is edited as, nothing where there is no such row."""
    if row is None or not index.isValid():
        return ""
    return cell(columns[index.column()], row, Qt.ItemDataRole.EditRole) or ""


def stored_again(
    row: Row, stored: Row | None, fields: Sequence[FieldDef] | None, column: str
) -> dict[str, FieldItem] | None:
    """The value of an element with a cell as it is stored; None where it is that already, or nothing is stored.

    A cell with a fault has it: of 12x, the 12 was only on the way, and nothing may save it.
    """
    name = field_of_column(column)
    field = next((each for each in fields or () if each.name == name), None)
    if field is None or stored is None:
        return None
    value = values_of(stored).get(field.name)
    if same_value(values_of(row).get(field.name), value):
        return None
    return with_field(values_of(row), field.name, value, [each.name for each in fields or ()])
