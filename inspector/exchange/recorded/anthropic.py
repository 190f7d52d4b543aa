"""Reads a recorded request to Anthropic's Messages API as an import plan."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.messages import (
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from inspector.domain.wire.system import SYSTEM
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import ANTHROPIC
from inspector.exchange.recorded.plans import RecordedRequest
from inspector.exchange.recorded.rows import (
    malformed,
    needed_text,
    provider_part,
    provider_tool,
    read_parameters,
    read_parts,
    read_request,
    read_role,
    read_tool,
    result_of,
    rows_of,
    system_texts,
    with_extra,
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
    _system(record, recorded)
    recorded.parameters = read_parameters(record, _PARAMETERS)
    _tools(record, recorded)
    for message in record.records("messages"):
        recorded.rows += rows_of(message, read_role(message, _ROLES), _blocks(message))


read = read_request(ANTHROPIC, "anthropic", _fill)


def _system(record: FieldReader, recorded: RecordedRequest) -> None:
    if record.peek("system") in (None, []):
        return
    found = system_texts(record, "system")
    if found is None:
        other = next((each for each in record.records("system") if each.peek("type") != "text"), record)
        raise malformed(other.path("type" if other is not record else "system"), "a block of text is needed")
    recorded.instructions, blocks = found
    recorded.layout[SYSTEM] = [{"fields": {}, "blocks": blocks}]


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        if each.peek("type") in (None, "custom"):
            tool = read_tool(each, "input_schema", ANTHROPIC)
            recorded.tools.append(tool)
            left.append(tool.name)
        else:
            left.append(provider_tool(each))
    record.leave("tools", left)


def _blocks(message: FieldReader) -> list[list[Part]]:
    """The blocks of a message, each as its parts: a tool's result and what is within it."""
    if not isinstance(message.peek("content"), list):
        return [[part] for part in read_parts(message, "content", _part)]
    return [
        _result(block) if block.peek("type") == "tool_result" else [with_extra(_part(block), block)]
        for block in message.records("content")
    ]


def _part(block: FieldReader) -> Part:
    kind = needed_text(block, "type")
    read_part = _READERS.get(kind)
    return provider_part(block, ANTHROPIC, kind) if read_part is None else read_part(block)


def _text(block: FieldReader) -> Part:
    return TextPart(block.text("text"))


def _image(block: FieldReader) -> Part:
    source = block.record("source")
    if source is None:
        raise malformed(block.path("source"), "an image's source is needed")
    data = source.text("url" if source.peek("type") == "url" else "data")
    if not data:
        return provider_part(block, ANTHROPIC, "image")
    image = image_part(source.text("media_type"), data)
    if source.peek("type") == "base64":
        source.drop("type")
    block.leave("source", source.untaken(with_empty=True))
    return image


def _thinking(block: FieldReader) -> Part:
    return ThinkingPart(block.text("thinking"), block.text("signature") or None)


def _redacted(block: FieldReader) -> Part:
    return RedactedThinkingPart(needed_text(block, "data"))


def _call(block: FieldReader) -> Part:
    arguments = block.record("input")
    written = {} if arguments is None else arguments.whole()
    return ToolCallPart(needed_text(block, "id"), needed_text(block, "name"), json_text(written))


def _result(block: FieldReader) -> list[Part]:
    block.drop("type")
    call_id = needed_text(block, "tool_use_id")
    is_error = block.peek("is_error") is True
    if is_error:
        block.drop("is_error")
    inside = [] if block.peek("content") is None else read_parts(block, "content", _part)
    result, *others = result_of(call_id, inside, is_error=is_error)
    return [with_extra(result, block), *others]


_READERS: dict[str, Callable[[FieldReader], Part]] = {
    "text": _text,
    "image": _image,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _call,
}
