"""A constellation as one JSON file, with the header that names the format and its version."""

from __future__ import annotations

import re

import msgspec

from inspector.domain.actor import IdGenerator
from inspector.domain.codec import kind_of
from inspector.domain.edits.row_import import ConstellationRows
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportPlan
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_guard import Json
from inspector.exchange.rows.file_layout import FACTS, LISTS, lists_of, rows_of
from inspector.exchange.rows.row_checks import checked
from inspector.exchange.rows.row_plan import plan_of

FORMAT = "context-inspector-constellation"
MAJOR, MINOR = 1, 0
"""A newer minor version adds what an older reader may pass over; a newer major one is refused by it."""
_HEADER = ("format", "version", "history")
_HEADER_FIELDS = frozenset({*_HEADER, FACTS, *(table.name for table in LISTS)})
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")


def value_of(rows: ConstellationRows) -> dict[str, Json]:
    """The JSON object of a constellation: the header, the facts, the lists."""
    header = {"format": FORMAT, "version": f"{MAJOR}.{MINOR}", "history": rows.history}
    return {**header, **lists_of(rows)}


def is_constellation(value: Json) -> bool:
    """Whether decoded JSON says that it is of this format."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read(value: Json, ids: IdGenerator, notes: ImportLog, origin: str = "") -> ImportPlan:
    """Read a decoded constellation; nothing is stored.

    Raises:
        MalformedError: with the place of what cannot be read; ``import.newer_format``.
    """
    del ids  # Rows bring their own.
    return plan_of(FORMAT, read_rows(value, notes), notes, origin)


def read_rows(value: Json, notes: ImportLog) -> ConstellationRows:
    """The rows of a decoded constellation, checked.

    Raises:
        MalformedError: as `read`.
    """
    _check_version(value.get("version"))
    history = value.get("history", False)
    if not isinstance(history, bool):
        raise _refuse("history", f"true or false is needed, not {kind_of(history)}")
    for key in value:
        if key not in _HEADER_FIELDS:
            notes.warn("import.unknown_field", key[:200])
    return checked(rows_of(value, history, notes), notes)


def _check_version(version: Json) -> None:
    match = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if match is None:
        raise _refuse("version", "a version such as 1.0 is needed")
    if int(match[1]) > MAJOR:
        raise MalformedError(
            "import.newer_format",
            where="version",
            why=f"written by a newer program: version {version}, {MAJOR}.{MINOR} is understood",
            found=version,
            known=f"{MAJOR}.{MINOR}",
        )


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("import.malformed", where=where, why=why)


def file_of(rows: ConstellationRows) -> bytes:
    """The file's bytes: the same rows give the same ones."""
    return pretty(value_of(rows))


def pretty(value: Json) -> bytes:
    """JSON as people read and compare it, one line an entry."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
