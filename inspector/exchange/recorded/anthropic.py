"""Reads a recorded request to Anthropic's Messages API as an import plan."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.messages import (
    ImagePart,
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
from inspector.exchange.recorded.envelope import ANTHROPIC
from inspector.exchange.recorded.rows import (
    RecordedMessage,
    RecordedRequest,
    malformed,
    needed_text,
    provider_part,
    provider_tool,
    read_parameters,
    read_parts,
    read_request,
    read_role,
    read_tool,
)

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_PARAMETERS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop_sequences": "stop",
    "thinking": "thinking",
}


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    recorded.instructions = _system(record)
    recorded.parameters = read_parameters(record, _PARAMETERS)
    _tools(record, recorded)
    for message in record.records("messages"):
        recorded.rows += _rows(message)


read = read_request(ANTHROPIC, "anthropic", _fill)


def _system(record: FieldReader) -> list[str]:
    if isinstance(record.peek("system"), str):
        text = record.text("system")
        return [text] if text else []
    texts: list[str] = []
    left: list[Json] = []
    for block in record.records("system"):
        if block.peek("type") != "text":
            raise malformed(block.path("type"), "a block of text is needed")
        block.drop("type")
        texts.append(block.text("text"))
        if rest := block.rest():
            left.append({"block": len(texts) - 1, **rest})
    record.leave("system", left)
    return [text for text in texts if text]


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        if each.peek("type") in (None, "custom"):
            each.drop("type")
            recorded.tools.append(read_tool(each, "input_schema", ANTHROPIC))
        else:
            left.append(provider_tool(each))
    record.leave("tools", left)


def _rows(message: FieldReader) -> list[RecordedMessage]:
    """The rows of one message: its results are a tool's, the rest is its speaker's."""
    role = read_role(message, _ROLES)
    parts = read_parts(message, "content", _parts)
    kept = message.rest()
    results = tuple(part for part in parts if isinstance(part, ToolResultPart))
    others = tuple(part for part in parts if not isinstance(part, ToolResultPart))
    rows = [RecordedMessage(message.where, Role.TOOL, results)] if results else []
    if others or not results:
        rows.append(RecordedMessage(message.where, role, others))
    rows[-1].kept = kept
    return rows


def _parts(block: FieldReader) -> list[Part]:
    kind = needed_text(block, "type")
    read_part = _READERS.get(kind)
    return [provider_part(block, ANTHROPIC, kind)] if read_part is None else read_part(block)


def _text(block: FieldReader) -> list[Part]:
    text = block.text("text")
    return [TextPart(text)] if text else []


def _image(block: FieldReader) -> list[Part]:
    source = block.record("source")
    if source is None:
        raise malformed(block.path("source"), "an image's source is needed")
    kind = source.text("type")
    data = source.text("url") if kind == "url" else source.text("data")
    media_type = source.text("media_type")
    if not data:
        return [provider_part(block, ANTHROPIC, "image")]
    block.leave("source", source.rest())
    return [image_part(media_type, data)]


def _thinking(block: FieldReader) -> list[Part]:
    return [ThinkingPart(block.text("thinking"), block.text("signature") or None)]


def _redacted(block: FieldReader) -> list[Part]:
    return [RedactedThinkingPart(needed_text(block, "data"))]


def _call(block: FieldReader) -> list[Part]:
    arguments = block.record("input")
    written = {} if arguments is None else arguments.whole()
    return [ToolCallPart(needed_text(block, "id"), needed_text(block, "name"), json_text(written))]


def _result(block: FieldReader) -> list[Part]:
    call_id = needed_text(block, "tool_use_id")
    is_error = block.flag("is_error")
    parts: list[Part] = []
    if isinstance(block.peek("content"), str):
        text = block.text("content")
    else:
        inside: list[Part] = []
        for each in block.records("content"):
            if each.peek("type") not in ("text", "image"):
                each.notes.warn("import.result_part", each.where, kind=str(each.peek("type"))[:60])
                block.leave("content", each.whole())
                continue
            inside += _parts(each)
            if rest := each.rest():
                block.leave("content", rest)
        text = "\n".join(part.text for part in inside if isinstance(part, TextPart))
        parts = [part for part in inside if isinstance(part, ImagePart)]
    return [ToolResultPart(call_id, text, is_error), *parts]


_READERS: dict[str, Callable[[FieldReader], list[Part]]] = {
    "text": _text,
    "image": _image,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _call,
    "tool_result": _result,
}
