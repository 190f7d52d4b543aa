"""What an actor can undo, and the result of an undo."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.changes import Change
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Receipt
from inspector.domain.ref import Ref


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What is undone and redone as one: an actor's changes of one changeset, or a single one.

    `changes` are the changes as they were first made, oldest first; never empty. `undone` says where the step
    stands now.
    """

    changes: tuple[Change, ...]
    undone: bool

    @property
    def seq(self) -> int:
        return self.changes[-1].seq

    @property
    def ref(self) -> Ref:
        return self.changes[-1].ref

    @property
    def op(self) -> str:
        return self.changes[-1].kind

    @property
    def at(self) -> datetime:
        return self.changes[-1].at

    @property
    def changeset(self) -> str | None:
        """The changeset that it is, None for a single change."""
        return self.changes[-1].changeset


@dataclass(frozen=True, slots=True)
class UndoStack:
    """An actor's steps that can be undone, and those that can be redone; the next one of each is the first."""

    undo: tuple[UndoStep, ...]
    redo: tuple[UndoStep, ...]


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """Whose step is to be undone or redone, and in what circumstances.

    `ref` limits it to steps that changed that thing (for a block: its content, its row, its sharing), `owner` to
    those that changed anything of that agent's.
    `change` names one step by the number of one of its changes; it need not be the newest then.
    `author` is whose step it is, where a person undoes what somebody else did.
    """

    actor: Actor
    ref: Ref | None = None
    owner: str | None = None
    change: int | None = None
    reason: str = ""
    batch_id: str | None = None
    tool_call_id: str | None = None
    unlock: bool = False
    author: Actor | None = None

    @property
    def steps_of(self) -> Actor:
        return self.author or self.actor


@dataclass(frozen=True, slots=True)
class UndoneStep:
    """A step that was undone or redone.

    `receipts` are of the changes that did it. `skipped` is what was left as it is, because somebody else has
    changed it since (its `part` names the field, item, entry, node or column). `passed` are newer steps of
    which nothing was left to take back, for the same reason.
    """

    step: UndoStep
    receipts: tuple[Receipt, ...]
    skipped: tuple[Ref, ...] = ()
    passed: tuple[UndoStep, ...] = ()
