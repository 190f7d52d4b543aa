"""Reads what a provider adds to the prompt by itself out of an agent's own parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from inspector.domain.wire.parameters import EXTRA_BODY

_FORCING = frozenset({"any", "tool", "required", "function"})
_SCHEMA_HOLDERS = ("response_format", "text", "output_config", "output_format", "generationConfig")
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


def provider_tools(parameters: str) -> tuple[str, ...]:
    """The definitions of tools that the provider runs itself, as JSON texts."""
    given = (body.get("tools") for body in _bodies(parameters))
    return tuple(
        json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
        for tools in given
        if isinstance(tools, list)
        for tool in tools
    )


def asks_to_think(parameters: str) -> bool:
    """Whether an agent's parameters give the model a budget for thinking."""
    thinking = parsed_parameters(parameters).get("thinking")
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def _forces_gemini(config: Any) -> bool:
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    return isinstance(calling, dict) and calling.get("mode") == "ANY"


def _schema_in(value: Any) -> Mapping[str, Any] | None:
    found: dict[str, Any] | None = value if isinstance(value, dict) else None
    while found is not None:
        inner = next((found[key] for key in _SCHEMA_KEYS if isinstance(found.get(key), dict)), None)
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
