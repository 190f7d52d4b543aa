"""Renders any content by its schema, as it is shown and in full."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from inspector.domain.blocks import (
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    Schema,
    TextSchema,
    TreeSchema,
    Viewport,
)
from inspector.domain.content import (
    CONTENT_TYPES,
    CompositeContent,
    Content,
    LogContent,
    TextContent,
    line_end,
    text_lines,
)
from inspector.domain.errors import MalformedError
from inspector.domain.rendering.structured import (
    render_composite,
    render_list,
    render_log,
    render_map,
    render_tree,
)
from inspector.domain.rendering.text import Rendered


def render_text(schema: TextSchema, content: TextContent) -> Rendered:
    """The text itself; with a viewport, where that stands and its lines.

    A viewport past the end shows the last lines.
    """
    if schema.viewport is None or not content.text:
        return Rendered(content.text)
    return Rendered(_window(schema.viewport, content.text))


def shown_lines(viewport: Viewport, count: int) -> tuple[int, int]:
    """The first and the last line, counted from 1, that a viewport shows of so many."""
    shown = max(1, viewport.display_lines)
    first = max(1, viewport.start_line)
    if first > count:
        first = max(1, count - shown + 1)
    return first, min(count, first + shown - 1)


def _window(viewport: Viewport, text: str) -> str:
    lines = text_lines(text)
    first, last = shown_lines(viewport, len(lines))
    window = "".join(lines[first - 1 : last])
    if last < len(lines):
        window = window.removesuffix(line_end(window))
    return f"[Showing lines {first}-{last} of {len(lines)}]\n{window}"


_LONG = 200
"""Parts from which the length of a rendering is kept: with each key it is asked for several times."""
_LENGTHS_KEPT = 4
_lengths: dict[int, tuple[Content, Schema, int]] = {}
"""By the identity of the contents that were rendered last, which are held, so that none is mistaken for another."""

_PLAIN: dict[type, Callable[[Any, Any], Rendered]] = {
    TextSchema: render_text,
    MapSchema: render_map,
    ListSchema: render_list,
    LogSchema: render_log,
    TreeSchema: render_tree,
}


def render(schema: Schema, content: Content) -> Rendered:
    """The content as the model reads it, with the spans of its parts. Nothing set gives an empty text.

    Raises:
        MalformedError: ``malformed.content``, when the content is not of the schema's kind.
    """
    if not isinstance(content, CONTENT_TYPES[type(schema)]):
        raise _mismatch(schema, content)
    if isinstance(schema, CompositeSchema) and isinstance(content, CompositeContent):
        rendered = render_composite(schema, content, render)
    else:
        rendered = _PLAIN[type(schema)](schema, content)
    if len(rendered.marks) >= _LONG:
        _note_length(schema, content, len(rendered.text))
    return rendered


def limit_length(schema: Schema, content: Content) -> int:
    """The characters that count against a block's limit.

    A text counts whole, whatever its viewport shows, also inside a section; a log by the entries it shows;
    all else by its rendering.
    """
    schema = _without_viewports(schema)
    last = _lengths.get(id(content))
    if last is not None and last[0] is content and last[1] == schema:
        return last[2]
    return len(render(schema, content).text)


def _note_length(schema: Schema, content: Content, length: int) -> None:
    _lengths[id(content)] = content, schema, length
    for oldest in list(_lengths)[:-_LENGTHS_KEPT]:
        _lengths.pop(oldest, None)


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
