"""Rows without a place in an Agent File, embedded in the agent's metadata for a later import.

The first agent's metadata holds, under ``context_inspector``, all rows of the constellation (without history) and a
fingerprint of everything else in the file. While that fits, the rows are what the file stands for, and they come back
as they were. Once another program has changed the file, its own fields count, as in any other Agent File.

What the fields hold word for word (a text block's text, a message's parts) is not repeated in the rows: they name the
block or message of the file that has it.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.codec import to_plain
from inspector.domain.edits.row_import import ConstellationRows
from inspector.domain.errors import MalformedError
from inspector.exchange.field_reader import FieldReader, ImportLog
from inspector.exchange.json_guard import Json
from inspector.exchange.letta.messages import read_message
from inspector.exchange.rows.file_layout import lists_of, rows_of
from inspector.exchange.rows.row_checks import checked
from inspector.exchange.rows.row_json import compact

KEY = "context_inspector"
VERSION = 1
_THERE = "content_of"
_FINGERPRINT, _ROWS = "fingerprint", "rows"


def embed_rows(value: dict[str, Json], rows: ConstellationRows, places: Mapping[str, str]) -> None:
    """Put the rows into a file's first agent. `places` names, by id, the block or message that shows a row."""
    shown = _shown(value)
    lists = lists_of(rows)
    for name in ("blocks", "messages"):
        for row in lists[name]:
            place = places.get(row["id"], "")
            if place in shown and row.get("content") == shown[place]:
                del row["content"]
                row[_THERE] = place
    metadata = value["agents"][0]["metadata"]
    metadata[KEY] = {"version": VERSION, _FINGERPRINT: fingerprint(value), _ROWS: lists}


def embedded_rows(value: Json, notes: ImportLog) -> ConstellationRows | None:
    """The rows that a file holds; None when it holds none, or its own fields have been changed since.

    In that case what it holds is taken out of it, and a note says so.

    Raises:
        MalformedError: the rows cannot be read.
    """
    metadata = _metadata(value)
    if metadata is None or KEY not in metadata:
        return None
    embedded = metadata.pop(KEY)
    lists = embedded.get(_ROWS) if isinstance(embedded, dict) else None
    if not isinstance(embedded, dict) or embedded.get("version") != VERSION or not isinstance(lists, dict):
        notes.warn("import.held_unreadable", f"agents[0].metadata.{KEY}")
        return None
    if embedded.get(_FINGERPRINT) != fingerprint(value):
        notes.warn("import.edited_elsewhere", f"agents[0].metadata.{KEY}")
        return None
    _fill(lists, _shown(value))
    return checked(rows_of(lists, history=False, notes=notes), notes)


def fingerprint(value: Json) -> str:
    """A hash of a file's fields, whatever the order of their keys; what is embedded is no part of it."""
    return hashlib.sha256(compact(_ordered(value, top=True)).encode()).hexdigest()


def _ordered(value: Any, *, top: bool = False) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value) if key != KEY or top}
    return [_ordered(each) for each in value] if isinstance(value, list) else value


def _metadata(value: Json) -> dict[str, Json] | None:
    agents = value.get("agents")
    first = agents[0] if isinstance(agents, list) and agents else None
    metadata = first.get("metadata") if isinstance(first, dict) else None
    return metadata if isinstance(metadata, dict) else None


def _shown(value: Json) -> dict[str, Json]:
    """The contents that the file's own fields hold, in the form of ours, by the id in the file."""
    shown: dict[str, Json] = {}
    for block in _objects(value, "blocks"):
        if isinstance(block.get("id"), str) and isinstance(block.get("value"), str):
            shown[block["id"]] = {"kind": "text", "text": block["value"]}
    for agent in _objects(value, "agents"):
        for message in _objects(agent, "messages"):
            if not isinstance(message.get("id"), str):
                continue
            with contextlib.suppress(MalformedError):
                row = read_message(FieldReader(dict(message), "", ImportLog()), in_context=True)
                shown[message["id"]] = to_plain(row.parts)
    return shown


def _objects(value: Mapping[str, Json], name: str) -> Iterator[dict[str, Json]]:
    """The members of a list that are objects; nothing where there is no such list."""
    found = value.get(name)
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict):
            yield each


def _fill(lists: dict[str, Json], shown: Mapping[str, Json]) -> None:
    for name in ("blocks", "messages"):
        rows = lists.get(name)
        for index, row in enumerate(rows if isinstance(rows, list) else ()):
            if isinstance(row, dict) and _THERE in row:
                place = row.pop(_THERE)
                if not isinstance(place, str) or place not in shown:
                    raise MalformedError(
                        "import.malformed", where=f"{name}[{index}].{_THERE}", why="is not in the file"
                    )
                row["content"] = shown[place]
