"""Reads a recorded request to Gemini's generateContent as an import plan."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace

from inspector.domain.agents import Tool
from inspector.domain.messages import (
    Part,
    ProviderPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.wire.objects import AS_OBJECT, SPELLINGS
from inspector.domain.wire.parameters import EXTRA_BODY
from inspector.domain.wire.system import SYSTEM
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import GEMINI
from inspector.exchange.recorded.plans import RecordedMessage, RecordedRequest, form_of
from inspector.exchange.recorded.rows import (
    malformed,
    needed_text,
    provider_part,
    read_parameters,
    read_request,
    read_tool,
    rows_of,
    system_texts,
    with_extra,
)

_ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.USER, "": Role.USER}
_PARAMETERS = {
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "seed": "seed",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "stopSequences": "stop",
    "maxOutputTokens": "max_tokens",
}
FORM = form_of(GEMINI)
DECLARATIONS = "functionDeclarations"
SCHEMA_KEYS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_SPELLINGS = {
    "system_instruction": "systemInstruction",
    "generation_config": "generationConfig",
    "tool_config": "toolConfig",
    "safety_settings": "safetySettings",
    "function_declarations": "functionDeclarations",
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "thought_signature": "thoughtSignature",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "mime_type": "mimeType",
    "file_uri": "fileUri",
    "max_output_tokens": "maxOutputTokens",
    "stop_sequences": "stopSequences",
    "top_p": "topP",
    "top_k": "topK",
}
"""The API takes both ways to write its fields."""


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    recorded.model = recorded.model.removeprefix("models/")
    _system(record, recorded)
    config = record.record("generationConfig")
    if config is not None:
        config = _record(config)
        recorded.parameters = read_parameters(config, _PARAMETERS)
        record.leave("generationConfig", config.untaken(with_empty=True))
    _tools(record, recorded)
    reader = _Contents()
    for content in record.records("contents"):
        recorded.rows += reader.rows(content)


read = read_request(GEMINI, "gemini", _fill, _SPELLINGS)


def _record(record: FieldReader) -> FieldReader:
    """The same object with its fields in the spelling of the API's reference."""
    return record.spelled(_SPELLINGS)


def _system(record: FieldReader, recorded: RecordedRequest) -> None:
    """Take the system text; content of other parts is left to be sent as it came."""
    if isinstance(record.peek("systemInstruction"), str):
        recorded.instructions = [record.text("systemInstruction")]
        recorded.layout[SYSTEM] = [{"fields": {}, "blocks": None}]
        return
    value = record.peek("systemInstruction")
    content = FieldReader(value, record.path("systemInstruction"), record.notes) if value else None
    found = None if content is None else system_texts(content, "parts")
    if content is not None and found is not None:
        record.drop("systemInstruction")
        recorded.instructions, blocks = found
        recorded.layout[SYSTEM] = [{"fields": content.untaken(with_empty=True), "blocks": blocks}]


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in map(_record, record.records("tools")):
        names: list[Json] = []
        for declared in map(_record, each.records(DECLARATIONS)):
            key = next((key for key in SCHEMA_KEYS if declared.has(key)), SCHEMA_KEYS[0])
            tool = read_tool(declared, key, GEMINI)
            names.append(tool.name)
            recorded.tools.append(tool if key == SCHEMA_KEYS[0] else _named_schema(tool, key))
        rest = each.untaken(with_empty=True)
        if kinds := ", ".join(key for key in rest if key != SPELLINGS):
            each.notes.info("import.provider_tool", each.where, kind=kinds[:60])
        left.append({**rest, DECLARATIONS: names} if names else rest)
    record.leave("tools", left)


def _named_schema(tool: Tool, key: str) -> Tool:
    """The tool with a note of the name that its schema came under."""
    metadata = json.loads(tool.metadata)
    extra = metadata[EXTRA_BODY][FORM]
    extra[SPELLINGS] = {**extra.get(SPELLINGS, {}), SCHEMA_KEYS[0]: key}
    return replace(tool, metadata=json_text(metadata))


class _Contents:
    """The conversation. Calls without an id get one, and their results the same, in order by name."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[str]] = {}
        self._calls = 0

    def rows(self, content: FieldReader) -> list[RecordedMessage]:
        """The rows of one content: its results are a tool's, the rest is its speaker's."""
        said = content.text("role")
        role = _ROLES.get(said)
        if role is None:
            raise malformed(content.path("role"), f"unknown role {said[:40]!r}")
        content.drop("role")
        content.leave("role", said)
        parts = [self._parts(part, role) for part in map(_record, content.records("parts"))]
        return rows_of(content, role, parts)

    def _parts(self, part: FieldReader, role: Role) -> list[Part]:
        """A part, behind its signature where a model's part has one."""
        signature = part.text("thoughtSignature") if role is Role.ASSISTANT else ""
        if part.peek("thought") is True and isinstance(part.peek("text"), str):
            part.drop("thought")
            return [with_extra(ThinkingPart(part.text("text"), signature or None), part)]
        found = with_extra(self._part(part), part)
        is_signed = signature and not isinstance(found, ProviderPart)
        return [ThinkingPart("", signature), found] if is_signed else [found]

    def _part(self, part: FieldReader) -> Part:
        if part.has("functionCall"):
            return self._call(part)
        if part.has("functionResponse"):
            return self._result(part)
        if part.has("inlineData") or part.has("fileData"):
            return _media(part)
        if isinstance(part.peek("text"), str):
            return TextPart(part.text("text"))
        kind = ", ".join(key for key in part.untaken() if key != SPELLINGS)
        return provider_part(part, GEMINI, kind)

    def _call(self, part: FieldReader) -> Part:
        call = part.record("functionCall")
        if call is None:
            raise malformed(part.path("functionCall"), "a tool call needs the name of its tool")
        self._calls += 1
        name = needed_text(call, "name")
        own = call.peek("id")
        call_id = own if isinstance(own, str) and own else f"call_{self._calls}"
        self._waiting.setdefault(name, deque()).append(call_id)
        arguments = call.record("args")
        written = {} if arguments is None else arguments.whole()
        part.leave("functionCall", call.untaken(with_empty=True))
        return ToolCallPart(call_id, name, json_text(written))

    def _result(self, part: FieldReader) -> Part:
        answer = part.record("functionResponse")
        if answer is None:
            raise malformed(part.path("functionResponse"), "a result names its function")
        name = needed_text(answer, "name")
        answer.leave("name", name)
        waiting = self._waiting.get(name) or deque()
        own = answer.peek("id")
        call_id = own if isinstance(own, str) and own else (waiting[0] if waiting else name)
        if call_id in waiting:
            waiting.remove(call_id)
        response = answer.record("response")
        fields = {} if response is None else response.whole()
        for key, is_error in (("output", False), ("error", True)):
            if list(fields) == [key] and isinstance(fields[key], str):
                part.leave("functionResponse", answer.untaken(with_empty=True))
                return ToolResultPart(call_id, str(fields[key]), is_error)
        answer.leave(AS_OBJECT, "response")
        part.leave("functionResponse", answer.untaken(with_empty=True))
        return ToolResultPart(call_id, json_text(fields))


def _media(part: FieldReader) -> Part:
    key = "inlineData" if part.has("inlineData") else "fileData"
    whole = part.record(key)
    if whole is None:
        raise malformed(part.where, "data or the address of a file is needed")
    record = _record(whole)
    media_type = str(record.peek("mimeType") or "")
    if not media_type.startswith("image/"):
        return provider_part(part, GEMINI, media_type or "file")
    record.drop("mimeType")
    image = image_part(media_type, record.text("data" if key == "inlineData" else "fileUri"))
    part.leave(key, record.untaken(with_empty=True))
    return image
