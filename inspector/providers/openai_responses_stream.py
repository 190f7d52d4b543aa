"""Reads the stream of OpenAI's Responses API into a model's reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, object_at, text_at
from inspector.domain.wire.reply_parts import ReplyParts
from inspector.domain.wire.values import WireForm

_STOPS = {
    "completed": StopReason.END,
    "max_output_tokens": StopReason.LENGTH,
    "max_messages": StopReason.LENGTH,
    "content_filter": StopReason.REFUSAL,
    "steered": StopReason.PAUSED,
}
_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
_REASONING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_TEXTS = frozenset({"response.output_text.delta", "response.refusal.delta"})


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one event to the reply. Events of kinds that nobody knows yet are passed over."""
    kind = text_at(value, "type")
    item = number_at(value, "output_index")
    if kind == "response.created":
        reply.id = text_at(value, "response", "id")
    elif kind == "response.output_item.added":
        _begin(item, object_at(value, "item"), reply)
    elif kind in _TEXTS:
        reply.text((item, number_at(value, "content_index"), kind), text_at(value, "delta"))
    elif kind in _REASONING:
        reply.thinking((item, "thinking"), text_at(value, "delta"))
    elif kind == "response.function_call_arguments.delta":
        reply.more_input(item, text_at(value, "delta"))
    elif kind == "response.output_item.done":
        _complete(item, object_at(value, "item"), reply)
    elif kind in _ENDS:
        _end(kind, value, reply)
    elif kind == "error":
        reply.fail(value if object_at(value, "error") else {"error": value})


def _begin(key: int | None, item: Mapping[str, Any], reply: ReplyParts) -> None:
    kind = text_at(item, "type")
    if kind == "function_call":
        reply.call(key, text_at(item, "call_id"), text_at(item, "name"), text_at(item, "arguments"))
    elif kind not in ("message", "reasoning"):
        reply.own(key, WireForm.OPENAI_RESPONSES.value, item)


def _complete(key: int | None, item: Mapping[str, Any], reply: ReplyParts) -> None:
    """Take over what only the whole item has."""
    kind = text_at(item, "type")
    if kind == "reasoning" and text_at(item, "encrypted_content"):
        # Only the whole item can go back to the provider.
        reply.redacted(key, json.dumps(item, ensure_ascii=False))
    elif kind == "function_call" and reply.is_empty(key):
        reply.call(key, text_at(item, "call_id"), text_at(item, "name"), text_at(item, "arguments"))
    elif kind not in ("message", "reasoning", "function_call"):
        reply.own(key, WireForm.OPENAI_RESPONSES.value, item)


def _end(kind: str, value: Mapping[str, Any], reply: ReplyParts) -> None:
    response = object_at(value, "response")
    usage = object_at(response, "usage")
    reply.charge(
        input=number_at(usage, "input_tokens"),
        output=number_at(usage, "output_tokens"),
        cache_read=number_at(usage, "input_tokens_details", "cached_tokens"),
        cache_write=number_at(usage, "input_tokens_details", "cache_write_tokens"),
    )
    if kind == "response.failed":
        reply.fail({"error": object_at(response, "error")})
        return
    reply.ends(text_at(response, "incomplete_details", "reason") or text_at(response, "status"), _STOPS)
    if reply.stop is StopReason.END and reply.call_count:
        reply.stop = StopReason.TOOL_CALLS
    reply.finish()
