"""Renders maps, lists, logs, trees and composite content with marks for their parts.

Every further line of a value is set in below its first, so that none can be taken for a part's own line, whatever
the value holds. What is set in can be taken out again: nothing else stands behind a line's end inside of a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from inspector.domain.blocks import (
    CompositeSchema,
    FieldDef,
    FieldScalar,
    FieldType,
    ListSchema,
    LogSchema,
    MapSchema,
    PlainSchema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.content import (
    CompositeContent,
    FieldItem,
    ListContent,
    LogContent,
    LogEntry,
    MapContent,
    PlainContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.rendering.rows import render_rows
from inspector.domain.rendering.text import Rendered, Writer

_END = "\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
_BLANKS = "[^\\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*"
_LINE_END = re.compile(_END)
_NODE_LIKE = re.compile(f"({_END})({_BLANKS})(?=\\\\*-)")
_TOO_FAR_IN = re.compile(r"\\*(?:\s|=== )")
_HEADING_LIKE = re.compile(rf"(\A|{_END})(?=\\*=== )")
DONE = "done"
INDENT = "  "
_FRACTION = re.compile(r"\.\d+")


def hung(text: str, indent: str) -> str:
    """The text with what follows a line's end, of whatever kind, set in by `indent`."""
    if text.isprintable():
        # Quicker than looking for each: no end of a line is printable.
        return text
    return _LINE_END.sub(lambda end: end.group() + indent, text)


def hung_below_node(text: str, indent: str) -> str:
    r"""As `hung`, and a further line that begins with a dash, as nodes do at any depth, bears a ``\`` before it."""
    if text.isprintable():
        return text
    return hung(_NODE_LIKE.sub(r"\1\2\\", text), indent)


def beginning_a_line(text: str) -> str:
    r"""The text as the beginning of a line: with a ``\`` before white space, or before a section's heading."""
    return f"\\{text}" if _TOO_FAR_IN.match(text) else text


def without_headings(text: str) -> str:
    r"""The text with a ``\`` before each line that begins as a section's heading does."""
    return _HEADING_LIKE.sub(r"\1\\", text) if "=== " in text else text


def scalar_text(value: FieldScalar) -> str:
    """A scalar as the model reads it: ``true``, ``3``, ``2.5``, a text as it is."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value)


def value_text(value: FieldItem) -> str:
    """A field's value on one line; the elements of a list stand behind one another."""
    if isinstance(value, tuple):
        return "; ".join(scalar_text(entry.value) for entry in value)
    return scalar_text(value)


def is_blank(value: FieldItem) -> bool:
    """Whether there is nothing to show."""
    return value is None or value in ("", ())


def object_text(value: str | Mapping[str, FieldItem], fields: tuple[FieldDef, ...]) -> str:
    """An item, entry or node on one line: a plain text as it is; an object as its title, the rest in brackets.

    The title is the schema's first text field. An object with a boolean `done` opens with its box.
    """
    return object_texts(fields)(value)


def object_texts(fields: tuple[FieldDef, ...]) -> Callable[[str | Mapping[str, FieldItem]], str]:
    """As `object_text`, for many values of the same fields."""
    title = next((field.name for field in fields if field.field_type is FieldType.TEXT), None)
    box = any(field.name == DONE and field.field_type is FieldType.BOOLEAN for field in fields)
    others = [field.name for field in fields if field.name != title and not (box and field.name == DONE)]

    def text(value: str | Mapping[str, FieldItem]) -> str:
        if isinstance(value, str):
            return value
        parts: list[str] = []
        if box:
            parts.append("[x]" if value.get(DONE) is True else "[ ]")
        if title is not None and not is_blank(value.get(title)):
            parts.append(value_text(value[title]))
        rest = [name for name in (others if fields else value) if not is_blank(value.get(name))]
        if rest:
            parts.append("(" + ", ".join(f"{name}: {value_text(value[name])}" for name in rest) + ")")
        return " ".join(parts)

    return text


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
        writer.line(f"{name}: {hung(scalar_text(value), INDENT)}")
        return
    writer.line(f"{name}:")
    for entry in value:
        writer.marked_line("item", entry.id, f"- {hung(scalar_text(entry.value), INDENT)}")


def render_list(schema: ListSchema, content: ListContent) -> Rendered:
    """``1. item`` lines; of an object its box, title and other fields. Further lines stand below the first."""
    text_of, items = object_texts(schema.item_schema or ()), content.items

    def line(at: int) -> str:
        head = f"{at + 1}. "
        return head + hung(text_of(items[at].value), " " * len(head))

    return render_rows("item", schema, items, [each.id for each in items], line, numbered=True)


def render_log(schema: LogSchema, content: LogContent) -> Rendered:
    """``[timestamp] (author) values`` lines; the time to the second. Further lines are set in by two spaces."""
    entries = shown_entries(schema, content)
    names = [each.id for each in entries]
    return render_rows(
        "entry", schema, entries, names, lambda at: _entry_text(schema, entries[at]), numbered=False
    )


def shown_entries(schema: LogSchema, content: LogContent) -> tuple[LogEntry, ...]:
    """The entries that are rendered, newest first."""
    hidden = max(0, len(content.entries) - max(0, schema.display_limit))
    return content.entries[hidden:][::-1]


def _entry_text(schema: LogSchema, entry: LogEntry) -> str:
    parts: list[str] = []
    if entry.timestamp is not None:
        parts.append(f"[{_FRACTION.sub('', entry.timestamp)}]")
    if entry.author is not None:
        parts.append(f"({entry.author})")
    text = object_text(entry.fields, schema.entry_schema.fields)
    parts.append(text if parts else beginning_a_line(text))
    return hung(" ".join(part for part in parts if part), INDENT)


def render_tree(schema: TreeSchema, content: TreeContent) -> Rendered:
    """A ``- node`` line each, two spaces deeper per level; further lines of a text stand below its first."""
    text_of = object_texts(schema.node_schema or ())
    nodes, depths = _depth_first(content.roots)

    def line(at: int) -> str:
        indent = INDENT * depths[at]
        return f"{indent}- {hung_below_node(text_of(nodes[at].value), indent + INDENT)}"

    # The very same node further in or out has another line.
    key = schema, tuple(depths)
    return render_rows("node", key, nodes, [each.id for each in nodes], line, numbered=False)


def _depth_first(roots: tuple[TreeNode, ...]) -> tuple[list[TreeNode], list[int]]:
    """All nodes, each before those under it, and how deep they stand."""
    nodes: list[TreeNode] = []
    depths: list[int] = []
    waiting = [(0, node) for node in reversed(roots)]
    while waiting:
        depth, node = waiting.pop()
        nodes.append(node)
        depths.append(depth)
        if node.children:
            waiting += [(depth + 1, child) for child in reversed(node.children)]
    return nodes, depths


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
        stored = content.sections.get(section.name)
        rendered = Rendered() if stored is None else render_section(section.schema, stored)
        if isinstance(section.schema, TextSchema):
            rendered = Rendered(without_headings(rendered.text))
        if rendered.text:
            with writer.marked("section", section.name):
                writer.line(f"=== {section.name} ===")
                writer.include(rendered)
    return writer.rendered()
