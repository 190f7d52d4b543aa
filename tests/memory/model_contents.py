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
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldEntry,
    FieldItem,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits import fields, items, text
from inspector.domain.edits.base import Operation

Part = Any
"""A content in plain Python, as told above."""

ANY = "<any id>"


class Refused(Exception):
    """The model says no, with the code that the store should give."""

    def __init__(self, code: str) -> None:
        self.code = f"refused.{code}"
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


def visible(schema: Schema, part: Part) -> Part:
    """What the schema shows of a content: no field that it does not have, none that is not set."""
    if isinstance(schema, CompositeSchema):
        return {each.name: visible(each.schema, part[each.name]) for each in schema.sections}
    if isinstance(schema, MapSchema):
        names = [each.name for each in schema.fields]
        return {name: part[name] for name in names if part.get(name) not in (None, [])}
    return part


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
    match operation:
        case fields.SetField(value=value):
            _check(field, value)
            part[name] = _listed(part.get(name), value) if isinstance(value, tuple) else value
        case fields.ClearField():
            _check(field, None)
            part.pop(name, None)
        case fields.Increment(by=by):
            _check_kind(field, FieldType.COUNTER)
            if by:
                after = (part.get(name) or 0) + by
                _check_bounds(field, after)
                part[name] = after
        case fields.AppendToField(value=value, id=item):
            _check_kind(field, FieldType.LIST)
            _check_one(field, value)
            row = part.setdefault(name, [])
            _insert(row, [item or ANY, value], len(row))
        case fields.RemoveFromField(item=item):
            _check_kind(field, FieldType.LIST)
            row = part.get(name, [])
            index = _find(row, item)
            if field.required and len(row) == 1:
                raise Refused("required")
            del row[index]
        case fields.MoveInField(item=item, before=before):
            _check_kind(field, FieldType.LIST)
            _move(part.get(name, []), item, before)
        case _:
            raise Refused("wrong_schema")
    if part.get(name) in (None, []):
        part.pop(name, None)
    return part


def _listed(old: Part, values: tuple[object, ...]) -> Part:
    """A list set as a whole: an equal one stays as it is, else which ids stay is the store's to say."""
    if [each for _, each in old or []] == list(values):
        return old or []
    return [[ANY, each] for each in values]


def _list(schema: ListSchema, part: Part, operation: Operation) -> Part:
    match operation:
        case items.InsertItem(value, before, item):
            made = _new_value(schema.item_schema, value)
            if schema.max_items is not None and len(part) >= schema.max_items:
                raise Refused("max_items")
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
    places = {node[0]: (node, row, parent) for node, row, parent in walk(part)}

    def at(node: str) -> tuple[Part, Part, str | None]:
        if node not in places:
            raise Refused("no_longer_there")
        return places[node]

    def row_under(parent: str | None) -> Part:
        return part if parent is None else at(parent)[0][2]

    def check_before(before: str | None, parent: str | None) -> None:
        if before is not None and at(before)[2] != parent:
            raise Refused("not_under")

    match operation:
        case items.AddNode(value, parent, before, item):
            made = _new_value(schema.node_schema, value)
            if item in places:
                raise Refused("id_taken")
            row = row_under(parent)
            check_before(before, parent)
            row.insert(len(row) if before is None else _find(row, before), [item or ANY, made, []])
        case items.UpdateNode(item, value):
            node = at(item)[0]
            node[1] = _updated(schema.node_schema, node[1], value)
        case items.MoveNode(item, parent, before):
            node, old_row, _ = at(item)
            row = row_under(parent)
            check_before(before, parent)
            if parent is not None and (parent == item or any(each[0] == parent for each, _, _ in walk(node[2]))):
                raise Refused("under_itself")
            if before != item:
                old_row.remove(node)
                row.insert(len(row) if before is None else _find(row, before), node)
        case items.RemoveNode(item):
            node, row, _ = at(item)
            row.remove(node)
        case _:
            raise Refused("wrong_schema")
    return part


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
    if field.minimum is not None and field.maximum is not None and not field.minimum <= value <= field.maximum:
        raise Refused("range")


def plain(content: Content) -> Part:
    """A content of the store's in the model's form."""
    match content:
        case TextContent():
            return content.text
        case MapContent():
            return {name: _plain_value(each) for name, each in content.fields.items()}
        case ListContent():
            return [[each.id, _plain_object(each.value)] for each in content.items]
        case LogContent():
            return [[each.id, each.timestamp, each.author, _plain_object(each.fields)] for each in content.entries]
        case TreeContent():
            return [_plain_node(each) for each in content.roots]
        case CompositeContent():
            return {name: plain(each) for name, each in content.sections.items()}


def content_of(schema: Schema, part: Part) -> Content:
    """A content of the model's as the domain has it."""
    match schema:
        case TextSchema():
            return TextContent(part)
        case MapSchema():
            return MapContent({name: _field_item(each) for name, each in visible(schema, part).items()})
        case ListSchema():
            return ListContent(tuple(ListItem(item, _object(value)) for item, value in part))
        case LogSchema():
            return LogContent(
                tuple(LogEntry(item, at, author, _fields(value)) for item, at, author, value in part)
            )
        case TreeSchema():
            return TreeContent(tuple(_node(each) for each in part))
        case CompositeSchema():
            contents = {each.name: content_of(each.schema, part[each.name]) for each in schema.sections}
            return CompositeContent(contents)  # type: ignore[arg-type]


def _plain_value(value: FieldItem) -> Any:
    return [[each.id, each.value] for each in value] if isinstance(value, tuple) else value


def _plain_object(value: str | Mapping[str, FieldItem]) -> Any:
    return value if isinstance(value, str) else {name: _plain_value(each) for name, each in value.items()}


def _plain_node(node: TreeNode) -> Part:
    return [node.id, _plain_object(node.value), [_plain_node(each) for each in node.children]]


def _field_item(value: Any) -> FieldItem:
    return tuple(FieldEntry(*each) for each in value) if isinstance(value, list) else value


def _fields(value: Any) -> dict[str, FieldItem]:
    return {name: _field_item(each) for name, each in value.items()}


def _object(value: Any) -> str | dict[str, FieldItem]:
    return value if isinstance(value, str) else _fields(value)


def _node(node: Part) -> TreeNode:
    return TreeNode(node[0], _object(node[1]), tuple(_node(each) for each in node[2]))


def learned(expected: Part, actual: Part) -> Part:
    """`expected` with the ids that the store has made, taken from `actual`; equal to that where the store is right."""
    if expected == ANY:
        return actual if isinstance(actual, str) and actual else expected
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {name: learned(each, actual.get(name)) for name, each in expected.items()}
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [learned(*both) for both in zip(expected, actual, strict=True)]
    return expected


def paths(part: Part, at: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """All values of a content by the path of names and ids, wherever they stand; an element has ``True`` there.

    A text is no value: what becomes of it is told by its characters.
    """
    found: dict[tuple[str, ...], Any] = {}
    if isinstance(part, dict):
        for name, each in part.items():
            found |= paths(each, (*at, name)) if isinstance(each, list | dict) else _value_at((*at, name), each)
    elif isinstance(part, list):
        for element in part:
            found[*at, element[0]] = True
            for each in element[1:]:
                below = at if _is_children(element, each) else (*at, element[0])
                found |= paths(each, below) if isinstance(each, list | dict) else _value_at(below, each)
    return found


def _value_at(path: tuple[str, ...], value: Any) -> dict[tuple[str, ...], Any]:
    return {(*path, "="): value}


def _is_children(element: Part, each: Any) -> bool:
    return len(element) == 3 and each is element[2]
