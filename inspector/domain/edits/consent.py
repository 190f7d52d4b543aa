"""Operations on consent requests, answers, grants and the partner."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from inspector.domain.blocks import Permission
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation


class ConsentState(StrEnum):
    """How a consent request stands."""

    PENDING = "pending"
    GRANTED = "granted"
    DENIED = "denied"
    TIMED_OUT = "timed_out"


class ConsentDecision(StrEnum):
    """What a person says to a request: this once, until a time, from now on for this block or for all, or no."""

    ONCE = "once"
    FOR_A_TIME = "for_a_time"
    FOR_BLOCK = "for_block"
    FOR_AGENT = "for_agent"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class RequestConsent(Operation):
    """Store an edit that waits for a person, until `expires_at` (None: without end).

    A state other than pending, and the answer, are for importers.
    """

    op: ClassVar[str] = "request_consent"
    agent_id: str
    edit: Edit
    level: Permission
    reason: str = ""
    expires_at: datetime | None = None
    state: ConsentState = ConsentState.PENDING
    answered_at: datetime | None = None
    answered_by: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerConsent(Operation):
    """Answer the target request. Anything but a no applies its edit in the same transaction.

    `until` is the end of what is granted ``for_a_time``. `edited` is applied in place of the edit that was asked for,
    as the answering person's own. `words` are what the agent is to read.
    """

    op: ClassVar[str] = "answer_consent"
    decision: ConsentDecision
    until: datetime | None = None
    edited: Edit | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class TimeOutConsent(Operation):
    """Close the target request, whose time is over without an answer."""

    op: ClassVar[str] = "time_out_consent"


@dataclass(frozen=True, slots=True)
class GrantConsent(Operation):
    """Let an agent write without asking. The target's id is the new grant's (empty: make one).

    `block_id` None means all blocks that the agent sees; `expires_at` None until it is taken back; `uses`
    None any number of edits. `revoked_at` and `granted_by` are for importers.
    """

    op: ClassVar[str] = "grant_consent"
    agent_id: str
    block_id: str | None = None
    expires_at: datetime | None = None
    uses: int | None = None
    request_id: str | None = None
    granted_by: str | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RevokeGrant(Operation):
    """Take the target grant back: from now on the agent asks again."""

    op: ClassVar[str] = "revoke_grant"


@dataclass(frozen=True, slots=True)
class SetPartner(Operation):
    """Say who the partner is; an empty `person_id` leaves the constellation without one."""

    op: ClassVar[str] = "set_partner"
    person_id: str
    name: str = ""
