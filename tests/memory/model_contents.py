"""What a content is and what each operation does to it, in plain Python: lists, dicts and texts.

A text is a `str`; a map a dict of scalars and of list fields ``[[id, value], …]``; a list ``[[id, value], …]``; a
log ``[[id, timestamp, author, fields], …]``; a tree ``[[id, value, children], …]``; a composite a dict of these by
section. `ANY` stands for an id that the store makes. A map keeps the fields that its schema has dropped, as a block
does, and shows only those that the schema has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.base import Operation
from tests.memory.model_forms import ANY, Part


class Refused(Exception):
    """The model says no, with the code that the store should give."""

    def __init__(self, code: str) -> None:
        self.code = code if "." in code else f"refused.{code}"
        super().__init__(self.code)


def empty(schema: Schema) -> Part:
    """A new content: the defaults of a map, else nothing."""
    match schema:
        case TextSchema():
            return ""
        case MapSchema():
            return {each.name: each.default for each in schema.fields if each.default is not None}
        case CompositeSchema():
            return {each.name: empty(each.schema) for each in schema.sections}
    return []


def apply(schema: Schema, part: Part, operation: Operation, author: str, at: datetime) -> Part:
    """The content after an operation. Raises Refused."""
    new = deepcopy(part)
    match schema:
        case CompositeSchema():
            if not isinstance(operation, items.InSection):
                raise Refused("wrong_schema")
            section = next((each for each in schema.sections if each.name == operation.section), None)
            if section is None:
                raise Refused("unknown_section")
            new[section.name] = apply(section.schema, new[section.name], operation.operation, author, at)
            return new
        case TextSchema():
            return _text(new, operation)
        case MapSchema():
            return _map(schema, new, operation)
        case ListSchema():
            return _list(schema, new, operation)
        case LogSchema():
            return _log(schema, new, operation, author, at)
        case TreeSchema():
            return _tree(schema, new, operation)


def _text(old: str, operation: Operation) -> str:
    match operation:
        case text.SetText(new):
            return new
        case text.AppendText(more):
            return old + more
        case text.InsertText(at, more):
            return _splice(old, [(at, 0, more)])
        case text.SpliceText(splices):
            return _splice(old, [(each.start, each.delete, each.insert) for each in splices])
        case text.ReplaceText():
            return _replace(old, operation)
        case text.ReplaceLines(first, last, new):
            lines = old.splitlines(keepends=True) or [""]
            if not 1 <= first <= last <= len(lines):
                raise Refused("lines")
            end = "\n" if new and not new.endswith("\n") and lines[last - 1].endswith("\n") else ""
            return "".join([*lines[: first - 1], new + end, *lines[last:]])
        case text.PatchText(diff):
            _, _, _, minus, plus = diff.splitlines(keepends=True)
            if minus[1:] not in old.splitlines(keepends=True):
                raise Refused("patch_does_not_fit")
            row = int(diff.split("@@ -")[1].split(",")[0])
            lines = old.splitlines(keepends=True)
            return "".join([*lines[: row - 1], plus[1:], *lines[row:]])
    raise Refused("wrong_schema")


def _splice(old: str, splices: list[tuple[int, int, str]]) -> str:
    new, done = "", 0
    for start, delete, insert in splices:
        if start < 0 or start + delete > len(old):
            raise Refused("position")
        if start < done:
            raise Refused("splice_order")
        new += old[done:start] + insert
        done = start + delete
    return new + old[done:]


def _replace(old: str, operation: text.ReplaceText) -> str:
    find, new = operation.find, operation.replace
    if not find:
        raise Refused("nothing_to_find")
    if operation.mode is text.ReplaceMode.REGEX:
        try:
            if not re.search(find, old):
                raise Refused("text_not_found")
        except re.error:
            raise Refused("regex") from None
        return re.sub(find, new, old)
    if operation.nth < 1:
        raise Refused("nth")
    if find not in old:
        raise Refused("text_not_found")
    if operation.mode is text.ReplaceMode.ALL:
        return old.replace(find, new)
    nth = operation.nth if operation.mode is text.ReplaceMode.NTH else 1
    pieces = old.split(find)
    if len(pieces) <= nth:
        raise Refused("occurrence_not_found")
    return find.join(pieces[:nth]) + new + find.join(pieces[nth:])


def _map(schema: MapSchema, part: Part, operation: Operation) -> Part:
    name = getattr(operation, "field", None)
    if not isinstance(name, str):
        raise Refused("wrong_schema")
    field = _named(schema.fields, name)
    if isinstance(operation, fields.AppendToField | fields.RemoveFromField | fields.MoveInField):
        _check_kind(field, FieldType.LIST)
        _list_field(field, part.setdefault(name, []), operation)
    elif isinstance(operation, fields.SetField):
        _check(field, operation.value)
        is_list = isinstance(operation.value, tuple)
        part[name] = _listed(part.get(name), operation.value) if is_list else operation.value
    elif isinstance(operation, fields.ClearField):
        _check(field, None)
        part.pop(name, None)
    elif isinstance(operation, fields.Increment):
        _check_kind(field, FieldType.COUNTER)
        if operation.by:
            after = (part.get(name) or 0) + operation.by
            _check_bounds(field, after)
            part[name] = after
    if part.get(name) in (None, []):
        part.pop(name, None)
    return part


def _list_field(
    field: FieldDef, row: Part, operation: fields.AppendToField | fields.RemoveFromField | fields.MoveInField
) -> None:
    match operation:
        case fields.AppendToField(value=value, id=item):
            _check_one(field, value)
            _insert(row, [item or ANY, value], len(row))
        case fields.RemoveFromField(item=item):
            index = _find(row, item)
            if field.required and len(row) == 1:
                raise Refused("required")
            del row[index]
        case fields.MoveInField(item=item, before=before):
            _move(row, item, before)


def _listed(old: Part, values: Any) -> Part:
    """A list set as a whole: an equal one stays as it is, else which ids stay is the store's to say."""
    if [each for _, each in old or []] == list(values):
        return old or []
    return [[ANY, each] for each in values]


def _list(schema: ListSchema, part: Part, operation: Operation) -> Part:
    match operation:
        case items.InsertItem(value, before, item):
            made = _new_value(schema.item_schema, value)
            _insert(part, [item or ANY, made], len(part) if before is None else _find(part, before))
        case items.UpdateItem(item, value):
            row = part[_find(part, item)]
            row[1] = _updated(schema.item_schema, row[1], value)
        case items.MoveItem(item, before):
            _move(part, item, before)
        case items.RemoveItem(item):
            del part[_find(part, item)]
        case _:
            raise Refused("wrong_schema")
    return part


def _log(schema: LogSchema, part: Part, operation: Operation, author: str, at: datetime) -> Part:
    match operation:
        case items.AppendEntry(given, item):
            value = _new_value(schema.entry_schema.fields, given)
            when = f"{at:%Y-%m-%dT%H:%M:%S.%f}Z" if schema.entry_schema.timestamp else None
            who = author if schema.entry_schema.agent_id else None
            _insert(part, [item or ANY, when, who, value], len(part))
        case items.RemoveEntry(entry):
            del part[_find(part, entry)]
        case _:
            raise Refused("wrong_schema")
    return part


def _tree(schema: TreeSchema, part: Part, operation: Operation) -> Part:
    defs = schema.node_schema
    match operation:
        case items.AddNode(value, parent, before, item):
            made = _new_value(defs, value)
            if any(node[0] == item for node, _, _ in walk(part)):
                raise Refused("id_taken")
            row = _row_under(part, parent, before)
            row.insert(len(row) if before is None else _find(row, before), [item or ANY, made, []])
        case items.UpdateNode(item, value):
            node = _place(part, item)[0]
            node[1] = _updated(defs, node[1], value)
        case items.MoveNode():
            _move_node(part, operation)
        case items.RemoveNode(item):
            node, row, _ = _place(part, item)
            row.remove(node)
        case _:
            raise Refused("wrong_schema")
    return part


def _move_node(part: Part, operation: items.MoveNode) -> None:
    item, parent, before = operation.node, operation.parent, operation.before
    node, old_row, _ = _place(part, item)
    row = _row_under(part, parent, before)
    if parent is not None and (parent == item or any(each[0] == parent for each, _, _ in walk(node[2]))):
        raise Refused("under_itself")
    if before != item:
        old_row.remove(node)
        row.insert(len(row) if before is None else _find(row, before), node)


def _place(part: Part, node: str) -> tuple[Part, Part, str | None]:
    for place in walk(part):
        if place[0][0] == node:
            return place
    raise Refused("no_longer_there")


def _row_under(part: Part, parent: str | None, before: str | None) -> Part:
    """The nodes under a node, or the roots; `before` must be one of them."""
    row = part if parent is None else _place(part, parent)[0][2]
    if before is not None and _place(part, before)[2] != parent:
        raise Refused("not_under")
    return row


def walk(row: Part, parent: str | None = None) -> Iterator[tuple[Part, Part, str | None]]:
    """All nodes, each with the row that it stands in and the node above."""
    for node in row:
        yield node, row, parent
        yield from walk(node[2], node[0])


def _find(row: Part, item: str) -> int:
    for index, each in enumerate(row):
        if each[0] == item:
            return index
    raise Refused("no_longer_there")


def _insert(row: Part, element: Part, index: int) -> None:
    if element[0] != ANY and any(each[0] == element[0] for each in row):
        raise Refused("id_taken")
    row.insert(index, element)


def _move(row: Part, item: str, before: str | None) -> None:
    element = row[_find(row, item)]
    if before is not None:
        _find(row, before)
    if before != item:
        row.remove(element)
        row.insert(len(row) if before is None else _find(row, before), element)


def _new_value(defs: tuple[FieldDef, ...] | None, value: Any) -> Any:
    if isinstance(value, str):
        if defs is not None:
            raise Refused("item_needs_fields")
        return value
    if defs is None:
        raise Refused("item_needs_text")
    for name in value:
        _named(defs, name)
    made = {each.name: value.get(each.name, each.default) for each in defs}
    for each in defs:
        _check(each, made[each.name])
    return {name: _item(each) for name, each in made.items() if each not in (None, ())}


def _updated(defs: tuple[FieldDef, ...] | None, present: Any, value: Any) -> Any:
    if isinstance(value, str) or defs is None:
        return _new_value(defs, value)
    for name, each in value.items():
        _check(_named(defs, name), each)
    new = dict(present)
    for name, each in value.items():
        new[name] = _listed(present.get(name), each) if isinstance(each, tuple) else each
    return {name: each for name, each in new.items() if each not in (None, [])}


def _item(value: Any) -> Any:
    return [[ANY, each] for each in value] if isinstance(value, tuple) else value


def _named(defs: tuple[FieldDef, ...], name: str) -> FieldDef:
    for each in defs:
        if each.name == name:
            return each
    raise Refused("unknown_field")


def _check_kind(field: FieldDef, kind: FieldType) -> None:
    if field.field_type is not kind:
        raise Refused("field_kind")


def _check(field: FieldDef, value: Any) -> None:
    if field.required and value in (None, "", ()):
        raise Refused("required")
    if value is None:
        return
    if isinstance(value, tuple) is not (field.field_type is FieldType.LIST):
        raise Refused("field_type")
    for each in value if isinstance(value, tuple) else (value,):
        _check_one(field, each)


_TYPES: Mapping[FieldType, tuple[type, ...]] = {
    FieldType.TEXT: (str,),
    FieldType.NUMBER: (int, float),
    FieldType.COUNTER: (int, float),
    FieldType.BOOLEAN: (bool,),
    FieldType.TIMESTAMP: (str,),
    FieldType.LIST: (str, int, float, bool),
}


def _check_one(field: FieldDef, value: Any) -> None:
    if type(value) not in _TYPES[field.field_type]:
        raise Refused("field_type")
    if field.field_type is FieldType.TIMESTAMP:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            raise Refused("field_type") from None
    if field.choices and value not in field.choices:
        raise Refused("choice")
    _check_bounds(field, value)


def _check_bounds(field: FieldDef, value: Any) -> None:
    """The model's schemas have both bounds or none."""
    if (
        field.minimum is not None
        and field.maximum is not None
        and not field.minimum <= value <= field.maximum
    ):
        raise Refused("range")
