"""A content in full, as text: nothing is hidden by a viewport or a log's display limit."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.blocks import CompositeSchema, LogSchema, PlainSchema, Schema, TextSchema
from inspector.domain.content import CompositeContent, Content, LogContent
from inspector.domain.rendering.render import render


def render_whole(schema: Schema, content: Content) -> str:
    """The text that a person compares or keeps.

    Raises:
        MalformedError: ``malformed.content``, when the content is not of the schema's kind.
    """
    return render(_opened(schema, content), content).text


def _opened(schema: Schema, content: Content) -> Schema:
    if not isinstance(schema, CompositeSchema):
        return _plain(schema, content)
    sections = content.sections if isinstance(content, CompositeContent) else {}
    return CompositeSchema(
        tuple(replace(each, schema=_plain(each.schema, sections.get(each.name))) for each in schema.sections)
    )


def _plain(schema: PlainSchema, content: Content | None) -> PlainSchema:
    if isinstance(schema, TextSchema):
        return TextSchema()
    if isinstance(schema, LogSchema) and isinstance(content, LogContent):
        return replace(schema, display_limit=len(content.entries))
    return schema
