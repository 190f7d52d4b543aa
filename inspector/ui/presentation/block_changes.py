"""The operations that give a block other settings, and the block that operations would make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from inspector.domain.blocks import Block, Permission, UnreadableSchema
from inspector.domain.edits.base import Operation
from inspector.domain.edits.block_rows import (
    Rename,
    SetBlockType,
    SetCharLimit,
    SetDescription,
    SetLabel,
    SetPermission,
    SetPinned,
    SetSchema,
)


def operations(
    before: Block, after: Block, renames: Sequence[Rename] = (), *, accept_loss: bool = False
) -> tuple[Operation, ...]:
    """What makes the one block the other, in an order in which no step forbids the next."""
    found = list(_rows(before, after))
    if before.schema == after.schema or isinstance(after.schema, UnreadableSchema):
        return tuple(found)
    schema = SetSchema(after.schema, accept_loss, tuple(renames))
    at = next((at for at, each in enumerate(found) if _narrows(before, each)), len(found))
    return (*found[:at], schema, *found[at:])


def with_operations(block: Block, made: Iterable[Operation]) -> tuple[Block, tuple[Rename, ...]]:
    """The block with operations on its row applied, and what they rename in its schema."""
    renames: tuple[Rename, ...] = ()
    for each in made:
        match each:
            case SetLabel(label):
                block = replace(block, label=label)
            case SetDescription(description):
                block = replace(block, description=description)
            case SetBlockType(block_type):
                block = replace(block, block_type=block_type)
            case SetCharLimit(limit):
                block = replace(block, char_limit=limit)
            case SetPermission(permission):
                block = replace(block, permission=permission)
            case SetPinned(pinned):
                block = replace(block, pinned=pinned)
            case SetSchema():
                block, renames = replace(block, schema=each.schema), each.renamed
    return block, renames


def _rows(before: Block, after: Block) -> Iterator[Operation]:
    """What changes the row, and last what could forbid a change of schema."""
    if before.label != after.label:
        yield SetLabel(after.label)
    if before.description != after.description:
        yield SetDescription(after.description)
    if before.block_type is not after.block_type:
        yield SetBlockType(after.block_type)
    if before.pinned != after.pinned:
        yield SetPinned(after.pinned)
    last: list[Operation] = []
    if before.char_limit != after.char_limit:
        last.append(SetCharLimit(after.char_limit))
    if before.permission is not after.permission:
        last.append(SetPermission(after.permission))
    yield from sorted(last, key=lambda each: _narrows(before, each))


def _narrows(before: Block, operation: Operation) -> bool:
    """Whether less can be written after it than before."""
    if isinstance(operation, SetCharLimit):
        limit = before.char_limit
        return operation.char_limit != 0 and (limit == 0 or operation.char_limit < limit)
    return isinstance(operation, SetPermission) and operation.permission in (
        Permission.READ_ONLY,
        Permission.PARTNER,
    )
