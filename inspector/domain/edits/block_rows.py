"""Operations on blocks themselves: label, place, limits, schema and sharing."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from inspector.domain.blocks import DEFAULT_CHAR_LIMIT, BlockType, Permission, Schema, TextSchema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.messages import IF_SET


@dataclass(frozen=True, slots=True)
class CreateBlock(Operation):
    """Make a block. The edit's target is a block Ref whose id is the new block's (empty: make one).

    `content` None starts empty, with the schema's defaults.
    """

    op: ClassVar[str] = "create_block"
    owner: str
    label: str
    schema: Schema = TextSchema()
    block_type: BlockType = BlockType.WORKING
    description: str = ""
    char_limit: int = DEFAULT_CHAR_LIMIT
    permission: Permission = Permission.READ_WRITE
    pinned: bool = False
    content: Content | None = None
    metadata: str = "{}"


@dataclass(frozen=True, slots=True)
class SetLabel(Operation):
    """Give a block another label."""

    op: ClassVar[str] = "set_label"
    label: str


@dataclass(frozen=True, slots=True)
class SetDescription(Operation):
    """Give a block another description."""

    op: ClassVar[str] = "set_description"
    description: str


@dataclass(frozen=True, slots=True)
class SetBlockType(Operation):
    """Move a block between core, working, log and archival."""

    op: ClassVar[str] = "set_block_type"
    block_type: BlockType


@dataclass(frozen=True, slots=True)
class SetCharLimit(Operation):
    """Limit a block's characters; 0 lifts the limit."""

    op: ClassVar[str] = "set_char_limit"
    char_limit: int


@dataclass(frozen=True, slots=True)
class SetPinned(Operation):
    """Pin or unpin a block."""

    op: ClassVar[str] = "set_pinned"
    pinned: bool


@dataclass(frozen=True, slots=True)
class SetPermission(Operation):
    """Change what agents may do with a block."""

    op: ClassVar[str] = "set_permission"
    permission: Permission


@dataclass(frozen=True, slots=True)
class Rename:
    """A field that gets another name and keeps its values; with `section` one of that section, as it was called.

    Of a composite and without `section`, it is the section itself.
    """

    old: str
    new: str
    section: str | None = None


@dataclass(frozen=True, slots=True)
class SetSchema(Operation):
    """Change a block's schema. Refused when present data would be lost, unless `accept_loss`.

    `renamed` are fields and sections of the present schema that have other names in the new one.
    """

    op: ClassVar[str] = "set_schema"
    schema: Schema
    accept_loss: bool = False
    renamed: tuple[Rename, ...] = field(default=(), metadata={IF_SET: True})


@dataclass(frozen=True, slots=True)
class DeleteBlock(Operation):
    """Soft delete: the label is free again, the block can be restored."""

    op: ClassVar[str] = "delete_block"


@dataclass(frozen=True, slots=True)
class RestoreBlock(Operation):
    """Bring a deleted block back, under `label` when its own is taken."""

    op: ClassVar[str] = "restore_block"
    label: str | None = None


@dataclass(frozen=True, slots=True)
class AttachBlock(Operation):
    """Share the target block with an agent; again replaces the level."""

    op: ClassVar[str] = "attach_block"
    agent_id: str
    permission: Permission = Permission.READ_ONLY


@dataclass(frozen=True, slots=True)
class DetachBlock(Operation):
    """Stop sharing the target block with an agent."""

    op: ClassVar[str] = "detach_block"
    agent_id: str


@dataclass(frozen=True, slots=True)
class InsertArchival(Operation):
    """Add an archival entry for an agent. The target is an archival Ref (empty id: make one)."""

    op: ClassVar[str] = "insert_archival"
    agent_id: str
    content: str
    tags: tuple[str, ...] = ()
    metadata: str = "{}"


@dataclass(frozen=True, slots=True)
class UpdateArchival(Operation):
    """Change an archival entry's text or tags; None leaves as is."""

    op: ClassVar[str] = "update_archival"
    content: str | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DeleteRow(Operation):
    """Soft delete the target: an archival entry, message or summary; a tool or agent is archived."""

    op: ClassVar[str] = "delete_row"


@dataclass(frozen=True, slots=True)
class RestoreRow(Operation):
    """Bring a soft-deleted target back."""

    op: ClassVar[str] = "restore_row"
