"""A constellation as one JSON file."""

from __future__ import annotations

import msgspec

from inspector.domain.edits.adopting import ConstellationRows
from inspector.exchange.constellation.header import value_of
from inspector.exchange.guard import Json


def file_of(rows: ConstellationRows) -> bytes:
    """The file's bytes: the same rows give the same ones."""
    return pretty(value_of(rows))


def pretty(value: Json) -> bytes:
    """JSON as people read and compare it, one line an entry."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
