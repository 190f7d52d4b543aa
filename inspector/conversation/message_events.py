"""Makes the activity events of a message: received, sent, or the result of a tool call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from inspector.domain.activity import FAILURE_IMPORTANCE, PREVIEW_KEPT, EventKind, Importance, NewEvent
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.messages import Message, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.rendering.activity import shorten


def result_ids(message: Message) -> frozenset[str]:
    """The calls whose results a message holds; none of a stored prompt of another program."""
    results = () if message.compiled else message.content
    return frozenset(part.call_id for part in results if isinstance(part, ToolResultPart))


def events_of(
    message: Message, actor: Actor, tools: Mapping[str, str] = MappingProxyType({})
) -> Iterator[NewEvent]:
    """The events of a message that was added; none for a stored prompt of another program.

    A reply that asks for tools is not sent to anybody yet, so only its last message tells.

    Args:
        message: The message.
        actor: Who added it.
        tools: The names of the tools whose results it holds, by call.
    """
    if message.compiled:
        return
    text = " ".join(part.text for part in message.content if isinstance(part, TextPart)).strip()
    has_results = False
    for part in message.content:
        if isinstance(part, ToolResultPart):
            has_results = True
            details: dict[str, object] = {"tool": tools.get(part.call_id, "?"), "success": not part.is_error}
            importance = FAILURE_IMPORTANCE if part.is_error else None
            yield _new_event(message, EventKind.TOOL_CALLED, details, importance)
    if message.role is Role.USER and (text or not has_results):
        details = {"source": _source(message, actor), "preview": shorten(text, PREVIEW_KEPT)}
        yield _new_event(message, EventKind.MESSAGE_RECEIVED, details)
    elif message.role is Role.ASSISTANT and text and not _asks_for_tools(message):
        yield _new_event(message, EventKind.MESSAGE_SENT, {"preview": shorten(text, PREVIEW_KEPT)})


def _new_event(
    message: Message, kind: EventKind, details: Mapping[str, object], importance: Importance | None = None
) -> NewEvent:
    return NewEvent(message.agent_id, kind.value, details, importance, message.batch_id)


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
