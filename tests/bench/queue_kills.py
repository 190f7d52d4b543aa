"""Two processes on one queue, killed with SIGKILL at any moment: every message is answered once, in order.

Run as ``python -m tests.bench.queue_kills [--kills N] [--folder PATH]`` from the project's root; 200 kills by default.
The exit code is 1 when a message was not answered, or twice, or out of its agent's order, or the file is damaged.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent, EnqueueMessage
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import check_file
from tests.runtime.killed_workers import work

ROOT = Path(__file__).resolve().parents[2]
WORKERS, AGENTS, MESSAGES_PER_KILL = 2, 6, 2
SHORTEST, LONGEST = 0.02, 0.7


@dataclass
class Outcome:
    """What came of a storm: `wrong` names each message or agent that something is wrong with."""

    kills: int = 0
    messages: int = 0
    taken_again: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether every message was answered once and in order."""
        return not self.wrong


class Workers:
    """Workers that answer messages until they are killed, each started by one process that has all it needs ready."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-m", "tests.runtime.killed_workers", str(path)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._living: list[int] = []

    def start(self) -> None:
        """Set another one to work."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        self._living.append(int(self._process.stdout.readline()))

    def kill(self, chance: random.Random) -> bool:
        """SIGKILL to one of them; False when it had ended by itself."""
        victim = self._living.pop(chance.randrange(len(self._living)))
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def end(self) -> None:
        """Kill all."""
        for victim in self._living:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        self._process.communicate()


async def opened(path: Path, *, create: bool = False) -> Engine:
    """The engine of the process that asks."""
    folder = path.parent / "state"
    return await Engine.open(path, Environment(state_folder=folder, data_folder=folder), create=create)


async def storm(folder: Path, kills: int, seed: int) -> Outcome:
    """Keep two workers at work, queue messages, and kill one at a time until it was enough; then look at all."""
    path = folder / "queue.constellation"
    outcome, chance = Outcome(), random.Random(seed)
    engine = await opened(path, create=True)
    for number in range(AGENTS):
        target = Ref(RefKind.AGENT, f"agt_{number}")
        await engine.apply([Intent(Edit(target, CreateAgent(target.id, model="gpt-4.1")), engine.actor)])
        await engine.turns.equip(target.id, ["recall"])
    workers = Workers(path)
    try:
        for _ in range(WORKERS):
            workers.start()
        while outcome.kills < kills:
            for _ in range(MESSAGES_PER_KILL):
                await _queue(engine, outcome.messages)
                outcome.messages += 1
            await asyncio.sleep(chance.uniform(SHORTEST, LONGEST))
            outcome.kills += workers.kill(chance)
            workers.start()
    finally:
        workers.end()
        await engine.close()
    await work(path, until_idle=True)
    engine = await opened(path)
    try:
        await _look(engine, outcome)
    finally:
        await engine.close()
    outcome.wrong += [str(problem) for problem in await check_file(path)]
    return outcome


async def _queue(engine: Engine, number: int) -> None:
    """A message whose turn takes two calls of the model and one of a tool, so that it can be cut anywhere."""
    text = f'/tool recall {{"action": "insert", "text": "note {number}"}}\n/say answer {number}'
    message = EnqueueMessage(None, f"agt_{number % AGENTS}", text)
    target = Ref(RefKind.QUEUE, f"que_{number:06d}")
    await engine.apply([Intent(Edit(target, message), engine.actor)])


async def _look(engine: Engine, outcome: Outcome) -> None:
    queued, unreadable = await engine.agents.queue()
    outcome.wrong += [str(each) for each in unreadable]
    outcome.wrong += [f"{each.id} is {each.state}" for each in queued if each.state != QueueState.PROCESSED]
    outcome.taken_again = sum(each.attempts > 1 for each in queued)
    if len(queued) != outcome.messages:
        outcome.wrong.append(f"{outcome.messages} messages were queued, {len(queued)} are there")
    for number in range(AGENTS):
        await _look_at_agent(engine, f"agt_{number}", outcome)


async def _look_at_agent(engine: Engine, agent_id: str, outcome: Outcome) -> None:
    numbers = range(int(agent_id.removeprefix("agt_")), outcome.messages, AGENTS)
    batches = await engine.conversation.batches(agent_id)
    said = [message for batch in batches for message in batch.messages]
    asked = [each.id for each in said if each.role is Role.USER]
    if asked != [f"msg_que_{each:06d}" for each in numbers]:
        outcome.wrong.append(f"{agent_id} heard {asked}")
    answers = [
        part.text
        for each in said
        if each.role is Role.ASSISTANT
        for part in each.content
        if isinstance(part, TextPart)
    ]
    if answers != [f"answer {each}" for each in numbers]:
        outcome.wrong.append(f"{agent_id} said {answers}")
    outcome.wrong += [f"{each.id} of {agent_id} is not whole" for each in batches if not each.is_complete]
    entries, _ = await engine.memory.archival_entries(agent_id)
    notes = Counter(each.content for each in entries)
    outcome.wrong += [f"{note!r} was kept {count} times" for note, count in notes.items() if count > 1]


def main() -> int:
    """Run a storm and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261125)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        found = asyncio.run(storm(Path(folder), given.kills, given.seed))
    seconds = time.monotonic() - started
    print(
        f"{found.kills} kills in {seconds:.0f} s: {found.messages} messages, {found.taken_again} taken again after "
        f"a kill, {len(found.wrong)} wrong {found.wrong[:3]}"
    )
    return int(not found.is_good)


if __name__ == "__main__":
    sys.exit(main())
