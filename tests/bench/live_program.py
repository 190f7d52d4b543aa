"""A program runs an agent while the inspector has the same file open: how soon it is shown, and that nothing grows.

    python -m tests.bench.live_program [MINUTES]

The program is a process of its own with the offline provider: a turn every 200 ms that writes memory, reads it and
replies. This process follows the file as the inspector does: each change that arrives makes the Request anew. Printed
are the delay from a reply's commit until it stands in the inspector's Request, budget and activity, and what both
processes take of memory, open files and allocated blocks, which stand for objects, from a third of the time on. Fails
above one second at 99 %, or above 1 MB, one file or 1 % of the blocks a minute.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.changes import Change
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.embedding import AgentRuntime
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

MINUTES = 30.0
PAUSE = 0.2
MOST_DELAY = 1.0
MOST_MEGABYTES, MOST_FILES, MOST_OBJECTS = 1.0, 1.0, 0.01
FILLED = 2_000
"""Turns that the file has before: more than any build reads."""
FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None
WRITE = json.dumps({"label": "notes", "operation": "set_text", "text": "Turn NUMBER. " * 20})
MESSAGE = f'/tool block_edit {WRITE}\n/tool block {{"action": "load", "label": "notes"}}\n/say Done NUMBER.'

REPLY = re.compile(r"=== assistant ===\nDone ([0-9]+)\.")


@dataclass
class Growth:
    """Figures of one process over time: seconds, resident bytes, open files, objects."""

    rows: list[tuple[float, float, float, float]] = field(default_factory=list)

    def add(self, process: psutil.Process, objects: int) -> None:
        self.rows.append((time.monotonic(), process.memory_info().rss, process.num_fds(), objects))

    def a_minute(self) -> tuple[float, float, float]:
        """Megabytes, files and the share of objects that a minute adds, by the line through the later rows."""
        rows = self.rows[len(self.rows) // 3 :]
        seconds = [row[0] for row in rows]
        slopes = [
            statistics.linear_regression(seconds, [row[at] for row in rows]).slope * 60 for at in (1, 2, 3)
        ]
        return slopes[0] / 1e6, slopes[1], slopes[2] / rows[0][3]


def blocks() -> int:
    """Allocated blocks of memory. To list objects while another thread builds would break what it builds."""
    return sys.getallocatedblocks()


def surroundings(folder: Path) -> Environment:
    return Environment(state_folder=folder / "state", data_folder=folder / "data")


async def program(file: Path, seconds: float) -> None:
    """Make turns, and print after each when it was stored and how many objects there are."""
    async with AgentRuntime.open(file, surroundings=surroundings(file.parent)) as runtime:
        ada = await runtime.load("Ada")
        ends, number = time.monotonic() + seconds, 0
        while time.monotonic() < ends:
            number += 1
            await ada.ask(MESSAGE.replace("NUMBER", str(number)))
            gc.collect()
            print(json.dumps([number, time.time(), blocks()]), flush=True)
            await asyncio.sleep(PAUSE)


class Inspector:
    """The file as the inspector follows it: the number of the newest reply that its Request has, and when it had it."""

    def __init__(self, engine: Engine, agent_id: str) -> None:
        self._engine = engine
        self._agent_id = agent_id
        self.seen: dict[int, float] = {}
        self.own = Growth()
        self.other = Growth()

    async def follow(self) -> None:
        async with self._engine.news() as news:
            async for each in news:
                if isinstance(each, Change) and each.ref.kind is RefKind.MESSAGE:
                    await self._look()

    async def _look(self) -> None:
        request = await self._engine.context.request(self._agent_id)
        replies = REPLY.findall(request.text)
        if replies and f"Turn {replies[-1]}." in request.text and request.tokens:
            self.seen.setdefault(int(replies[-1]), time.time())


async def fill(engine: Engine, agent: Agent) -> None:
    """Give the agent as many messages and events as a Request is built from: from there on nothing may grow."""
    actor = Actor(ActorKind.AGENT, agent.id, agent.name)
    for start in range(0, FILLED, 200):
        intents = [
            Intent(
                Edit(
                    Ref(RefKind.MESSAGE, ""),
                    AppendMessage(agent.id, f"bat_{number}", role, (TextPart("Old."),)),
                ),
                actor,
            )
            for number in range(start, start + 200)
            for role in (Role.USER, Role.ASSISTANT)
        ]
        await engine.apply(intents)


async def follow(file: Path, seconds: float) -> bool:
    command = [sys.executable, "-m", "tests.bench.live_program", "--program", str(file), str(seconds)]
    async with AgentRuntime.open(file, surroundings=surroundings(file.parent)) as made:
        agent = await made.create("Ada", model="gpt-4.1")
        await agent.ask('/tool block {"action": "create", "label": "notes"}')
        await fill(made.engine, agent.agent)
    engine = await Engine.open(file, surroundings(file.parent), watch=True)
    inspector = Inspector(engine, agent.id)
    following = asyncio.ensure_future(inspector.follow())
    stored: dict[int, float] = {}
    started = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220  it runs beside us
    try:
        assert started.stdout is not None
        process, own = psutil.Process(started.pid), psutil.Process(os.getpid())
        while line := await asyncio.to_thread(started.stdout.readline):
            number, at, objects = json.loads(line)
            stored[number] = at
            if number % 10 == 0:
                gc.collect()
                inspector.own.add(own, blocks())
                inspector.other.add(process, objects)
        await asyncio.sleep(MOST_DELAY)
    finally:
        started.kill()
        started.wait()
        following.cancel()
        (why,) = await asyncio.gather(following, return_exceptions=True)
        await engine.close()
    if not isinstance(why, asyncio.CancelledError):
        raise RuntimeError("the inspector lost the file") from why
    return told(stored, inspector)


def told(stored: dict[int, float], inspector: Inspector) -> bool:
    """Print the figures; whether all are within the limits."""
    # A turn whose successor was stored before it was looked at was shown with that one.
    delays = []
    for number, at in stored.items():
        shown = [when for seen, when in inspector.seen.items() if seen in (number, number + 1)]
        delays.append(min(shown) - at if shown else float("inf"))
    delays.sort()
    late = delays[min(len(delays) - 1, int(len(delays) * 0.99))]
    print(f"{len(delays)} turns, shown after {delays[len(delays) // 2]:.3f} s (median), {late:.3f} s (99 %)")
    is_well = late <= MOST_DELAY
    for name, growth in (("inspector", inspector.own), ("program", inspector.other)):
        megabytes, files, objects = growth.a_minute()
        print(f"{name}: {megabytes:+.2f} MB, {files:+.2f} files, {objects:+.2%} objects a minute")
        is_well &= megabytes <= MOST_MEGABYTES and files <= MOST_FILES and objects <= MOST_OBJECTS
    return is_well


def main() -> int:
    if sys.argv[1:2] == ["--program"]:
        asyncio.run(program(Path(sys.argv[2]), float(sys.argv[3])))
        return 0
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        return 0 if asyncio.run(follow(Path(folder) / "live.constellation", minutes * 60)) else 1


if __name__ == "__main__":
    sys.exit(main())
