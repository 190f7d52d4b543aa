"""Messages, their parts, and the batches they form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from inspector.domain.dataclass import dataclass

IF_SET = "if_set"
"""Marks a field of a value that its JSON has only where it differs from the default."""


def _extra_body() -> str:
    """Further fields of a recorded part, as JSON, in the form that its message came in; empty for none."""
    made: str = field(default="", metadata={IF_SET: True})
    return made


class Role(StrEnum):
    """Who speaks in a message: system, user, assistant or tool."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class BatchType(StrEnum):
    """What caused the messages of a batch."""

    USER_REQUEST = "user_request"
    AGENT_TO_AGENT = "agent_to_agent"
    SYSTEM_TRIGGER = "system_trigger"
    CONTINUATION = "continuation"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a message that is plain text."""

    text: str
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image: its media type, size in pixels (0 when unknown) and base64 data or an address."""

    media_type: str
    width: int
    height: int
    data: str
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """A model's thinking, with the signature that must come back unmodified."""

    text: str
    signature: str | None = None
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class RedactedThinkingPart:
    """Thinking that only the provider can read."""

    data: str
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A call. `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """The result of the call with that id. In a recorded tool's message, parts behind it are within it."""

    call_id: str
    content: str
    is_error: bool = False
    extra_body: str = _extra_body()


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """A part that only one provider's form has, such as a document or a call of the provider's own tool.

    Attributes:
        form: The form it came in, as a `WireForm` names it.
        kind: What that form calls it, such as ``document``.
        data: Its JSON, to be sent as it came.
    """

    form: str
    kind: str
    data: str


Part = (
    TextPart | ImagePart | ThinkingPart | RedactedThinkingPart | ToolCallPart | ToolResultPart | ProviderPart
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `position` orders an agent's messages strictly.

    `compiled` marks a stored prompt of another program that repeats all memory: kept for comparison,
    never sent. `problem` says why a row could not be read; its parts are then empty.
    """

    id: str
    agent_id: str
    position: int
    batch_id: str
    sequence_in_batch: int
    role: Role
    content: tuple[Part, ...]
    batch_type: BatchType
    created_at: datetime
    source: str = ""
    name: str | None = None
    metadata: str = "{}"
    is_archived: bool = False
    is_deleted: bool = False
    compiled: bool = False
    problem: str | None = None


@dataclass(frozen=True)
class Batch:
    """The messages of one turn, in order."""

    id: str
    messages: tuple[Message, ...]

    @cached_property
    def open_calls(self) -> frozenset[str]:
        calls: set[str] = set()
        for message in self.messages:
            for part in message.content:
                if isinstance(part, ToolCallPart):
                    calls.add(part.id)
                elif isinstance(part, ToolResultPart):
                    calls.discard(part.call_id)
        return frozenset(calls)

    @cached_property
    def is_complete(self) -> bool:
        """No call waits for its result and it ends in an assistant's or a tool's message."""
        if not self.messages or self.open_calls:
            return False
        return self.messages[-1].role in (Role.ASSISTANT, Role.TOOL)

    @cached_property
    def sendable(self) -> tuple[Message, ...]:
        """Those of its messages that may be sent at all."""
        return sendable_messages(self)

    @cached_property
    def is_paired(self) -> bool:
        """Whether of what may be sent each call has its result behind it, and each result its call before it."""
        return is_paired(self.sendable)

    @property
    def is_unanswered(self) -> bool:
        """Whether a model's reply is what comes next: the last message isn't its own, and no call is open."""
        sent = self.sendable
        return bool(sent) and sent[-1].role not in (Role.ASSISTANT, Role.TOOL) and self.is_paired


def call_names(messages: Iterable[Message]) -> Mapping[str, str]:
    """The names of the tools that were called, by call id; of several calls with one id the last."""
    return {
        part.id: part.name
        for message in messages
        for part in message.content
        if isinstance(part, ToolCallPart)
    }


def is_sendable(message: Message) -> bool:
    """Whether a message may be sent at all."""
    return not (message.is_archived or message.is_deleted or message.compiled or message.problem)


def sendable_messages(batch: Batch) -> tuple[Message, ...]:
    """Those of a batch's messages that may be sent at all."""
    if all(map(is_sendable, batch.messages)):
        return batch.messages
    return tuple(filter(is_sendable, batch.messages))


def is_paired(messages: Sequence[Message]) -> bool:
    """Whether each call has its result behind it, and each result its call before it."""
    waiting: set[str] = set()
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolCallPart):
                waiting.add(part.id)
            elif isinstance(part, ToolResultPart):
                if part.call_id not in waiting:
                    return False
                waiting.remove(part.call_id)
    return not waiting
