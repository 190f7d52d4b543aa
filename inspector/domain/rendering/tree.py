"""A tree as the model reads it: an indented outline."""

from __future__ import annotations

from inspector.domain.blocks import TreeSchema
from inspector.domain.content import TreeContent, TreeNode
from inspector.domain.rendering.lines import hung_below_node
from inspector.domain.rendering.rendered import Rendered, Writer
from inspector.domain.rendering.values import object_texts

INDENT = "  "


def render_tree(schema: TreeSchema, content: TreeContent) -> Rendered:
    """A ``- node`` line each, two spaces deeper per level; further lines of a text stand below its first."""
    writer = Writer()
    text_of = object_texts(schema.node_schema or ())
    waiting: list[tuple[int, TreeNode]] = [(0, node) for node in reversed(content.roots)]
    while waiting:
        depth, node = waiting.pop()
        indent = INDENT * depth
        writer.marked_line(
            "node", node.id, f"{indent}- {hung_below_node(text_of(node.value), indent + INDENT)}"
        )
        waiting += ((depth + 1, child) for child in reversed(node.children))
    return writer.rendered()
