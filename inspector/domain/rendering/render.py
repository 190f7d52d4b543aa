"""The one door of rendering: any content by its schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
)
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.composite import render_composite
from inspector.domain.rendering.list import render_list
from inspector.domain.rendering.log import render_log
from inspector.domain.rendering.map import render_map
from inspector.domain.rendering.rendered import Rendered
from inspector.domain.rendering.text import render_text
from inspector.domain.rendering.tree import render_tree

_PLAIN: dict[type, tuple[type, Callable[[Any, Any], Rendered]]] = {
    TextSchema: (TextContent, render_text),
    MapSchema: (MapContent, render_map),
    ListSchema: (ListContent, render_list),
    LogSchema: (LogContent, render_log),
    TreeSchema: (TreeContent, render_tree),
}


def render(schema: Schema, content: Content) -> Rendered:
    """The content as the model reads it, with the spans of its parts. Nothing set gives an empty text.

    Raises:
        MalformedError: ``malformed.content``, when the content is not of the schema's kind.
    """
    if isinstance(schema, CompositeSchema):
        if not isinstance(content, CompositeContent):
            raise _mismatch(schema, content)
        return render_composite(schema, content, render)
    kind, render_kind = _PLAIN[type(schema)]
    if not isinstance(content, kind):
        raise _mismatch(schema, content)
    return render_kind(schema, content)


def limit_length(schema: Schema, content: Content) -> int:
    """The characters that count against a block's limit.

    A text counts whole, whatever its viewport shows, also inside a section; a log by the entries it shows;
    all else by its rendering.
    """
    return len(render(_without_viewports(schema), content).text)


def rendered_and_length(schema: Schema, content: Content) -> tuple[str, int]:
    """The rendered text, and the characters that count against a block's limit; rendered once where both are one.

    Raises:
        MalformedError: as `render`.
    """
    text = render(schema, content).text
    return text, len(text) if _without_viewports(schema) == schema else limit_length(schema, content)


def _without_viewports(schema: Schema) -> Schema:
    if isinstance(schema, TextSchema):
        return TextSchema()
    if not isinstance(schema, CompositeSchema):
        return schema
    return CompositeSchema(
        tuple(
            replace(section, schema=TextSchema()) if isinstance(section.schema, TextSchema) else section
            for section in schema.sections
        )
    )


def _mismatch(schema: Schema, content: Content) -> MalformedError:
    why = f"{type(content).__name__} does not fit {type(schema).__name__}"
    return MalformedError("malformed.content", where="$", why=why)
