"""Reads a shipped JSON file of a known shape and names the file and place of any problem."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from inspector.domain.errors import NotFoundError
from inspector.shipped.locate import malformed

Shape = TypeVar("Shape")


class ShippedRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the shapes of shipped files: a field that the shape does not know is an error."""


def read_json(path: Path, shape: type[Shape]) -> Shape:
    """A file's content as a value of `shape`.

    Raises:
        NotFoundError: there is no such file.
        MalformedError: the file is no JSON or has another shape.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except FileNotFoundError:
        raise NotFoundError("not_found.resource", name=path.name) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise malformed(path, problem) from problem
