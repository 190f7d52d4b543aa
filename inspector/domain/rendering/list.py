"""A list as the model reads it: numbered items."""

from __future__ import annotations

from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent
from inspector.domain.rendering.rendered import Rendered, Writer
from inspector.domain.rendering.values import object_text


def render_list(schema: ListSchema, content: ListContent) -> Rendered:
    """``1. item`` lines; of an object its box, title and other fields."""
    writer = Writer()
    for number, item in enumerate(content.items, 1):
        text = object_text(item.value, schema.item_schema or ())
        writer.marked_line("item", item.id, f"{number}. {text}")
    return writer.rendered()
