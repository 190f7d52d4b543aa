"""The model's form of a content beside the domain's: what shows of it, from one to the other, its values by path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.blocks import (
    CompositeSchema,
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

Part = Any
"""A content in plain Python, as `tests.memory.model_contents` tells."""

ANY = "<any id>"
"""Stands for an id that the store makes."""


def visible(schema: Schema, part: Part) -> Part:
    """What the schema shows of a content: no field that it does not have, none that is not set."""
    if isinstance(schema, CompositeSchema):
        return {each.name: visible(each.schema, part[each.name]) for each in schema.sections}
    if isinstance(schema, MapSchema):
        names = [each.name for each in schema.fields]
        return {name: part[name] for name in names if part.get(name) not in (None, [])}
    return part


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
            return [
                [each.id, each.timestamp, each.author, _plain_object(each.fields)] for each in content.entries
            ]
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
            found |= (
                paths(each, (*at, name)) if isinstance(each, list | dict) else _value_at((*at, name), each)
            )
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


def flat(schema: Schema, part: Part) -> dict[tuple[str, ...], Any]:
    """All values but the texts, by their paths; a section's under its name."""
    if isinstance(schema, TextSchema):
        return {}
    if not isinstance(schema, CompositeSchema):
        return paths(part)
    return {
        (each.name, *path): value
        for each in schema.sections
        for path, value in flat(each.schema, part[each.name]).items()
    }


def texts_of(schema: Schema, part: Part) -> dict[str, str]:
    """The texts by section, under an empty name where there are none."""
    if isinstance(schema, TextSchema):
        return {"": part}
    if not isinstance(schema, CompositeSchema):
        return {}
    return {each.name: part[each.name] for each in schema.sections if isinstance(each.schema, TextSchema)}
