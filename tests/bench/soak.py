"""An agent program and the window on one file: how soon the window shows each turn, and what grows meanwhile.

    python -m tests.bench.soak [MINUTES]

A second process embeds the engine and runs turns of one agent on the scripted offline provider, about one in two
seconds; each appends to a block by a tool call and replies. The real window has the file open and shows that agent. It
has run before, until what an engine holds of messages and events is at its bounds.
Limits: the turn's message and its event, the appended line and a budget with them are in the window's state within 1 s
of the turn's end (99 %); after the warm-up, a third of the time, neither the memory of either process (10 %), its open
files (2) nor its objects (5 %) grow, by the medians of the first and the last fifth of what is left. The size of the
file, which grows with each turn, stands beside them.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.blocks import BlockType, TextSchema
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.embedding import AgentRuntime, LoadedAgent
from inspector.ui.window_setup import WindowContents
from tests.bench.typing_latency import percentile, run_in_window, until

SHOWN_SECONDS = 1.0
MEMORY_GROWTH, OBJECT_GROWTH, FILE_GROWTH = 0.10, 0.05, 2
AGENT, LABEL = "Soak", "soak_notes"
_EVERY_SECONDS, _WARM_UP = 2.0, 1 / 3
_EARLIER_TURNS, _KEPT_LINES = 400, 40
_SAMPLE_EVERY = 10
_GIVE_UP_SECONDS = 60.0
_TIMES = 3
_LIMITS = (
    ("MB", 1e6, MEMORY_GROWTH, 0.0),
    ("open files", 1, 0.0, FILE_GROWTH),
    ("k objects", 1e3, OBJECT_GROWTH, 0.0),
)


def _marker(number: int) -> str:
    return f"turn-{number:05d}-end"


async def agent_program(path: Path, minutes: float) -> None:
    """Run turns until the time is over, and say the number of each on the standard output when it is stored."""
    async with AgentRuntime.open(path, "offline") as runtime:
        agent = await runtime.load(AGENT)
        block = (await runtime.engine.blocks.states(agent.id))[0].block.id
        ends, number = time.monotonic() + minutes * 60, 0
        while time.monotonic() < ends:
            begun = time.monotonic()
            if number % _KEPT_LINES == 0:
                # The block would grow beyond its limit.
                await runtime.engine.edit(block, SetText("begun anew"))
            await _turn(agent, number)
            stored = time.time()
            held = held_now() if number % _SAMPLE_EVERY == 0 else (0, 0, 0)
            print(f"{number} {stored:.6f} {' '.join(map(str, held))}", flush=True)
            number += 1
            await asyncio.sleep(max(0.0, _EVERY_SECONDS - (time.monotonic() - begun)))


async def _turn(agent: LoadedAgent, number: int) -> None:
    line = _marker(number)
    arguments = {"label": LABEL, "operation": "append", "text": f"\n{line}", "reason": "noted"}
    await agent.ask(f"/tool block_edit {json.dumps(arguments)}\n/say {line}")


async def make(path: Path) -> None:
    """A file with the agent, its block and what it did so far."""
    async with AgentRuntime.open(path, "offline") as runtime:
        agent = await runtime.create(AGENT, persona="You note what happens.", model="gpt-4.1")
        made = await runtime.engine.apply(
            [
                Intent(
                    Edit(
                        Ref(RefKind.BLOCK, ""),
                        CreateBlock(
                            owner=agent.id, label=LABEL, block_type=BlockType.CORE, schema=TextSchema()
                        ),
                    ),
                    runtime.engine.actor,
                )
            ]
        )
        agent = await runtime.load(AGENT)
        for number in range(_EARLIER_TURNS):
            if number % _KEPT_LINES == 0:
                await runtime.engine.edit(made[0].ref.id, SetText("begun"))
            await _turn(agent, -number)


def held_now() -> tuple[int, int, int]:
    """The bytes of memory, the open files and the objects of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) * 1024, len(list(Path("/proc/self/fd").iterdir())), len(gc.get_objects())


@dataclass
class Watched:
    """What was seen: seconds until each turn was shown, what both processes held, and the size of the file."""

    waits: list[float] = field(default_factory=list)
    window: list[tuple[int, int, int]] = field(default_factory=list)
    program: list[tuple[int, int, int]] = field(default_factory=list)
    file_bytes: list[int] = field(default_factory=list)


class Watcher:
    """Holds the window's state against what the agent program says it has stored."""

    def __init__(self, contents: WindowContents, path: Path, minutes: float) -> None:
        self._workspace = contents.workspace
        self._path = path
        self._minutes = minutes
        self.watched = Watched()

    async def watch(self) -> Watched:
        """Follow the program until it ends."""
        await until(lambda: self._workspace.file.request is not None, "the first Request")
        arguments = ("-m", "tests.bench.soak", "--program", str(self._path), str(self._minutes))
        child = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
        )
        assert child.stdout is not None
        async for line in child.stdout:
            number, stored, memory, files, objects = line.decode().split()
            await self._shown(int(number), float(stored))
            if int(number) % _SAMPLE_EVERY == 0:
                self.watched.window.append(held_now())
                self.watched.program.append((int(memory), int(files), int(objects)))
                self.watched.file_bytes.append(self._path.stat().st_size)
        if await child.wait():
            raise RuntimeError(f"the agent program ended with {child.returncode}")
        return self.watched

    async def _shown(self, number: int, stored: float) -> None:
        """Wait until memory, activity and budget of a turn are in the window's state."""
        marker = _marker(number)

        def is_shown() -> bool:
            request = self._workspace.file.request
            if request is None or self._workspace.file.busy:
                return False
            # The block, the user's message with its call, and the reply; the budget's figures are the same object's.
            return request.text.count(marker) >= _TIMES and "Sent message" in request.text

        limit = time.monotonic() + _GIVE_UP_SECONDS
        while not is_shown():  # a state of widgets, which set no event
            if time.monotonic() > limit:
                raise TimeoutError(f"turn {number} was never shown")
            await asyncio.sleep(0.01)
        self.watched.waits.append(time.time() - stored)


def growth(values: Sequence[int]) -> tuple[float, float]:
    """The medians of the first and of the last fifth of what came after the warm-up."""
    rest = values[int(len(values) * _WARM_UP) :]
    fifth = max(1, len(rest) // 5)
    return statistics.median(rest[:fifth]), statistics.median(rest[-fifth:])


def judged(watched: Watched) -> bool:
    """Print the figures beside their limits; whether all are kept."""
    late, longest = percentile(watched.waits, 0.99), max(watched.waits)
    print(f"turns {len(watched.waits)}")
    median = statistics.median(watched.waits)
    print(
        f"stored to shown: median {median:.2f} s, p99 {late:.2f} s (limit {SHOWN_SECONDS}), longest {longest:.2f} s"
    )
    kept = late <= SHOWN_SECONDS
    for who, held in (("window", watched.window), ("program", watched.program)):
        for at, (name, unit, share, plus) in enumerate(_LIMITS):
            values = [each[at] for each in held]
            first, last = growth(values)
            allowed = first * (1 + share) + plus
            print(
                f"{who}, {name}: {first / unit:,.1f} -> {last / unit:,.1f} (at most {allowed / unit:,.1f}; "
                f"at first {values[0] / unit:,.1f})"
            )
            kept = kept and last <= allowed
    first, last = growth(watched.file_bytes)
    print(f"the file itself: {first / 1e6:,.2f} -> {last / 1e6:,.2f} MB")
    return kept


def main() -> int:
    """Run the program beside the window, and judge."""
    if len(sys.argv) > 1 and sys.argv[1] == "--program":
        asyncio.run(agent_program(Path(sys.argv[2]), float(sys.argv[3])))
        return 0
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        path = Path(folder) / "soak.constellation"
        asyncio.run(make(path))
        watched = run_in_window(path, lambda contents: Watcher(contents, path, minutes).watch())
    return 0 if judged(watched) else 1


if __name__ == "__main__":
    sys.exit(main())
