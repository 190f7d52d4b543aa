"""Reads a recorded request to Gemini's generateContent as an import plan."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import replace

from inspector.domain.agents import Tool
from inspector.domain.messages import (
    Part,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.wire.parameters import EXTRA_BODY
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import GEMINI
from inspector.exchange.recorded.rows import (
    RecordedMessage,
    RecordedRequest,
    form_of,
    malformed,
    needed_text,
    provider_part,
    read_parameters,
    read_request,
    read_tool,
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
    recorded.instructions = _system(record)
    config = record.record("generationConfig")
    if config is not None:
        config = _record(config)
        recorded.parameters = read_parameters(config, _PARAMETERS)
        record.leave("generationConfig", config.untaken())
    _tools(record, recorded)
    reader = _Contents()
    for content in record.records("contents"):
        recorded.rows += reader.rows(content)


read = read_request(GEMINI, "gemini", _fill, _SPELLINGS)


def _record(record: FieldReader) -> FieldReader:
    """The same object with its fields in the spelling of the API's reference."""
    return record.spelled(_SPELLINGS)


def _system(record: FieldReader) -> list[str]:
    if isinstance(record.peek("systemInstruction"), str):
        return [text] if (text := record.text("systemInstruction")) else []
    content = record.record("systemInstruction")
    if content is None:
        return []
    return [text for part in content.records("parts") if (text := part.text("text"))]


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in map(_record, record.records("tools")):
        for declared in each.records("functionDeclarations"):
            key = next((key for key in SCHEMA_KEYS if declared.has(key)), SCHEMA_KEYS[0])
            tool = read_tool(declared, key, GEMINI)
            recorded.tools.append(tool if key == SCHEMA_KEYS[0] else _named_schema(tool, key))
        if rest := each.untaken():
            each.notes.info("import.provider_tool", each.where, kind=", ".join(rest)[:60])
            left.append(rest)
    record.leave("tools", left)


def _named_schema(tool: Tool, key: str) -> Tool:
    """The tool with a note of the name that its schema came under."""
    metadata = json.loads(tool.metadata)
    metadata[EXTRA_BODY][FORM][key] = None
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
        parts: list[Part] = []
        left: list[Json] = []
        for part in map(_record, content.records("parts")):
            parts += self._parts(part)
            if rest := part.rest():
                left.append(rest)
        content.leave("parts", left)
        kept = content.rest()
        results = tuple(part for part in parts if isinstance(part, ToolResultPart))
        others = tuple(part for part in parts if not isinstance(part, ToolResultPart))
        rows = [RecordedMessage(content.where, Role.TOOL, results)] if results else []
        if others or not results:
            rows.append(RecordedMessage(content.where, role, others))
        rows[-1].kept = kept
        return rows

    def _parts(self, part: FieldReader) -> list[Part]:
        signature = part.text("thoughtSignature") or None
        if part.has("functionCall"):
            return [*_signed(signature), self._call(part)]
        if part.has("functionResponse"):
            return [self._result(part)]
        if part.has("inlineData") or part.has("fileData"):
            return [*_signed(signature), *_media(part)]
        if part.has("text"):
            text = part.text("text")
            if part.flag("thought"):
                return [ThinkingPart(text, signature)]
            return [*_signed(signature), *([TextPart(text)] if text else [])]
        kind = ", ".join(part.untaken())
        return [*_signed(signature), *([provider_part(part, GEMINI, kind)] if kind else [])]

    def _call(self, part: FieldReader) -> Part:
        call = part.record("functionCall")
        if call is None:
            raise malformed(part.path("functionCall"), "a call names its function")
        self._calls += 1
        name = needed_text(call, "name")
        call_id = call.text("id") or f"call_{self._calls}"
        self._waiting.setdefault(name, deque()).append(call_id)
        arguments = call.record("args")
        written = {} if arguments is None else arguments.whole()
        part.leave("functionCall", call.untaken())
        return ToolCallPart(call_id, name, json_text(written))

    def _result(self, part: FieldReader) -> Part:
        answer = part.record("functionResponse")
        if answer is None:
            raise malformed(part.path("functionResponse"), "a result names its function")
        name = needed_text(answer, "name")
        waiting = self._waiting.get(name) or deque()
        call_id = answer.text("id") or (waiting[0] if waiting else name)
        if call_id in waiting:
            waiting.remove(call_id)
        response = answer.record("response")
        fields = {} if response is None else response.whole()
        part.leave("functionResponse", answer.untaken())
        for key, is_error in (("output", False), ("error", True)):
            if list(fields) == [key] and isinstance(fields[key], str):
                return ToolResultPart(call_id, str(fields[key]), is_error)
        return ToolResultPart(call_id, json_text(fields))


def _signed(signature: str | None) -> tuple[Part, ...]:
    """The signature of a part without thinking of its own."""
    return () if signature is None else (ThinkingPart("", signature),)


def _media(part: FieldReader) -> list[Part]:
    inline = part.record("inlineData")
    address = part.record("fileData") if inline is None else None
    record = inline or address
    if record is None:
        raise malformed(part.where, "data or the address of a file is needed")
    record = _record(record)
    media_type = str(record.peek("mimeType") or "")
    if not media_type.startswith("image/"):
        return [provider_part(part, GEMINI, media_type or "file")]
    record.drop("mimeType")
    return [image_part(media_type, record.text("data") if inline else record.text("fileUri"))]
