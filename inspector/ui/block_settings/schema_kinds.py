"""The kinds of schema in words, and what a schema becomes when its kind is changed in the editor."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from inspector.domain.blocks import (
    CompositeSchema,
    EntrySchema,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    SectionDef,
    TextSchema,
    TreeSchema,
    fields_of,
)
from inspector.ui.wording import tr

PLAIN_KINDS: tuple[type[PlainSchema], ...] = (TextSchema, MapSchema, ListSchema, LogSchema, TreeSchema)
ALL_KINDS: tuple[type[Schema], ...] = (*PLAIN_KINDS, CompositeSchema)


@cache
def kind_names() -> Mapping[type[Schema], str]:
    """What each kind of schema is called in the window."""
    return {
        TextSchema: tr("Text"),
        MapSchema: tr("Map"),
        ListSchema: tr("List"),
        LogSchema: tr("Log"),
        TreeSchema: tr("Tree"),
        CompositeSchema: tr("Composite"),
    }


def kind_hint(kind: type[Schema]) -> str:
    """What a content of that kind is, in one sentence."""
    hints: Mapping[type[Schema], str] = {
        TextSchema: tr("Plain text, whole or as a window of lines."),
        MapSchema: tr("Named fields in a fixed order."),
        ListSchema: tr("Items in order: texts, or objects with fields."),
        LogSchema: tr("Entries in time order. The newest are sent."),
        TreeSchema: tr("An outline of texts, or of objects with fields."),
        CompositeSchema: tr("Named sections, each with a schema of its own."),
    }
    return hints[kind]


def as_kind(schema: Schema, kind: type[Schema]) -> Schema:
    """A schema of another kind that takes over the fields, as far as that kind has any."""
    if isinstance(schema, kind):
        return schema
    if kind is CompositeSchema:
        sections = () if isinstance(schema, CompositeSchema) else (SectionDef(tr("content"), schema),)
        return CompositeSchema(sections)
    if isinstance(schema, CompositeSchema):
        inner = next((each.schema for each in schema.sections if isinstance(each.schema, kind)), None)
        return as_plain_kind(TextSchema(), kind) if inner is None else inner
    return as_plain_kind(schema, kind)


def as_plain_kind(schema: PlainSchema, kind: type[Schema]) -> PlainSchema:
    """As `as_kind`, of one section or of a whole that has none.

    Raises:
        TypeError: the kind is composite.
    """
    if isinstance(schema, kind):
        return schema
    fields = fields_of(schema) or ()
    if kind is TextSchema:
        return TextSchema()
    if kind is MapSchema:
        return MapSchema(fields)
    if kind is ListSchema:
        return ListSchema(fields or None)
    if kind is LogSchema:
        return LogSchema(entry_schema=EntrySchema(fields=fields))
    if kind is TreeSchema:
        return TreeSchema(fields or None)
    raise TypeError(kind.__name__)
