"""Reads fields of a provider's JSON, whatever their types turn out to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def text_at(value: Any, *path: str) -> str:
    """The text under a path of fields, empty where there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def number_at(value: Any, *path: str) -> int | None:
    """The whole number of zero or more under a path of fields, None where there is none."""
    found = value_at(value, *path)
    is_number = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 1 << 53
    return found if is_number else None


def object_at(value: Any, *path: str) -> Mapping[str, Any]:
    """The object under a path of fields, an empty one where there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, Mapping) else {}


def objects_at(value: Any, *path: str) -> Iterator[Mapping[str, Any]]:
    """The objects of the list under a path of fields; anything else in it is passed over."""
    found = value_at(value, *path)
    for each in found if isinstance(found, list) else ():
        if isinstance(each, Mapping):
            yield each


def value_at(value: Any, *path: str) -> Any:
    """What stands under a path of fields, None where nothing does."""
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
