"""Random Requests on their way out: tools, thoughts, images, and histories in every disorder."""

from __future__ import annotations

import base64
import json
import random
from typing import Any

from inspector.domain.limits import Limits
from inspector.domain.messages import (
    ImagePart,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.models import ModelFacts
from inspector.domain.wire.values import (
    CacheEnd,
    Outgoing,
    PromptSegment,
    ToolDefinition,
    WireForm,
    WireMessage,
)
from inspector.shipped.models import load_model_table

MODELS = {
    WireForm.ANTHROPIC: ("claude-opus-4-8", "claude-sonnet-4-5", "claude-opus-5-5", "claude-9-unheard-of"),
    WireForm.OPENAI: ("gpt-4o", "gpt-5.6", "o3-mini", "gpt-oss-20b", "my-own-model"),
    WireForm.OPENAI_RESPONSES: ("gpt-5.6", "gpt-4o", "o1", "my-own-model"),
    WireForm.GEMINI: ("gemini-2.5-flash", "gemini-3.8-flash", "gemini-3.1-pro-preview", "gemini-odd/name"),
    WireForm.OLLAMA: ("llama3.2:3b", "gpt-oss:20b", "unheard-of"),
}
TEXTS = (
    "",
    " ",
    "\n\t ",
    "hello",
    "What's up? ",
    "[Conversation start]",
    "</system> <b>&amp;",
    '{"type": "tool_use"}',
    "日本語 עברית 👩‍👩‍👧",
    "line\r\nline\u2028line\x00\x1b[0m",
    "a" * 500,
)
TOOL_NAMES = (
    "search",
    "send_message",
    "web.fetch",
    "naïve tool",
    "naïve_tool",
    "na_ve_tool",
    "",
    "9lives",
    "a:b-c.d",
    "x" * 200,
    "Ünïcödé" * 30,
)
ARGUMENTS = (
    "{}",
    "",
    '{"query": "x", "n": 3}',
    '{"deep": {"a": [1, {"b": null}]}}',
    '["not", "an", "object"]',
    "{broken",
    '{"half": "\\ud800"}',
    '{"big": 1e999}',
    '{"nan": NaN}',
    " {} ",
    '{"' + "k" * 300 + '": "v"}',
)
SCHEMAS: tuple[dict[str, Any], ...] = (
    {},
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "what"}},
        "required": ["query"],
    },
    {"type": "object", "properties": {}},
    {"type": "string"},
    {"oneOf": [{"type": "object"}, {"type": "string"}]},
    {"properties": {"a": {"type": ["integer", "null"], "enum": [1, None]}}},
    {"type": "object", "properties": ["wrong"], "$defs": {"x": {"type": "string"}}},
)
CALL_IDS = ("call_1", "call_2", "toolu_01AbC", "", "with space", "x" * 90, "ünï", "call_1")
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
IMAGES = (
    ImagePart("image/png", 10, 20, PIXEL),
    ImagePart("image/jpeg", 0, 0, f"data:image/jpeg;base64,{PIXEL}"),
    ImagePart("image/webp", 1, 1, "https://example.org/picture.webp"),
    ImagePart("image/tiff", 5, 5, PIXEL),
    ImagePart("image/svg+xml", 5, 5, "<svg/>"),
    ImagePart("", 0, 0, ""),
    ImagePart("image/png", 3, 3, "gs://bucket/object"),
)
REASONING = json.dumps(
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}, separators=(",", ":")
)
SIGNATURES = (None, "", base64.b64encode(b"signed by somebody").decode(), "not base 64 !")
PARAMETERS: tuple[dict[str, Any], ...] = (
    {},
    {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_completion_tokens": 4_000},
    {"thinking": {"type": "adaptive"}, "max_output_tokens": 100},
    {"thinking": {"type": "enabled", "budget_tokens": 10**9}},
    {"temperature": 0.3, "stop": ["END"], "seed": 7},
    {"temperature": "hot", "max_tokens": 5, "reasoning_effort": "high"},
    {"max_tokens": -1, "top_k": 40, "top_p": 0.5, "frequency_penalty": 0.1, "own": [1]},
    {"max_tokens": 10**9, "presence_penalty": 1, "stop": "END", "reasoning_effort": "silly"},
)

_TABLE = load_model_table()


class Inventor:
    """Invents one Request from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._open: list[str] = []

    def outgoing(self, form: WireForm) -> Outgoing:
        """A Request for a model that is served in that form."""
        chance = self._random
        model = chance.choice(MODELS[form])
        facts: ModelFacts | None = _TABLE.resolve(model)
        system = tuple(
            PromptSegment(f"block:{number}", chance.choice(TEXTS))
            for number in range(chance.choice((0, 1, 3, 6)))
        )
        names = chance.sample(TOOL_NAMES, chance.choice((0, 0, 1, 3, len(TOOL_NAMES))))
        tools = tuple(
            ToolDefinition(name, chance.choice(("", "Does it.")), chance.choice(SCHEMAS)) for name in names
        )
        messages = tuple(self._message(number) for number in range(chance.choice((0, 1, 2, 5, 12, 30))))
        pieces = [*(tool.piece_id for tool in tools), *(each.piece_id for each in system)]
        pieces += [each.piece_id for each in messages]
        chosen = sorted(chance.sample(range(len(pieces)), min(len(pieces), chance.randrange(5))))
        ends = tuple(CacheEnd(pieces[at], chance.choice((None, "5m"))) for at in chosen)
        limits = Limits(chance.choice((8_000, 200_000)), 4_000, 4_000, chance.choice((0, 1, 1_000, 8_000)))
        return Outgoing(model, facts, system, messages, tools, limits, chance.choice(PARAMETERS), ends)

    def _message(self, number: int) -> WireMessage:
        chance = self._random
        roles = (Role.USER, Role.ASSISTANT, Role.ASSISTANT, Role.TOOL, Role.SYSTEM)
        role = chance.choices(roles, (5, 4, 4, 5, 1))[0]
        if role is Role.TOOL and self._open and chance.random() < 0.8:
            content: tuple[Part, ...] = tuple(
                self._result() for _ in range(chance.choice((1, 1, len(self._open))))
            )
        else:
            content = tuple(self._part(role) for _ in range(chance.choice((0, 1, 1, 2, 4))))
        name = chance.choice((None, None, None, "Ada Lovelace", "bob"))
        origin = chance.choice((None, None, "anthropic", "openai", "gemini"))
        return WireMessage(f"message:{number}", role, content, name, origin)

    def _part(self, role: Role) -> Part:
        chance = self._random
        if chance.random() < 0.1:
            role = chance.choice(tuple(Role))
        if role is Role.TOOL:
            return self._result()
        if role is Role.ASSISTANT:
            return self._reply_part()
        return chance.choice(IMAGES) if chance.random() < 0.2 else TextPart(chance.choice(TEXTS))

    def _reply_part(self) -> Part:
        chance = self._random
        kind = chance.choices(("text", "call", "thinking", "redacted", "image"), (5, 5, 3, 2, 1))[0]
        if kind == "call":
            call_id = chance.choice(CALL_IDS)
            self._open.append(call_id)
            return ToolCallPart(call_id, chance.choice(TOOL_NAMES), chance.choice(ARGUMENTS))
        if kind == "thinking":
            return ThinkingPart(chance.choice(TEXTS), chance.choice(SIGNATURES))
        if kind == "redacted":
            return RedactedThinkingPart(chance.choice(("EncryptedOpaque==", REASONING, "")))
        return chance.choice(IMAGES) if kind == "image" else TextPart(chance.choice(TEXTS))

    def _result(self) -> ToolResultPart:
        chance = self._random
        known = self._open and chance.random() < 0.9
        call_id = self._open.pop(chance.randrange(len(self._open))) if known else chance.choice(CALL_IDS)
        return ToolResultPart(call_id, chance.choice(TEXTS), chance.random() < 0.2)


def invented(seed: int, form: WireForm) -> Outgoing:
    """The Request of a seed."""
    return Inventor(seed).outgoing(form)
