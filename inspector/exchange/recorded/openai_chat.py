"""Reads a recorded Chat Completions request, or one to Ollama's chat API, as an import plan."""

from __future__ import annotations

from inspector.domain.messages import ImagePart, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import CHAT, OLLAMA
from inspector.exchange.recorded.rows import (
    RecordedMessage,
    RecordedRequest,
    image_at,
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


_OLLAMA_OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "num_predict": "max_tokens",
    "stop": "stop",
}


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    is_ollama = recorded.form == OLLAMA
    recorded.parameters = _ollama_parameters(record) if is_ollama else read_parameters(record, _PARAMETERS)
    _tools(record, recorded)
    calls = _CallIds(are_needed=not is_ollama)
    for message in record.records("messages"):
        row = _row(message, calls)
        if row.role is Role.SYSTEM and not recorded.rows:
            recorded.instructions += [part.text for part in row.parts if isinstance(part, TextPart)]
        else:
            recorded.rows.append(row)


read = read_request(CHAT, "openai", _fill)
read_ollama = read_request(OLLAMA, "ollama", _fill)


def _ollama_parameters(record: FieldReader) -> dict[str, Json]:
    options = record.record("options")
    if options is None:
        return {}
    found = read_parameters(options, _OLLAMA_OPTIONS)
    record.leave("options", options.untaken())
    return found


class _CallIds:
    """The ids of calls and results. Ollama's have none: a result there is of the oldest call that waits."""

    def __init__(self, *, are_needed: bool) -> None:
        self._are_needed = are_needed
        self._count = 0
        self._waiting: list[str] = []

    def of_call(self, call: FieldReader) -> str:
        """The id of a call, made up where it needs none.

        Raises:
            MalformedError: it has none and needs one.
        """
        self._count += 1
        call_id = needed_text(call, "id") if self._are_needed else call.text("id") or f"call_{self._count}"
        self._waiting.append(call_id)
        return call_id

    def of_result(self, message: FieldReader, key: str) -> str:
        """The id of the call that a result is of.

        Raises:
            MalformedError: it names none, and has to or none waits.
        """
        if self._are_needed or not self._waiting:
            return needed_text(message, key)
        call_id = message.text(key) or self._waiting[0]
        if call_id in self._waiting:
            self._waiting.remove(call_id)
        return call_id


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        function = each.record("function") if each.peek("type") == "function" else None
        if function is None:
            left.append(provider_tool(each))
            continue
        recorded.tools.append(read_tool(function, "parameters", recorded.form))
    recorded.tools += [read_tool(each, "parameters", recorded.form) for each in record.records("functions")]
    record.leave("tools", left)


def _row(message: FieldReader, calls: _CallIds) -> RecordedMessage:
    role = read_role(message, _ROLES)
    parts = [*_content(message), *(image_part("", data) for data in message.texts("images"))]
    if role is Role.TOOL:
        key = "tool_call_id" if message.peek("role") == "tool" else "name"
        text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        images = tuple(part for part in parts if isinstance(part, ImagePart))
        result = ToolResultPart(calls.of_result(message, key), text)
        return RecordedMessage(message.where, role, (result, *images), kept=message.rest())
    made = _calls(message, calls) if role is Role.ASSISTANT else []
    name = message.text("name") or None
    return RecordedMessage(message.where, role, (*parts, *made), name, message.rest())


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
    return [provider_part(block, CHAT, kind)]


def _calls(message: FieldReader, calls: _CallIds) -> list[ToolCallPart]:
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
        call_id = calls.of_call(each)
        found.append(ToolCallPart(call_id, needed_text(function, "name"), written))
    legacy = message.record("function_call")
    if legacy is not None:
        # The older form knows one call, which its result names by the function.
        name = needed_text(legacy, "name")
        found.append(ToolCallPart(name, name, legacy.text("arguments")))
    return found
