"""Tool arguments and schemas as JSON objects, where a provider accepts nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inspector.domain.messages import ProviderPart

_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "not", "enum", "const")
_DEEPEST = 200


def arguments_of(text: str) -> dict[str, Any] | None:
    """A call's arguments as an object, None if the text is no JSON object that can be sent.

    An empty text is an empty object: it is how some models write a call without arguments.
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _can_be_sent(value) else None


def as_sent(part: ProviderPart) -> dict[str, Any]:
    """A part of the provider's own as it came; an empty object if its text is no JSON object."""
    try:
        value = json.loads(part.data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def object_schema(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A tool's schema as providers take it, an object at the top, and the keys that had to change."""
    schema = {key: value for key, value in parameters.items() if key not in _NOT_AT_THE_TOP}
    changed = [key for key in parameters if key in _NOT_AT_THE_TOP]
    if schema.get("type") != "object":
        if "type" in schema or schema:
            changed.append("type")
        schema = {"type": "object", **{key: value for key, value in schema.items() if key != "type"}}
    if not isinstance(schema.get("properties", {}), dict):
        changed.append("properties")
        del schema["properties"]
    schema.setdefault("properties", {})
    return schema, tuple(changed)


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _can_be_sent(value: Any) -> bool:
    """Whether a decoded value is UTF-8 all through, of finite numbers, and not nested without end."""
    waiting = [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        if depth > _DEEPEST:
            return False
        if isinstance(each, str) and not _is_utf8(each):
            return False
        if isinstance(each, float) and each - each != 0:
            return False
        if isinstance(each, dict):
            waiting += [(item, depth + 1) for pair in each.items() for item in pair]
        elif isinstance(each, list):
            waiting += [(item, depth + 1) for item in each]
    return True


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
