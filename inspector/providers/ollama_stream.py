"""Reads the stream of Ollama's chat, one JSON object a line, into a model's reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, object_at, objects_at, text_at, value_at
from inspector.domain.wire.reply_parts import ReplyParts

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "load": StopReason.END,
    "unload": StopReason.END,
}


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one line to the reply."""
    if value_at(value, "error"):
        reply.fail(value)
        return
    message = object_at(value, "message")
    reply.thinking("thinking", text_at(message, "thinking"))
    reply.text("text", text_at(message, "content"))
    for call in objects_at(message, "tool_calls"):
        function = object_at(call, "function")
        arguments = json.dumps(object_at(function, "arguments"), ensure_ascii=False)
        # Calls have ids in newer versions alone.
        id_ = text_at(call, "id") or f"call_{reply.call_count + 1}"
        reply.call(("call", reply.call_count), id_, text_at(function, "name"), arguments)
    if value_at(value, "done") is True:
        reply.charge(input=number_at(value, "prompt_eval_count"), output=number_at(value, "eval_count"))
        reply.ends(text_at(value, "done_reason") or "stop", _STOPS)
        if reply.stop is StopReason.END and reply.call_count:
            reply.stop = StopReason.TOOL_CALLS
        reply.finish()
