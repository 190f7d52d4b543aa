"""Reads a block's content of which single items, entries or nodes are damaged: all the others are kept."""

from __future__ import annotations

import re

from inspector.domain.codec import from_plain
from inspector.domain.content import Content
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.storage.json_columns import parse

_INDEX = re.compile(r"\[(\d+)\]")
_AFTER_KEY = ("", ".", "[")
_MOST_LEFT_OUT = 100


def sound_content(text: str) -> tuple[Content | None, tuple[str, ...]]:
    """What can be read of a stored content, and the places of the elements that can't; None if nothing can be."""
    left_out: list[str] = []
    try:
        plain = parse(text)
    except (MalformedError, RecursionError):
        return None, ()
    while len(left_out) < _MOST_LEFT_OUT:
        try:
            content: Content = from_plain(Content, plain)
        except MalformedError as error:
            place = _without_element(plain, str(error.parameters["where"]))
            if not place:
                return None, ()
            left_out.append(place)
        else:
            return content, tuple(left_out)
    return None, ()


def _without_element(plain: Json, where: str) -> str:
    """Take the innermost element of a list that a place lies in out of its list; its path, empty if there is none."""
    here, at, found = plain, 1, None
    while at < len(where):
        if isinstance(here, list) and (index := _INDEX.match(where, at)) and int(index[1]) < len(here):
            at = index.end()
            found = here, int(index[1]), where[:at]
            here = here[int(index[1])]
        elif isinstance(here, dict) and (key := _key_at(here, where, at)) is not None:
            at += 1 + len(key)
            here = here[key]
        else:
            break
    if found is None:
        return ""
    elements, number, path = found
    del elements[number]
    return path


def _key_at(value: dict[str, Json], where: str, at: int) -> str | None:
    """The key of an object that a path goes on with; a key may itself hold a dot or a bracket."""
    fitting = (key for key in value if where.startswith(f".{key}", at))
    return max(
        (key for key in fitting if where[at + 1 + len(key) :][:1] in _AFTER_KEY), key=len, default=None
    )
