"""A process that runs direct turns of one agent, and says on its standard output what happens in them.

python -m tests.runtime.turn_process PATH AGENT LEASE_SECONDS

Each line that it reads is the message of a turn. Each line that it writes is an event's kind and what it is about.
The tool `overlap` notes in the file beside the constellation when it begins and ends; `wait` waits until a file is
there.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from inspector.domain.calls import Destination
from inspector.domain.errors import InspectorError
from inspector.domain.turns import (
    IncomingMessage,
    ToolStarted,
    TurnDone,
    TurnError,
    TurnEvent,
    TurnStarted,
    TurnWaiting,
)
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.tools.registry import ToolRegistry

LOOKED_AT_SECONDS = 0.01


def add_tools(registry: ToolRegistry, folder: Path) -> None:
    """Register the tools of these tests."""

    async def overlap(name: str) -> str:
        """Note a beginning and an end."""
        with (folder / "overlaps").open("a") as noted:
            noted.write(f"{name} begins\n")
            noted.flush()
            await asyncio.sleep(LOOKED_AT_SECONDS)
            noted.write(f"{name} ends\n")
        return "noted"

    async def wait(name: str) -> str:
        """Wait until a file is there."""
        while not (folder / name).exists():  # noqa: ASYNC110  another process makes it
            await asyncio.sleep(LOOKED_AT_SECONDS)
        return "waited"

    for each in (overlap, wait):
        registry.register(each)


def line_of(event: TurnEvent) -> str:
    """An event as a line, empty for those that nobody waits for."""
    if isinstance(event, TurnWaiting):
        return f"waiting {event.holder.name} {event.holder.program}"
    if isinstance(event, TurnStarted):
        return "started"
    if isinstance(event, ToolStarted):
        return f"tool {event.name}"
    if isinstance(event, TurnError):
        return f"error {event.code}"
    return f"done {event.end.value}" if isinstance(event, TurnDone) else ""


async def main(path: Path, agent_id: str, lease_seconds: float) -> None:
    """Run turns until the input ends."""
    folder = path.parent / "other"
    engine = await Engine.open(path, Environment(program="other", state_folder=folder, data_folder=folder))
    try:
        add_tools(engine.turns.tools, path.parent)
        engine.turns.leases.lease_seconds = lease_seconds
        while line := await asyncio.to_thread(sys.stdin.readline):
            message = IncomingMessage(line.rstrip("\n").replace("\\n", "\n"))
            try:
                async with engine.turns.run(agent_id, message, Destination(None)) as turn:
                    async for event in turn:
                        if said := line_of(event):
                            print(said, flush=True)  # noqa: T201  what it is for
            except InspectorError as error:
                print(f"error {error.code}", flush=True)  # noqa: T201  what it is for
    finally:
        await engine.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
