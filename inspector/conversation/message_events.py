"""What activity tells of a message: received, sent, or the outcome of a tool's call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.domain.activity import FAILURE_IMPORTANCE, PREVIEW_KEPT, EventKind, Importance, Told
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.messages import Message, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.rendering.activity import shorten


def needs_calls(message: Message) -> bool:
    """Whether the events of a message name tools that only earlier messages of its batch tell."""
    return not message.compiled and any(isinstance(part, ToolResultPart) for part in message.content)


def events_of(message: Message, actor: Actor, batch: Sequence[Message] = ()) -> Iterator[Told]:
    """The events of a message that was added; none for a stored prompt of another program.

    A reply that asks for tools is not sent to anybody yet, so only its last message tells.

    Args:
        message: The message.
        actor: Who added it.
        batch: The messages of its batch, for the names of the tools that were called.
    """
    if message.compiled:
        return
    text = " ".join(part.text for part in message.content if isinstance(part, TextPart)).strip()
    has_results = False
    tools = {part.id: part.name for each in batch for part in each.content if isinstance(part, ToolCallPart)}
    for part in message.content:
        if isinstance(part, ToolResultPart):
            has_results = True
            details: dict[str, object] = {"tool": tools.get(part.call_id, "?"), "success": not part.is_error}
            importance = FAILURE_IMPORTANCE if part.is_error else None
            yield _told(message, EventKind.TOOL_CALLED, details, importance)
    if message.role is Role.USER and (text or not has_results):
        details = {"source": _source(message, actor), "preview": shorten(text, PREVIEW_KEPT)}
        yield _told(message, EventKind.MESSAGE_RECEIVED, details)
    elif message.role is Role.ASSISTANT and text and not _asks_for_tools(message):
        yield _told(message, EventKind.MESSAGE_SENT, {"preview": shorten(text, PREVIEW_KEPT)})


def _told(
    message: Message, kind: EventKind, details: Mapping[str, object], importance: Importance | None = None
) -> Told:
    return Told(message.agent_id, kind.value, details, importance, message.batch_id)


def _asks_for_tools(message: Message) -> bool:
    return any(isinstance(part, ToolCallPart) for part in message.content)


def _source(message: Message, actor: Actor) -> str:
    """Whom it is from: as the message has it, else who added it, if that is not the engine or the agent itself."""
    if message.name:
        return message.name
    is_other = actor.kind is ActorKind.AGENT and actor.id != message.agent_id
    if actor.is_person or is_other:
        return actor.name
    return message.source or message.role.value
