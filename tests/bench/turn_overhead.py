"""A turn of the loop without the model beside the same calls made by hand: at most three times as long.

    python -m tests.bench.turn_overhead [TURNS]

By hand means what any program would do of it: build the Request, prepare and make the call with the offline provider,
and store the message, the run and the reply, in the same transactions as the loop. Medians of processor time and of
time on the clock; the two kinds of turns take turns, so that the file grows alike under both.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import AppendMessage
from inspector.domain.messages import Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import RequestSpec
from inspector.domain.turns import TURN_CALL, IncomingMessage
from inspector.runtime.call_records import stored_run
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.runtime.turn_world import OFFLINE, made_agent

TURNS = 60
MOST = 3.0
MESSAGE = '/tool nothing {"text": "tea"}\n/say Nothing found.'


def nothing(text: str) -> str:
    """Do nothing."""
    return text


async def by_loop(engine: Engine, agent: Agent) -> None:
    async with engine.turns.run(agent.id, IncomingMessage(MESSAGE), OFFLINE) as turn:
        async for _ in turn:
            pass


async def by_hand(engine: Engine, agent: Agent) -> None:
    ids, batch_id = engine.surroundings.ids, engine.surroundings.ids("bat")
    actor = Actor(ActorKind.AGENT, agent.id, agent.name)

    def stored(role: Role, content: tuple[Part, ...]) -> Intent:
        operation = AppendMessage(agent.id, batch_id, role, content)
        return intent(Ref(RefKind.MESSAGE, ids("msg")), operation)

    def intent(target: Ref, operation: Operation) -> Intent:
        return Intent(Edit(target, operation), actor, batch_id=batch_id)

    await engine.apply([stored(Role.USER, (TextPart(MESSAGE),))])
    while True:
        spec = RequestSpec(now=engine.surroundings.clock(), active_batch=batch_id)
        made = await engine.calls.draft(agent.id, "", spec)
        prepared = await engine.calls.prepare(made.request, made.snapshot, OFFLINE)
        async with engine.calls.stream(prepared) as call:
            async for _ in call:
                pass
        run = intent(Ref(RefKind.RUN, ids("run")), stored_run(prepared, call.reply, TURN_CALL))
        await engine.apply([run, stored(Role.ASSISTANT, call.reply.parts)])
        calls = [part for part in call.reply.parts if isinstance(part, ToolCallPart)]
        if not calls:
            return
        results = tuple(ToolResultPart(each.id, nothing("tea")) for each in calls)
        await engine.apply([stored(Role.TOOL, results)])


async def taken(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    await work()
    return time.process_time() - processor, time.perf_counter() - clock


FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None


async def measure(turns: int) -> bool:
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        surroundings = Environment(state_folder=Path(folder))
        engine = await Engine.open(Path(folder) / "bench.constellation", surroundings, create=True)
        try:
            engine.turns.tools.register(nothing)
            agents = [await made_agent(engine, name, ("nothing",)) for name in ("Loop", "Hand")]
            ways = (by_loop, by_hand)
            times: tuple[list[tuple[float, float]], ...] = ([], [])
            for number in range(turns + 5):
                for found, way, agent in zip(times, ways, agents, strict=True):
                    took = await taken(lambda way=way, agent=agent: way(engine, agent))  # type: ignore[misc]
                    # The first ones load modules and vocabularies.
                    if number >= 5:
                        found.append(took)
        finally:
            await engine.close()
    ratios = []
    for at, kind in enumerate(("processor", "clock")):
        loop, hand = (statistics.median(each[at] for each in found) for found in times)
        ratios.append(loop / hand)
        print(
            f"{kind}: loop {loop * 1000:.1f} ms, by hand {hand * 1000:.1f} ms, {loop / hand:.2f} times (limit {MOST:g})"
        )
    return max(ratios) <= MOST


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else TURNS)) else 1)
