"""Consent requests, grants, and the partner who decides for an agent."""

from __future__ import annotations

from datetime import datetime, timedelta

from inspector.domain.actor import Actor
from inspector.domain.blocks import Permission
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.consent import ConsentDecision, ConsentState
from inspector.domain.errors import Refusal

__all__ = [
    "DEFAULT_WAIT",
    "ConsentDecision",
    "ConsentGrant",
    "ConsentPreview",
    "ConsentRequest",
    "ConsentState",
    "Partner",
]

DEFAULT_WAIT = timedelta(minutes=5)
"""How long an agent waits for an answer unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """An agent's edit that waits for a person's word. Its base version is the one that the agent saw.

    `level` says who may answer: the person set as partner, or anyone. `answered_by` is the id of the person
    who did (`answerer`, where the journal has it). `change` is the number of the change that its edit became,
    None while there is none and when the edit changed nothing. `words` are those of the answer; `is_edited` says that
    another edit was applied than the one that was asked for.
    """

    id: str
    agent_id: str
    edit: Edit
    level: Permission
    reason: str
    state: ConsentState
    created_at: datetime
    answered_at: datetime | None = None
    answered_by: str | None = None
    expires_at: datetime | None = None
    tool_call_id: str | None = None
    batch_id: str | None = None
    asked_by: Actor | None = None
    answerer: Actor | None = None
    change: int | None = None
    words: str = ""
    is_edited: bool = False

    def state_at(self, now: datetime) -> ConsentState:
        """The state as of a moment: a request whose time is over is timed out, whoever notices."""
        if self.state is ConsentState.PENDING and self.expires_at is not None and now >= self.expires_at:
            return ConsentState.TIMED_OUT
        return self.state


@dataclass(frozen=True, slots=True)
class ConsentGrant:
    """A person's word for edits to come. `granted_by` is the person's id, `uses` how many are left."""

    id: str
    agent_id: str
    block_id: str | None
    granted_by: str
    granted_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    uses: int | None = None
    request_id: str | None = None

    def holds_at(self, now: datetime) -> bool:
        if self.revoked_at is not None or self.uses == 0:
            return False
        return self.expires_at is None or now < self.expires_at

    def covers(self, agent_id: str, block_id: str) -> bool:
        return self.agent_id == agent_id and self.block_id in (None, block_id)


@dataclass(frozen=True, slots=True)
class ConsentPreview:
    """What a request's edit would make of the present: the whole text of what it changes, before and after.

    `refusal` is set, and `after` is as before, when it could not be applied any more.
    """

    request: ConsentRequest
    label: str
    before: str
    after: str
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Partner:
    """The person who alone may write, and answer for, blocks of the level partner."""

    id: str
    name: str
