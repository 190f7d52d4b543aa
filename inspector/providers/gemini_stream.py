"""Reads the stream of Gemini's generateContent into a model's reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.replies import StopReason
from inspector.domain.wire.loose_json import number_at, object_at, objects_at, text_at, value_at
from inspector.domain.wire.reply_parts import ReplyParts
from inspector.domain.wire.values import WireForm

_STOPS = {
    "STOP": StopReason.END,
    "MAX_TOKENS": StopReason.LENGTH,
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        StopReason.REFUSAL,
    ),
}


def read(value: Mapping[str, Any], reply: ReplyParts) -> None:
    """Add one whole response of the stream to the reply. The stream has no end of its own."""
    if value_at(value, "error"):
        reply.fail(value)
        return
    reply.id = reply.id or text_at(value, "responseId")
    if blocked := text_at(value, "promptFeedback", "blockReason"):
        reply.ends(blocked, {blocked: StopReason.REFUSAL})
    for candidate in objects_at(value, "candidates"):
        if number_at(candidate, "index") in (0, None):
            for part in objects_at(candidate, "content", "parts"):
                _add(part, reply)
            reply.ends(text_at(candidate, "finishReason"), _STOPS)
    if reply.stop is StopReason.END and reply.call_count:
        reply.stop = StopReason.TOOL_CALLS
    _charge(object_at(value, "usageMetadata"), reply)


def _add(part: Mapping[str, Any], reply: ReplyParts) -> None:
    """Texts of one kind go on with each other as long as nothing else comes between them."""
    call = object_at(part, "functionCall")
    signature = text_at(part, "thoughtSignature")
    if signature and not part.get("thought"):
        # It stands before what it signs, as thinking without a text.
        reply.sign(("signature", reply.size, reply.call_count), signature)
    if call:
        arguments = json.dumps(object_at(call, "args"), ensure_ascii=False)
        id_ = text_at(call, "id") or f"call_{reply.call_count + 1}"
        reply.call(("call", reply.call_count), id_, text_at(call, "name"), arguments)
    elif part.get("thought") is True:
        reply.thinking(("thinking", reply.call_count), text_at(part, "text"))
        reply.sign(("thinking", reply.call_count), signature)
    elif "text" in part:
        reply.text(("text", reply.call_count), text_at(part, "text"))
    elif kind := next((name for name in part if name not in ("thoughtSignature", "thought")), ""):
        reply.own(("own", reply.size), WireForm.GEMINI.value, {"type": kind, **part})


def _charge(usage: Mapping[str, Any], reply: ReplyParts) -> None:
    prompt, tools = number_at(usage, "promptTokenCount"), number_at(usage, "toolUsePromptTokenCount")
    said, thought = number_at(usage, "candidatesTokenCount"), number_at(usage, "thoughtsTokenCount")
    reply.charge(
        input=None if prompt is None else prompt + (tools or 0),
        output=None if said is None and thought is None else (said or 0) + (thought or 0),
        cache_read=number_at(usage, "cachedContentTokenCount"),
    )
