"""Tool arguments and schemas as JSON objects, where a provider accepts nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.messages import ProviderPart

AROUND = "@item"
"""The key, among a part's further fields, of those of the item that begins with it."""
SPELLINGS = "@names"
"""The key, among further fields, of the names that own fields came under, by the names that they have here."""
AS_TEXT = "@text"
"""The key, among them, that names the field which came as a plain text, and not as a list or an object."""
AS_OBJECT = "@object"
"""The key, among them, that names the field which came as an object, and not as the text of one."""
MARKS = frozenset({AROUND, SPELLINGS, AS_TEXT, AS_OBJECT})
"""All of these: they say how a body was written, and are not sent."""

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
    return object_of(part.data)


def object_of(text: str) -> dict[str, Any]:
    """What a text holds as JSON; an empty object if that is no JSON object."""
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def joined(written: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A written object with the further fields that it came with, which never replace what is written.

    Objects are joined field by field. What is written and empty is as empty as it came: null, a text, a list.
    """
    found = dict(written)
    for key, value in extra.items():
        own = found.get(key)
        if key in MARKS:
            continue
        if own and isinstance(own, dict) and isinstance(value, dict):
            found[key] = joined(own, value)
        elif own is None or own in ("", [], {}):
            found[key] = joined({}, value) if isinstance(value, dict) else value
    return found


def respelled(written: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """An object under the names that its own fields came under, and so the objects in it."""
    names = extra.get(SPELLINGS)
    names = names if isinstance(names, dict) else {}
    found: dict[str, Any] = {}
    for key, value in written.items():
        inner = extra.get(key)
        if isinstance(value, dict) and isinstance(inner, dict) and SPELLINGS in inner:
            value = respelled(value, inner)
        found[str(names.get(key, key))] = value
    return found


def content_as_it_came(
    blocks: list[dict[str, Any]], extra: Mapping[str, Any], key: str = "content"
) -> str | list[dict[str, Any]]:
    """Blocks of a content, or the text of the only one where the content came as a plain text."""
    is_plain = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
    return str(blocks[0]["text"]) if is_plain and extra.get(AS_TEXT) == key else blocks


def leaves(extra: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The paths of the fields of an object that say something, an object's own fields each by itself."""
    for key, value in extra.items():
        if key == AROUND or (isinstance(value, dict) and key not in MARKS):
            yield from leaves(value, path if key == AROUND else f"{path}{key}.")
        elif key not in MARKS and value not in (None, "", []):
            yield f"{path}{key}"


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
