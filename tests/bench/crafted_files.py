"""Every file made to do harm, at its full size: what becomes of it, how long that takes, and that it stays as it was.

Run as ``python -m tests.bench.crafted_files [--megabytes N]`` from the project's root; the exit code is 1 when a
verdict is another than it should be, takes longer than 5 s, or changes the file. The longest value is 900 MB.
"""
# ruff: noqa: ASYNC240 - nothing else waits for the loop

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.runtime.environment import Environment
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished, read_everything
from tests.storage.hostile_databases import CRAFTED, LONG_VALUE, Crafted, large_cell

SLOW_SECONDS = 5.0
_MEMORY = Path("/dev/shm")


def _digest(path: Path) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


async def _met(crafted: Crafted) -> bool:
    """Make one, read all of it, and tell; whether it ended as it should."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        surroundings = Environment(HeldClock(), counted_ids(), NOOR, "crafted", Path(name) / "state")
        path = await make_furnished(Path(name) / "a.constellation", surroundings)
        crafted.make(path)
        before, size = _digest(path), path.stat().st_size if path.is_file() else 0
        started = time.perf_counter()
        try:
            verdict = "warned" if await read_everything(path, surroundings) else "opened"
        except FileError as error:
            verdict = error.code
        seconds = time.perf_counter() - started
        same = crafted.changes or _digest(path) == before
    good = verdict in crafted.verdicts and seconds <= SLOW_SECONDS and same
    changed = "" if same else ", CHANGED"
    print(
        f"{'ok  ' if good else 'MISS'} {seconds * 1000:6.0f} ms {size:12,} bytes  {crafted.name}: {verdict}{changed}",
        flush=True,
    )
    return good


async def _main(megabytes: int) -> int:
    cases = [
        replace(each, make=large_cell(megabytes)) if each.name == LONG_VALUE else each for each in CRAFTED
    ]
    good = [await _met(each) for each in cases]
    print(f"{sum(good)} of {len(good)} as they should be")
    return 0 if all(good) else 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=900)
    return asyncio.run(_main(parser.parse_args(arguments).megabytes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
