"""An edit: an operation, its target and its base version, the receipt it returns, and the draft it begins as."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, NewType

from inspector.domain.actor import Actor
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref

Version = NewType("Version", str)
"""A moment in one document's history: opaque text (the hex of encoded Loro frontiers)."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Base of all operations. `op` is the name in JSON and in the database."""

    op: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """An operation on one target.

    `base` is the version that the operation's positions and ids were read from. A stale one is applied
    there and merged; None means the present version.
    """

    target: Ref
    operation: Operation
    base: Version | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """An edit with its circumstances: all that the store is told.

    `at` is None for "now" (the engine's clock); importers give the time that their source names.
    `unlock` is a human's word to write a part that is read-only for its agent.

    """

    edit: Edit
    actor: Actor
    reason: str = ""
    batch_id: str | None = None
    tool_call_id: str | None = None
    at: datetime | None = None
    unlock: bool = False
    undo_of: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an accepted edit did. `seq` is the number of the change, None when it changed nothing.

    `version` is the document's version after it (None for anything but block content). `skipped` names the parts
    that a taking back has left as they are, because they were changed since.
    """

    ref: Ref
    seq: int | None
    version: Version | None
    changed: bool
    actor: Actor
    at: datetime
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadJson:
    """A block's content typed as JSON that can't be read yet: no edit can be made of it.

    Attributes:
        ref: The block.
        base: The content that the text said before something in it was wrong.
        text: The JSON as it is typed.
    """

    ref: Ref
    base: Content
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """One editor's unsaved work on one block: the edit that a save would make, against its base version."""

    ref: Ref
    edit: Edit
    updated_at: datetime
