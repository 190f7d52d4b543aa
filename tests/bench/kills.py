"""Two writers on the same blocks of all schemas, killed with SIGKILL at any moment: what was acknowledged is there.

Run as ``python -m tests.bench.kills [--kills N] [--folder PATH]`` from the project's root; 500 kills by default.
The exit code is 1 when an acknowledged edit was lost, or the file or a document is damaged.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.codec import to_plain
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.errors import Problem
from inspector.domain.ref import Ref, RefKind
from inspector.memory.checking import check
from tests.memory.world import AGENT, new_world, open_world
from tests.workload import SCHEMAS

ROOT = Path(__file__).resolve().parents[2]
WRITERS = 2
_MARK = re.compile("<[^<>]*>")
SHORTEST, LONGEST = 0.005, 0.4
_LONGEST_EDIT = 60.0


@dataclass
class Outcome:
    """What came of a storm."""

    kills: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    problems: tuple[Problem, ...] = ()
    folds: object = 0
    """How many blocks were folded meanwhile."""

    @property
    def is_good(self) -> bool:
        """Whether nothing is missing or damaged."""
        return not self.lost and not self.problems


class Victims:
    """Writers that edit until they are killed, each started by one process that has all it needs ready."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._folder = folder
        command = [sys.executable, "-m", "tests.memory.killed_writers", str(path), str(folder)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._living: list[int] = []
        self._count = 0

    def start(self) -> None:
        """Set another one to work."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"k{self._count}_\n")
        self._process.stdin.flush()
        self._count += 1
        self._living.append(int(self._process.stdout.readline()))

    async def progress(self) -> None:
        """Wait until one of them was told that an edit is stored."""
        before = self._told_bytes()
        async with asyncio.timeout(_LONGEST_EDIT):
            while self._told_bytes() == before:  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(SHORTEST)

    def _told_bytes(self) -> int:
        return sum(each.stat().st_size for each in self._folder.iterdir())

    def kill(self, chance: random.Random) -> bool:
        """SIGKILL to one of them; False when it had ended by itself."""
        victim = self._living.pop(chance.randrange(len(self._living)))
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def end(self) -> list[str]:
        """Kill all; gives what they were told is stored."""
        for victim in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        self._process.communicate()
        told = "".join(each.read_text(encoding="utf-8") for each in self._folder.iterdir())
        return told.split("\n")[:-1]


async def storm(folder: Path, kills: int, seed: int) -> Outcome:
    """Keep two writers at work and kill one at a time until it was enough; then look at the file."""
    async with new_world(folder) as world:
        for block, schema in SCHEMAS.items():
            await world.do(Ref(RefKind.BLOCK, block), CreateBlock(AGENT.id, block, schema, char_limit=0))
        path = world.database.path
    told = folder / "told"
    told.mkdir()
    outcome = Outcome()
    chance = random.Random(seed)
    victims = Victims(path, told)
    try:
        for _ in range(WRITERS):
            victims.start()
        while outcome.kills < kills:
            if outcome.kills % 2:
                # Every other one has something to lose, however slow the machine is.
                await victims.progress()
            await asyncio.sleep(chance.uniform(SHORTEST, LONGEST))
            outcome.kills += victims.kill(chance)
            victims.start()
    finally:
        acknowledged = victims.end()
    outcome.acknowledged = len(acknowledged)
    world = await open_world(path)
    try:
        contents = [to_plain((await world.state(block)).content) for block in SCHEMAS]
        [(outcome.folds,)] = await world.rows("SELECT count(*) FROM checkpoints")
    finally:
        await world.close()
    counts = Counter(_MARK.findall(json.dumps(contents)))
    outcome.lost = [mark for mark in acknowledged if counts[mark] != 1]
    outcome.problems = await check(path)
    return outcome


def main() -> int:
    """Run a storm and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20261120)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = asyncio.run(storm(Path(folder), given.kills, given.seed))
    seconds = time.monotonic() - started
    print(
        f"{found.kills} kills in {seconds:.0f} s: {found.acknowledged} edits acknowledged, {len(found.lost)} lost; "
        f"{found.folds} blocks folded, {len(found.problems)} problems {found.problems[:3]}"
    )
    return int(not found.is_good)


if __name__ == "__main__":
    sys.exit(main())
