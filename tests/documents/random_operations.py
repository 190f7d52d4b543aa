"""Operations at random for any schema, most of which fit the content that they are made for."""

from __future__ import annotations

from random import Random

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    Content,
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
)
from inspector.domain.differences.contents import nodes_of
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import (
    AppendToField,
    ClearField,
    Increment,
    MoveInField,
    RemoveFromField,
    SetField,
)
from inspector.domain.edits.items import (
    AddNode,
    AppendEntry,
    InSection,
    InsertItem,
    ItemValue,
    MoveItem,
    MoveNode,
    RemoveEntry,
    RemoveItem,
    RemoveNode,
    UpdateItem,
    UpdateNode,
)
from inspector.domain.edits.text import AppendText, InsertText, SetText, Splice, SpliceText

OBJECT = (
    FieldDef("title", required=True),
    FieldDef("tags", FieldType.LIST),
    FieldDef("rank", FieldType.NUMBER),
)
FIELDS = MapSchema(
    (
        FieldDef("name", required=True),
        FieldDef("note"),
        FieldDef("rows", FieldType.LIST),
        FieldDef("count", FieldType.COUNTER, default=1),
    )
)
SCHEMAS: dict[str, Schema] = {
    "text": TextSchema(),
    "map": FIELDS,
    "list": ListSchema(OBJECT, 6),
    "log": LogSchema(3, EntrySchema(fields=(FieldDef("title"),))),
    "tree": TreeSchema(OBJECT),
    "composite": CompositeSchema(
        (
            SectionDef("body", TextSchema()),
            SectionDef("fields", FIELDS),
            SectionDef("tasks", ListSchema(OBJECT)),
            SectionDef("more", TextSchema()),
        )
    ),
}


def any_operation(chance: Random, schema: Schema, content: Content) -> Operation:
    """An operation of the schema."""
    match schema, content:
        case CompositeSchema(), CompositeContent():
            section = chance.choice(schema.sections)
            inner = any_operation(chance, section.schema, content.sections[section.name])
            return InSection(section.name, inner)
        case TextSchema(), TextContent():
            return _on_text(chance, content.text)
        case MapSchema(), MapContent():
            return _on_map(chance, content)
        case ListSchema(), ListContent():
            return _on_list(chance, [item.id for item in content.items])
        case LogSchema(), LogContent():
            return _on_log(chance, [entry.id for entry in content.entries])
        case TreeSchema(), TreeContent():
            return _on_tree(chance, [node.id for node, _ in nodes_of(content)])
    raise TypeError(type(schema).__name__)


def _on_text(chance: Random, text: str) -> Operation:
    at = chance.randint(0, len(text))
    cut = Splice(at, min(chance.randint(0, 5), len(text) - at), chance.choice(["", "q"]))
    whole = "".join(chance.choice("ab🙂漢 \n") for _ in range(chance.randint(0, 14)))
    kinds = (
        InsertText(at, chance.choice(["ab", "🙂x", "\n"])),
        SpliceText((cut,)),
        SetText(whole),
        AppendText("!"),
    )
    return chance.choice(kinds)


def _on_map(chance: Random, content: MapContent) -> Operation:
    kinds: list[Operation] = [
        SetField("note", chance.choice(["x", "y", None])),
        SetField("name", chance.choice("uv")),
        SetField("rows", tuple(chance.choice("pqr") for _ in range(chance.randint(0, 3)))),
        AppendToField("rows", chance.choice("pqr")),
        Increment("count", chance.choice([1, -2, 5])),
        SetField("count", chance.randint(0, 5)),
        ClearField("count"),
    ]
    rows = content.fields.get("rows")
    if isinstance(rows, tuple):
        one, other = chance.choice(rows).id, chance.choice([None, chance.choice(rows).id])
        kinds += [RemoveFromField("rows", one), MoveInField("rows", one, other)]
    return chance.choice(kinds)


def _on_list(chance: Random, ids: list[str]) -> Operation:
    before = chance.choice([None, *ids])
    kinds: list[Operation] = [InsertItem(_value(chance), before)]
    if ids:
        item = chance.choice(ids)
        kinds += [UpdateItem(item, _value(chance)), MoveItem(item, before), RemoveItem(item)]
    return chance.choice(kinds)


def _on_log(chance: Random, ids: list[str]) -> Operation:
    kinds: list[Operation] = [AppendEntry({"title": chance.choice("ab")})]
    kinds += [RemoveEntry(chance.choice(ids))] if ids else []
    return chance.choice(kinds)


def _on_tree(chance: Random, ids: list[str]) -> Operation:
    parent = chance.choice([None, *ids])
    kinds: list[Operation] = [AddNode(_value(chance), parent)]
    if ids:
        node = chance.choice(ids)
        kinds += [UpdateNode(node, _value(chance)), MoveNode(node, parent), RemoveNode(node)]
        kinds += [MoveNode(node, None, chance.choice(ids))]
    return chance.choice(kinds)


def _value(chance: Random) -> ItemValue:
    value: dict[str, str | int | tuple[str, ...]] = {"title": chance.choice("abc")}
    if chance.random() < 0.5:
        value["tags"] = tuple(chance.choice("xyz") for _ in range(chance.randint(0, 2)))
    if chance.random() < 0.5:
        value["rank"] = chance.randint(0, 3)
    return value
