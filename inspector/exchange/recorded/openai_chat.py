"""Reads a recorded Chat Completions request as an import plan."""

from __future__ import annotations

from inspector.domain.messages import ImagePart, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import CHAT
from inspector.exchange.recorded.rows import (
    RecordedMessage,
    RecordedRequest,
    image_at,
    malformed,
    needed_text,
    read_parameters,
    read_parts,
    read_request,
    read_role,
    read_tool,
)

_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_PARAMETERS = {
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "stop": "stop",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "reasoning_effort": "reasoning_effort",
}


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    recorded.parameters = read_parameters(record, _PARAMETERS)
    _tools(record, recorded)
    for message in record.records("messages"):
        row = _row(message)
        if row.role is Role.SYSTEM and not recorded.rows:
            recorded.instructions += [part.text for part in row.parts if isinstance(part, TextPart)]
        else:
            recorded.rows.append(row)


read = read_request(CHAT, "openai", _fill)


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        function = each.record("function") if each.peek("type") == "function" else None
        if function is None:
            each.notes.warn("import.provider_tool", each.where, kind=str(each.peek("type"))[:60])
            left.append(each.whole())
            continue
        recorded.tools.append(read_tool(function, "parameters"))
    recorded.tools += [read_tool(each, "parameters") for each in record.records("functions")]
    record.leave("tools", left)


def _row(message: FieldReader) -> RecordedMessage:
    role = read_role(message, _ROLES)
    parts = _content(message)
    if role is Role.TOOL:
        key = "tool_call_id" if message.peek("role") == "tool" else "name"
        text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        images = tuple(part for part in parts if isinstance(part, ImagePart))
        result = ToolResultPart(needed_text(message, key), text)
        return RecordedMessage(message.where, role, (result, *images), kept=message.rest())
    calls = _calls(message) if role is Role.ASSISTANT else []
    name = message.text("name") or None
    return RecordedMessage(message.where, role, (*parts, *calls), name, message.rest())


def _content(message: FieldReader) -> list[Part]:
    if message.peek("content") is None:
        message.drop("content")
        return []
    return read_parts(message, "content", _part)


def _part(block: FieldReader) -> list[Part]:
    kind = needed_text(block, "type")
    if kind in ("text", "refusal"):
        text = block.text(kind)
        return [TextPart(text)] if text else []
    if kind == "image_url":
        address = block.record("image_url")
        url = block.text("image_url") if address is None else needed_text(address, "url")
        if address is not None:
            block.leave("image_url", address.rest())
        if not url:
            raise malformed(block.path("image_url"), "an address is needed")
        return [image_at(url)]
    block.notes.warn("import.unknown_part", block.where, kind=kind[:60])
    return []


def _calls(message: FieldReader) -> list[ToolCallPart]:
    found: list[ToolCallPart] = []
    for each in message.records("tool_calls"):
        function = each.record("function")
        if function is None:
            raise malformed(each.path("function"), "a call names its function")
        each.drop("type")
        arguments = function.take("arguments")
        written = (
            arguments if isinstance(arguments, str) else json_text({} if arguments is None else arguments)
        )
        found.append(ToolCallPart(needed_text(each, "id"), needed_text(function, "name"), written))
    legacy = message.record("function_call")
    if legacy is not None:
        # The older form knows one call, which its result names by the function.
        name = needed_text(legacy, "name")
        found.append(ToolCallPart(name, name, legacy.text("arguments")))
    return found
