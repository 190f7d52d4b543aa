"""Decodes a foreign file by what it holds, not by its name: JSON, one JSON value a line, or YAML."""

from __future__ import annotations

import re

from inspector.domain.codec import kind_of
from inspector.exchange.json_guard import (
    DEFAULT_LIMITS,
    Json,
    ParsedJson,
    checked_text,
    parse_json,
    parse_lines,
)
from inspector.exchange.json_limits import JsonCost, JsonLimits
from inspector.exchange.yaml_guard import parse_yaml

_JSON = re.compile(rb'\s*+(?:[\[{"]|\Z)')
_LINES = re.compile(rb"(?:\xef\xbb\xbf)?\s*+\{[^\n]*\}[ \t\r]*\n\s*+\{")
_KEYS_SHOWN = 6


def parse_foreign(data: bytes, limits: JsonLimits = DEFAULT_LIMITS) -> ParsedJson:
    """What foreign bytes hold; one JSON value a line comes as the list of them.

    Raises:
        MalformedError: with ``where`` (``line:column``) and ``why``.
    """
    if _LINES.match(data):
        return parse_lines(data, limits)
    data = checked_text(data, limits)
    if _JSON.match(data):
        return parse_json(data, limits)
    spent = JsonCost()
    value, duplicates = parse_yaml(data, limits, spent)
    return ParsedJson(value, duplicates, spent, "YAML")


def appearance_of(parsed: ParsedJson) -> str:
    """What a decoded file looks like, for who expected something else of it."""
    value = parsed.value
    if isinstance(value, dict):
        return f"a {parsed.written} object with {_keys(value)}"
    if isinstance(value, list):
        if not value:
            return f"an empty {parsed.written} list"
        first = value[0]
        inside = f" that begins with an object with {_keys(first)}" if isinstance(first, dict) else ""
        return f"a {parsed.written} list of {len(value)}{inside}"
    if value is None:
        return "nothing but null"
    return "plain text" if isinstance(value, str) else f"{kind_of(value)} and nothing else"


def _keys(value: dict[str, Json]) -> str:
    shown = ", ".join(key[:30] for key in list(value)[:_KEYS_SHOWN])
    if len(value) < 2:
        return f"the key {shown}" if shown else "no keys"
    return f"the keys {shown}{' …' if len(value) > _KEYS_SHOWN else ''}"
