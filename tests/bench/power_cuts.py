"""Power failures, simulated: how many leave a damaged file, and how many acknowledged edits they cost.

Run as ``python -m tests.bench.power_cuts [--cuts N] [--edits N] [--seed N]`` from the project's root. It tries the
engine as it is, and the engine with weaker settings, to show that the simulation notices; the exit code is 1 when
the engine as it is lost something.
"""

import argparse
import asyncio
import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from inspector.memory.folding import FOLD_DELTAS
from inspector.storage import database, opening
from tests.faulty_disk import Event, watched_disk
from tests.file_checks import problems_in
from tests.memory.world import HUMAN, new_world, open_world
from tests.power_cut import PowerCut

AS_IT_IS = ""
WEAKER = ("FULL", "NORMAL", "OFF")


@dataclass
class Record:
    """A file before some edits, the calls that these made, and the block that they changed."""

    before: Path
    events: list[Event]
    block: str


@dataclass
class Outcome:
    """What some power cuts did."""

    cuts: int = 0
    damaged: int = 0
    cuts_with_losses: int = 0
    lost_edits: int = 0

    def told(self) -> str:
        """One line of figures."""
        lost = f"{self.cuts_with_losses} lost {self.lost_edits} acknowledged edits"
        return f"{self.cuts} cuts: {self.damaged} damaged, {lost}"


@contextmanager
def synchronous(level: str) -> Iterator[None]:
    """Let the engine's connections sync less than they do."""
    real = opening.connect
    statement = {"FULL": "PRAGMA synchronous = 2", "NORMAL": "PRAGMA synchronous = 1"}
    weaker = statement.get(level, "PRAGMA synchronous = 0")

    def connect(path: Path, access: str, *, writing: bool) -> sqlite3.Connection:
        connection = real(path, access, writing=writing)
        connection.set_authorizer(None)
        connection.execute(weaker)
        return connection

    if level:
        database.connect = connect  # type: ignore[attr-defined]
    try:
        yield
    finally:
        database.connect = real  # type: ignore[attr-defined]


async def record(folder: Path, edits: int, level: str = AS_IT_IS) -> Record:
    """Edit a block with every call to the disk noted, and a mark after each acknowledgement.

    It has been edited so often before that half-way through it is folded, with old deltas emptied.
    """
    work = folder / "work"
    work.mkdir()
    async with new_world(work) as world:
        block = await world.make(content="", char_limit=0)
        for _ in range(FOLD_DELTAS - edits // 2):
            await world.edit(block, AppendText("."), actor=HUMAN)
        path = world.database.path
    before = folder / path.name
    shutil.copy(path, before)
    with watched_disk(work) as plan, synchronous(level):
        plan.recording = True
        world = await open_world(path, prefix="w")
        world.clock.now += timedelta(days=30)
        try:
            for number in range(edits):
                await world.edit(block, AppendText(f"<{number}>"), actor=HUMAN)
                plan.mark(f"<{number}>")
            assert await world.rows("SELECT count(*) FROM checkpoints") == [(1,)]
            assert await world.rows("SELECT count(*) FROM updates WHERE blob IS NULL") > [(40,)]
        finally:
            await world.close()
    return Record(before, plan.events, block)


async def cut(
    record: Record, folder: Path, chance: random.Random, *, names_are_safe: bool
) -> tuple[bool, int]:
    """Fail at some moment and start again: whether the file is damaged, and how many edits are lost."""
    left = PowerCut(record.before, names_are_safe=names_are_safe)
    left.play(record.events[: chance.randint(1, len(record.events))])
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        left.restart(place, chance)
        path = place / record.before.name
        try:
            if problems_in(path):
                return True, 0
            world = await open_world(path)
        except FileError:
            return True, 0
        try:
            text = await world.text(record.block)
        finally:
            await world.close()
        return False, sum(text.count(mark) != 1 for mark in left.marks)
    finally:
        shutil.rmtree(place)


async def outcome(
    folder: Path, *, cuts: int, edits: int, seed: int, level: str = AS_IT_IS, names_are_safe: bool = False
) -> Outcome:
    """Record once, then cut many times."""
    made = await record(folder, edits, level)
    chance = random.Random(seed)
    found = Outcome(cuts)
    for _ in range(cuts):
        damaged, lost = await cut(made, folder, chance, names_are_safe=names_are_safe)
        found.damaged += damaged
        found.lost_edits += lost
        found.cuts_with_losses += lost > 0
    return found


def main() -> int:
    """Try all settings and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=20261120)
    given = parser.parse_args()
    bad = False
    for level in (AS_IT_IS, *WEAKER):
        for names_are_safe in (False, True):
            with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
                found = asyncio.run(
                    outcome(
                        Path(folder),
                        cuts=given.cuts,
                        edits=given.edits,
                        seed=given.seed,
                        level=level,
                        names_are_safe=names_are_safe,
                    )
                )
            names = "names safe at once" if names_are_safe else "names may be lost"
            print(f"{level or 'as it is':8}  {names:18}  {found.told()}", flush=True)
            bad |= level == AS_IT_IS and bool(found.damaged or found.lost_edits)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
