"""Looking a file over without the airlock: the bytes are the test's own, and a worker for each look costs time."""

from __future__ import annotations

from pathlib import Path

from inspector.documents.document import Document
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.health import Problem
from inspector.storage.check import check_file


def problems_in(path: Path) -> tuple[Problem, ...]:
    """As `memory.checking.check`."""
    return check_file(path, _content)


def _content(schema: Schema, snapshot: bytes | None, updates: list[bytes]) -> Content:
    return Document.load(schema, snapshot, updates).content()
