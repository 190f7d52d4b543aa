"""Reads what a provider adds to the prompt by itself out of an agent's own parameters."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from inspector.domain.messages import ImagePart
from inspector.domain.wire.objects import MARKS, SPELLINGS
from inspector.domain.wire.parameters import AS_RECORDED, EXTRA_BODY

# Compared one by one: what stands in a body may be of any type, and a schema's type is a list at times.
_FORCING = ("any", "tool", "required", "function")
_SCHEMA_HOLDERS = ("response_format", "text", "output_config", "output_format", "generationConfig")
_OF_OWN_TOOLS = {"functionDeclarations", SPELLINGS}
"""What an entry has that stands for tools of the agent's own."""
_NO_SCHEMA = ("text", "json_object")
_ADDS_NOTHING = frozenset(
    (
        *(
            "n",
            "seed",
            "stop",
            "user",
            "store",
            "stream",
            "include",
            "metadata",
            "truncation",
            "service_tier",
        ),
        *("logprobs", "top_logprobs", "logit_bias", "presence_penalty", "frequency_penalty", "temperature"),
        *("top_p", "stream_options", "parallel_tool_calls", "tool_choice", "reasoning", "reasoning_effort"),
        *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier"),
        *("moderation", "provider", "background", "max_tokens", "max_output_tokens", "max_completion_tokens"),
    )
)
"""Fields of a body that were never charged as input."""
_AT_PROVIDER = frozenset(
    (
        *("previous_response_id", "conversation", "prompt", "mcp_servers", "web_search_options"),
        *("context_management", "container", "preset", "plugins", "models", "transforms"),
    )
)
"""Fields that bring in what stands at the provider, or what it finds."""
_SCHEMA_KEYS = ("schema", "responseSchema", "responseJsonSchema", "json_schema", "format")


def must_call_tool(parameters: str) -> bool:
    """Whether an agent's parameters, JSON, make the model call a tool."""
    for body in _bodies(parameters):
        choice = body.get("tool_choice")
        kind = choice.get("type") if isinstance(choice, dict) else choice
        if kind in _FORCING or _forces_gemini(body.get("toolConfig")):
            return True
    return False


def output_schema(parameters: str) -> Mapping[str, Any] | None:
    """The JSON Schema that an agent's parameters want the reply in, None where they want none."""
    for body in _bodies(parameters):
        if isinstance(bare := body.get("format"), dict):
            return bare
        for holder in _SCHEMA_HOLDERS:
            found = _schema_in(body.get(holder))
            if found is not None:
                return found
    return None


def adds_task_budget(parameters: str) -> bool:
    """Whether an agent's parameters tell the model how many tokens it has for the task."""
    configs = (body.get("output_config") for body in _bodies(parameters))
    return any(isinstance(each, dict) and each.get("task_budget") is not None for each in configs)


def system_messages(parameters: str, texts: int) -> int:
    """In how many messages an agent's system text goes out, if it has as many texts as when it was recorded."""
    by_form = parsed_parameters(parameters).get(AS_RECORDED)
    layouts = by_form.values() if isinstance(by_form, dict) else ()
    for recorded in (each.get("system") for each in layouts if isinstance(each, dict)):
        if isinstance(recorded, list) and sum(map(_texts_of, recorded)) == texts:
            return max(1, len(recorded))
    return 1


def provider_tools(parameters: str) -> tuple[str, ...]:
    """The definitions of tools that the provider runs itself, as JSON texts."""
    given = (body.get("tools") for body in _bodies(parameters))
    return tuple(
        json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
        for tools in given
        if isinstance(tools, list)
        for tool in tools
        if isinstance(tool, dict) and tool.keys() - _OF_OWN_TOOLS
    )


def recorded_form(parameters: str) -> str:
    """The provider's form that an agent was read from, empty for one that came from elsewhere."""
    by_form = parsed_parameters(parameters).get(EXTRA_BODY)
    return next(iter(by_form), "") if isinstance(by_form, dict) else ""


def has_unknown_fields(parameters: str) -> bool:
    """Whether a body is sent with fields of which it isn't known that they add nothing to the input."""
    return any(
        value is not None and name not in _ADDS_NOTHING and name not in MARKS
        for body in _bodies(parameters)
        for name, value in body.items()
    )


def takes_from_provider(parameters: str) -> bool:
    """Whether a body names what only the provider has; an empty list of tools was charged for, nobody knows why."""
    bodies = tuple(_bodies(parameters))
    return any(body.get(name) or body.get("tools") == [] for body in bodies for name in _AT_PROVIDER)


def asks_to_think(parameters: str, kinds: Collection[str] = ("enabled",)) -> bool:
    """Whether an agent's parameters give the model a budget for thinking, or what else `kinds` names."""
    bodies = (parsed_parameters(parameters), *_bodies(parameters))
    found = (body.get("thinking") for body in bodies)
    return any(isinstance(each, dict) and each.get("type") in kinds for each in found)


def asks_for_little_detail(image: ImagePart) -> bool:
    """Whether a recorded image was sent to be seen with little detail."""
    extra = parsed_parameters(image.extra_body)
    inner = extra.get("image_url")
    return "low" in (extra.get("detail"), inner.get("detail") if isinstance(inner, dict) else None)


def _texts_of(message: Any) -> int:
    blocks = message.get("blocks") if isinstance(message, dict) else None
    return len(blocks) if isinstance(blocks, list) else 1


def _forces_gemini(config: Any) -> bool:
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    return isinstance(calling, dict) and calling.get("mode") == "ANY"


def _schema_in(value: Any) -> Mapping[str, Any] | None:
    found: dict[str, Any] | None = value if isinstance(value, dict) else None
    while found is not None:
        inner = next((found[key] for key in _SCHEMA_KEYS if isinstance(found.get(key), dict)), None)
        if found.get("type") in _NO_SCHEMA or (inner or {}).get("type") in _NO_SCHEMA:
            return None
        if inner is not None and "schema" not in inner and "json_schema" not in inner:
            return dict(inner)
        found = inner
    return None


def _bodies(parameters: str) -> Iterator[Mapping[str, Any]]:
    by_form = parsed_parameters(parameters).get(EXTRA_BODY)
    yield from (
        (body for body in by_form.values() if isinstance(body, dict)) if isinstance(by_form, dict) else ()
    )


@lru_cache(maxsize=64)
def parsed_parameters(parameters: str) -> Mapping[str, Any]:
    """An agent's parameters as an object, an empty one where their text is none."""
    try:
        value = json.loads(parameters or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
