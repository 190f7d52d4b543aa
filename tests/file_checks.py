"""Looking a file over without the airlock: the bytes are the test's own, and a worker for each look costs time."""

from __future__ import annotations

from pathlib import Path

from inspector.domain.errors import Problem
from inspector.memory.stored_documents import read_document
from inspector.storage.check import check_file


def problems_in(path: Path) -> tuple[Problem, ...]:
    """As `memory.checking.check`."""
    return check_file(path, read_document)
