"""Activity events: what happened, logged by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum

from inspector.domain.dataclass import dataclass

ACTIVITY_LEAD_LINE = "The following events occurred recently in the constellation:"
PREVIEW_KEPT = 80
"""Characters of a message that its event keeps; what is shown of them is less (`rendering.activity`)."""


class Importance(IntEnum):
    """The importance of an event, ordered as numbers."""

    LOW = 0
    MEDIUM = 1
    HIGH = 2
    CRITICAL = 3

    @property
    def label(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, label: str) -> Importance:
        return cls[label.upper()]


class EventKind(StrEnum):
    """The kinds with a text of their own; any other kind is shown as custom, unchanged."""

    MESSAGE_RECEIVED = "message_received"
    MESSAGE_SENT = "message_sent"
    TOOL_CALLED = "tool_called"
    MEMORY_MODIFIED = "memory_modified"
    ARCHIVAL_OPERATION = "archival_operation"
    CONTEXT_COMPRESSED = "context_compressed"
    HEARTBEAT = "heartbeat"
    TASK_CHANGED = "task_changed"
    AGENT_STATUS_CHANGED = "agent_status_changed"
    EXTERNAL_EVENT = "external_event"
    COORDINATION = "coordination"
    SYSTEM = "system"
    CUSTOM = "custom"


DEFAULT_IMPORTANCE: dict[EventKind, Importance] = {
    EventKind.MESSAGE_RECEIVED: Importance.MEDIUM,
    EventKind.MESSAGE_SENT: Importance.MEDIUM,
    EventKind.TOOL_CALLED: Importance.LOW,
    EventKind.MEMORY_MODIFIED: Importance.MEDIUM,
    EventKind.ARCHIVAL_OPERATION: Importance.MEDIUM,
    EventKind.CONTEXT_COMPRESSED: Importance.HIGH,
    EventKind.HEARTBEAT: Importance.LOW,
    EventKind.TASK_CHANGED: Importance.MEDIUM,
    EventKind.AGENT_STATUS_CHANGED: Importance.MEDIUM,
    EventKind.EXTERNAL_EVENT: Importance.MEDIUM,
    EventKind.COORDINATION: Importance.MEDIUM,
    EventKind.SYSTEM: Importance.LOW,
    EventKind.CUSTOM: Importance.MEDIUM,
}


FAILURE_IMPORTANCE = Importance.HIGH
"""Of a tool's call that failed."""


_BY_NAME = {kind.value: importance for kind, importance in DEFAULT_IMPORTANCE.items()}


def default_importance(kind: str) -> Importance:
    """What a kind has where nothing is said; a kind that is not known has that of custom ones."""
    return _BY_NAME.get(kind, DEFAULT_IMPORTANCE[EventKind.CUSTOM])


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `kind` is the stored name, known or not; `details` is JSON text as stored.

    `agent_id` None means the system. Order is that of `seq`: when it was written, whatever the clock said.
    """

    id: str
    seq: int
    agent_id: str | None
    kind: str
    details: str
    importance: Importance
    timestamp: datetime
    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event before it is written; without `importance` its kind's own."""

    agent_id: str | None
    kind: str
    details: Mapping[str, object]
    importance: Importance | None = None
    batch_id: str | None = None
