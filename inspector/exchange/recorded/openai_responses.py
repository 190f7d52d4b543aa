"""Reads a recorded Responses request as an import plan."""

from __future__ import annotations

from inspector.domain.messages import (
    ImagePart,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import RESPONSES
from inspector.exchange.recorded.rows import (
    RecordedMessage,
    RecordedRequest,
    image_at,
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
}
_PARAMETERS = {"max_output_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p"}
_TEXTS = frozenset({"input_text", "output_text", "text"})


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    instructions = record.text("instructions")
    recorded.instructions = [instructions] if instructions else []
    recorded.parameters = read_parameters(record, _PARAMETERS)
    _reasoning(record, recorded)
    _tools(record, recorded)
    for earlier in ("previous_response_id", "conversation"):
        if record.has(earlier):
            record.notes.warn("import.earlier_part_elsewhere", record.path(earlier))
    _Items(record, recorded).read()


read = read_request(RESPONSES, "openai", _fill)


def _reasoning(record: FieldReader, recorded: RecordedRequest) -> None:
    reasoning = record.record("reasoning")
    if reasoning is not None:
        if effort := reasoning.text("effort"):
            recorded.parameters["reasoning_effort"] = effort
        record.leave("reasoning", reasoning.rest())


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        if each.peek("type") == "function":
            each.drop("type")
            recorded.tools.append(read_tool(each, "parameters", RESPONSES))
        else:
            left.append(provider_tool(each))
    record.leave("tools", left)


class _Items:
    """The input: what a model gave in a row, thoughts, texts and calls, is one message again."""

    def __init__(self, record: FieldReader, recorded: RecordedRequest) -> None:
        self._record = record
        self._recorded = recorded
        self._left: list[Json] = []

    def read(self) -> None:
        if isinstance(self._record.peek("input"), str):
            text = self._record.text("input")
            self._recorded.rows.append(
                RecordedMessage(self._record.path("input"), Role.USER, (TextPart(text),))
            )
            return
        for item in self._record.records("input"):
            self._item(item)
        self._record.leave("input", self._left)

    def _item(self, item: FieldReader) -> None:
        kind = item.text("type") or "message"
        if kind == "message":
            self._message(item)
        elif kind == "function_call":
            call = ToolCallPart(
                needed_text(item, "call_id"), needed_text(item, "name"), item.text("arguments")
            )
            self._add(item, Role.ASSISTANT, [call])
        elif kind == "function_call_output":
            self._output(item)
        elif kind == "reasoning":
            needed_text(item, "id")
            data = json_text(item.whole())
            self._add(item, Role.ASSISTANT, [RedactedThinkingPart(data)])
        else:
            self._add(item, Role.ASSISTANT, [provider_part(item, RESPONSES, kind)])

    def _message(self, item: FieldReader) -> None:
        role = read_role(item, _ROLES)
        parts = read_parts(item, "content", _part)
        if role is Role.SYSTEM and not self._recorded.rows:
            self._recorded.instructions += [part.text for part in parts if isinstance(part, TextPart)]
            return
        self._add(item, role, parts)

    def _output(self, item: FieldReader) -> None:
        call_id = needed_text(item, "call_id")
        parts = read_parts(item, "output", _part)
        text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
        images = [part for part in parts if isinstance(part, ImagePart)]
        self._add(item, Role.TOOL, [ToolResultPart(call_id, text), *images])

    def _add(self, item: FieldReader, role: Role, parts: list[Part]) -> None:
        rows = self._recorded.rows
        kept = item.rest()
        if rows and rows[-1].role is role and role is Role.ASSISTANT:
            rows[-1].parts += tuple(parts)
            if kept:
                rows[-1].kept.setdefault("items", []).append(kept)
            return
        rows.append(RecordedMessage(item.where, role, tuple(parts), kept={"items": [kept]} if kept else {}))


def _part(block: FieldReader) -> list[Part]:
    kind = needed_text(block, "type")
    if kind in _TEXTS:
        text = block.text("text")
        return [TextPart(text)] if text else []
    if kind == "refusal":
        return [TextPart(block.text("refusal"))]
    if kind == "input_image":
        if not block.has("image_url"):
            return [provider_part(block, RESPONSES, kind)]
        block.drop("detail")
        return [image_at(block.text("image_url"))]
    return [provider_part(block, RESPONSES, kind)]
