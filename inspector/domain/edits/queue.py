"""Operations on queued messages by the process that has them in hand."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.records import QueueState


@dataclass(frozen=True, slots=True)
class LeaseMessage(Operation):
    """Take a queued message for one try: no other process takes it before `lease_until`."""

    op: ClassVar[str] = "lease_message"
    lease_until: datetime


@dataclass(frozen=True, slots=True)
class SettleMessage(Operation):
    """End the try number `attempt` of a message that this process has leased.

    A state of pending hands it back, and the try doesn't count. `next_attempt_at` is for one that failed.
    """

    op: ClassVar[str] = "settle_message"
    attempt: int
    state: QueueState = QueueState.PROCESSED
    last_error: str | None = None
    next_attempt_at: datetime | None = None
