"""A process that forks queue workers on demand: each is at work within milliseconds, for all is imported already.

python -m tests.runtime.killed_workers PATH

Each line it reads starts a worker on the file and is answered with its process id. A worker hands messages to turns
with the offline provider until it is killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from inspector.domain.calls import Destination
from inspector.domain.queueing import QueueOptions
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute

OPTIONS = QueueOptions(
    poll_seconds=0.02,
    at_once=3,
    lease_seconds=2.0,
    # A kill is not the message's fault, and here every message may see many.
    attempts=1_000,
    auto_start_queue=True,
    auto_start_heartbeat=True,
)
"""A short lease, so that what a killed process had in hand is soon taken by the other."""


async def work(path: Path, *, until_idle: bool = False) -> None:
    """Hand messages to turns, for ever or until none waits."""
    folder = path.parent / f"state_{os.getpid()}"
    engine = await Engine.open(path, Environment(state_folder=folder, data_folder=folder))
    try:
        turns = QueuedTurns(engine.turns, engine.agents, lambda _: TurnRoute(Destination(None)))
        await QueueWorker(engine.queue, turns, OPTIONS).run(until_idle=until_idle)
    finally:
        await engine.close()


def main(path: Path) -> None:
    """Fork until the input ends. Whoever asked for a worker ends it."""
    # The system forgets the dead by itself.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        process = os.fork()
        if process == 0:
            asyncio.run(work(path))
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
