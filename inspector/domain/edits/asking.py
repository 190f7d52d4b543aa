"""What an agent asks for as one: several edits together, or a step of its own to be taken back or made again.

They are kept in requests for consent only. What is done when the answer is yes are the edits themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from inspector.domain.edits.base import Intent, Operation
from inspector.domain.ref import RefKind


@dataclass(frozen=True, slots=True)
class ApplyTogether(Operation):
    """Apply several intents of one actor as one changeset, all or none."""

    op: ClassVar[str] = "apply_together"
    intents: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class TakeStep(Operation):
    """Take back the step that a change belongs to, or with `redo` make it again.

    `blocks` are the ids of those that it writes to, as things stood when it was asked for.
    """

    op: ClassVar[str] = "take_step"
    change: int
    redo: bool = False
    blocks: tuple[str, ...] = ()
    unlock: bool = False


def parts_of(intent: Intent) -> tuple[Intent, ...]:
    """The edits that an intent is made of: itself, or those that are asked for together."""
    operation = intent.edit.operation
    return operation.intents if isinstance(operation, ApplyTogether) else (intent,)


def blocks_of(operation: Operation, target: str) -> tuple[str, ...]:
    """The ids of the blocks that an operation which is asked for would write; `target` is the edit's own."""
    match operation:
        case ApplyTogether(intents):
            targets = (each.edit.target for each in intents)
            return tuple(dict.fromkeys(ref.id for ref in targets if ref.kind is RefKind.BLOCK and ref.id))
        case TakeStep():
            return operation.blocks
    return (target,)
