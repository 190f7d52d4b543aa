"""The versions of a block's content."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.edits.base import Version


@dataclass(frozen=True, slots=True)
class BlockVersion:
    """One stored delta. `operation` is its JSON text as stored; `size` the delta's bytes.

    `change_seq` is the number of its change; `folded` says that its bytes live in a checkpoint by now.
    """

    seq: int
    change_seq: int
    before: Version
    version: Version
    operation: str
    actor: Actor
    reason: str
    at: datetime
    size: int
    folded: bool
    tool_call_id: str | None = None
    changeset: str | None = None
    undo_of: int | None = None
