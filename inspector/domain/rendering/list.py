"""A list as the model reads it: numbered items."""

from __future__ import annotations

from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent
from inspector.domain.rendering.lines import hung
from inspector.domain.rendering.rendered import Rendered, Writer
from inspector.domain.rendering.values import object_texts


def render_list(schema: ListSchema, content: ListContent) -> Rendered:
    """``1. item`` lines; of an object its box, title and other fields. Further lines stand below the first."""
    writer = Writer()
    text_of = object_texts(schema.item_schema or ())
    for number, item in enumerate(content.items, 1):
        head = f"{number}. "
        writer.marked_line("item", item.id, head + hung(text_of(item.value), " " * len(head)))
    return writer.rendered()
