"""The parts of a message: its content, its calls and its results, in each of the forms that files have."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from inspector.domain.messages import (
    ImagePart,
    Part,
    RedactedThinkingPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.exchange.guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.source import Record, kind_of

_FAILED = frozenset({"error", "failed", "failure"})
_NO_CALL = ""
_ANSWERS = ("func_response", "tool_return")


def read_content(record: Record) -> list[Part]:
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


def read_calls(record: Record, content: list[Part]) -> list[ToolCallPart]:
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


def read_results(record: Record, role: str, content: list[Part]) -> tuple[ToolResultPart, ...]:
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


def _returns(record: Record, key: str, fallback: str) -> list[ToolResultPart]:
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
    """Whether a packed result says that its tool failed."""
    if len(text) > 1_000_000 or not text.lstrip().startswith("{"):
        return False
    try:
        packed = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return False
    status = packed.get("status") if isinstance(packed, dict) else None
    return isinstance(status, str) and status.lower() in _FAILED


def _part(record: Record) -> Part | None:
    kind = record.text("type")
    read = _READERS.get(kind)
    if read is None:
        record.notes.warn("import.unknown_part", record.where, kind=kind[:60])
        return None
    return read(record)


def _text(record: Record) -> Part | None:
    text = record.text("text")
    return TextPart(text) if text else None


def _thinking(record: Record) -> Part | None:
    text = record.text("reasoning") or record.text("thinking")
    signature = record.text("signature") or None
    return ThinkingPart(text, signature) if text or signature else None


def _summarised_thinking(record: Record) -> Part | None:
    texts = [each.text("text") for each in record.records("summary")]
    return ThinkingPart("\n".join(texts)) if any(texts) else None


def _redacted(record: Record) -> Part | None:
    data = record.text("data")
    return RedactedThinkingPart(data) if data else None


def _omitted(record: Record) -> Part | None:
    record.notes.info("import.thinking_omitted", record.where)
    return None


def _call(record: Record) -> Part | None:
    call_id, name = record.text("id"), record.text("name")
    if not call_id or not name:
        record.notes.warn("import.unreadable_call", record.where)
        return None
    return ToolCallPart(call_id, name, _arguments(record.take("input")))


def _result(record: Record) -> Part | None:
    answer = record.take("content")
    text = answer if isinstance(answer, str) else "" if answer is None else _flattened(answer)
    return ToolResultPart(record.text("tool_call_id"), text, record.flag("is_error"))


def _image(record: Record) -> Part | None:
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
    return ImagePart(media_type, 0, 0, data)


_READERS: dict[str, Callable[[Record], Part | None]] = {
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
