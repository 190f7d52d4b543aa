"""Reads one message of an Agent File: its role, its parts and its place in a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from enum import Enum

import msgspec

from inspector.domain.codec import kind_of
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import (
    BatchType,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text

_FAILED = frozenset({"error", "failed", "failure"})
_NO_CALL = ""
_ANSWERS = ("func_response", "tool_return")


class MessageStatus(Enum):
    """How a row takes part in a turn.

    `ANSWER` is a person's word on calls that waited for approval, sometimes with results. `ASIDE` is stored
    but part of no turn: a compiled prompt, a repeated result, a result whose call is not there.
    """

    INPUT = "input"
    REPLY = "reply"
    ANSWER = "answer"
    ASIDE = "aside"


@dataclass(slots=True)
class MessageRow:
    """A message on its way into a plan. `run` is the source's name for the activation that it belongs to."""

    where: str
    role: Role
    standing: MessageStatus
    parts: tuple[Part, ...]
    in_context: bool
    at: datetime | None
    name: str | None = None
    trigger: BatchType = BatchType.USER_REQUEST
    source: str = "letta"
    run: str = ""
    compiled: bool = False
    kept: dict[str, Json] = field(default_factory=dict)

    @property
    def calls(self) -> list[str]:
        return [part.id for part in self.parts if isinstance(part, ToolCallPart)]

    @property
    def results(self) -> list[str]:
        return [part.call_id for part in self.parts if isinstance(part, ToolResultPart)]

    @property
    def metadata(self) -> str:
        return json_text({"letta": self.kept})


def read_message(record: FieldReader, in_context: bool) -> MessageRow:
    """Read one message. What cannot be told apart becomes metadata, with a problem.

    Raises:
        MalformedError: a list or an object is something else.
    """
    role = record.text("role")
    content = read_content(record)
    calls = read_calls(record, content)
    returns = read_results(record, role, content)
    at = record.time("created_at")
    name = record.text("name") or None
    run = record.peek("run_id")
    standing, as_role = _standing(record, role, bool(calls))
    parts: tuple[Part, ...] = (*content, *calls, *returns)
    if record.peek("type") == "message":
        record.drop("type")
    if as_role is not Role.SYSTEM and not parts and standing is not MessageStatus.ANSWER:
        record.notes.info("import.empty_message", record.where)
    row = MessageRow(record.where, as_role, standing, parts, in_context, at, name)
    row.run = run if isinstance(run, str) else ""
    row.compiled = as_role is Role.SYSTEM
    if standing is MessageStatus.INPUT:
        row.trigger, row.source = _trigger(record, parts)
    elif role != as_role.value:
        row.kept["role"] = role
    record.drop("role")
    row.kept |= record.rest()
    return row


def _standing(record: FieldReader, role: str, makes_calls: bool) -> tuple[MessageStatus, Role]:
    if role == "system":
        return MessageStatus.ASIDE, Role.SYSTEM
    if role == "user":
        return MessageStatus.INPUT, Role.USER
    if role in ("assistant", "agent"):
        return MessageStatus.REPLY, Role.ASSISTANT
    if role in ("tool", "function"):
        return MessageStatus.REPLY, Role.TOOL
    if role == "approval":
        return (MessageStatus.REPLY, Role.ASSISTANT) if makes_calls else (MessageStatus.ANSWER, Role.TOOL)
    record.notes.warn("import.unknown_role", record.path("role"), role=role[:60])
    return MessageStatus.ASIDE, Role.USER


def _trigger(record: FieldReader, parts: tuple[Part, ...]) -> tuple[BatchType, str]:
    """What a user's message is: the source packs its own events into such ones, as JSON with a ``type``."""
    sender = record.peek("sender_id")
    if isinstance(sender, str) and sender.startswith("agent-"):
        return BatchType.AGENT_TO_AGENT, sender
    kind = packed_type(parts)
    if kind in ("", "user_message"):
        return BatchType.USER_REQUEST, "user"
    return BatchType.SYSTEM_TRIGGER, kind


def packed_type(parts: tuple[Part, ...]) -> str:
    """The ``type`` of a message whose only text is a JSON object with one, else an empty text."""
    if len(parts) != 1 or not isinstance(parts[0], TextPart):
        return ""
    text = parts[0].text
    if len(text) > 100_000 or not text.lstrip().startswith("{"):
        return ""
    try:
        packed = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return ""
    kind = packed.get("type") if isinstance(packed, dict) else None
    return kind[:40] if isinstance(kind, str) else ""


def read_content(record: FieldReader) -> list[Part]:
    """What stands under ``content``: a text, or a list of parts. A part of an unknown kind is metadata."""
    content = record.peek("content")
    if content is None:
        return []
    if isinstance(content, str):
        record.drop("content")
        return [TextPart(content)] if content else []
    if not isinstance(content, list):
        record.notes.warn(
            "import.wrong_type", record.path("content"), needed="a text or a list", found=kind_of(content)
        )
        return []
    parts: list[Part] = []
    left: list[Json] = []
    for each in record.records("content"):
        part = _part(each)
        if part is not None:
            parts.append(part)
        if rest := each.rest():
            left.append({"type": each.peek("type"), **rest})
    record.leave("content", left)
    return parts


def read_calls(record: FieldReader, content: list[Part]) -> list[ToolCallPart]:
    """What stands under ``tool_calls``, less what the content names already."""
    named = {part.id for part in content if isinstance(part, ToolCallPart)}
    made: set[str] = set()
    calls = []
    left = []
    for each in record.records("tool_calls"):
        function = each.record("function") or each
        call_id = each.text("id")
        name, arguments = function.text("name"), function.take("arguments")
        if function is not each:
            each.leave("function", function.rest())
        if each.peek("type") == "function":
            each.drop("type")
        if not call_id or not name or call_id in made:
            each.notes.warn("import.unreadable_call", each.where)
            left.append(each.whole())
            continue
        made.add(call_id)
        if call_id not in named:
            calls.append(ToolCallPart(call_id, name, _arguments(arguments)))
        if rest := each.rest():
            left.append({"id": call_id, **rest})
    record.leave("tool_calls", left)
    own_id = record.peek("tool_call_id")
    if isinstance(own_id, str) and own_id in made | named:
        # An approval request repeats the id of its first call.
        record.drop("tool_call_id")
    return calls


def read_results(record: FieldReader, role: str, content: list[Part]) -> tuple[ToolResultPart, ...]:
    """What answers calls: ``tool_returns`` or ``approvals``, else a tool message's text.

    A result among the content's own parts counts too. What becomes a result is taken out of `content`. A call
    that a person denied has the reason for a result; a bare consent is metadata.
    """
    own_id = record.peek("tool_call_id")
    fallback = own_id if isinstance(own_id, str) else _NO_CALL
    inside = [part for part in content if isinstance(part, ToolResultPart)]
    content[:] = [part for part in content if not isinstance(part, ToolResultPart)]
    returned = inside + _returns(record, "tool_returns", fallback) + _returns(record, "approvals", fallback)
    if isinstance(own_id, str) and own_id in {part.call_id for part in returned}:
        record.drop("tool_call_id")
    if role not in ("tool", "function"):
        return tuple(returned)
    text = "\n".join(part.text for part in content if isinstance(part, TextPart))
    content[:] = [part for part in content if not isinstance(part, TextPart)]
    if returned:
        if text not in {part.content for part in returned}:
            record.leave("content", text)
        return tuple(returned)
    record.drop("tool_call_id")
    return (ToolResultPart(fallback, text, _says_failed(text)),)


def _returns(record: FieldReader, key: str, fallback: str) -> list[ToolResultPart]:
    found = []
    left = []
    for each in record.records(key):
        answer = next((each.peek(name) for name in _ANSWERS if each.has(name)), None)
        if answer is None and each.peek("approve") is False:
            found.append(
                ToolResultPart(each.text("tool_call_id") or fallback, each.text("reason"), is_error=True)
            )
            left.append(each.whole())
            continue
        if answer is None:
            left.append(each.whole())
            continue
        status = each.text("status")
        call_id = each.text("tool_call_id") or fallback
        each.drop(*_ANSWERS, "type")
        text = answer if isinstance(answer, str) else _flattened(answer)
        found.append(ToolResultPart(call_id, text, status.lower() in _FAILED))
        if rest := each.rest():
            left.append({"tool_call_id": call_id, **rest})
    record.leave(key, left)
    return found


def _arguments(value: Json) -> str:
    """A call's arguments as JSON text; a text is taken as the model wrote it."""
    if isinstance(value, str):
        return value
    return json_text({} if value is None else value)


def _flattened(answer: Json) -> str:
    """A result in parts as one text: its texts, anything else as JSON."""
    if not isinstance(answer, list):
        return json_text(answer)
    texts = [each["text"] if _is_text(each) else json_text(each) for each in answer]
    return "\n".join(texts)


def _is_text(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "text" and isinstance(value.get("text"), str)


def _says_failed(text: str) -> bool:
    if len(text) > 1_000_000 or not text.lstrip().startswith("{"):
        return False
    try:
        packed = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False
    status = packed.get("status") if isinstance(packed, dict) else None
    return isinstance(status, str) and status.lower() in _FAILED


def _part(record: FieldReader) -> Part | None:
    kind = record.text("type")
    read = _READERS.get(kind)
    if read is None:
        record.notes.warn("import.unknown_part", record.where, kind=kind[:60])
        return None
    return read(record)


def _text(record: FieldReader) -> Part | None:
    text = record.text("text")
    return TextPart(text) if text else None


def _thinking(record: FieldReader) -> Part | None:
    text = record.text("reasoning") or record.text("thinking")
    signature = record.text("signature") or None
    return ThinkingPart(text, signature) if text or signature else None


def _summarised_thinking(record: FieldReader) -> Part | None:
    texts = [each.text("text") for each in record.records("summary")]
    return ThinkingPart("\n".join(texts)) if any(texts) else None


def _redacted(record: FieldReader) -> Part | None:
    data = record.text("data")
    return RedactedThinkingPart(data) if data else None


def _omitted(record: FieldReader) -> Part | None:
    record.notes.info("import.thinking_omitted", record.where)
    return None


def _call(record: FieldReader) -> Part | None:
    call_id, name = record.text("id"), record.text("name")
    if not call_id or not name:
        record.notes.warn("import.unreadable_call", record.where)
        return None
    return ToolCallPart(call_id, name, _arguments(record.take("input")))


def _result(record: FieldReader) -> Part | None:
    answer = record.take("content")
    text = answer if isinstance(answer, str) else "" if answer is None else _flattened(answer)
    return ToolResultPart(record.text("tool_call_id"), text, record.flag("is_error"))


def _image(record: FieldReader) -> Part | None:
    source = record.record("source")
    if source is None:
        return None
    media_type = source.text("media_type")
    data = source.text("data") or source.text("url")
    if not data:
        record.notes.warn("import.image_elsewhere", record.where)
        record.leave("source", source.whole())
        return None
    source.drop("type", "detail")
    record.leave("source", source.rest())
    return image_part(media_type, data)


_READERS: dict[str, Callable[[FieldReader], Part | None]] = {
    "text": _text,
    "reasoning": _thinking,
    "thinking": _thinking,
    "summarized_reasoning": _summarised_thinking,
    "redacted_reasoning": _redacted,
    "redacted_thinking": _redacted,
    "omitted_reasoning": _omitted,
    "tool_call": _call,
    "tool_use": _call,
    "tool_return": _result,
    "tool_result": _result,
    "image": _image,
}
