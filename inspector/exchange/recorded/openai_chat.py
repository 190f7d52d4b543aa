"""Reads a recorded Chat Completions request, or one to Ollama's chat API, as an import plan."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.messages import Part, Role, TextPart, ToolCallPart
from inspector.domain.wire.objects import AS_TEXT, SPELLINGS
from inspector.domain.wire.parameters import CUSTOM, FUNCTIONS
from inspector.domain.wire.system import SYSTEM
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part, media_type_of
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import CHAT, OLLAMA
from inspector.exchange.recorded.plans import RecordedMessage, RecordedRequest
from inspector.exchange.recorded.rows import (
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
    result_of,
    system_texts,
    with_extra,
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
    "max_completion_tokens": "max_tokens",
    "max_tokens": "max_tokens",
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
    if not is_ollama and not record.has("max_completion_tokens"):
        record.leave(SPELLINGS, {"max_completion_tokens": "max_tokens"} if record.has("max_tokens") else {})
    _tools(record, recorded)
    calls = _CallIds(are_needed=not is_ollama)
    for message in record.records("messages"):
        if recorded.rows or not _take_system(message, recorded):
            recorded.rows.append(_row(message, calls))


read = read_request(CHAT, "openai", _fill)
read_ollama = read_request(OLLAMA, "ollama", _fill)


def _take_system(message: FieldReader, recorded: RecordedRequest) -> bool:
    """Take a message of system text before all others, if this is one."""
    found = system_texts(message, "content") if message.peek("role") in ("system", "developer") else None
    if found is None:
        return False
    texts, blocks = found
    recorded.instructions += texts
    message.drop("content")
    system = recorded.layout.setdefault(SYSTEM, [])
    if isinstance(system, list):
        system.append({"fields": message.untaken(with_empty=True), "blocks": blocks})
    return True


def _ollama_parameters(record: FieldReader) -> dict[str, Json]:
    options = record.record("options")
    if options is None:
        return {}
    found = read_parameters(options, _OLLAMA_OPTIONS)
    record.leave("options", options.untaken(with_empty=True))
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
        own = call.peek("id")
        made = own if isinstance(own, str) and own else f"call_{self._count}"
        call_id = needed_text(call, "id") if self._are_needed else made
        self._waiting.append(call_id)
        return call_id

    def of_result(self, message: FieldReader, key: str) -> str:
        """The id of the call that a result is of.

        Raises:
            MalformedError: it names none, and has to or none waits.
        """
        if self._are_needed or not self._waiting:
            return needed_text(message, key)
        own = message.peek(key)
        call_id = own if isinstance(own, str) and own else self._waiting[0]
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
        tool = read_tool(function, "parameters", recorded.form, each)
        recorded.tools.append(tool)
        left.append(tool.name)
    record.leave("tools", left)
    older = [read_tool(each, "parameters", recorded.form) for each in record.records(FUNCTIONS)]
    recorded.tools += older
    record.leave(FUNCTIONS, [tool.name for tool in older])


def _row(message: FieldReader, calls: _CallIds) -> RecordedMessage:
    role = read_role(message, _ROLES)
    if (said := message.peek("role")) in ("developer", "function"):
        message.leave("role", said)
    parts = [*_content(message), *(image_part(media_type_of(data), data) for data in message.texts("images"))]
    if role is Role.TOOL:
        key = "tool_call_id" if message.peek("role") == "tool" else "name"
        result, *others = result_of(calls.of_result(message, key), parts)
        return RecordedMessage(message.where, role, (with_extra(result, message), *others), extra={})
    made = _calls(message, calls) if role is Role.ASSISTANT else []
    name = message.text("name") or None
    return RecordedMessage(message.where, role, (*parts, *made), name, message.untaken(with_empty=True))


def _content(message: FieldReader) -> list[Part]:
    if message.peek("content") is None:
        message.drop("content")
        return []
    return read_parts(message, "content", _part)


def _part(block: FieldReader) -> Part:
    kind = needed_text(block, "type")
    if kind in ("text", "refusal"):
        if kind == "refusal":
            block.leave("type", kind)
        return TextPart(block.text(kind))
    if kind == "image_url":
        address = block.record("image_url")
        url = block.text("image_url") if address is None else needed_text(address, "url")
        if not url:
            raise malformed(block.path("image_url"), "an address is needed")
        if address is None:
            block.leave(AS_TEXT, "image_url")
        else:
            block.leave("image_url", address.untaken(with_empty=True))
        return image_at(url)
    return provider_part(block, CHAT, kind)


def _calls(message: FieldReader, calls: _CallIds) -> list[Part]:
    found: list[Part] = []
    for each in message.records("tool_calls"):
        kind = CUSTOM if each.peek("type") == CUSTOM else "function"
        function = each.record(kind)
        if function is None:
            raise malformed(each.path(kind), "a tool call needs the name of its tool")
        arguments = function.take("input" if kind == CUSTOM else "arguments")
        written = (
            arguments if isinstance(arguments, str) else json_text({} if arguments is None else arguments)
        )
        call_id = calls.of_call(each)
        call = ToolCallPart(call_id, needed_text(function, "name"), written)
        each.leave(kind, function.untaken(with_empty=True))
        found.append(with_extra(call, each))
    legacy = message.record("function_call")
    if legacy is not None:
        # The older form knows one call, which its result names by the function.
        name = needed_text(legacy, "name")
        call = ToolCallPart(name, name, legacy.text("arguments"))
        extra = {"function_call": legacy.untaken(with_empty=True)}
        found.append(replace(call, extra_body=json_text(extra)))
    return found
