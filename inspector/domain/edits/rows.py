"""Operations on agents, tools, messages, summaries, events and model calls."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import ClassVar

from inspector.domain.activity import Importance
from inspector.domain.agents import AgentStatus, ContextConfig, SettingsBase, Tool, ToolRuleKind
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation
from inspector.domain.layouts import Layout
from inspector.domain.limits import HistoryState
from inspector.domain.messages import IF_SET, BatchType, Part, Role
from inspector.domain.records import QueueState, TokenUsage
from inspector.domain.summaries import PositionRange, SummaryDetails


@dataclass(frozen=True, slots=True)
class CreateAgent(Operation):
    """Make an agent; the target's id is the new agent's (empty: make one)."""

    op: ClassVar[str] = "create_agent"
    name: str
    persona: str = ""
    instructions: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    parameters: str = "{}"
    config: ContextConfig = ContextConfig()
    tools: tuple[str, ...] = ()
    status: AgentStatus = AgentStatus.ACTIVE
    metadata: str = "{}"


@dataclass(frozen=True, slots=True)
class ConfigureAgent(Operation):
    """Change an agent; None leaves as is.

    With `base`, what the settings were before, only what differs from it is written: others' changes since stay.
    """

    op: ClassVar[str] = "configure_agent"
    name: str | None = None
    persona: str | None = None
    instructions: tuple[str, ...] | None = None
    provider: str | None = None
    model: str | None = None
    parameters: str | None = None
    config: ContextConfig | None = None
    tools: tuple[str, ...] | None = None
    status: AgentStatus | None = None
    metadata: str | None = None
    base: SettingsBase | None = field(default=None, metadata={IF_SET: True})


@dataclass(frozen=True, slots=True)
class PutTool(Operation):
    """Register a tool, or replace the one of that name. The target's id is the tool's name."""

    op: ClassVar[str] = "put_tool"
    tool: Tool


@dataclass(frozen=True, slots=True)
class PutLayout(Operation):
    """Add a layout of one's own, or replace the one of that name. The target's id is the layout's name."""

    op: ClassVar[str] = "put_layout"
    layout: Layout


@dataclass(frozen=True, slots=True)
class PutToolRule(Operation):
    """Set a rule for one agent's tool."""

    op: ClassVar[str] = "put_tool_rule"
    agent_id: str
    tool: str
    kind: ToolRuleKind
    detail: str = "{}"


@dataclass(frozen=True, slots=True)
class AppendMessage(Operation):
    """Add a message at the end of an agent's conversation; the store gives out the position."""

    op: ClassVar[str] = "append_message"
    agent_id: str
    batch_id: str
    role: Role
    content: tuple[Part, ...]
    batch_type: BatchType = BatchType.USER_REQUEST
    source: str = ""
    name: str | None = None
    metadata: str = "{}"
    is_archived: bool = False
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class EditMessage(Operation):
    """Replace the parts of a message."""

    op: ClassVar[str] = "edit_message"
    content: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class ArchiveMessage(Operation):
    """Take a message out of, or back into, the conversation that is sent."""

    op: ClassVar[str] = "archive_message"
    archived: bool = True


@dataclass(frozen=True, slots=True)
class StoreSummary(Operation):
    """Add a summary of an agent's messages or summaries."""

    op: ClassVar[str] = "store_summary"
    agent_id: str
    content: str
    topics: tuple[str, ...]
    start: datetime
    end: datetime
    message_count: int
    depth: int = 0
    previous_summary_id: str | None = None
    covers: PositionRange | None = None
    children: tuple[str, ...] = ()
    details: SummaryDetails = SummaryDetails()


@dataclass(frozen=True, slots=True)
class EditSummary(Operation):
    """Change a summary; None leaves as is."""

    op: ClassVar[str] = "edit_summary"
    content: str | None = None
    topics: tuple[str, ...] | None = None
    details: SummaryDetails | None = None


@dataclass(frozen=True, slots=True)
class LogEvent(Operation):
    """Record an event. Agents' tools may not."""

    op: ClassVar[str] = "log_event"
    agent_id: str | None
    kind: str
    details: str
    importance: Importance | None = None
    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class EnqueueMessage(Operation):
    """Put a message into an agent's queue. The state other than pending is for importers."""

    op: ClassVar[str] = "enqueue_message"
    from_agent_id: str | None
    target_agent_id: str
    content: str
    priority: int = 0
    metadata: str = "{}"
    origin: str = ""
    state: QueueState = QueueState.PENDING
    attempts: int = 0
    last_error: str | None = None
    next_attempt_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SetQueueState(Operation):
    """Let a queued message be tried again (pending), or move it to the dead letters; failed is for undo.

    `next_attempt_at` is the earliest moment of the next try, None for at once.
    """

    op: ClassVar[str] = "set_queue_state"
    state: QueueState
    next_attempt_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SetWakeup(Operation):
    """Wake an agent at a time, or every so often."""

    op: ClassVar[str] = "set_wakeup"
    agent_id: str
    content: str
    wake_at: datetime
    every_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class StoreRun(Operation):
    """Keep a sent Request: its text form and manifest (JSON text) with what came of it.

    `history_state` is how far its history was shortened: the next Request begins as this one did.
    """

    op: ClassVar[str] = "store_run"
    agent_id: str
    kind: str
    model: str
    request_text: str
    manifest: str
    duration_ms: int | None = None
    first_token_ms: int | None = None
    usage: TokenUsage = TokenUsage()
    reply: str = ""
    error: str | None = None
    metadata: str = "{}"
    history_state: HistoryState | None = None


@dataclass(frozen=True, slots=True)
class CompactHistory(Operation):
    """Keep how far an agent's history is shortened, without a Request being sent. No message is changed."""

    op: ClassVar[str] = "compact_history"
    state: HistoryState


@dataclass(frozen=True, slots=True)
class SetMeta(Operation):
    """Change a fact of the constellation itself (``partner_id``, ``partner_name``, ``name``)."""

    op: ClassVar[str] = "set_meta"
    name: str
    value: str
