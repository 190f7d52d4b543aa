"""What search finds of each thing: its whole text, never only the part that a prompt shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from inspector.domain.archival import ArchivalEntry
from inspector.domain.blocks import Block
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
from inspector.domain.messages import Message, Part, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import RefKind
from inspector.domain.summaries import Summary


@dataclass(frozen=True, slots=True)
class Indexed:
    """One thing as search knows it. `role` is a message's; `at` a block's last change, else its creation."""

    kind: RefKind
    ref_id: str
    owner: str | None
    role: str | None
    at: datetime
    title: str
    body: str
    is_deleted: bool = False


def found_of_block(block: Block, body: str, at: datetime) -> Indexed:
    """A block: its label and description, and all that its content says."""
    return Indexed(
        RefKind.BLOCK,
        block.id,
        block.owner,
        None,
        at,
        title_of_block(block),
        body,
        is_deleted=not block.is_active,
    )


def found_of_entry(entry: ArchivalEntry) -> Indexed:
    """An archival entry, its tags as the title."""
    return Indexed(
        RefKind.ARCHIVAL,
        entry.id,
        entry.agent_id,
        None,
        entry.created_at,
        ", ".join(entry.tags),
        entry.content,
        entry.is_deleted,
    )


def found_of_message(message: Message) -> Indexed:
    """A message: texts, thinking, tool calls and their results."""
    return Indexed(
        RefKind.MESSAGE,
        message.id,
        message.agent_id,
        message.role.value,
        message.created_at,
        "",
        "\n".join(chain.from_iterable(_said(part) for part in message.content)),
        message.is_deleted,
    )


def found_of_summary(summary: Summary) -> Indexed:
    """A summary with its details, its topics as the title."""
    details = summary.details
    lines = (summary.content, *details.decisions, *details.facts, *details.tasks, *details.entities)
    return Indexed(
        RefKind.SUMMARY,
        summary.id,
        summary.agent_id,
        None,
        summary.created_at,
        ", ".join(summary.topics),
        "\n".join(lines),
        summary.is_deleted,
    )


def title_of_block(block: Block) -> str:
    """A block's label, and its description on a line of its own."""
    return f"{block.label}\n{block.description}" if block.description else block.label


def content_text(content: Content) -> str:
    """All that a content says, one value a line: whole texts and every entry, not only what is rendered."""
    return "\n".join(_lines(content))


def _said(part: Part) -> Iterator[str]:
    match part:
        case TextPart(text) | ThinkingPart(text):
            yield text
        case ToolCallPart():
            yield from (part.name, part.arguments)
        case ToolResultPart():
            yield part.content
        case _:
            return


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
