"""Finds a recorded request's body in what a recorder wrapped it in, and tells its form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from urllib.parse import unquote

from inspector.domain.dataclass import dataclass
from inspector.exchange.json_guard import Json
from inspector.exchange.recorded.body_text import BodyTexts

ANTHROPIC = "anthropic-request"
CHAT = "openai-request"
RESPONSES = "openai-responses-request"
GEMINI = "gemini-request"
OLLAMA = "ollama-request"
CONVERSE = "bedrock-converse-request"

_HOLDERS = (
    *("body", "request", "json", "payload", "data", "request_body"),
    *("params", "parsed_body", "postData", "text", "string", "base64_string"),
)
"""Fields that recorders put a request's body into, beside its address, its headers and the reply."""
_MOST_LEVELS = 3
_ADDRESSES = ("url", "uri", "endpoint", "path")
_MODELS = ("model", "modelId")

_CHAT_FIELDS = frozenset(
    (
        *("max_completion_tokens", "stream_options", "response_format", "reasoning", "reasoning_effort"),
        *("stop", "frequency_penalty", "presence_penalty", "seed", "n", "logprobs", "functions"),
        "parallel_tool_calls",
    )
)
"""Fields that a request to Anthropic never has."""
_OWN_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking", "document"})
_CONVERSE_BLOCKS = frozenset(
    {"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "cachePoint"}
)
_CONVERSE_FIELDS = frozenset({"modelId", "inferenceConfig", "toolConfig", "additionalModelRequestFields"})
_FORMS_BY_ADDRESS = (
    (re.compile(r"/chat/completions\b"), CHAT),
    (re.compile(r"/v1/messages\b"), ANTHROPIC),
    (re.compile(r"/api/chat\b"), OLLAMA),
    (re.compile(r"/converse(?:-stream)?(?:$|\?)"), CONVERSE),
)
_MODEL_IN_ADDRESS = re.compile(r"/(?:models?|deployments)/([^/?#]{1,300}?)(?:[/?#]|:[a-zA-Z]+(?:[?#]|$)|$)")


@dataclass(frozen=True, slots=True)
class RecordedBody:
    """A body and its path in the file.

    Attributes:
        body: What was sent.
        where: Its path, empty for the whole file.
        around: The object that it stands in, without it; None if it stands in none.
        model: The model by what stands around it, for a body that names none.
        address: Where it was sent, as far as the file says.
        name: What its agent is called; empty: as the file.
        usage: What its reply says was billed for it, by the provider's own field.
        place: The path of what it stands in.
    """

    body: dict[str, Json]
    where: str = ""
    around: dict[str, Json] | None = None
    model: str = ""
    address: str = ""
    name: str = ""
    usage: dict[str, Json] = field(default_factory=dict)
    place: str = ""

    @property
    def form(self) -> str:
        """The id of the format that its body has."""
        body = self.body
        if "contents" in body and "messages" not in body:
            return GEMINI
        if "messages" not in body:
            return RESPONSES
        for pattern, form in _FORMS_BY_ADDRESS:
            if pattern.search(self.address):
                return form
        if _is_converse(body):
            return CONVERSE
        if _is_anthropic(body, self.model):
            return ANTHROPIC
        return OLLAMA if _is_ollama(body) else CHAT


def find_body(entry: Json, where: str, texts: BodyTexts) -> RecordedBody | None:
    """The body of one recorded request, taken out of what a recorder wrapped it in; None where there is none.

    Raises:
        MalformedError: a body written as a text passes a limit of the guard.
    """
    found = _find(entry, where, texts, _MOST_LEVELS)
    if found is None or found.around is None:
        return found
    address = _stated(found.around, _ADDRESSES)
    model = _stated(found.around, _MODELS) or _model_in(address)
    return replace(found, address=address, model=model, place=where)


def _find(value: Json, where: str, texts: BodyTexts, levels: int) -> RecordedBody | None:
    value = texts.decoded(value, where)
    if not isinstance(value, dict):
        return None
    if _is_body(value):
        return RecordedBody(value, where)
    for key in _HOLDERS if levels else ():
        inner = value.get(key)
        if not isinstance(inner, dict | str):
            continue
        found = _find(inner, f"{where}.{key}" if where else key, texts, levels - 1)
        if found is not None:
            around = {name: each for name, each in value.items() if name != key}
            return replace(found, around={**around, key: found.around} if found.around else around)
    return None


def _stated(around: dict[str, Json], names: tuple[str, ...]) -> str:
    """What an entry says of its request under one of these names, itself or in one object of it."""
    request = around.get("request")
    for holder in (around, request if isinstance(request, dict) else {}):
        for name in names:
            if isinstance(found := holder.get(name), str):
                return found
    return ""


def _model_in(address: str) -> str:
    found = _MODEL_IN_ADDRESS.search(address)
    return unquote(found[1]) if found else ""


def _is_body(value: dict[str, Json]) -> bool:
    if "agents" in value or "agent_type" in value:
        return False
    if any("parts" in each for each in objects(value.get("contents"))):
        return True
    if first := next(objects(value.get("messages")), None):
        return "role" in first or "content" in first
    stored = value.get("prompt")
    has_input = isinstance(value.get("input"), str | list) or (isinstance(stored, dict) and "id" in stored)
    return has_input and isinstance(value.get("model"), str)


def _is_converse(body: dict[str, Json]) -> bool:
    """By its own fields, or by blocks that are told apart by their one key and not by a type."""
    if _CONVERSE_FIELDS & body.keys():
        return True
    blocks = (block for each in objects(body["messages"]) for block in objects(each.get("content")))
    first = next(blocks, None)
    return first is not None and "type" not in first and bool(_CONVERSE_BLOCKS & first.keys())


def _is_ollama(body: dict[str, Json]) -> bool:
    """By its own fields: options as an object, images beside a text, calls whose arguments are an object."""
    if isinstance(body.get("options"), dict) or "keep_alive" in body:
        return True
    messages = list(objects(body.get("messages")))
    calls = (call.get("function") for each in messages for call in objects(each.get("tool_calls")))
    return any("images" in each for each in messages) or any(
        isinstance(call, dict) and isinstance(call.get("arguments"), dict) for call in calls
    )


def _is_anthropic(body: dict[str, Json], model_around: str) -> bool:
    """The two forms share much: what only one of them has decides, and the model's name where nothing does."""
    if "system" in body or "anthropic_version" in body:
        return True
    if any("input_schema" in each for each in objects(body.get("tools"))):
        return True
    messages = list(objects(body.get("messages")))
    if body.keys() & _CHAT_FIELDS or any("function" in each for each in objects(body.get("tools"))):
        return False
    if any(
        each.get("role") in ("developer", "tool", "function") or "tool_calls" in each for each in messages
    ):
        return False
    kinds = {
        kind
        for each in messages
        for block in objects(each.get("content"))
        if isinstance(kind := block.get("type"), str)
    }
    if kinds & {"image_url", "input_audio", "file"}:
        return False
    if kinds & _OWN_BLOCKS or "image" in kinds:
        return True
    if messages and messages[0].get("role") == "system":
        # There it comes behind a user's message, if at all.
        return False
    model = body.get("model", model_around)
    return isinstance(model, str) and "claude" in model.lower()


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """The objects of a list; of anything else none."""
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))
