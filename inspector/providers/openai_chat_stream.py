"""Reads the stream of OpenAI's Chat Completions, and of the many servers that speak it, into a model's reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, object_at, objects_at, text_at
from inspector.domain.wire.reply_parts import ReplyParts

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "tool_calls": StopReason.TOOL_CALLS,
    "function_call": StopReason.TOOL_CALLS,
    "content_filter": StopReason.REFUSAL,
}


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one chunk to the reply. Only the first choice is read: more are never asked for."""
    if value.get("error"):
        reply.fail(value)
        return
    reply.id = reply.id or text_at(value, "id")
    for choice in objects_at(value, "choices"):
        if number_at(choice, "index") in (0, None):
            _add(object_at(choice, "delta"), reply)
            if choice.get("finish_reason"):
                reply.ends(text_at(choice, "finish_reason"), _STOPS)
    if usage := object_at(value, "usage"):
        reply.charge(
            input=number_at(usage, "prompt_tokens"),
            output=number_at(usage, "completion_tokens"),
            cache_read=number_at(usage, "prompt_tokens_details", "cached_tokens"),
            cache_write=number_at(usage, "prompt_tokens_details", "cache_write_tokens"),
        )


def _add(delta: Mapping[str, Any], reply: ReplyParts) -> None:
    if "reasoning_content" in delta or "reasoning" in delta:
        # What servers call thinking; one sends both, with the same text.
        reply.thinking("thinking", text_at(delta, "reasoning_content") or text_at(delta, "reasoning"))
    reply.text("text", text_at(delta, "content"))
    if "refusal" in delta:
        reply.text("refusal", text_at(delta, "refusal"))
    for place, call in enumerate(objects_at(delta, "tool_calls")):
        index = number_at(call, "index")
        key = ("call", place if index is None else index)
        function = object_at(call, "function")
        reply.call(key, text_at(call, "id"), text_at(function, "name"), text_at(function, "arguments"))
