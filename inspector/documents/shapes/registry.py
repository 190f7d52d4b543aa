"""Finds the document shape of a schema."""

from __future__ import annotations

from typing import Any, Protocol

from loro import LoroDoc

from inspector.documents.shapes.composite import CompositeShape
from inspector.documents.shapes.list import ListShape
from inspector.documents.shapes.log import LogShape
from inspector.documents.shapes.map import MapShape
from inspector.documents.shapes.shape import Shape
from inspector.documents.shapes.text import TextShape
from inspector.documents.shapes.tree import TreeShape
from inspector.domain.blocks import (
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import CONTENT_TYPES, CompositeContent, Content
from inspector.domain.value_checks import refuse


class _ShapeType(Protocol):
    def __call__(self, doc: LoroDoc, schema: Any, prefix: str) -> Shape: ...


_PLAIN: dict[type, _ShapeType] = {
    TextSchema: TextShape,
    MapSchema: MapShape,
    ListSchema: ListShape,
    LogSchema: LogShape,
    TreeSchema: TreeShape,
}


def shape_for(doc: LoroDoc, schema: Schema) -> Shape:
    """The shape of a document's content. Making it changes nothing in the document."""
    if isinstance(schema, CompositeSchema):
        return CompositeShape(doc, schema, _plain)
    return _plain(doc, schema, "")


def check_kind(schema: Schema, content: Content | None) -> None:
    """Check that a content is of a schema's kind, in every section.

    Raises:
        RefusedError: ``refused.wrong_content``.
    """
    if content is None:
        return
    needed = CONTENT_TYPES[type(schema)]
    if not isinstance(content, needed):
        raise refuse("refused.wrong_content", needed=needed.__name__, given=type(content).__name__)
    if isinstance(schema, CompositeSchema) and isinstance(content, CompositeContent):
        for section in schema.sections:
            check_kind(section.schema, content.sections.get(section.name))


def _plain(doc: LoroDoc, schema: PlainSchema, prefix: str) -> Shape:
    return _PLAIN[type(schema)](doc, schema, prefix)
