"""What tests of a change of schema invent, do and compare."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

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
    FieldEntry,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.ref import Ref, RefKind
from inspector.memory.schema_change import convert
from tests.memory.world import World


def made(old: Schema, new: Schema, content: Content) -> tuple[Content, tuple[str, ...]]:
    """What a content becomes, and what is lost; new ids are n1, n2 …"""
    numbers = itertools.count(1)
    done = convert(old, new, content, lambda: f"n{next(numbers)}")
    return done.content, done.lost


async def changed(world: World, block: str, schema: Schema, *, accept: bool = False) -> Content:
    """The content after a change of schema."""
    await world.do(Ref(RefKind.BLOCK, block), SetSchema(schema, accept))
    content = await world.memory.content(block)
    assert content is not None
    return content


# Nothing is lost without being named: whatever the schemas, words that are gone are accounted for.

WORDS = st.text("xyz", min_size=1, max_size=4)
NAMES = ("a", "b", "c")
TYPES = st.sampled_from((FieldType.TEXT, FieldType.NUMBER, FieldType.BOOLEAN, FieldType.LIST))


@st.composite
def field_defs(draw: st.DrawFn) -> tuple[FieldDef, ...]:
    """Some of the fields a, b, c, of any type."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    return tuple(FieldDef(name, draw(TYPES)) for name in names)


PLAIN_SCHEMAS = st.one_of(
    st.just(TextSchema()),
    st.builds(MapSchema, field_defs()),
    st.builds(ListSchema, st.none() | field_defs()),
    st.builds(LogSchema, st.just(3), st.builds(EntrySchema, st.booleans(), st.booleans(), field_defs())),
    st.builds(TreeSchema, st.none() | field_defs()),
)
SCHEMAS = PLAIN_SCHEMAS | st.builds(
    lambda schemas: CompositeSchema(
        tuple(SectionDef(f"s{place}", schema) for place, schema in enumerate(schemas))
    ),
    st.lists(PLAIN_SCHEMAS, min_size=1, max_size=2),
)


@st.composite
def values_of(draw: st.DrawFn, fields: tuple[FieldDef, ...]) -> dict[str, object]:
    """Some of the fields with values of theirs."""
    values: dict[str, object] = {}
    for field in fields:
        if draw(st.booleans()):
            continue
        match field.field_type:
            case FieldType.TEXT:
                values[field.name] = draw(WORDS)
            case FieldType.NUMBER:
                values[field.name] = draw(st.integers(10, 99))
            case FieldType.BOOLEAN:
                values[field.name] = draw(st.booleans())
            case _:
                words = draw(st.lists(WORDS, min_size=1, max_size=3))
                values[field.name] = tuple(
                    FieldEntry(f"{field.name}{place}", word) for place, word in enumerate(words)
                )
    return values


@st.composite
def contents(draw: st.DrawFn, schema: Schema, prefix: str = "") -> Content:
    """A content of a schema."""

    def value(fields: tuple[FieldDef, ...] | None) -> object:
        return draw(WORDS) if fields is None else draw(values_of(fields))

    count = draw(st.integers(0, 3))
    match schema:
        case TextSchema():
            return TextContent(draw(st.text("xyz \n", max_size=20)))
        case MapSchema():
            return MapContent(draw(values_of(schema.fields)))  # type: ignore[arg-type]
        case ListSchema():
            return ListContent(
                tuple(ListItem(f"{prefix}i{each}", value(schema.item_schema)) for each in range(count))  # type: ignore[arg-type]
            )
        case LogSchema():
            shape = schema.entry_schema
            return LogContent(
                tuple(
                    LogEntry(
                        f"{prefix}e{each}",
                        f"2026-01-0{each + 1}T00:00:00.000000Z" if shape.timestamp else None,
                        "Ann" if shape.agent_id else None,
                        draw(values_of(shape.fields)),  # type: ignore[arg-type]
                    )
                    for each in range(count)
                )
            )
        case TreeSchema():
            nodes = [
                TreeNode(f"{prefix}t{each}", value(schema.node_schema))  # type: ignore[arg-type]
                for each in range(count)
            ]
            if len(nodes) > 1:
                nodes[0] = TreeNode(nodes[0].id, nodes[0].value, (nodes.pop(),))
            return TreeContent(tuple(nodes))
        case CompositeSchema():
            return CompositeContent(
                {each.name: draw(contents(each.schema, each.name)) for each in schema.sections}  # type: ignore[misc]
            )


CHANGES = st.tuples(SCHEMAS, SCHEMAS).flatmap(
    lambda both: st.tuples(st.just(both[0]), st.just(both[1]), contents(both[0]))
)
