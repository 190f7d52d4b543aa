"""Gives the fields and sections of a content other names, ahead of a change of schema, so that their values stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    TreeSchema,
)
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
from inspector.domain.differences.contents import nodes_of
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import Rename, SetSchema

Names = Mapping[str, str]
_Named = TypeVar("_Named")


def renamed(schema: Schema, content: Content, renames: Sequence[Rename]) -> tuple[Schema, Content]:
    """A schema and its content with other names. A field that had one of the new names, and gets none, gives way.

    Names that the schema does not have are passed over.
    """
    whole = _names(renames, None)
    if not isinstance(schema, CompositeSchema) or not isinstance(content, CompositeContent):
        if isinstance(schema, CompositeSchema) or isinstance(content, CompositeContent) or not whole:
            return schema, content
        return _schema(schema, whole), _content(content, whole)
    inside = {each.name: _names(renames, each.name) for each in schema.sections}
    sections = [
        (each.name, replace(each, schema=_schema(each.schema, inside[each.name]))) for each in schema.sections
    ]
    parts = {name: _content(each, inside.get(name, {})) for name, each in content.sections.items()}
    return (
        CompositeSchema(tuple(replace(each, name=name) for name, each in _moved(sections, whole))),
        CompositeContent(dict(_moved(parts.items(), whole))),
    )


def renames_of(operation: Operation) -> tuple[Rename, ...]:
    """The names that an operation changes, none where it is no change of schema."""
    return operation.renamed if isinstance(operation, SetSchema) else ()


def replaced_names(schema: Schema, content: Content, renames: Sequence[Rename]) -> tuple[str, ...]:
    """The fields and sections with values that give way to others of their name."""
    if isinstance(schema, CompositeSchema) and isinstance(content, CompositeContent):
        found = [*_replaced([content.sections], _names(renames, None))]
        for name, part in content.sections.items():
            inside = _replaced(_objects(part), _names(renames, name))
            found += [f"{name}.{each}" for each in inside]
        return tuple(found)
    return (
        ()
        if isinstance(content, CompositeContent)
        else tuple(_replaced(_objects(content), _names(renames, None)))
    )


def _replaced(objects: Iterable[Mapping[str, object]], names: Names) -> dict[str, None]:
    """The names that objects have and that others of the same object take."""
    taken = {new: old for old, new in names.items()}
    return {
        name: None
        for each in objects
        for name in each
        if name in taken and name not in names and taken[name] in each
    }


def _objects(content: PlainContent) -> Iterator[Mapping[str, FieldItem]]:
    match content:
        case MapContent(fields):
            yield fields
        case ListContent(items):
            yield from (each.value for each in items if not isinstance(each.value, str))
        case LogContent(entries):
            yield from (each.fields for each in entries)
        case TreeContent():
            nodes = (node for node, _ in nodes_of(content))
            yield from (each.value for each in nodes if not isinstance(each.value, str))


def _names(renames: Iterable[Rename], section: str | None) -> dict[str, str]:
    return {each.old: each.new for each in renames if each.section == section and each.old != each.new}


def _moved(named: Iterable[tuple[str, _Named]], names: Names) -> list[tuple[str, _Named]]:
    given = list(named)
    taken = {names[name] for name, _ in given if name in names}
    return [(names.get(name, name), each) for name, each in given if name in names or name not in taken]


def _fields(fields: tuple[FieldDef, ...], names: Names) -> tuple[FieldDef, ...]:
    moved = _moved(((each.name, each) for each in fields), names)
    return tuple(replace(each, name=name) for name, each in moved)


def _schema(schema: PlainSchema, names: Names) -> PlainSchema:
    match schema:
        case MapSchema(fields):
            return MapSchema(_fields(fields, names))
        case ListSchema(item_schema=fields) if fields is not None:
            return replace(schema, item_schema=_fields(fields, names))
        case TreeSchema(fields) if fields is not None:
            return TreeSchema(_fields(fields, names))
        case LogSchema(entry_schema=entry):
            return replace(schema, entry_schema=replace(entry, fields=_fields(entry.fields, names)))
        case _:
            return schema


def _content(content: PlainContent, names: Names) -> PlainContent:
    def value(given: str | Mapping[str, FieldItem]) -> str | Mapping[str, FieldItem]:
        return given if isinstance(given, str) else dict(_moved(given.items(), names))

    def node(given: TreeNode) -> TreeNode:
        return replace(given, value=value(given.value), children=tuple(map(node, given.children)))

    match content:
        case _ if not names:
            return content
        case MapContent(fields):
            return MapContent(dict(_moved(fields.items(), names)))
        case ListContent(items):
            return ListContent(tuple(replace(each, value=value(each.value)) for each in items))
        case LogContent(entries):
            moved = (replace(each, fields=dict(_moved(each.fields.items(), names))) for each in entries)
            return LogContent(tuple(moved))
        case TreeContent(roots):
            return TreeContent(tuple(map(node, roots)))
        case TextContent():
            return content
