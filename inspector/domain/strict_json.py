"""Reads the JSON that a person writes as a content, an operation or a layout, and says where it is none.

Python's own reader takes more than JSON has: `NaN`, numbers of any size, a key that stands twice. None of it could
be stored, or it would be stored otherwise than it was meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from inspector.domain.content_faults import Place
from inspector.domain.errors import MalformedError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')

# How the sentences of Python's reader begin, which are English and worded for programmers, and our codes for them.
_WHYS = (
    ("Expecting value", "value_missing"),
    ("Expecting property name", "key_missing"),
    ("Expecting ':'", "colon_missing"),
    ("Expecting ','", "comma_missing"),
    ("Illegal trailing comma", "comma_too_many"),
    ("Unterminated string", "text_not_closed"),
    ("Invalid control character", "control_character"),
    ("Invalid \\", "escape"),
    ("Extra data", "text_behind"),
)


def read_strictly(text: str) -> Any:
    """What a JSON text holds: dicts, lists, texts, numbers, booleans and None.

    Raises:
        MalformedError: a code under ``json.`` that says what is wrong, with ``line`` and ``column`` from 1.
    """
    try:
        plain = json.loads(
            text,
            parse_constant=_refused,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_unambiguous,
        )
    except json.JSONDecodeError as error:
        found = (code for start, code in _WHYS if error.msg.startswith(start))
        raise _fault(next(found, "unreadable"), text, error.pos) from None
    except _UnfitNumberError as error:
        at = next((each.start() for each in _TOKEN.finditer(text) if each.group().startswith(error.token)), 0)
        raise _fault("unfit_number", text, at, number=error.token[:24]) from None
    except _RepeatedKeyError:
        raise _repeated(text) from None
    except RecursionError:
        raise _fault("too_deep", text, 0) from None
    _refuse_half_character(text)
    return plain


def starts(text: str) -> Iterator[tuple[Place, int]]:
    """Where each key and each element of valid JSON begins, in characters."""
    path: list[str | int] = []
    is_key: list[bool] = []
    """For each open bracket, whether a key is next: it is always so behind a brace or its commas."""
    kinds: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token in "}]":
            path.pop()
            kinds.pop()
            is_key.pop()
            continue
        if token == ",":
            if kinds[-1] == "[":
                path[-1] = int(path[-1]) + 1
            else:
                is_key[-1] = True
            continue
        if token == ":":
            continue
        if kinds and kinds[-1] == "{" and is_key[-1]:
            path[-1], is_key[-1] = json.loads(token), False
            yield tuple(path), found.start()
            continue
        if kinds and kinds[-1] == "[":
            yield tuple(path), found.start()
        if token in "{[":
            path.append("" if token == "{" else 0)
            kinds.append(token)
            is_key.append(token == "{")


class _UnfitNumberError(ValueError):
    """A number that JSON doesn't have, or that is too large to be one here."""

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""


def _refused(token: str) -> float:
    raise _UnfitNumberError(token)


def _finite(token: str) -> float:
    found = float(token)
    return found if isfinite(found) else _refused(token)


def _whole(token: str) -> int | float:
    try:
        return int(token)
    except ValueError:
        # It has more digits than Python reads.
        return _refused(token)


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of keys and values: one that stands twice would drop what was meant by the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _RepeatedKeyError
    return found


def _repeated(text: str) -> MalformedError:
    """What is said of the first key that an object has twice."""
    seen: set[Place] = set()
    for place, at in starts(text):
        if place and isinstance(place[-1], str) and place in seen:
            return _fault("key_twice", text, at, key=place[-1])
        seen.add(place)
    return _fault("unreadable", text, 0)


def _refuse_half_character(text: str) -> None:
    """Refuse a text with a lone surrogate, which has no UTF-8."""
    if "\\u" not in text and _is_unicode(text):
        return
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token.startswith('"') and not _is_unicode(json.loads(token)):
            raise _fault("half_character", text, found.start())


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fault(why: str, text: str, at: int, **parameters: str) -> MalformedError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return MalformedError(f"json.{why}", where=f"{line}:{column}", line=line, column=column, **parameters)
