"""Applies operations on blocks themselves: label, place, limits, schema, state and attachments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from inspector.domain.actor import ActorKind
from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, Block, Schema, appearance, is_printable
from inspector.domain.codec import LARGEST_INTEGER, to_plain
from inspector.domain.edits import block_rows as ops
from inspector.domain.edits.base import Intent, Operation, Receipt
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.schema_faults import schema_fault
from inspector.domain.snapshot import BlockState
from inspector.memory.content_rows import block_ref
from inspector.memory.contents import ContentWriter, tell_of_block
from inspector.memory.refusals import refused
from inspector.storage import agents, attachments, blocks, json_columns
from inspector.storage.journal import Journal
from inspector.storage.sealing import damaged_cells
from inspector.storage.transaction import Transaction

_CHANGES: Mapping[type[Operation], Callable[[Block, Any], Block]] = {
    ops.SetLabel: lambda block, op: replace(block, label=op.label),
    ops.SetDescription: lambda block, op: replace(block, description=op.description),
    ops.SetBlockType: lambda block, op: replace(block, block_type=op.block_type),
    ops.SetCharLimit: lambda block, op: replace(block, char_limit=op.char_limit),
    ops.SetPinned: lambda block, op: replace(block, pinned=op.pinned),
    ops.SetPermission: lambda block, op: replace(block, permission=op.permission),
    ops.SetSchema: lambda block, op: replace(block, schema=op.schema),
    ops.DeleteBlock: lambda block, op: replace(block, is_active=False),
    ops.RestoreBlock: lambda block, op: replace(block, is_active=True, label=op.label or block.label),
}

_CELLS: Mapping[type[Operation], str] = {
    ops.SetLabel: "label",
    ops.SetDescription: "description",
    ops.SetBlockType: "block_type",
    ops.SetCharLimit: "char_limit",
    ops.SetPinned: "pinned",
    ops.SetPermission: "permission",
}
"""The cell that an operation sets, of those that may be set to what they show."""

ROW_OPERATIONS = frozenset((*_CHANGES, ops.AttachBlock, ops.DetachBlock))


class RowWriter:
    """Writes the rows of blocks. Who may write is decided before."""

    def __init__(self, contents: ContentWriter, journal: Journal) -> None:
        self._contents = contents
        self._journal = journal

    async def create(self, tx: Transaction, intent: Intent, operation: ops.CreateBlock) -> Receipt:
        """Make a block.

        Raises:
            RefusedError: ``refused.not_owner``, ``refused.exists``, those of labels, limits and content.
            NotFoundError: ``not_found.agent``, when nobody of that id could own it.
        """
        actor = intent.actor
        if actor.kind is ActorKind.AGENT and operation.owner != actor.id:
            raise refused("refused.not_owner", label=operation.label, agent=actor.name)
        if operation.owner != CONSTELLATION_OWNER:
            await agents.require(tx, operation.owner)
        block_id = intent.edit.target.id or self._journal.ids("blk")
        if await blocks.get(tx, block_id) is not None:
            raise refused("refused.exists", id=block_id)
        at = self._journal.moment(intent)
        block = Block(
            id=block_id,
            owner=operation.owner,
            label=operation.label,
            description=operation.description,
            block_type=operation.block_type,
            schema=operation.schema,
            char_limit=operation.char_limit,
            permission=operation.permission,
            pinned=operation.pinned,
            is_active=True,
            created_at=at,
            updated_at=at,
            metadata=operation.metadata,
        )
        json_columns.parse(block.metadata)
        _check_char_limit(block)
        _check_schema(operation.schema)
        await _require_free_label(tx, block)
        return await self._contents.create(tx, intent, block, operation)

    async def apply(self, tx: Transaction, intent: Intent, state: BlockState) -> Receipt:
        """Apply an operation on a block's row.

        Raises:
            RefusedError: the change breaks a rule.
        """
        operation = intent.edit.operation
        if isinstance(operation, ops.AttachBlock):
            return await self._attach(tx, intent, state.block, operation)
        if isinstance(operation, ops.DetachBlock):
            return await self._detach(tx, intent, state.block, operation)
        block = state.block
        changed = _CHANGES[type(operation)](block, operation)
        anew = await _damaged(tx, block, operation) if changed == block else ()
        if changed == block and not anew:
            return self._journal.receipt(intent, block_ref(block), None)
        if isinstance(operation, ops.SetSchema):
            _check_schema(operation.schema)
        await self._check(tx, block, changed)
        changed = replace(changed, updated_at=self._journal.moment(intent))
        await blocks.update(tx, block, changed, anew)
        tell_of_block(self._journal, tx, intent, changed)
        differences = (_difference(block, changed), _difference(changed, block))
        seq = await self._journal.record(
            tx, intent, block_ref(block), owner=block.owner, differences=differences
        )
        skipped: tuple[str, ...] = ()
        if isinstance(operation, ops.SetSchema):
            skipped = await self._contents.convert(tx, intent, state, changed, seq)
        await self._contents.index(tx, changed)
        return self._journal.receipt(intent, block_ref(block), seq, None, skipped)

    async def _check(self, tx: Transaction, block: Block, changed: Block) -> None:
        _check_char_limit(changed)
        if changed.is_active and (changed.label != block.label or not block.is_active):
            await _require_free_label(tx, changed)

    async def _attach(
        self, tx: Transaction, intent: Intent, block: Block, operation: ops.AttachBlock
    ) -> Receipt:
        await agents.require(tx, operation.agent_id)
        if block.owner == CONSTELLATION_OWNER:
            raise refused("refused.seen_by_all", label=block.label)
        if block.owner == operation.agent_id:
            raise refused("refused.own_block", label=block.label)
        before = await attachments.get(tx, block.id, operation.agent_id)
        if before is None:
            at = await attachments.next_time(tx, self._journal.moment(intent))
        else:
            at = before.attached_at
        after = Attachment(block.id, operation.agent_id, operation.permission, at)
        if before != after:
            await attachments.put(tx, before, after)
        return await self._attachment_changed(tx, intent, block, before, after)

    async def _detach(
        self, tx: Transaction, intent: Intent, block: Block, operation: ops.DetachBlock
    ) -> Receipt:
        before = await attachments.get(tx, block.id, operation.agent_id)
        if before is None:
            # One that is there may be of an agent that is not.
            await agents.require(tx, operation.agent_id)
        await attachments.remove(tx, block.id, operation.agent_id)
        return await self._attachment_changed(tx, intent, block, before, None)

    async def _attachment_changed(
        self,
        tx: Transaction,
        intent: Intent,
        block: Block,
        before: Attachment | None,
        after: Attachment | None,
    ) -> Receipt:
        existing = before or after
        ref = Ref(RefKind.ATTACHMENT, block.id, None if existing is None else existing.agent_id)
        if before == after:
            return self._journal.receipt(intent, ref, None)
        tell_of_block(self._journal, tx, intent, block)
        seq = await self._journal.record(tx, intent, ref, owner=block.owner, differences=(before, after))
        return self._journal.receipt(intent, ref, seq)


async def _damaged(tx: Transaction, block: Block, operation: Operation) -> tuple[str, ...]:
    """The cell that an operation sets, when what lies there is damaged: what it shows may be what is meant."""
    found = await damaged_cells(tx, "blocks", (block.id,)) if type(operation) in _CELLS else ()
    return tuple(name for name in found if name == _CELLS[type(operation)])


async def _require_free_label(tx: Transaction, block: Block) -> None:
    check_label(block.label)
    seen = appearance(block.label)
    for taken, label in await blocks.labels_of(tx, block.owner):
        if taken != block.id and appearance(label) == seen:
            raise refused("refused.label_taken", label=block.label, by=taken)


def _check_schema(schema: Schema) -> None:
    fault = schema_fault(schema)
    if fault is not None:
        raise RefusedError(fault)


def _check_char_limit(block: Block) -> None:
    if block.char_limit < 0:
        raise refused("refused.char_limit_negative", label=block.label, limit=block.char_limit)
    if block.char_limit > LARGEST_INTEGER:
        raise refused("refused.char_limit_too_large", label=block.label, most=LARGEST_INTEGER)


def _difference(block: Block, other: Block) -> dict[str, Any]:
    plain, compared = to_plain(block), to_plain(other)
    return {name: value for name, value in plain.items() if value != compared[name]}


def check_label(label: str) -> None:
    """Pass if that can be a label.

    Raises:
        RefusedError: ``refused.label_empty``, or ``refused.label_unprintable`` with the character's place.
    """
    if not appearance(label):
        raise refused("refused.label_empty")
    for place, character in enumerate(label):
        if not is_printable(character):
            code_point = f"U+{ord(character):04X}"
            raise refused("refused.label_unprintable", position=place, character=code_point)
