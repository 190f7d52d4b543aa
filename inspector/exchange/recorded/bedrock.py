"""Reads a recorded request to Amazon Bedrock's Converse as an import plan."""

from __future__ import annotations

from inspector.domain.agents import Tool
from inspector.domain.messages import Part, Role, TextPart, ThinkingPart, ToolCallPart, ToolResultPart
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import CONVERSE
from inspector.exchange.recorded.plans import RecordedMessage, RecordedRequest
from inspector.exchange.recorded.rows import (
    needed_text,
    provider_part,
    read_parameters,
    read_request,
    read_role,
    read_tool,
)

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_PARAMETERS = {
    "maxTokens": "max_tokens",
    "max_new_tokens": "max_tokens",
    "temperature": "temperature",
    "topP": "top_p",
    "top_p": "top_p",
    "topK": "top_k",
    "top_k": "top_k",
    "stopSequences": "stop",
}


def _fill(record: FieldReader, recorded: RecordedRequest) -> None:
    recorded.model = record.text("modelId") or recorded.model
    recorded.instructions = _system(record)
    config = record.record("inferenceConfig")
    if config is not None:
        recorded.parameters = read_parameters(config, _PARAMETERS)
        record.leave("inferenceConfig", config.untaken())
    _tools(record, recorded)
    for message in record.records("messages"):
        recorded.rows += _rows(message)


read = read_request(CONVERSE, "bedrock", _fill)


def _system(record: FieldReader) -> list[str]:
    if isinstance(record.peek("system"), str):
        return [text] if (text := record.text("system")) else []
    texts: list[str] = []
    left: list[Json] = []
    for block in record.records("system"):
        if text := block.text("text"):
            texts.append(text)
        if rest := block.rest():
            left.append(rest)
    record.leave("system", left)
    return texts


def _tools(record: FieldReader, recorded: RecordedRequest) -> None:
    config = record.record("toolConfig")
    if config is None:
        return
    left: list[Json] = []
    for each in config.records("tools"):
        spec = each.record("toolSpec")
        if spec is not None:
            recorded.tools.append(_tool(spec))
        if rest := each.untaken():
            each.notes.info("import.provider_tool", each.where, kind=", ".join(rest)[:60])
            left.append(rest)
    config.leave("tools", left)
    record.leave("toolConfig", config.untaken())


def _tool(spec: FieldReader) -> Tool:
    schema = spec.record("inputSchema")
    plain = {**spec.whole(), "inputSchema": None if schema is None else schema.take("json")}
    return read_tool(FieldReader(plain, spec.where, spec.notes), "inputSchema", CONVERSE)


def _rows(message: FieldReader) -> list[RecordedMessage]:
    """The rows of one message: its results are a tool's, the rest is its speaker's."""
    role = read_role(message, _ROLES)
    results: list[Part] = []
    others: list[Part] = []
    left: list[Json] = []
    for block in message.records("content"):
        if block.has("toolResult"):
            results += _result(block)
        else:
            others += _parts(block)
        if rest := block.rest():
            left.append(rest)
    message.leave("content", left)
    rows = [RecordedMessage(message.where, Role.TOOL, tuple(results))] if results else []
    if others or not results:
        rows.append(RecordedMessage(message.where, role, tuple(others)))
    rows[0].extra = message.rest()
    return rows


def _parts(block: FieldReader) -> list[Part]:
    if block.has("text"):
        return [TextPart(text)] if (text := block.text("text")) else []
    if block.has("toolUse"):
        return _call(block)
    if block.has("image"):
        return _image(block)
    if block.has("reasoningContent"):
        return _thinking(block)
    return [provider_part(block, CONVERSE, ", ".join(block.untaken()))]


def _call(block: FieldReader) -> list[Part]:
    call = block.record("toolUse")
    if call is None:
        return [provider_part(block, CONVERSE, "toolUse")]
    arguments = call.record("input")
    written = {} if arguments is None else arguments.whole()
    made = ToolCallPart(needed_text(call, "toolUseId"), needed_text(call, "name"), json_text(written))
    block.leave("toolUse", call.untaken())
    return [made]


def _result(block: FieldReader) -> list[Part]:
    result = block.record("toolResult")
    if result is None:
        return [provider_part(block, CONVERSE, "toolResult")]
    call_id = needed_text(result, "toolUseId")
    texts: list[str] = []
    images: list[Part] = []
    left: list[Json] = []
    for each in result.records("content"):
        if each.has("image"):
            images += _image(each)
        elif each.has("json"):
            texts.append(json_text(each.take("json")))
        elif each.has("text"):
            texts.append(each.text("text"))
        if rest := each.rest():
            each.notes.warn("import.result_part", each.where, kind=", ".join(rest)[:60])
            left.append(rest)
    result.leave("content", left)
    is_error = result.text("status") == "error"
    block.leave("toolResult", result.untaken())
    return [ToolResultPart(call_id, "\n".join(texts), is_error), *images]


def _image(block: FieldReader) -> list[Part]:
    image = block.record("image")
    source = None if image is None else image.record("source")
    if image is None or source is None or not isinstance(source.peek("bytes"), str):
        return [provider_part(block, CONVERSE, "image")]
    kind = image.text("format")
    block.leave("image", image.untaken())
    return [image_part(f"image/{kind}" if kind else "", source.text("bytes"))]


def _thinking(block: FieldReader) -> list[Part]:
    content = block.record("reasoningContent")
    text = None if content is None else content.record("reasoningText")
    if text is None:
        return [provider_part(block, CONVERSE, "reasoningContent")]
    return [ThinkingPart(text.text("text"), text.text("signature") or None)]
