"""Copies a large file for a check, so that writers need not wait."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from inspector.domain.errors import FileError, Problem, Severity
from inspector.storage.copying import copy_pages
from inspector.storage.creation import make_private_file, room_in
from inspector.storage.opening import Admission

LARGE_BYTES = 64_000_000
"""A smaller file is read in less than a second."""
_ROOM = 2
"""How many times the file's size must be free: others need room too."""


@contextmanager
def settled(admission: Admission) -> Iterator[tuple[Admission, tuple[Problem, ...]]]:
    """The file, or where it is large a copy of it that is removed afterwards; why there is none, if there is none."""
    size = admission.path.stat().st_size
    if size < LARGE_BYTES:
        yield admission, ()
        return
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        copy = Path(folder) / "copy"
        why = _why_not(admission.path, copy, size)
        if why is None:
            # Nobody else knows of it, so it needs no lock; of whatever mode the file is, it has no side files.
            yield replace(admission, path=copy, access="immutable"), ()
            return
        copy.unlink(missing_ok=True)
        parameters: dict[str, str | int] = {"megabytes": size // 1_000_000, "why": why}
        yield admission, (Problem("check.in_place", Severity.WARNING, str(admission.path), parameters),)


def _why_not(source: Path, copy: Path, size: int) -> str | None:
    """Copy a file; why that cannot be done."""
    try:
        if room_in(copy.parent) < _ROOM * size:
            return f"no room in {copy.parent.parent}"
        make_private_file(copy)
        copy_pages(source, copy)
    except FileError as error:
        return error.code
    except (OSError, sqlite3.Error) as error:
        return str(error)
    return None
