"""A storm: an agent and a person edit the same blocks of all schemas at once, each in a process of its own.

Run as ``python -m tests.bench.storm [--seconds N] [--agent RATE] [--human RATE] [--edits N] [--folder PATH]`` from the
project's root. The exit code is 1 when anything was lost, differs, or was refused, or 5 % of the person's saves took
longer than 100 ms. The long run is ten minutes, the default. With `--edits` both make so many edits as fast as they
can, and how long a save takes is only told.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.domain.codec import from_plain
from inspector.domain.content import Content
from inspector.domain.edits.text import SetText
from inspector.memory.checking import check
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.workload import Ledger, differences, prepare

ROOT = Path(__file__).resolve().parents[2]
MOST_MS = 100.0
UNLIMITED = 1_000_000_000
UNPAUSED, LONG = 1e6, 3600.0


@dataclass
class Side:
    """One writer: its process, and how fast it edits until when."""

    tag: str
    rate: float
    seconds: float
    edits: int = UNLIMITED

    def start(self, path: Path, seed: int) -> None:
        """Start it; it waits until it is told to go."""
        limits = (str(self.rate), str(self.seconds), str(self.edits))
        command = [sys.executable, "-m", "tests.storm_writer", str(path), self.tag, str(seed), *limits]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.hear() == "ready"

    def go(self) -> None:
        """Let it do the next thing."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """What it says next."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"writer {self.tag} ended with {self.process.poll()}"
        return json.loads(line)

    def end(self) -> None:
        """Stop it if it runs, and close what leads to it."""
        self.process.kill()
        self.process.communicate()


@dataclass(frozen=True)
class Outcome:
    """What came of a storm. Times are milliseconds, of the person's saves."""

    edits: dict[str, int]
    errors: list[str]
    wrong: list[str]
    converged: bool
    median: float
    p95: float
    worst: float

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, refused or different."""
        return not self.errors and not self.wrong and self.converged

    @property
    def is_good(self) -> bool:
        """Whether nothing was lost, refused or different, and nobody waited long."""
        return self.is_whole and self.p95 <= MOST_MS

    def told(self) -> str:
        """The figures in some lines."""
        made = ", ".join(f"{tag} {count}" for tag, count in self.edits.items())
        return (
            f"acknowledged edits: {made}\nerrors: {len(self.errors)} {self.errors[:3]}\nlost or too many: "
            f"{self.wrong}\nbyte-equal on both sides and in the file: {self.converged}\nthe person's saves: "
            f"median {self.median:.1f} ms, 95 % within {self.p95:.1f} ms, worst {self.worst:.1f} ms"
        )


async def storm(folder: Path, sides: list[Side], seed: int = 20261120) -> Outcome:
    """Let the sides work at once on a new file, and look at what comes of it."""
    path = folder / "storm.constellation"
    engine = await Engine.open(path, Environment(state_folder=folder / "state"), create=True)
    await prepare(engine)
    await engine.close()
    started: list[Side] = []
    try:
        for number, side in enumerate(sides):
            side.start(path, seed + number)
            started.append(side)
        for side in sides:
            side.go()
        told = [await asyncio.to_thread(side.hear) for side in sides]
        for side in sides:
            side.go()
        seen = [await asyncio.to_thread(side.hear) for side in sides]
    finally:
        for side in started:
            side.end()
    ledgers = [Ledger(**each["ledger"]) for each in told]
    contents: dict[str, Content] = {
        block_id: from_plain(Content, plain) for block_id, (plain, *_) in seen[0].items()
    }
    wrong = differences(contents, ledgers)
    # The file's own check makes every document anew from its deltas and compares.
    wrong += [str(problem) for problem in await check(path)]
    wrong += await _lost_drafts(path, {f"draft of {side.tag}" for side in sides})
    times = sorted(1000 * each for each in told[-1]["seconds"])
    return Outcome(
        {side.tag: len(each["seconds"]) for side, each in zip(sides, told, strict=True)},
        [error for each in told for error in each["errors"]],
        wrong,
        all(each == seen[0] for each in seen),
        times[len(times) // 2],
        times[int(len(times) * 0.95)],
        times[-1],
    )


async def _lost_drafts(path: Path, wanted: set[str]) -> list[str]:
    """Each writer was killed with unsaved work on one and the same block."""
    engine = await Engine.open(path, Environment(state_folder=path.parent / "state"))
    try:
        left, problems = await engine.drafts.left()
    finally:
        await engine.close()
    texts = {
        each.draft.edit.operation.text for each in left if isinstance(each.draft.edit.operation, SetText)
    }
    lost = [f"draft: {each}" for each in sorted(wanted - texts)]
    return [*lost, *map(str, problems)]


def main() -> int:
    """Run a storm and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--agent", type=float, default=50.0)
    parser.add_argument("--human", type=float, default=5.0)
    parser.add_argument("--edits", type=int, help="so many by each, without a pause, instead of the rates")
    parser.add_argument(
        "--folder", type=Path, help="where the file lies; a new folder for temporary files by default"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        sides = [Side("a", given.agent, given.seconds), Side("b", given.human, given.seconds)]
        if given.edits:
            sides = [Side(tag, UNPAUSED, LONG, given.edits) for tag in ("a", "b")]
        found = asyncio.run(storm(Path(folder), sides))
    print(found.told())
    return int(not (found.is_whole if given.edits else found.is_good))


if __name__ == "__main__":
    sys.exit(main())
