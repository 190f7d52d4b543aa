"""Rows of a running agent: its message queue, wakeups and model calls."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass

TEST_CALL = "test"
"""The kind of a model call that a person made to see the reply; the agent knows nothing of it."""
SUMMARY_CALL = "summary"
"""The kind of a model call that was made for a summary: what it sent is a prompt, and no Request of the agent."""
APART = (TEST_CALL, SUMMARY_CALL)
"""The kinds of model calls that are no step of the agent's conversation."""


class QueueState(StrEnum):
    """How a queued message stands."""

    PENDING = "pending"
    RUNNING = "running"
    PROCESSED = "processed"
    FAILED = "failed"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message for an agent. `metadata` is JSON text."""

    id: str
    from_agent_id: str | None
    target_agent_id: str
    content: str
    priority: int
    metadata: str
    origin: str
    state: QueueState
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None = None
    processed_at: datetime | None = None
    lease_until: datetime | None = None
    last_error: str | None = None


@dataclass(frozen=True, slots=True)
class Wakeup:
    """A message to an agent at a time, or every so often (`every_seconds`)."""

    id: str
    agent_id: str
    content: str
    at: datetime
    every_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider reported them.

    `input_tokens` is the whole input, what was read from a cache and written to one among it; what a provider
    reports apart is added up by whoever reads its answer.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model. The Request's text form is stored apart, by its hash."""

    id: str
    agent_id: str
    kind: str
    model: str
    request_hash: str
    manifest_digest: str
    started_at: datetime
    duration_ms: int | None
    first_token_ms: int | None
    usage: TokenUsage
    reply: str
    error: str | None
    changes_seq: int
    """The number of the last change when the Request was built: what a rebuild as of then reads."""
    metadata: str = "{}"
