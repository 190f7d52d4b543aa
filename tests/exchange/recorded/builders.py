"""Recorded requests, made by hand in the forms that providers publish."""

from __future__ import annotations

import base64
import json
from typing import Any

from inspector.domain.exchange import ImportPlan
from tests.exchange.builders import counted_ids, plan_import_of

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

ANTHROPIC: dict[str, Any] = {
    "model": "claude-opus-4-8",
    "max_tokens": 1024,
    "system": "You are Ada.\n\nBe brief.",
    "tools": [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "What is there?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "opaque"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"q": "tree"}},
                {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "An oak."},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "No.", "is_error": True},
                {"type": "text", "text": "And here?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
            ],
        },
    ],
}

CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "max_completion_tokens": 300,
    "temperature": 0.2,
    "stop": ["END"],
    "tools": [
        {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}
    ],
    "messages": [
        {"role": "system", "content": "You are Ada."},
        {"role": "user", "content": "What is there?", "name": "bob"},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"q":  "x"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "An oak."},
        {"role": "assistant", "content": "An oak."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "And here?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
            ],
        },
    ],
}

RESPONSES: dict[str, Any] = {
    "model": "gpt-5.6",
    "instructions": "You are Ada.",
    "max_output_tokens": 500,
    "reasoning": {"effort": "low"},
    "store": False,
    "tools": [
        {"type": "function", "name": "look", "description": "Looks.", "parameters": SCHEMA, "strict": False}
    ],
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What is there?"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"q": "x"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "An oak."},
        {"type": "message", "role": "assistant", "content": "An oak."},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "And here?"},
                {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{PIXEL}"},
            ],
        },
    ],
}


def plan_of(value: Any, origin: str = "call.json") -> ImportPlan:
    """The plan of a recorded request."""
    return plan_import_of(json.dumps(value).encode(), counted_ids(), origin=origin)
