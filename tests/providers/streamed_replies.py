"""Replies as values, and the streams in which each provider would send them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from inspector.domain.wire.values import WireForm
from tests.providers.provider_server import ndjson, sse

Json = dict[str, Any]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
DELTAS = st.lists(
    TEXTS | st.sampled_from(["\u2028", "\u0085", "\r\n\n", "data: x", "🧭", "\ufeff"]), min_size=1, max_size=4
)
ARGUMENTS = st.dictionaries(
    st.text("abc_", min_size=1, max_size=4), TEXTS | st.integers(0, 9) | st.none(), max_size=3
)


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


@dataclass(frozen=True)
class Said:
    """A reply: deltas of thinking and of text, calls by name, what was charged, and how arguments are cut."""

    thinking: tuple[str, ...]
    text: tuple[str, ...]
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    input: int
    output: int
    cut: Callable[[str], list[str]] = _halves

    @property
    def whole(self) -> tuple[str, str, list[tuple[str, Any]]]:
        return "".join(self.thinking), "".join(self.text), [(name, dict(given)) for name, given in self.calls]


SAID = st.builds(
    Said,
    thinking=st.just(()) | DELTAS.map(tuple),
    text=DELTAS.map(tuple),
    calls=st.lists(st.tuples(st.sampled_from(["search", "block_edit"]), ARGUMENTS), max_size=2).map(tuple),
    input=st.integers(1, 9_999),
    output=st.integers(1, 9_999),
)


def anthropic(said: Said) -> bytes:
    usage = {"input_tokens": said.input, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[Json] = [
        {
            "type": "message_start",
            "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage},
        },
        {"type": "ping"},
    ]
    index = 0
    if said.thinking:
        events.append(_start(index, {"type": "thinking", "thinking": "", "signature": ""}))
        events += [_delta(index, {"type": "thinking_delta", "thinking": each}) for each in said.thinking]
        events += [_delta(index, {"type": "signature_delta", "signature": "c2ln"}), _stop(index)]
        index += 1
    events.append(_start(index, {"type": "text", "text": ""}))
    events += [_delta(index, {"type": "text_delta", "text": each}) for each in said.text]
    events.append(_stop(index))
    for number, (name, given) in enumerate(said.calls):
        index += 1
        events.append(_start(index, {"type": "tool_use", "id": f"call_{number}", "name": name, "input": {}}))
        for half in said.cut(json.dumps(given)):
            events.append(_delta(index, {"type": "input_json_delta", "partial_json": half}))
        events.append(_stop(index))
    reason = "tool_use" if said.calls else "end_turn"
    delta = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": said.output}})
    return sse([*events, {"type": "message_stop"}])


def _start(index: int, block: Json) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def _delta(index: int, delta: Json) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _stop(index: int) -> Json:
    return {"type": "content_block_stop", "index": index}


def openai_chat(said: Said) -> bytes:
    def chunk(delta: Json, reason: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    chunks = [chunk({"role": "assistant", "content": ""})]
    chunks += [chunk({"reasoning_content": each}) for each in said.thinking]
    chunks += [chunk({"content": each}) for each in said.text]
    for index, (name, given) in enumerate(said.calls):
        function = {"name": name, "arguments": ""}
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        chunks.append(chunk({"tool_calls": [call]}))
        for half in said.cut(json.dumps(given)):
            chunks.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": half}}]}))
    chunks.append(chunk({}, "tool_calls" if said.calls else "stop"))
    usage = {
        "prompt_tokens": said.input,
        "completion_tokens": said.output,
        "total_tokens": said.input + said.output,
    }
    return sse([*chunks, {**chunk({}), "choices": [], "usage": usage}, "[DONE]"])


def openai_responses(said: Said) -> bytes:
    items: list[Json] = []
    events: list[Json] = []

    def add(item: Json, deltas: list[Json], done: Json) -> None:
        index = len(items)
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.extend({**each, "output_index": index, "item_id": item["id"]} for each in deltas)
        events.append({"type": "response.output_item.done", "output_index": index, "item": done})
        items.append(done)

    if said.thinking:
        reasoning: Json = {"id": "rs_1", "type": "reasoning", "summary": []}
        whole = {**reasoning, "summary": [{"type": "summary_text", "text": "".join(said.thinking)}]}
        kind = "response.reasoning_summary_text.delta"
        add(reasoning, [{"type": kind, "summary_index": 0, "delta": each} for each in said.thinking], whole)
    message: Json = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    part = {"type": "output_text", "text": "".join(said.text), "annotations": []}
    opened = {"type": "response.content_part.added", "content_index": 0, "part": {**part, "text": ""}}
    kind = "response.output_text.delta"
    deltas = [{"type": kind, "content_index": 0, "delta": each, "logprobs": []} for each in said.text]
    add(message, [opened, *deltas], {**message, "status": "completed", "content": [part]})
    for number, (name, given) in enumerate(said.calls):
        call = {"id": f"fc_{number}", "type": "function_call", "call_id": f"call_{number}", "name": name}
        kind = "response.function_call_arguments.delta"
        halves = [{"type": kind, "delta": half} for half in said.cut(json.dumps(given))]
        add(
            {**call, "arguments": ""}, halves, {**call, "arguments": json.dumps(given), "status": "completed"}
        )
    usage = {
        "input_tokens": said.input,
        "output_tokens": said.output,
        "total_tokens": said.input + said.output,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    response: Json = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [],
    }
    ended = {**response, "status": "completed", "output": items, "usage": usage}
    whole_stream = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        *events,
        {"type": "response.completed", "response": ended},
    ]
    return sse({**each, "sequence_number": number} for number, each in enumerate(whole_stream))


def gemini(said: Said) -> bytes:
    def chunk(part: Json) -> Json:
        return {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}],
            "responseId": "r1",
        }

    chunks = [chunk({"text": each, "thought": True}) for each in said.thinking]
    chunks += [chunk({"text": each}) for each in said.text]
    chunks += [chunk({"functionCall": {"name": name, "args": given}}) for name, given in said.calls]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    usage = {"promptTokenCount": said.input, "candidatesTokenCount": said.output}
    chunks[-1]["usageMetadata"] = usage
    return sse(chunks)


def ollama(said: Said) -> bytes:
    def line(message: Json) -> Json:
        spoken = {"role": "assistant", "content": "", **message}
        return {"model": "m", "created_at": "2026-11-24T00:00:00Z", "message": spoken, "done": False}

    lines = [line({"thinking": each}) for each in said.thinking]
    lines += [line({"content": each}) for each in said.text]
    lines += [
        line({"tool_calls": [{"function": {"name": name, "arguments": given}}]}) for name, given in said.calls
    ]
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": said.input, "eval_count": said.output}
    return ndjson([*lines, {**line({}), **end}])


STREAMS: Mapping[WireForm, Callable[[Said], bytes]] = {
    WireForm.ANTHROPIC: anthropic,
    WireForm.OPENAI: openai_chat,
    WireForm.OPENAI_RESPONSES: openai_responses,
    WireForm.GEMINI: gemini,
    WireForm.OLLAMA: ollama,
}
