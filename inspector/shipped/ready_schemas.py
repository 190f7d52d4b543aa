"""The ready-made schemas that a new block can begin with, from one shipped file."""

from __future__ import annotations

from functools import cache
from typing import Any

from inspector.domain.blocks import ReadySchema
from inspector.domain.codec import from_plain
from inspector.domain.errors import MalformedError
from inspector.shipped.checked import read_json
from inspector.shipped.locate import malformed, resource_path


@cache
def load_ready_schemas() -> tuple[ReadySchema, ...]:
    """The ready-made schemas in the order in which they are offered.

    Raises:
        MalformedError: the file has another shape.
    """
    path = resource_path("schemas", "ready_made.json")
    rows: list[Any] = read_json(path, list[Any])
    try:
        return tuple(from_plain(ReadySchema, row, f"$[{at}]") for at, row in enumerate(rows))
    except MalformedError as error:
        raise malformed(path, f"{error.parameters['why']} - at `{error.parameters['where']}`") from error
