"""Reads and writes domain values in JSON columns of a row."""

from __future__ import annotations

import json

from inspector.domain.codec import Plain, from_plain, to_plain
from inspector.domain.errors import MalformedError

# What `to_plain` makes is a tree, so nothing needs to be remembered to find a circle in it.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False)


def dump(value: object) -> str:
    """The JSON text of a value of the domain or of a plain one.

    Raises:
        MalformedError: ``malformed.text`` for a lone surrogate, ``malformed.number`` for a number that is
            none or infinite. Neither can be stored.
    """
    try:
        text = _ENCODER.encode(to_plain(value))
    except ValueError as error:
        raise MalformedError("malformed.number", where="$", why=str(error)) from error
    require_storable(text)
    return text


def require_storable(text: str) -> None:
    """Refuse a text that has no UTF-8 form.

    Raises:
        MalformedError: ``malformed.text``.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedError("malformed.text", where=f"character {error.start}", why=error.reason) from error


def parse(text: str) -> Plain:
    """What a JSON column holds.

    Raises:
        MalformedError: ``malformed.json`` with the place.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise MalformedError("malformed.json", where=f"character {error.pos}", why=error.msg) from error
    except ValueError as error:
        # A number of more digits than Python reads.
        raise MalformedError("malformed.json", where="$", why=str(error)) from error
    except RecursionError as error:
        raise MalformedError("malformed.json", where="$", why="nested too deeply") from error


def load(kind: object, text: str) -> Plain:
    """The value of type `kind` that a JSON column holds.

    Raises:
        MalformedError: with the place in it.
    """
    try:
        return from_plain(kind, parse(text))
    except RecursionError as error:
        raise MalformedError("malformed.json", where="$", why="nested too deeply") from error


def texts(text: str) -> tuple[str, ...]:
    """The list of texts that a JSON column holds.

    Raises:
        MalformedError: when it holds anything else.
    """
    found: tuple[str, ...] = load(tuple[str, ...], text)
    return found
