"""The changes that are published after a transaction is on disk."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.actor import Actor
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Severity
from inspector.domain.ref import Ref


@dataclass(frozen=True, slots=True)
class Change:
    """One committed change. `seq` increases by the commit over the whole file and all processes.

    `kind` is the operation's name, or ``merged`` for updates taken from elsewhere. `own` is False when
    another process made it. `owner` is the agent (or block owner) that the thing belongs to, when it has one.
    """

    seq: int
    kind: str
    ref: Ref
    actor: Actor
    reason: str
    at: datetime
    own: bool = True
    owner: str | None = None
    changeset: str | None = None


class ChangeRole(StrEnum):
    """What a change is in its step: made for the first time, taken back, or made again."""

    DONE = "done"
    UNDONE = "undone"
    REDONE = "redone"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A change as the journal lists it.

    Attributes:
        change: The change.
        role: What it is in its step.
        first: The number of the change that it takes back or makes again; its own where it is the first of its step.
        author: Who made that first one.
        is_undone: Whether the step is taken back by now.
        can_turn: Whether a change of that kind can be taken back and made again.
    """

    change: Change
    role: ChangeRole
    first: int
    author: Actor
    is_undone: bool
    can_turn: bool = False


@dataclass(frozen=True, slots=True)
class FileMoved:
    """Another program did something to the open file, and writing has stopped.

    `what` is ``replaced`` (another file has its name), ``gone`` (moved or deleted), ``overwritten`` (with older or
    other contents), ``version_changed`` or ``switched_to_wal``.
    """

    what: str


@dataclass(frozen=True, slots=True)
class Health:
    """A problem of the file itself that a person should see, or its end (`resolved`)."""

    code: str
    ref: Ref | None
    parameters: tuple[tuple[str, str], ...] = ()
    severity: Severity = Severity.WARNING
    resolved: bool = False
