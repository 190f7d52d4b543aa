"""An agent's edit that waits for a person's word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inspector.domain.blocks import Permission
from inspector.domain.edits.base import Edit


class ConsentState(StrEnum):
    """How a consent request stands."""

    PENDING = "pending"
    GRANTED = "granted"
    DENIED = "denied"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """An agent's edit that waits for a person's word."""

    id: str
    agent_id: str
    edit: Edit
    level: Permission
    reason: str
    state: ConsentState
    created_at: datetime
    answered_at: datetime | None = None
    answered_by: str | None = None
