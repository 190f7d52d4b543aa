"""Requests on their way out, made by hand."""

from __future__ import annotations

from typing import Any

from inspector.domain.limits import Limits
from inspector.domain.messages import Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.wire.values import Outgoing, PromptSegment, WireForm, WireMessage, WireRequest
from inspector.runtime.wire import ADAPTERS
from inspector.shipped.models import load_model_table

LIMITS = Limits(200_000, 12_000, 80_000, 8_000)
_TABLE = load_model_table()


def outgoing(model: str, *said: WireMessage, system: str = "", **more: Any) -> Outgoing:
    """A Request for a model with these messages."""
    segments = (PromptSegment("literal:system", system),) if system else ()
    return Outgoing(model, _TABLE.resolve(model), segments, said, more.pop("tools", ()), LIMITS, **more)


def message(
    number: int, role: Role, *parts: Part | str, name: str | None = None, origin: str | None = None
) -> WireMessage:
    """A message; texts are parts."""
    content = tuple(TextPart(each) if isinstance(each, str) else each for each in parts)
    return WireMessage(f"message:{number}", role, content, name, origin)


def user(number: int, *parts: Part | str, **more: Any) -> WireMessage:
    """A user's message."""
    return message(number, Role.USER, *parts, **more)


def reply(number: int, *parts: Part | str, **more: Any) -> WireMessage:
    """An assistant's message."""
    return message(number, Role.ASSISTANT, *parts, **more)


def call(call_id: str = "c1", name: str = "search", arguments: str = '{"q": "x"}') -> ToolCallPart:
    """A call."""
    return ToolCallPart(call_id, name, arguments)


def result(call_id: str = "c1", content: str = "found", *, is_error: bool = False) -> ToolResultPart:
    """A result."""
    return ToolResultPart(call_id, content, is_error)


def tool(number: int, *parts: Part | str) -> WireMessage:
    """A tool's message."""
    return message(number, Role.TOOL, *parts)


def wire(form: WireForm, values: Outgoing) -> WireRequest:
    """As the form has it."""
    return ADAPTERS[form](values)


def codes(made: WireRequest) -> list[str]:
    """What was told."""
    return [problem.code.removeprefix("wire.") for problem in made.adaptations]
