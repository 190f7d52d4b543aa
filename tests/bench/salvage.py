"""Damaged files: one for each page of a whole one, with that page erased, and what a salvage brings back of each.

Run as ``python -m tests.bench.salvage [--files N] [--step N]`` from the project's root. The exit code is 1 when a
block whose own pages are whole did not come back as it was, or what did not come back is not in the report.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from inspector.runtime.environment import Environment
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.runtime.damaged_files import Original, make_file, salvage_without


async def run(folder: Path, files: int, step: int) -> int:
    """Salvage, and print a line for each failure and one for all."""
    surroundings = Environment(HeldClock(), counted_ids(), NOOR, "bench", folder / "state", folder / "data")
    path = folder / "whole.constellation"
    await make_file(path, surroundings)
    original = Original.of(path)
    pages = range(1, original.page_count + 1, step)[:files]
    wrong = intact = touched = 0
    recoveries: Counter[str] = Counter()
    started = time.monotonic()
    for number in pages:
        result = await salvage_without(original, number, folder, surroundings)
        intact += result.intact
        hit = {block for block, where in original.pages.items() if number in where}
        touched += len(hit)
        recoveries.update(str(each.recovery) for each in result.report.blocks if each.id in hit)
        if result.wrong:
            wrong += 1
            print(f"page {number}: {result.wrong[:3]}")
    seconds = time.monotonic() - started
    print(
        f"{len(pages)} files of {original.page_count} pages in {seconds:.0f} s: {intact} blocks with whole pages, "
        f"{wrong} files in which one of them did not come back; {touched} blocks with an erased page came back as "
        f"{dict(recoveries)}"
    )
    return wrong


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--step", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        return int(asyncio.run(run(Path(folder), given.files, given.step)) > 0)


if __name__ == "__main__":
    sys.exit(main())
