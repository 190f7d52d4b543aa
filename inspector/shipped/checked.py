"""Reading a JSON file of a known shape; what does not fit is named with its file and place."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from inspector.domain.errors import MalformedError, NotFoundError

Shape = TypeVar("Shape")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


def malformed(path: Path, problem: Exception | str) -> MalformedError:
    """The error for a file that cannot be used: folder, name and place in it, and why.

    A problem's own words hold the place after ``at``, as in ``Expected `int`, got `str` - at `$.models[3].id```.
    """
    why, separator, place = str(problem).partition(" - at ")
    name = f"{path.parent.name}/{path.name}"
    where = f"{name} {place.strip('`')}" if separator else name
    return MalformedError("malformed.resource", where=where, why=why)
