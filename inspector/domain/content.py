"""The content of a block, one type per schema. Items, entries and nodes have stable ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from inspector.domain.blocks import (
    CompositeSchema,
    FieldScalar,
    FieldValue,
    ListSchema,
    LogSchema,
    MapSchema,
    TextSchema,
    TreeSchema,
)
from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item: a plain text, or named values."""

    id: str
    value: str | Mapping[str, FieldItem]


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """One element of a list field, with the id that an edit names."""

    id: str
    value: FieldScalar


FieldItem = FieldScalar | tuple[FieldEntry, ...]


@dataclass(frozen=True, slots=True)
class TextContent:
    """The whole text, whatever the viewport shows."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class MapContent:
    """Field values by name; a field that is not set is absent."""

    fields: Mapping[str, FieldItem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListContent:
    """The items of a list, in order."""

    items: tuple[ListItem, ...] = ()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry. `timestamp` is ISO 8601 UTC, `author` the writer's name, both None when the schema has none."""

    id: str
    timestamp: str | None
    author: str | None
    fields: Mapping[str, FieldItem] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogContent:
    """Entries in the order in which they were written, whatever their times say."""

    entries: tuple[LogEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node with its children in order."""

    id: str
    value: str | Mapping[str, FieldItem]
    children: tuple[TreeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeContent:
    """The roots of a tree, in order."""

    roots: tuple[TreeNode, ...] = ()

    def walk(self) -> Iterator[tuple[int, TreeNode]]:
        """All nodes from top to bottom, each with its depth; a root's is 0. A tree may be of any depth."""
        waiting = [(0, node) for node in reversed(self.roots)]
        while waiting:
            depth, node = waiting.pop()
            yield depth, node
            waiting.extend((depth + 1, child) for child in reversed(node.children))


PlainContent = TextContent | MapContent | ListContent | LogContent | TreeContent


@dataclass(frozen=True, slots=True)
class CompositeContent:
    """Section contents by section name, in the schema's order."""

    sections: Mapping[str, PlainContent] = field(default_factory=dict)


Content = PlainContent | CompositeContent

CONTENT_TYPES: Mapping[type, type[Content]] = {
    TextSchema: TextContent,
    MapSchema: MapContent,
    ListSchema: ListContent,
    LogSchema: LogContent,
    TreeSchema: TreeContent,
    CompositeSchema: CompositeContent,
}
"""The type of content that each schema has."""


def plain_value(value: FieldItem) -> FieldValue:
    """A value of a content as an operation would give it."""
    return tuple(entry.value for entry in value) if isinstance(value, tuple) else value


def text_lines(text: str) -> list[str]:
    """The lines with their ends (LF, or CR LF). Nothing after the last end is no line."""
    parts = text.split("\n")
    last = parts.pop()
    lines = [f"{part}\n" for part in parts]
    if last:
        lines.append(last)
    return lines


def line_end(line: str) -> str:
    """The end of a line: CR LF, LF or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""
