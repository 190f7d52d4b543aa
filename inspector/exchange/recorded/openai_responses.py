"""Reads a recorded Responses request as an import plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inspector.domain.messages import Part, RedactedThinkingPart, Role, TextPart, ToolCallPart
from inspector.domain.wire.objects import AROUND, AS_TEXT, object_of
from inspector.domain.wire.system import SYSTEM
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import RESPONSES
from inspector.exchange.recorded.plans import RecordedMessage, RecordedRequest
from inspector.exchange.recorded.rows import (
    image_at,
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
}
_PARAMETERS = {"max_output_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p"}
_PLAIN_INPUT: dict[str, Json] = {"role": "user", AS_TEXT: "content"}
_TEXTS = ("input_text", "output_text", "text", "refusal")


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    if isinstance(record.peek("instructions"), str):
        _add_system(recorded, [record.text("instructions")], {}, None)
    recorded.parameters = read_parameters(record, _PARAMETERS)
    _reasoning(record, recorded)
    _tools(record, recorded)
    for earlier in ("previous_response_id", "conversation"):
        if record.has(earlier):
            record.notes.warn("import.earlier_part_elsewhere", record.path(earlier))
    if record.has("prompt"):
        record.notes.warn("import.prompt_elsewhere", record.path("prompt"))
    _Items(record, recorded).read()


read = read_request(RESPONSES, "openai", _fill)


def _add_system(
    recorded: RecordedRequest, texts: list[str], fields: dict[str, Json], blocks: list[Json] | None
) -> None:
    recorded.instructions += texts
    system = recorded.layout.setdefault(SYSTEM, [])
    if isinstance(system, list):
        system.append({"fields": fields, "blocks": blocks})


def _reasoning(record: FieldReader, recorded: RecordedRequest) -> None:
    reasoning = record.record("reasoning")
    if reasoning is not None:
        if effort := reasoning.text("effort"):
            recorded.parameters["reasoning_effort"] = effort
        record.leave("reasoning", reasoning.untaken(with_empty=True))


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    left: list[Json] = []
    for each in record.records("tools"):
        if each.peek("type") == "function":
            tool = read_tool(each, "parameters", RESPONSES)
            recorded.tools.append(tool)
            left.append(tool.name)
        else:
            left.append(provider_tool(each))
    record.leave("tools", left)


class _Items:
    """The input: what a model gave in a row, thoughts, texts and calls, is one message again."""

    def __init__(self, record: FieldReader, recorded: RecordedRequest) -> None:
        self._record = record
        self._recorded = recorded

    def read(self) -> None:
        record, rows = self._record, self._recorded.rows
        if isinstance(record.peek("input"), str):
            record.leave(AS_TEXT, "input")
            said = (TextPart(record.text("input")),)
            rows.append(RecordedMessage(record.path("input"), Role.USER, said, extra=_PLAIN_INPUT))
            return
        for item in record.records("input"):
            self._item(item)

    def _item(self, item: FieldReader) -> None:
        kind = str(item.peek("type") or "message")
        if kind == "message":
            self._message(item)
        elif kind == "function_call":
            call_id, name = needed_text(item, "call_id"), needed_text(item, "name")
            call = ToolCallPart(call_id, name, item.text("arguments"))
            self._add(item, Role.ASSISTANT, [with_extra(call, item)])
        elif kind == "function_call_output":
            result, *others = result_of(needed_text(item, "call_id"), read_parts(item, "output", _part))
            self._add(item, Role.TOOL, [with_extra(result, item), *others])
        elif kind == "reasoning":
            self._add(item, Role.ASSISTANT, [RedactedThinkingPart(json_text(item.as_it_came()))])
        else:
            self._add(item, Role.ASSISTANT, [provider_part(item, RESPONSES, kind)])

    def _message(self, item: FieldReader) -> None:
        role = _ROLES.get(str(item.peek("role")))
        system = system_texts(item, "content") if role is Role.SYSTEM and not self._recorded.rows else None
        if system is not None:
            item.drop("content")
            _add_system(self._recorded, system[0], item.untaken(with_empty=True), system[1])
            return
        role = read_role(item, _ROLES)
        item.leave("role", item.peek("role"))
        if role is Role.ASSISTANT:
            self._reply(item)
        else:
            parts = read_parts(item, "content", _part)
            self._add(item, role, parts, item.untaken(with_empty=True))

    def _reply(self, item: FieldReader) -> None:
        """A message of the model's: its first part has the further fields of the item, and is of that item alone."""
        content = item.peek("content")
        blocks = content if isinstance(content, list) else []
        if any(not isinstance(block, dict) or block.get("type") not in _TEXTS for block in blocks):
            self._add(item, Role.ASSISTANT, [provider_part(item, RESPONSES, "message")])
            return
        parts = read_parts(item, "content", _part)
        first, *others = [part for part in parts if isinstance(part, TextPart)] or [TextPart("")]
        extra = {**object_of(first.extra_body), AROUND: item.untaken(with_empty=True)}
        self._add(item, Role.ASSISTANT, [replace(first, extra_body=json_text(extra)), *others])

    def _add(
        self, item: FieldReader, role: Role, parts: list[Part], extra: dict[str, Json] | None = None
    ) -> None:
        rows = self._recorded.rows
        # A second text is charged as a message of its own; calls and reasoning belong to the text beside them.
        joins = rows and rows[-1].role is role is Role.ASSISTANT
        if joins and not (_has_text(rows[-1].parts) and _has_text(parts)):
            rows[-1].parts += tuple(parts)
            return
        rows.append(RecordedMessage(item.where, role, tuple(parts), extra=extra or {}))


def _has_text(parts: Iterable[Part]) -> bool:
    return any(isinstance(part, TextPart) for part in parts)


def _part(block: FieldReader) -> Part:
    kind = needed_text(block, "type")
    if kind in _TEXTS:
        if kind != "input_text":
            block.leave("type", kind)
        return TextPart(block.text("refusal" if kind == "refusal" else "text"))
    if kind == "input_image" and isinstance(block.peek("image_url"), str):
        return image_at(block.text("image_url"))
    return provider_part(block, RESPONSES, kind)
