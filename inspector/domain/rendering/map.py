"""A map as the model reads it: a line per field that is set."""

from __future__ import annotations

from inspector.domain.blocks import FieldDef, MapSchema
from inspector.domain.content import FieldItem, MapContent
from inspector.domain.rendering.lines import hung
from inspector.domain.rendering.rendered import Rendered, Writer
from inspector.domain.rendering.values import is_blank, scalar_text

_INDENT = "  "


def render_map(schema: MapSchema, content: MapContent) -> Rendered:
    """``name: value`` lines in the schema's order; a list field's elements as ``- item`` lines below its name.

    Further lines of a value are set in by two spaces.
    """
    writer = Writer()
    for field in schema.fields:
        value = content.fields.get(field.name)
        if not is_blank(value):
            with writer.marked("field", field.name):
                _write_field(writer, field, value)
    return writer.rendered()


def _write_field(writer: Writer, field: FieldDef, value: FieldItem) -> None:
    name = f"{field.name} [read-only]" if field.read_only else field.name
    if not isinstance(value, tuple):
        writer.line(f"{name}: {hung(scalar_text(value), _INDENT)}")
        return
    writer.line(f"{name}:")
    for entry in value:
        writer.marked_line("item", entry.id, f"- {hung(scalar_text(entry.value), _INDENT)}")
