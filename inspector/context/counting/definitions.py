"""Writes a tool definition as a model reads it: TypeScript, JSON, or its words alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_INDENT = "    "
_DEEPEST = 16
_LEFT_OUT = frozenset({"title", "additionalProperties"})
_NUMBERS = ("integer", "number")


def compact(value: object) -> str:
    """A value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def bare(schema: object, depth: int = 0) -> object:
    """A JSON Schema without the keys that some providers leave out: titles, and whether other fields may stand."""
    if isinstance(schema, list):
        return [bare(each, depth + 1) for each in schema]
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return schema
    # A field may have the name of such a key; its own value is a schema then, and no text.
    kept = {key: each for key, each in schema.items() if key not in _LEFT_OUT or isinstance(each, Mapping)}
    return {key: bare(each, depth + 1) for key, each in kept.items()}


def words(name: str, description: str, parameters: object, depth: int = 0) -> Iterator[str]:
    """The names and descriptions of a definition and its fields."""
    yield from (text for text in (name, description) if text)
    fields = parameters.get("properties") if isinstance(parameters, Mapping) else None
    if isinstance(fields, Mapping) and depth < _DEEPEST:
        for key, value in fields.items():
            text = value.get("description") if isinstance(value, Mapping) else None
            yield from words(key, text if isinstance(text, str) else "", value, depth + 1)


def typescript(name: str, description: str, parameters: object) -> str:
    """One function of a TypeScript namespace, with its comments."""
    schema = parameters if isinstance(parameters, Mapping) else {}
    fields = "".join(_fields(schema, "", 0))
    taken = f"(_: {{\n{fields}}})" if fields else "()"
    return f"{_comment(description, '')}type {name} = {taken} => any;\n\n"


def _fields(schema: Mapping[str, Any], indent: str, depth: int) -> Iterator[str]:
    found = schema.get("properties")
    if not isinstance(found, Mapping) or depth > _DEEPEST:
        return
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    for key, value in found.items():
        field = value if isinstance(value, Mapping) else {}
        title = field.get("title")
        if isinstance(title, str) and title:
            yield f"{indent}// {title}\n{indent}//\n"
        yield _comment(field.get("description"), indent)
        otherwise = f" // default: {compact(field['default'])}" if "default" in field else ""
        yield f"{indent}{key}{'' if key in needed else '?'}: {_type(field, indent, depth)},{otherwise}\n"


def _comment(text: object, indent: str) -> str:
    if not isinstance(text, str) or not text:
        return ""
    return "".join(f"{indent}// {line}\n" for line in text.split("\n"))


def _type(schema: object, indent: str, depth: int) -> str:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "any"
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(_type(each, indent, depth + 1) for each in schema[key])
    if isinstance(schema.get("enum"), list):
        return " | ".join(map(compact, schema["enum"]))
    if "const" in schema:
        return compact(schema["const"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": each}, indent, depth + 1) for each in kind)
    if kind == "array":
        return f"{_type(schema.get('items'), indent, depth + 1)}[]"
    if kind == "object":
        fields = "".join(_fields(schema, indent + _INDENT, depth + 1))
        return f"{{\n{fields}{indent}}}" if fields else "object"
    return "number" if kind in _NUMBERS else str(kind or "any")
