"""Rows that are rendered again after a change: the same text and marks as if nothing were remembered."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import pytest

from inspector.domain.blocks import (
    EntrySchema,
    FieldDef,
    FieldType,
    ListSchema,
    LogSchema,
    Schema,
    TreeSchema,
)
from inspector.domain.content import (
    Content,
    ListContent,
    ListItem,
    LogContent,
    LogEntry,
    TreeContent,
    TreeNode,
)
from inspector.domain.rendering.render import render

_FIELDS = (FieldDef("title", FieldType.TEXT), FieldDef("done", FieldType.BOOLEAN))
_TEXTS = ("", "one", "two\nlines", "- like a node", "=== like a heading ===", "x" * 40)
T = TypeVar("T")


def _item(id_: str, pick: random.Random) -> ListItem:
    return ListItem(id_, {"title": pick.choice(_TEXTS), "done": pick.random() < 0.5})


def _entry(id_: str, pick: random.Random) -> LogEntry:
    return LogEntry(id_, None, None, {"text": pick.choice(_TEXTS)})


def _node(id_: str, pick: random.Random) -> TreeNode:
    under = tuple(TreeNode(f"{id_}.{at}", pick.choice(_TEXTS)) for at in range(pick.randrange(4)))
    return TreeNode(id_, pick.choice(_TEXTS), under)


def _edited(
    elements: Sequence[T], make: Callable[[str, random.Random], T], pick: random.Random, id_: str
) -> tuple[T, ...]:
    """The elements after one change: one is another, new, gone, or at another place."""
    found, at = list(elements), pick.randrange(len(elements))
    match pick.choice(("change", "add", "remove", "move", "same")):
        case "change":
            found[at] = make(id_, pick)
        case "add":
            found.insert(at, make(id_, pick))
        case "remove":
            del found[at]
        case "move":
            found.insert(pick.randrange(len(found)), found.pop(at))
        case _:
            pass
    return tuple(found)


def _list(elements: tuple[ListItem, ...]) -> Content:
    return ListContent(elements)


def _log(elements: tuple[LogEntry, ...]) -> Content:
    return LogContent(elements)


def _tree(elements: tuple[TreeNode, ...]) -> Content:
    # A node further in is the very same node, and has another line.
    return TreeContent((TreeNode("root", "root", elements[:7]), *elements[7:]))


def _copied(node: TreeNode) -> TreeNode:
    return replace(node, children=tuple(map(_copied, node.children)))


def _afresh(content: Content) -> Content:
    """The same content of other objects, of which nothing can be remembered."""
    match content:
        case ListContent(items):
            return ListContent(tuple(replace(each) for each in items))
        case LogContent(entries):
            return LogContent(tuple(replace(each) for each in entries))
        case TreeContent(roots):
            return TreeContent(tuple(map(_copied, roots)))
    raise AssertionError(content)


@pytest.mark.parametrize(
    ("schema", "make", "whole"),
    [
        (ListSchema(_FIELDS), _item, _list),
        (LogSchema(10_000, EntrySchema(False, False, (FieldDef("text"),))), _entry, _log),
        (LogSchema(250, EntrySchema(False, False, (FieldDef("text"),))), _entry, _log),
        (TreeSchema(), _node, _tree),
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_that_a_rendering_with_what_is_remembered_is_the_same_as_without(
    schema: Schema,
    make: Callable[[str, random.Random], T],
    whole: Callable[[tuple[T, ...]], Content],
    seed: int,
) -> None:
    pick = random.Random(seed)
    elements = tuple(make(f"e{at}", pick) for at in range(300))
    for step in range(25):
        content = whole(elements)
        rendered = render(schema, content)
        assert rendered == render(schema, _afresh(content))
        for mark in rendered.marks:
            assert 0 <= mark.start < mark.end <= len(rendered.text)
        elements = _edited(elements, make, pick, f"new{step}")


def test_that_another_schema_renders_the_same_items_by_its_own_fields() -> None:
    items = tuple(ListItem(f"e{at}", {"title": "a", "done": True}) for at in range(300))
    with_box, without = ListSchema(_FIELDS), ListSchema(_FIELDS[:1])
    assert render(with_box, ListContent(items)).text.startswith("1. [x] a\n2. [x] a\n")
    assert render(without, ListContent(items)).text.startswith("1. a\n2. a\n")
