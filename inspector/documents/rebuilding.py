"""Makes a new document with a given content, with every id, time and value as it was.

A content may break its own schema: writers' edits merged, a schema was changed, a limit was lowered. It stands all
the same, so it is written piece by piece under schemas that the pieces fit, and read under its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, TypeVar

from inspector.documents.document import Document, EditStamp
from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    FieldValue,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
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
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import InSection, UpdateNode
from inspector.domain.errors import Refusal, RefusedError

T = TypeVar("T")
Value = str | Mapping[str, FieldItem]
_Types = dict[str, FieldType]
_OWN_CONTAINER = (FieldType.LIST, FieldType.COUNTER)


@dataclass(frozen=True, slots=True)
class _Step:
    """One piece of a content, or a change of what is there, under a schema that it fits."""

    schema: PlainSchema
    piece: PlainContent | Operation


def rebuilt(schema: Schema | None, content: Content, stamp: EditStamp) -> Document:
    """The document; without a readable schema, under the one that the content shows.

    Raises:
        RefusedError: the content is of another kind than the schema, or has an id twice. DocumentError.
    """
    document = Document.create(TextSchema(), None, stamp)
    for section, step in _all_steps(schema, content):
        _take(document, section, step, stamp)
    document.schema = schema or shown_schema(content)
    return document


def document_as_given(schema: Schema, content: Content | None, stamp: EditStamp) -> Document:
    """A first document as `Document.create` makes it, whose content may break its schema.

    Raises:
        RefusedError: as `rebuilt`. DocumentError.
    """
    try:
        return Document.create(schema, content, stamp)
    except RefusedError:
        if content is None:
            raise
        return rebuilt(schema, content, stamp)


def shown_schema(content: Content) -> Schema:
    """The schema that a content shows, where its own cannot be read."""
    if isinstance(content, CompositeContent):
        sections = content.sections.items()
        return CompositeSchema(tuple(SectionDef(name, _shown(part)) for name, part in sections))
    return _shown(content)


def _take(document: Document, section: str | None, step: _Step, stamp: EditStamp) -> None:
    schema: Schema = step.schema
    piece: Content | Operation = step.piece
    if section is not None:
        schema = CompositeSchema((SectionDef(section, step.schema),))
    document.schema = schema
    if isinstance(piece, Operation):
        document.apply(piece if section is None else InSection(section, piece), stamp)
    elif section is None or isinstance(piece, CompositeContent):
        document.fill(piece, stamp)
    else:
        document.fill(CompositeContent({section: piece}), stamp)


def _all_steps(schema: Schema | None, content: Content) -> Iterator[tuple[str | None, _Step]]:
    has_sections = isinstance(content, CompositeContent)
    if schema is not None and isinstance(schema, CompositeSchema) is not has_sections:
        raise _wrong_content(schema, content)
    if isinstance(content, CompositeContent):
        defined = schema.sections if isinstance(schema, CompositeSchema) else ()
        existing = {section.name: section.schema for section in defined}
        for name, part in content.sections.items():
            for step in _steps(existing.get(name), part):
                yield name, step
    else:
        for step in _steps(None if isinstance(schema, CompositeSchema) else schema, content):
            yield None, step


def _steps(schema: PlainSchema | None, content: PlainContent) -> Iterator[_Step]:
    if schema is not None and type(schema) is not type(_shown(content)):
        raise _wrong_content(schema, content)
    match content:
        case MapContent(fields):
            yield _Step(_map_schema(schema, fields), content)
        case LogContent(entries):
            for types, run in _runs(entries, lambda entry: entry.fields):
                yield _Step(LogSchema(entry_schema=EntrySchema(fields=_fields(types) or ())), LogContent(run))
        case ListContent(items):
            for types, neighbours in _runs(items, lambda item: item.value):
                yield _Step(ListSchema(_fields(types)), ListContent(neighbours))
        case TreeContent():
            yield from _tree_steps(content)
        case TextContent():
            yield _Step(TextSchema(), content)


def _tree_steps(content: TreeContent) -> Iterator[_Step]:
    """The outline with the values of the first kind met, then one by one those of another."""
    nodes = list(_nodes(content.roots))
    common: _Types | None = None
    others: list[tuple[_Types | None, TreeNode]] = []
    for index, node in enumerate(nodes):
        types = _types(node.value)
        if index == 0:
            common = types
        elif (joined := _joined(common, types)) is False:
            others.append((types, node))
        else:
            common = joined
    later = {node.id for _, node in others}
    empty: Value = "" if common is None else {}
    roots = tuple(_without(root, later, empty) for root in content.roots)
    yield _Step(TreeSchema(_fields(common)), TreeContent(roots))
    for types, node in others:
        value = node.value if isinstance(node.value, str) else _plain_values(node.value)
        yield _Step(TreeSchema(_fields(types)), UpdateNode(node.id, value))


def _runs(rows: Iterable[T], value_of: Callable[[T], Value]) -> Iterator[tuple[_Types | None, tuple[T, ...]]]:
    """Neighbours whose values fit one schema."""
    run: list[T] = []
    common: _Types | None = None
    for row in rows:
        types = _types(value_of(row))
        joined = types if not run else _joined(common, types)
        if joined is False:
            yield common, tuple(run)
            run, joined = [], types
        run.append(row)
        common = joined
    if run:
        yield common, tuple(run)


def _types(value: Value) -> _Types | None:
    """The types of an object's fields; None of a text."""
    return None if isinstance(value, str) else {name: _type_of(each) for name, each in value.items()}


def _joined(one: _Types | None, other: _Types | None) -> _Types | Literal[False] | None:
    """The types of both, False when there is no schema for them."""
    if one is None or other is None:
        return None if one is other else False
    if any(one.get(name, kind) is not kind for name, kind in other.items()):
        return False
    return one | other


def _fields(types: _Types | None) -> tuple[FieldDef, ...] | None:
    return None if types is None else tuple(FieldDef(name, kind) for name, kind in types.items())


def _map_schema(schema: PlainSchema | None, fields: Mapping[str, FieldItem]) -> MapSchema:
    existing = (
        {field.name: field.field_type for field in schema.fields} if isinstance(schema, MapSchema) else {}
    )
    return MapSchema(
        tuple(
            FieldDef(
                name, kind if (kind := existing.get(name)) in _OWN_CONTAINER and kind else _type_of(value)
            )
            for name, value in fields.items()
        )
    )


def _shown(content: PlainContent) -> PlainSchema:
    match content:
        case TextContent():
            return TextSchema()
        case MapContent(fields):
            return _map_schema(None, fields)
        case LogContent(entries):
            types = {name: _type_of(each) for entry in entries for name, each in entry.fields.items()}
            return LogSchema(entry_schema=EntrySchema(fields=_fields(types) or ()))
        case ListContent(items):
            return ListSchema(_fields(_types(items[0].value) if items else None))
        case TreeContent(roots):
            return TreeSchema(_fields(_types(roots[0].value) if roots else None))


def _type_of(value: FieldItem) -> FieldType:
    if isinstance(value, tuple):
        return FieldType.LIST
    if isinstance(value, bool):
        return FieldType.BOOLEAN
    return FieldType.TEXT if isinstance(value, str) else FieldType.NUMBER


def _plain_values(value: Mapping[str, FieldItem]) -> dict[str, FieldValue]:
    return {
        name: tuple(entry.value for entry in each) if isinstance(each, tuple) else each
        for name, each in value.items()
    }


def _without(node: TreeNode, later: set[str], empty: Value) -> TreeNode:
    children = tuple(_without(child, later, empty) for child in node.children)
    return replace(node, value=empty if node.id in later else node.value, children=children)


def _nodes(roots: Iterable[TreeNode]) -> Iterator[TreeNode]:
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def _wrong_content(schema: Schema, content: Content) -> RefusedError:
    parameters = {"needed": type(schema).__name__, "given": type(content).__name__}
    return RefusedError(Refusal("refused.wrong_content", parameters))
