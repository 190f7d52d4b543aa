"""Operations on lists, logs, trees and composite sections, by the ids of their parts, and several as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from inspector.domain.blocks import FieldValue
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation

ItemValue = str | Mapping[str, FieldValue]


@dataclass(frozen=True, slots=True)
class InsertItem(Operation):
    """Add an item before another; `before` None adds it at the end. `id` None or empty lets the store make one."""

    op: ClassVar[str] = "insert_item"
    value: ItemValue
    before: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateItem(Operation):
    """Give an item a new text, or an object's named fields new values (None clears one)."""

    op: ClassVar[str] = "update_item"
    item: str
    value: ItemValue


@dataclass(frozen=True, slots=True)
class MoveItem(Operation):
    """Move an item before another, or to the end."""

    op: ClassVar[str] = "move_item"
    item: str
    before: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveItem(Operation):
    """Remove one item of a list."""

    op: ClassVar[str] = "remove_item"
    item: str


@dataclass(frozen=True, slots=True)
class AppendEntry(Operation):
    """Add a log entry. Timestamp and author are filled in by the store, never by the caller."""

    op: ClassVar[str] = "append_entry"
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveEntry(Operation):
    """Remove a log entry. People only."""

    op: ClassVar[str] = "remove_entry"
    entry: str


@dataclass(frozen=True, slots=True)
class AddNode(Operation):
    """Add a tree node under `parent` (None: a root), before a sibling or at the end."""

    op: ClassVar[str] = "add_node"
    value: ItemValue
    parent: str | None = None
    before: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateNode(Operation):
    """Give a node a new text, or an object's named fields new values (None clears one)."""

    op: ClassVar[str] = "update_node"
    node: str
    value: ItemValue


@dataclass(frozen=True, slots=True)
class MoveNode(Operation):
    """Move a node, with what is under it, under another parent."""

    op: ClassVar[str] = "move_node"
    node: str
    parent: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True)
class RemoveNode(Operation):
    """Remove a node and what is under it."""

    op: ClassVar[str] = "remove_node"
    node: str


@dataclass(frozen=True, slots=True)
class InSection(Operation):
    """An operation of a section's own schema, addressed to that section of a composite block."""

    op: ClassVar[str] = "in_section"
    section: str
    operation: Operation


@dataclass(frozen=True, slots=True)
class EditParts(Operation):
    """Several operations on one block's content, applied in their order as one: all of them or none."""

    op: ClassVar[str] = "edit_parts"
    operations: tuple[Operation, ...]
