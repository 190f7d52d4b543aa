"""Fields of an Agent File that were kept at import, written back at export."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from inspector.domain.edits.row_import import Row
from inspector.domain.errors import MalformedError
from inspector.exchange.json_guard import Json
from inspector.shipped.checked import read_json
from inspector.shipped.locate import resource_path
from inspector.storage.json_columns import parse

DEFAULT_LIMIT = 20_000
KEPT = "letta"
SYSTEM_END = "system_end"
"""What is kept of a system text from the mark on where memory goes in, with the white space before it."""
_MEMORY_MARK = "{CORE_MEMORY}"


@cache
def usual_fields(kind: str) -> Mapping[str, Json]:
    """All fields of a ``file``, ``agent``, ``block`` or ``tool`` in Letta's order, with their usual values."""
    fields: dict[str, dict[str, Json]] = read_json(resource_path("agent_file", "fields.json"), dict)
    return fields[kind]


def split_system(system: str) -> tuple[str, str]:
    """The instructions of a system text, and its end: the mark where memory goes in and what follows; usually none."""
    head, mark, _ = system.partition(_MEMORY_MARK)
    instructions = head.rstrip() if mark else system
    return instructions, system[len(instructions) :]


def behind_memory(end: str) -> str:
    """The text that stands behind memory, of the end of a system text."""
    return end.partition(_MEMORY_MARK)[2].replace(_MEMORY_MARK, "").strip()


def kept_of(row: Row, column: str = "metadata") -> dict[str, Json]:
    """The fields that were kept, nothing for a row that came from nowhere."""
    kept = _object(str(row[column])).get(KEPT)
    return kept if isinstance(kept, dict) else {}


def json_object(row: Row, column: str) -> dict[str, Json]:
    """A JSON column that holds an object; empty when it does not."""
    return _object(str(row[column]))


def json_list(row: Row, column: str) -> list[Json]:
    """A JSON column that holds a list; empty when it does not."""
    try:
        found: Any = parse(str(row[column]))
    except MalformedError:
        return []
    return found if isinstance(found, list) else []


def _object(text: str) -> dict[str, Json]:
    try:
        found: Any = parse(text)
    except MalformedError:
        return {}
    return found if isinstance(found, dict) else {}
