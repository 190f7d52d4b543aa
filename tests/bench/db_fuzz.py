"""Damaged database files, by thousands: each is opened, opened with a warning, or refused; no more can happen.

Of those that are opened and say something else than the whole file, looking them over must find the damage.

Run as ``python -m tests.bench.db_fuzz [--count N] [--first SEED]`` from the project's root. Each mutant has a seed of
its own, told when something is wrong with it. The exit code is 1 when a target is missed. Opening and reading run in
a process that may die: a death is counted under the seed it happened at, and the run goes on.
"""
# ruff: noqa: ASYNC240 - nothing else waits for the loop

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.domain.errors import FileError
from inspector.runtime.environment import Environment
from inspector.storage.salvage_rows import shapes
from tests.file_checks import problems_in
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished, read_everything

ROOT = Path(__file__).resolve().parents[2]
SLOW_SECONDS = 5.0
FIRST = 300_000
PAGE = 4096
_MEMORY = Path("/dev/shm")


@dataclass
class Figures:
    """What one run found; the lists hold seeds."""

    mutants: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    aborts: list[int] = field(default_factory=list)
    uncaught: list[tuple[int, str]] = field(default_factory=list)
    slow: list[tuple[int, float]] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    differing: int = 0
    missed: list[tuple[int, str]] = field(default_factory=list)
    worst: float = 0.0

    @property
    def held(self) -> bool:
        """Whether the targets of the reliability table hold."""
        return not (self.aborts or self.uncaught or self.slow or self.changed or self.missed)


def mutant(seed: int, whole: bytes) -> bytes:
    """A damaged copy of a file. Bytes are changed where there are any: most of a page is empty."""
    chance = random.Random(seed)
    changed = bytearray(whole)
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4, 16))):
        page = chance.randrange(len(whole) // PAGE) * PAGE
        kind = chance.randrange(12)
        if kind < 8:
            # Within the page's header and cell pointers, or at its end, where cells are.
            at = chance.choice((chance.randrange(40), PAGE - 1 - int(chance.expovariate(1 / 400)) % PAGE))
            changed[page + at] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        elif kind == 8:
            changed[chance.randrange(100)] = chance.randrange(256)
        elif kind == 9:
            at = page + chance.randrange(PAGE - 64)
            changed[at : at + 64] = chance.randbytes(64)
        elif kind == 10:
            other = chance.randrange(len(whole) // PAGE) * PAGE
            changed[page : page + PAGE] = whole[other : other + PAGE]
        else:
            changed[page : page + PAGE] = bytes(PAGE)
    if chance.randrange(40) == 0:
        del changed[chance.randrange(len(changed)) :]
    return bytes(changed)


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]] | str]:
    """What a file holds, by table, but for what is derived; of a table that can't be read, the error."""
    found: dict[str, list[tuple[Any, ...]] | str] = {}
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        connection.text_factory = bytes
        for table in (*shapes(), "sqlite_sequence"):
            try:
                found[table] = sorted(connection.execute("SELECT * FROM " + table), key=repr)
            except sqlite3.Error as error:
                found[table] = str(error)
    return found


def difference(path: Path, whole: dict[str, list[tuple[Any, ...]] | str]) -> list[str]:
    """The tables that say something else than those of the whole file."""
    return [table for table, rows in rows_of(path).items() if rows != whole[table]]


async def meet(
    path: Path, blob: bytes, surroundings: Environment, whole: dict[str, list[tuple[Any, ...]] | str]
) -> dict[str, Any]:
    """What became of one file."""
    path.write_bytes(blob)
    path.chmod(0o600)
    told: dict[str, Any] = {}
    started = time.perf_counter()
    try:
        problems = await read_everything(path, surroundings)
        told["verdict"] = "opened with a warning" if problems else "opened"
        told["codes"] = sorted({each.code for each in problems})
        told["differing"] = difference(path, whole)
        told["found"] = bool(problems) or (bool(told["differing"]) and bool(problems_in(path)))
    except FileError as error:
        told |= {"verdict": "refused", "codes": [error.code]}
    except BaseException as error:  # noqa: BLE001  what the run is looking for
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        told |= {"verdict": "uncaught", "uncaught": f"{place} {error!r}"[:300], "codes": []}
    told["seconds"] = time.perf_counter() - started
    told["same"] = hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(blob).digest()
    return told


async def serve(first: int, past: int) -> None:
    """The process that may die: a line of JSON for each mutant."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        surroundings = Environment(HeldClock(), counted_ids(), NOOR, "fuzz", folder / "state")
        source = await make_furnished(folder / "whole.constellation", surroundings)
        whole, rows = source.read_bytes(), rows_of(source)
        for seed in range(first, past):
            told = await meet(folder / "mutant.constellation", mutant(seed, whole), surroundings, rows)
            sys.stdout.write(json.dumps({"seed": seed, **told}) + "\n")
            sys.stdout.flush()


def run(first: int, count: int) -> Figures:
    """Meet `count` mutants, seeds from `first` on."""
    figures, seed = Figures(mutants=count), first
    while seed < first + count:
        command = [sys.executable, "-m", "tests.bench.db_fuzz", "--serve", str(seed), str(first + count)]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                _count(figures, json.loads(line))
                seed += 1
            if process.wait():
                figures.aborts.append(seed)
                seed += 1
    return figures


def _count(figures: Figures, told: dict[str, Any]) -> None:
    seed, verdict = told["seed"], told["verdict"]
    figures.verdicts[verdict] += 1
    if verdict == "refused":
        figures.refused.update(told["codes"])
    elif verdict == "uncaught":
        figures.uncaught.append((seed, told["uncaught"]))
    else:
        figures.warned.update(told["codes"])
    if told.get("differing"):
        figures.differing += 1
        # Of tables that can't be read the differences are known before the refusal, which tells of them.
        if verdict != "refused" and not told["found"]:
            figures.missed.append((seed, ", ".join(told["differing"])))
    if told["seconds"] > SLOW_SECONDS:
        figures.slow.append((seed, round(told["seconds"], 2)))
    if not told["same"]:
        figures.changed.append(seed)
    figures.worst = max(figures.worst, told["seconds"])


def _print(figures: Figures, seconds: float) -> None:
    def counted(counter: Counter[str]) -> str:
        return ", ".join(f"{name} {number}" for name, number in counter.most_common()) or "none"

    print(f"{figures.mutants} files in {seconds:.0f} s: {counted(figures.verdicts)}")
    print(f"  aborts {len(figures.aborts)} {figures.aborts}")
    print(f"  uncaught {len(figures.uncaught)} {figures.uncaught[:20]}")
    print(f"  slower than 5 s {len(figures.slow)} {figures.slow}, worst {figures.worst:.2f} s")
    print(f"  bytes changed {len(figures.changed)} {figures.changed}")
    print(
        f"  opened and say something else: {figures.differing}, not found {len(figures.missed)} {figures.missed}"
    )
    print(f"  refused: {counted(figures.refused)}")
    print(f"  warned: {counted(figures.warned)}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--serve", type=int, nargs=2, metavar=("FIRST", "PAST"))
    given = parser.parse_args(arguments)
    if given.serve:
        asyncio.run(serve(*given.serve))
        return 0
    started = time.monotonic()
    figures = run(given.first, given.count)
    _print(figures, time.monotonic() - started)
    return 0 if figures.held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
