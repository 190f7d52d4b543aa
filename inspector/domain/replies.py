"""Replies of models: what streams in, how it ends, and why a call failed."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.messages import Part
from inspector.domain.records import TokenUsage


class StopReason(StrEnum):
    """Why a reply ended, whatever its provider calls it."""

    END = "end"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    STOP_SEQUENCE = "stop_sequence"
    REFUSAL = "refusal"
    PAUSED = "paused"
    STOPPED = "stopped"
    """A person stopped it."""
    FAILED = "failed"
    UNKNOWN = "unknown"


class FailureKind(StrEnum):
    """Kinds of failed calls, each with a recovery of its own or none."""

    THINKING_ORDER = "thinking_order"
    EMPTY_CONTENTS = "empty_contents"
    UNPAIRED_CALLS = "unpaired_calls"
    UNPAIRED_RESULTS = "unpaired_results"
    PROMPT_TOO_LONG = "prompt_too_long"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    QUOTA = "quota"
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    INVALID_REQUEST = "invalid_request"
    SERVER = "server"
    CONNECTION = "connection"
    OFFLINE = "offline"
    """The user works offline: nothing was sent."""
    TIMEOUT = "timeout"
    BAD_REPLY = "bad_reply"
    """The server sent what is no reply of its form, or more than the limits allow."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why a call gave no whole reply.

    Attributes:
        kind: What it was, read from status and error type first, by the server's words last.
        message: The server's own words, untrusted; empty where it said none.
        status: The HTTP status, or None where none was read.
        retry_after: Seconds after which the server takes the call again, where it says so.
        code: A key of the word catalogue for what went wrong on our side, else empty.
        parameters: What that sentence names.
        overflow: Tokens of the Request and the most that are taken, where the server named them.
    """

    kind: FailureKind
    message: str = ""
    status: int | None = None
    retry_after: float | None = None
    code: str = ""
    parameters: Parameters = field(default_factory=dict)
    overflow: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of the model's thinking, as far as the provider shows it."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """More of a tool call: `index` is its place among the reply's calls, `arguments` more of the JSON text."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class UsageDelta:
    """What the provider has charged so far; a later one replaces it."""

    usage: TokenUsage


@dataclass(frozen=True, slots=True)
class RawEvent:
    """One event of the stream as it came, before anything is read from it."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as far as it came, also of a call that failed or was stopped.

    Attributes:
        parts: Text, thinking and tool calls in the order that they began in.
        stop: Why it ended.
        provider_stop: What the provider calls that; untrusted.
        usage: Tokens as reported last.
        failure: Why it is not whole, or None.
        first_token_ms: Milliseconds from sending to the first delta, None where none came.
        duration_ms: Milliseconds from sending to the end.
        status: The HTTP status, None where none was read or nothing was sent over HTTP.
        id: The provider's own id of the reply or request; untrusted.
        raw: The events as they came, newest dropped where they are more than is kept.
    """

    parts: tuple[Part, ...] = ()
    stop: StopReason = StopReason.UNKNOWN
    provider_stop: str = ""
    usage: TokenUsage = field(default_factory=TokenUsage)
    failure: CallFailure | None = None
    first_token_ms: int | None = None
    duration_ms: int = 0
    status: int | None = None
    id: str = ""
    raw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The last event of every call, whole, failed or stopped."""

    reply: Reply


ReplyEvent = TextDelta | ThinkingDelta | CallDelta | UsageDelta | RawEvent | ReplyEnded
