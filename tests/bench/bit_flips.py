"""Single flipped bits in what a constellation holds: each must be found by looking the file over.

Run as ``python -m tests.bench.bit_flips [--count N] [--first SEED]`` from the project's root; the exit code is 1 when
one is not found.
"""
# ruff: noqa: ASYNC240 - nothing else waits for the loop

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.errors import Problem
from inspector.memory.checking import check
from inspector.runtime.environment import Environment
from inspector.storage.sealing import SEALS
from tests.fixtures import NOOR, HeldClock, counted_ids
from tests.full_constellation import make_furnished

FIRST = 400_000
Cell = bytes | int
Column = tuple[str, str]
_BITS_OF_NUMBER = 8
_FLAGS = ("pending", "pinned", "is_active", "compiled")
"""Of these more than one bit would break the table's own rule."""
_MEMORY = Path("/dev/shm")
_COLUMNS = (
    *((seal.table, name) for seal in SEALS.values() for name in seal.cells),
    *(("block_contents", name) for name in ("content", "rendered", "version", "revision")),
    *(("updates", "blob"), ("updates", "pending"), ("checkpoints", "snapshot"), ("checkpoints", "upto_seq")),
    # No seal is over this one: no two of its names are one bit from each other.
    *(("request_texts", "text"), ("agents", "status")),
)


Look = Callable[[Path], Awaitable[Sequence[Problem]]]


@dataclass
class Figures:
    """What was flipped where, and what was missed: the seed and the column. `columns` have something in them."""

    columns: int = 0
    flips: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[int, str]] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)


async def run(path: Path, first: int, count: int, look: Look = check) -> Figures:
    """Flip one bit at a time in a whole file, and put it back each time. `look` tells what is wrong with a file."""
    assert await look(path) == ()
    places = _places(path)
    figures = Figures(len(places))
    for seed in range(first, first + count):
        chance = random.Random(seed)
        # Each column as often as any other, however much it holds.
        column = sorted(places)[seed % len(places)]
        rowid, whole = _flip(path, column, places[column], chance)
        found = await look(path)
        _write(path, column, rowid, whole)
        figures.flips[".".join(column)] += 1
        figures.codes.update({each.code for each in found})
        if not found:
            figures.missed.append((seed, ".".join(column)))
    assert await look(path) == ()
    return figures


def _flip(
    path: Path, column: Column, places: list[tuple[int, Cell]], chance: random.Random
) -> tuple[int, Cell]:
    """Flip one bit of a cell, one that SQLite lets pass; gives the cell as it was."""
    bits = 1 if column[1] in _FLAGS else _BITS_OF_NUMBER
    while True:
        rowid, whole = chance.choice(places)
        with suppress(sqlite3.IntegrityError):
            _write(path, column, rowid, _flipped(whole, bits, chance))
            return rowid, whole


def _flipped(whole: Cell, bits: int, chance: random.Random) -> Cell:
    """A cell with one bit changed; of a number one of its last."""
    if isinstance(whole, int):
        return whole ^ 1 << chance.randrange(bits)
    bit = chance.randrange(len(whole) * 8)
    flipped = bytearray(whole)
    flipped[bit // 8] ^= 1 << bit % 8
    return bytes(flipped)


def _places(path: Path) -> dict[Column, list[tuple[int, Cell]]]:
    """The cells of each column that hold something, texts as bytes."""
    found: dict[Column, list[tuple[int, Cell]]] = {}
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        for table, name in _COLUMNS:
            statement = " ".join(("SELECT rowid,", name, "FROM", table))
            rows = [row for row in connection.execute(statement) if row[1] not in (None, b"")]
            if rows:
                found[table, name] = rows
    return found


def _write(path: Path, column: Column, rowid: int, value: Cell) -> None:
    table, name = column
    is_bytes = isinstance(value, int) or name in ("blob", "snapshot")
    cell = "?" if is_bytes else "CAST(? AS TEXT)"
    statement = " ".join(("UPDATE", table, "SET", name, "=", cell, "WHERE rowid = ?"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute(statement, (value, rowid)).rowcount == 1


async def _main(first: int, count: int) -> int:
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        surroundings = Environment(HeldClock(), counted_ids(), NOOR, "flips", folder / "state")
        path = await make_furnished(folder / "a.constellation", surroundings, folded=True)
        started = time.monotonic()
        figures = await run(path, first, count)
    print(
        f"{count} flips in {time.monotonic() - started:.0f} s, missed {len(figures.missed)} {figures.missed}"
    )
    print("  " + ", ".join(f"{column} {number}" for column, number in sorted(figures.flips.items())))
    print("  " + ", ".join(f"{code} {number}" for code, number in figures.codes.most_common()))
    return 1 if figures.missed else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=FIRST)
    given = parser.parse_args(arguments)
    return asyncio.run(_main(given.first, given.count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
