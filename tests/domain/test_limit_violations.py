"""What passes a block's bounds is told with its numbers, and nothing else is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.blocks import ListSchema, TextSchema, TreeSchema, Viewport
from inspector.domain.content import Content, ListContent, ListItem, TextContent, TreeContent, TreeNode
from inspector.domain.errors import Severity
from inspector.domain.limit_violations import OVER_ITEMS, OVER_LIMIT, excess
from inspector.domain.rendering.render import limit_length
from inspector.storage.json_columns import dump
from tests.context.builders import a_block
from tests.memory.schema_changes import SCHEMAS, contents


def test_that_a_text_over_its_limit_is_told_with_both_numbers_whatever_the_viewport_shows() -> None:
    schema = TextSchema(Viewport(1, 1))
    block = a_block("notes", char_limit=5, schema=schema).block
    assert excess(block, TextContent("a\nb\nc"), 20) is None
    found = excess(block, TextContent("a\nb\ncd"), 20)
    assert found is not None
    assert (found.code, found.severity) == (OVER_LIMIT, Severity.WARNING)
    assert (found.parameters["length"], found.parameters["limit"]) == (6, 5)
    assert excess(a_block("notes", char_limit=0).block, TextContent("x" * 9999), 9999) is None


def test_that_a_list_with_too_many_items_is_told() -> None:
    block = a_block("todo", schema=ListSchema(max_items=2)).block
    items = tuple(ListItem(f"i{number}", "x") for number in range(3))
    assert excess(block, ListContent(items[:2]), 50) is None
    found = excess(block, ListContent(items), 50)
    assert found is not None
    assert (found.code, found.parameters["count"], found.parameters["limit"]) == (OVER_ITEMS, 3, 2)


def test_that_a_deep_tree_is_measured_by_its_indentation() -> None:
    node = TreeNode("n0", "leaf", ())
    for number in range(1, 60):
        node = TreeNode(f"n{number}", "x", (node,))
    content = TreeContent((node,))
    length = limit_length(TreeSchema(), content)
    block = a_block("tree", schema=TreeSchema(), char_limit=length).block
    assert excess(block, content, 1) is None
    assert excess(a_block("tree", schema=TreeSchema(), char_limit=length - 1).block, content, 1) is not None


@given(st.data())
def test_that_not_rendering_what_is_short_never_hides_an_excess(data: st.DataObject) -> None:
    schema = data.draw(SCHEMAS)
    content: Content = data.draw(contents(schema))
    length = limit_length(schema, content)
    block = a_block("any", schema=schema, char_limit=max(1, length - 1)).block
    found = excess(block, content, len(dump(content)))
    assert (found is not None) == (length > 1)
