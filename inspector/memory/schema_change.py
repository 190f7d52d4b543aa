"""What a block's present content would lose under another schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    TreeSchema,
)
from inspector.domain.codec import read_time
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    PlainContent,
    TextContent,
    TreeContent,
    TreeNode,
)


def losses(old: Schema, new: Schema, content: Content) -> tuple[str, ...]:
    """The names of what would no longer be shown or would be illegal; empty when all of it fits.

    A text that is no longer shown is named ``text``, all items of another kind of schema ``items``.
    """
    if isinstance(content, CompositeContent):
        return tuple(dict.fromkeys(_composite_losses(new, content)))
    if type(old) is not type(new) or isinstance(new, CompositeSchema):
        return () if is_empty(content) else (_whole(content),)
    return tuple(dict.fromkeys(_plain_losses(new, content)))


def is_empty(content: Content) -> bool:
    """Whether nothing would be lost with it."""
    match content:
        case TextContent():
            return not content.text
        case MapContent():
            return not content.fields
        case ListContent():
            return not content.items
        case LogContent():
            return not content.entries
        case TreeContent():
            return not content.roots
        case CompositeContent():
            return all(is_empty(each) for each in content.sections.values())


def _composite_losses(new: Schema, content: CompositeContent) -> Iterator[str]:
    sections = {each.name: each.schema for each in new.sections} if isinstance(new, CompositeSchema) else {}
    for name, part in content.sections.items():
        schema = sections.get(name)
        if is_empty(part):
            continue
        if schema is None or not _is_of(schema, part):
            yield name
        else:
            yield from (f"{name}.{each}" for each in _plain_losses(schema, part))


def _plain_losses(new: PlainSchema, content: PlainContent) -> Iterator[str]:
    match new, content:
        case MapSchema(), MapContent():
            yield from _field_losses(new.fields, content.fields)
        case ListSchema(), ListContent():
            yield from _item_losses(new.item_schema, (item.value for item in content.items))
            if new.max_items is not None and len(content.items) > new.max_items:
                yield "max_items"
        case LogSchema(), LogContent():
            entries = (_field_losses(new.entry_schema.fields, entry.fields) for entry in content.entries)
            yield from chain.from_iterable(entries)
        case TreeSchema(), TreeContent():
            yield from _item_losses(new.node_schema, _node_values(content.roots))


def _item_losses(
    fields: tuple[FieldDef, ...] | None, values: Iterable[str | Mapping[str, FieldItem]]
) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            if fields is not None:
                yield "items"
        elif fields is None:
            yield "items"
        else:
            yield from _field_losses(fields, value)


def _field_losses(fields: tuple[FieldDef, ...], values: Mapping[str, FieldItem]) -> Iterator[str]:
    known = {each.name: each for each in fields}
    for name, value in values.items():
        if name not in known or not _fits(known[name], value):
            yield name
    for each in fields:
        if each.required and each.default is None and values.get(each.name) is None:
            yield each.name


def _fits(field: FieldDef, value: FieldItem) -> bool:
    if isinstance(value, tuple):
        return field.field_type is FieldType.LIST
    if value is None:
        return not field.required
    if field.choices and value not in field.choices:
        return False
    match field.field_type:
        case FieldType.LIST:
            return False
        case FieldType.BOOLEAN:
            return isinstance(value, bool)
        case FieldType.NUMBER | FieldType.COUNTER:
            return _is_number_within(field, value)
        case FieldType.TIMESTAMP:
            return isinstance(value, str) and _is_time(value)
        case FieldType.TEXT:
            return isinstance(value, str)


def _is_number_within(field: FieldDef, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if field.minimum is not None and value < field.minimum:
        return False
    return field.maximum is None or value <= field.maximum


def _is_time(text: str) -> bool:
    try:
        read_time(text)
    except ValueError:
        return False
    return True


def _is_of(schema: PlainSchema, content: PlainContent) -> bool:
    return type(schema).__name__.removesuffix("Schema") == type(content).__name__.removesuffix("Content")


def _node_values(roots: tuple[TreeNode, ...]) -> Iterator[str | Mapping[str, FieldItem]]:
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        yield node.value
        waiting.extend(node.children)


def _whole(content: Content) -> str:
    return "text" if isinstance(content, TextContent) else "items"
