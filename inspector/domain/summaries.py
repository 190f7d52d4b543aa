"""Summaries of messages and of other summaries."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.actor import Actor
from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PositionRange:
    """Message positions from `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SummaryDetails:
    """What a summary keeps apart from its text."""

    decisions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """`depth` 0 is of messages (`covers` is a range), n + 1 is of summaries of depth n (`children`)."""

    id: str
    agent_id: str
    content: str
    topics: tuple[str, ...]
    start: datetime
    end: datetime
    message_count: int
    depth: int
    previous_summary_id: str | None
    covers: PositionRange | None
    children: tuple[str, ...]
    details: SummaryDetails
    created_at: datetime
    is_deleted: bool = False


class ChainEnd(StrEnum):
    """Why a chain of summaries goes no further back."""

    BEGINNING = "beginning"
    LIMIT = "limit"
    MISSING = "missing"
    DELETED = "deleted"
    CYCLE = "cycle"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class SummaryChain:
    """Summaries from the newest back, each the one before the last.

    `at` is the id of the link that is not in: the missing, deleted or unreadable one, the one that was in already,
    or the next one behind a limit; None at the beginning.
    """

    summaries: tuple[Summary, ...]
    end: ChainEnd
    at: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryChildren:
    """What a summary was made of, in its order, and the ids of those that are not there or cannot be read."""

    summaries: tuple[Summary, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryVersion:
    """A summary as a change left it; `seq` is the number of the change, None for a first state nobody recorded."""

    summary: Summary
    seq: int | None
    at: datetime
    actor: Actor | None
    operation: str
    reason: str = ""
