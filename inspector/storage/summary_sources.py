"""Reads what was done to the sources of summaries: edits since, and how each summary was made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from inspector.domain.activity import EventKind
from inspector.domain.codec import read_time
from inspector.domain.ref import RefKind
from inspector.domain.summary_findings import LastEdit
from inspector.storage.connection import Connection

_EDITED = """
    SELECT ref_id, max(seq) AS seq, at FROM changes
    WHERE owner = ? AND ref_kind = ? AND kind = ? GROUP BY ref_id
"""
_COMPRESSED = "SELECT details FROM activity WHERE agent_id = ? AND kind = ? ORDER BY seq"


async def edited(source: Connection, agent_id: str, kind: RefKind, operation: str) -> dict[str, LastEdit]:
    """The last change of each of an agent's records of a kind by an operation, by id."""
    rows = await source.fetch_all(_EDITED, (agent_id, kind.value, operation))
    # With one maximum, SQLite gives the other columns of that very row.
    return {row["ref_id"]: LastEdit(row["seq"], at) for row in rows if (at := _time(row["at"])) is not None}


async def compressions(source: Connection, agent_id: str) -> list[dict[str, object]]:
    """The details of an agent's events of compressed history, oldest first, as far as they can be read."""
    rows = await source.fetch_all(_COMPRESSED, (agent_id, EventKind.CONTEXT_COMPRESSED.value))
    return [*_objects(row["details"] for row in rows)]


def _objects(texts: Iterator[str]) -> Iterator[dict[str, object]]:
    for text in texts:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _time(text: str) -> datetime | None:
    try:
        return read_time(text)
    except ValueError:
        return None
