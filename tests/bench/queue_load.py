"""100 agents with queues in one process: how long the event loop was away while all of them answered.

    python -m tests.bench.queue_load [--agents N] [--messages N] [--folder PATH]

Each message is a turn of two calls of the offline provider and one of a tool. Limit: gaps of the loop of 16 ms (99th
percentile). Beside them stands how much of each gap the loop's thread was at work itself: on a machine that does
other work too, the rest is that work's. The exit code is 1 where the limit is passed, or a message was not answered.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from pathlib import Path

from inspector.domain.calls import Destination
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent, EnqueueMessage
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute

GAP_P99 = 0.016
_TICK = 0.001
_TEXT = '/tool recall {"action": "insert", "text": "note"}\n/say Done.'


async def _tick(gaps: list[float], at_work: list[float]) -> None:
    while True:
        before, worked = time.perf_counter(), time.thread_time()
        await asyncio.sleep(_TICK)
        gaps.append(max(0.0, time.perf_counter() - before - _TICK))
        at_work.append(time.thread_time() - worked)


async def measure(folder: Path, agents: int, messages: int) -> tuple[list[float], list[float], int]:
    """The gaps while all messages are answered, the work in each, and how many messages were not; shortest first."""
    engine = await Engine.open(
        folder / "load.constellation", Environment(state_folder=folder, data_folder=folder), create=True
    )
    try:
        for number in range(agents):
            target = Ref(RefKind.AGENT, f"agt_{number}")
            made = CreateAgent(target.id, model="gpt-4.1")
            queued = [
                Edit(Ref(RefKind.QUEUE, f"que_{number}_{each}"), EnqueueMessage(None, target.id, _TEXT))
                for each in range(messages)
            ]
            intents = [Intent(each, engine.actor) for each in (Edit(target, made), *queued)]
            await engine.apply(intents)
            await engine.turns.equip(target.id, ["recall"])
        turns = QueuedTurns(engine.turns, engine.agents, lambda _: TurnRoute(Destination(None)))
        gaps: list[float] = []
        at_work: list[float] = []
        ticking = asyncio.ensure_future(_tick(gaps, at_work))
        await engine.queue_worker(turns).run(until_idle=True)
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking
        left, _ = await engine.agents.queue()
        return sorted(gaps), sorted(at_work), sum(each.state is not QueueState.PROCESSED for each in left)
    finally:
        await engine.close()


def _share(ordered: list[float], share: float) -> float:
    return ordered[int(len(ordered) * share)]


def _figures(ordered: list[float]) -> str:
    median, p99, longest = _share(ordered, 0.5), _share(ordered, 0.99), ordered[-1]
    return f"median {median * 1000:.1f} ms, 99 % {p99 * 1000:.1f} ms, longest {longest * 1000:.1f} ms"


def main() -> int:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--messages", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        gaps, at_work, left = asyncio.run(measure(Path(folder), given.agents, given.messages))
    seconds = time.monotonic() - started
    p99 = _share(gaps, 0.99)
    print(
        f"{given.agents} agents, {given.agents * given.messages} turns in {seconds:.1f} s, {left} not answered; "
        f"gaps: {_figures(gaps)}; at work in them: {_figures(at_work)}"
    )
    return int(p99 > GAP_P99 or left > 0)


if __name__ == "__main__":
    sys.exit(main())
