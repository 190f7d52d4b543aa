"""Reads fields of a provider's JSON, whatever their types turn out to be.

This runs for every event of a stream: an object of JSON is a `dict`, which is asked far faster than a `Mapping`,
and each function follows the path by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text_at(value: Any, *path: str) -> str:
    """The text under a path of fields, empty where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def number_at(value: Any, *path: str) -> int | None:
    """The whole number of zero or more under a path of fields, None where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return value if is_number else None


def object_at(value: Any, *path: str) -> Mapping[str, Any]:
    """The object under a path of fields, an empty one where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def objects_at(value: Any, *path: str) -> Iterator[Mapping[str, Any]]:
    """The objects of the list under a path of fields; anything else in it is passed over."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield each


def value_at(value: Any, *path: str) -> Any:
    """What stands under a path of fields, None where nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
