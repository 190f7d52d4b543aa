"""Reads the stream of Anthropic's Messages API into a model's reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, object_at, text_at, value_at
from inspector.domain.wire.reply_parts import ReplyParts
from inspector.domain.wire.values import WireForm

_STOPS = {
    "end_turn": StopReason.END,
    "tool_use": StopReason.TOOL_CALLS,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.LENGTH,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "refusal": StopReason.REFUSAL,
    "pause_turn": StopReason.PAUSED,
    "compaction": StopReason.PAUSED,
}


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one event to the reply. Events of kinds that nobody knows yet are passed over."""
    match text_at(value, "type"):
        case "message_start":
            reply.id = text_at(value, "message", "id")
            _charge(object_at(value, "message", "usage"), reply)
        case "content_block_start":
            _begin(number_at(value, "index"), object_at(value, "content_block"), reply)
        case "content_block_delta":
            _go_on(number_at(value, "index"), object_at(value, "delta"), reply)
        case "message_delta":
            _charge(object_at(value, "usage"), reply)
            reply.ends(text_at(value, "delta", "stop_reason"), _STOPS)
        case "message_stop":
            reply.finish()
        case "error":
            reply.fail(value)


def _begin(key: int | None, block: Mapping[str, Any], reply: ReplyParts) -> None:
    match text_at(block, "type"):
        case "text":
            reply.text(key, text_at(block, "text"))
        case "thinking":
            reply.thinking(key, text_at(block, "thinking"))
            reply.sign(key, text_at(block, "signature"))
        case "redacted_thinking":
            reply.redacted(key, text_at(block, "data"))
        case "tool_use":
            given = value_at(block, "input")
            arguments = json.dumps(given, ensure_ascii=False) if given else ""
            reply.call(key, text_at(block, "id"), text_at(block, "name"), arguments)
        case _:
            reply.own(key, WireForm.ANTHROPIC.value, block)


def _go_on(key: int | None, delta: Mapping[str, Any], reply: ReplyParts) -> None:
    match text_at(delta, "type"):
        case "text_delta":
            reply.text(key, text_at(delta, "text"))
        case "thinking_delta":
            reply.thinking(key, text_at(delta, "thinking"))
        case "signature_delta":
            reply.sign(key, text_at(delta, "signature"))
        case "input_json_delta":
            reply.more_input(key, text_at(delta, "partial_json"))


def _charge(usage: Mapping[str, Any], reply: ReplyParts) -> None:
    read, written = (
        number_at(usage, "cache_read_input_tokens"),
        number_at(usage, "cache_creation_input_tokens"),
    )
    fresh = number_at(usage, "input_tokens")
    # What is read from a cache and written to one is reported apart from the rest of the input.
    whole = None if fresh is None else fresh + (read or 0) + (written or 0)
    reply.charge(input=whole, output=number_at(usage, "output_tokens"), cache_read=read, cache_write=written)
