"""One writer of a storm: edits blocks of all schemas at a rate, then tells what it was promised and what it sees.

python -m tests.storm_writer PATH TAG SEED RATE SECONDS EDITS
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from inspector.domain.codec import to_plain
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SetText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.workload import AGENT, HUMAN, SCHEMAS, Step, Worker

THINKING = 0.2
"""The longest that a person looks at a text, in seconds, before saving it as a whole."""


TEXT = Ref(RefKind.BLOCK, "blk_text")


class Writer:
    """The edits of one process, how long each took, and what went wrong."""

    def __init__(self, engine: Engine, tag: str, seed: int) -> None:
        self.engine = engine
        self.worker = Worker(tag, seed)
        self.actor = AGENT if tag == "a" else HUMAN
        self.seconds: list[float] = []
        self.errors: list[str] = []

    async def run(self, rate: float, seconds: float, edits: int) -> None:
        """Edit at a rate until the time or the number is over."""
        started = time.monotonic()
        number = 0
        while time.monotonic() - started < seconds and number < edits:
            await asyncio.sleep(max(0.0, started + number / rate - time.monotonic()))
            number += 1
            if self.actor is HUMAN and number % 5 == 0:
                await self._save_a_text(min(THINKING, 1 / rate))
            else:
                step = self.worker.step()
                await self._timed(step)

    async def _save_a_text(self, thinking: float) -> None:
        """As a person does: read, think with a draft kept, and save the whole text as of what was read."""
        state = await self.engine.memory.get("blk_text")
        assert state is not None
        assert isinstance(state.content, TextContent)
        mark = self.worker.mark()
        operation = SetText(state.content.text + mark)
        await self.engine.drafts.keep(Edit(TEXT, operation, state.version))
        await asyncio.sleep(thinking)
        step = Step("blk_text", operation, lambda: self.worker.ledger.marks.append(mark))
        await self._timed(step, base=state.version)
        await self.engine.drafts.drop(TEXT)

    async def _timed(self, step: Step, **given: object) -> None:
        started = time.perf_counter()
        try:
            await self.engine.edit(step.block, step.operation, actor=self.actor, **given)  # type: ignore[arg-type]
        except InspectorError as error:
            self.errors.append(str(error)[:300])
            return
        self.seconds.append(time.perf_counter() - started)
        step.acknowledged()


async def seen(engine: Engine) -> dict[str, object]:
    """Every block as this process has it."""
    found: dict[str, object] = {}
    for block_id in SCHEMAS:
        state = await engine.memory.get(block_id)
        assert state is not None
        rendered = await engine.memory.rendered(block_id)
        found[block_id] = [to_plain(state.content), state.version, state.revision, rendered]
    return found


def say(value: object) -> None:
    """One line to whoever started this."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


async def main(path: Path, tag: str, seed: int, limits: tuple[float, float, int]) -> None:
    """Take part in a storm."""
    actor = AGENT if tag == "a" else HUMAN
    surroundings = Environment(actor=actor, program=tag, state_folder=path.parent / "state")
    engine = await Engine.open(path, surroundings, watch=True)
    try:
        writer = Writer(engine, tag, seed)
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        await writer.run(*limits)
        # Work that is never saved: it must outlive this process.
        await engine.drafts.keep(Edit(TEXT, SetText(f"draft of {tag}")))
        say({"ledger": writer.worker.ledger.plain(), "seconds": writer.seconds, "errors": writer.errors})
        await asyncio.to_thread(sys.stdin.readline)
        say(await seen(engine))
        await asyncio.to_thread(sys.stdin.readline)
    finally:
        await engine.close()


if __name__ == "__main__":
    rate, seconds, edits = float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6])
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), (rate, seconds, edits)))
