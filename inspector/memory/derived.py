"""What is read instead of a document: its content's rendering, its length, and the text that search finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from inspector.domain.blocks import Schema
from inspector.domain.content import (
    CompositeContent,
    Content,
    FieldItem,
    ListContent,
    LogContent,
    MapContent,
    TextContent,
    TreeContent,
    TreeNode,
)
from inspector.domain.rendering.render import limit_length, render


@dataclass(frozen=True, slots=True)
class Derived:
    """The forms of one content. `length` is what counts against the block's limit."""

    content: Content
    rendered: str
    length: int
    searched: str


def derive(schema: Schema, content: Content) -> Derived:
    """All forms of a content.

    Raises:
        MalformedError: when the content is not of the schema's kind.
    """
    return Derived(content, render(schema, content).text, limit_length(schema, content), search_text(content))


def search_text(content: Content) -> str:
    """All that a content says, one value a line: whole texts and every entry, not only what is rendered."""
    return "\n".join(_lines(content))


def _lines(content: Content) -> Iterator[str]:
    match content:
        case TextContent():
            yield content.text
        case MapContent():
            yield from _fields(content.fields)
        case ListContent():
            yield from chain.from_iterable(_value(item.value) for item in content.items)
        case LogContent():
            yield from chain.from_iterable(_fields(entry.fields) for entry in content.entries)
        case TreeContent():
            yield from chain.from_iterable(_nodes(root) for root in content.roots)
        case CompositeContent():
            yield from chain.from_iterable(_lines(section) for section in content.sections.values())


def _nodes(node: TreeNode) -> Iterator[str]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield from _value(each.value)
        waiting.extend(reversed(each.children))


def _value(value: str | Mapping[str, FieldItem]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        yield from _fields(value)


def _fields(fields: Mapping[str, FieldItem]) -> Iterator[str]:
    for value in fields.values():
        if isinstance(value, tuple):
            yield from (str(entry.value) for entry in value if entry.value is not None)
        elif value is not None:
            yield str(value)
