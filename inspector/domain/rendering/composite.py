"""Named sections as the model reads them."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.blocks import CompositeSchema, PlainSchema, TextSchema
from inspector.domain.content import CompositeContent, PlainContent
from inspector.domain.rendering.lines import without_headings
from inspector.domain.rendering.rendered import Rendered, Writer


def render_composite(
    schema: CompositeSchema,
    content: CompositeContent,
    render_section: Callable[[PlainSchema, PlainContent], Rendered],
) -> Rendered:
    r"""``=== name ===`` and the section by its own schema; sections without content are left out.

    A line of a text that looks like a heading bears a ``\`` before it.
    """
    writer = Writer()
    for section in schema.sections:
        held = content.sections.get(section.name)
        rendered = Rendered() if held is None else render_section(section.schema, held)
        if isinstance(section.schema, TextSchema):
            rendered = Rendered(without_headings(rendered.text))
        if rendered.text:
            with writer.marked("section", section.name):
                writer.line(f"=== {section.name} ===")
                writer.include(rendered)
    return writer.rendered()
