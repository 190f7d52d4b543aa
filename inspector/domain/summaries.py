"""Summaries of messages and of summaries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
