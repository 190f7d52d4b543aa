"""Finds the form of a recorded provider request and where it stands in its file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json, parse_json
from inspector.exchange.json_limits import JsonCost, JsonLimits

ANTHROPIC = "anthropic-request"
CHAT = "openai-request"
RESPONSES = "openai-responses-request"
GEMINI = "gemini-request"
OLLAMA = "ollama-request"

_HOLDERS = ("body", "request", "json", "payload", "data", "request_body")
"""Fields that recorders put a request's body into, beside its address, its headers and the reply."""

_OBJECT = re.compile(r"\s*+\{")

_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document"})


@dataclass(frozen=True, slots=True)
class RecordedBody:
    """A body and its path in the file; `around` is the object that it stands in, if it stands in one."""

    body: dict[str, Json]
    where: str = ""
    around: dict[str, Json] | None = None


def opened(value: Json) -> RecordedBody | None:
    """The body of a recorded request, taken out of what a recorder wrapped it in."""
    if not isinstance(value, dict):
        return None
    if _is_body(value):
        return RecordedBody(value)
    for key in _HOLDERS:
        inner = value.get(key)
        if isinstance(inner, dict) and _is_body(inner):
            return RecordedBody(inner, key, {name: each for name, each in value.items() if name != key})
    return None


def with_body(value: Json, limits: JsonLimits, spent: JsonCost) -> Json:
    """Decoded JSON with the request's body decoded too, where a recorder wrote it as a text.

    Raises:
        MalformedError: such a text passes a limit of the guard.
    """
    for key in _HOLDERS if isinstance(value, dict) else ():
        text = value.get(key)
        if not isinstance(text, str) or not _OBJECT.match(text):
            continue
        try:
            inner = parse_json(text.encode(), limits, spent).value
        except MalformedError as error:
            if error.code == "import.malformed_json":
                continue
            where = f"{key} {error.parameters['where']}"
            raise MalformedError(error.code, **{**error.parameters, "where": where}) from None
        if isinstance(inner, dict) and _is_body(inner):
            return {**value, key: inner}
    return value


def is_anthropic(value: Json) -> bool:
    """Whether decoded JSON is a request to Anthropic's Messages API."""
    return _form(value) == ANTHROPIC


def is_chat(value: Json) -> bool:
    """Whether decoded JSON is a request to OpenAI's Chat Completions API."""
    return _form(value) == CHAT


def is_responses(value: Json) -> bool:
    """Whether decoded JSON is a request to OpenAI's Responses API."""
    return _form(value) == RESPONSES


def is_ollama(value: Json) -> bool:
    """Whether decoded JSON is a request to Ollama's chat API."""
    return _form(value) == OLLAMA


def is_gemini(value: Json) -> bool:
    """Whether decoded JSON is a request to Gemini's generateContent."""
    return _form(value) == GEMINI


def _form(value: Json) -> str:
    envelope = opened(value)
    if envelope is None:
        return ""
    body = envelope.body
    if "contents" in body and "messages" not in body:
        return GEMINI
    if "messages" not in body:
        return RESPONSES
    if _is_anthropic(body):
        return ANTHROPIC
    return OLLAMA if _is_ollama(body) else CHAT


def _is_body(value: dict[str, Json]) -> bool:
    if "agents" in value or "agent_type" in value:
        return False
    if any("parts" in each for each in _objects(value.get("contents"))):
        return True
    if first := next(_objects(value.get("messages")), None):
        return "role" in first or "content" in first
    return isinstance(value.get("input"), str | list) and isinstance(value.get("model"), str)


def _is_ollama(body: dict[str, Json]) -> bool:
    """By its own fields: options as an object, images beside a text, calls whose arguments are an object."""
    if isinstance(body.get("options"), dict) or "keep_alive" in body:
        return True
    messages = list(_objects(body.get("messages")))
    calls = (call.get("function") for each in messages for call in _objects(each.get("tool_calls")))
    return any("images" in each for each in messages) or any(
        isinstance(call, dict) and isinstance(call.get("arguments"), dict) for call in calls
    )


def _is_anthropic(body: dict[str, Json]) -> bool:
    """The two forms share much: what only one of them has decides, and the model's name where nothing does."""
    if "system" in body or "anthropic_version" in body:
        return True
    if any("input_schema" in each for each in _objects(body.get("tools"))):
        return True
    messages = list(_objects(body.get("messages")))
    if any(
        each.get("role") in ("developer", "tool", "function") or "tool_calls" in each for each in messages
    ):
        return False
    kinds = {block.get("type") for each in messages for block in _objects(each.get("content"))}
    if kinds & {"image_url", "input_audio", "file"}:
        return False
    if any(isinstance(kind, str) and kind in _OWN_BLOCKS for kind in kinds) or "image" in kinds:
        return True
    model = body.get("model")
    return isinstance(model, str) and "claude" in model.lower()


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
