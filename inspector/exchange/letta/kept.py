"""What an import kept of an Agent File's own fields, for the day when the row goes out again."""

from __future__ import annotations

from typing import Any

from inspector.domain.edits.adopting import Row
from inspector.domain.errors import MalformedError
from inspector.exchange.guard import Json
from inspector.storage.json_columns import parse

KEPT = "letta"


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
