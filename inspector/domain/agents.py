"""Agents, their settings and their tools."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.activity import ACTIVITY_LEAD_LINE, Importance
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import LimitOverrides, Strategy, Truncate


class AgentStatus(StrEnum):
    """Whether an agent may run."""

    ACTIVE = "active"
    PAUSED = "paused"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class ActivitySettings:
    """What of the recent activity stands in the prompt, and how.

    `own_events_cap` holds only while others' events would be displaced. `lead_line` stands before the events (empty:
    nothing does), `date_lines` where the day changes.
    """

    entries_limit: int = 15
    lookback_hours: float = 24
    min_importance: Importance = Importance.LOW
    own_events_cap: int = 3
    lead_line: str = ACTIVITY_LEAD_LINE
    date_lines: bool = True


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """How an agent's Request is built; every one can be switched in a what-if."""

    limits: LimitOverrides = LimitOverrides()
    layout: str = "standard"
    strategy: Strategy = Truncate()
    include_descriptions: bool = True
    include_schemas: bool = False
    activity: ActivitySettings = ActivitySettings()
    max_messages_cap: int = 500


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. `parameters` and `metadata` are JSON text; times are UTC."""

    id: str
    name: str
    persona: str
    instructions: tuple[str, ...]
    provider: str
    model: str
    parameters: str
    config: ContextConfig
    tools: tuple[str, ...]
    status: AgentStatus
    metadata: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SettingsBase:
    """What the settings that a change is about were when it began; None for those that it leaves."""

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


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as offered to a model. `parameters` is a JSON Schema as JSON text; `examples` are texts."""

    name: str
    description: str
    parameters: str
    examples: tuple[str, ...] = ()
    metadata: str = "{}"


class ToolRuleKind(StrEnum):
    """What a rule asks of a tool's use."""

    CONTINUE = "continue"
    EXIT = "exit"
    REQUIRES_PRECEDING = "requires_preceding"
    MAX_CALLS = "max_calls"
    COOLDOWN = "cooldown"
    REQUIRES_CONSENT = "requires_consent"


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A rule for one agent's tool. `detail` is JSON text: the kind's own numbers and names."""

    id: str
    agent_id: str
    tool: str
    kind: ToolRuleKind
    detail: str = "{}"
