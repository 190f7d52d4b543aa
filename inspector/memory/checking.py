"""Checks a whole file, its documents included."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from inspector.documents.airlock.gate import Airlock
from inspector.domain.blocks import Schema
from inspector.domain.errors import Problem
from inspector.memory.stored_documents import read_document
from inspector.storage.check import DocumentRead, check_file


async def check(path: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with a file; it is only read, and need not be open.

    Raises:
        FileError: when there is nothing to look at (``file.not_found``, ``file.not_a_constellation`` …).
    """
    airlock = Airlock()
    # A thread of its own: the documents read here are seen by no other.
    with ThreadPoolExecutor(1, thread_name_prefix="check") as thread:
        run = partial(asyncio.get_running_loop().run_in_executor, thread)
        try:
            return await run(check_file, path, partial(_read, airlock))
        finally:
            await asyncio.shield(run(airlock.close))


def _read(airlock: Airlock, schema: Schema, snapshot: bytes | None, updates: list[bytes]) -> DocumentRead:
    airlock.look(snapshot, updates).require()
    return read_document(schema, snapshot, updates)
