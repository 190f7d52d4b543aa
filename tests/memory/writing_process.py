"""A second process: edits a block of a file and tells each edit once it is acknowledged.

python -m tests.memory.writing_process PATH BLOCK TAG COUNT
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.text import AppendText, InsertText
from tests.memory.world import open_world


async def main(path: Path, block: str, tag: str, count: int) -> None:
    """Edit the start and the end in turn, then wait to be told to look and tell the text."""
    world = await open_world(path, prefix=tag, actor=Actor(ActorKind.AGENT, tag, tag))
    human = Actor(ActorKind.HUMAN, tag, tag)
    try:
        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        for number in range(count):
            mark = f"<{tag}{number}>"
            operation = AppendText(mark) if number % 2 else InsertText(0, mark)
            await world.edit(block, operation, actor=human)
            say(mark)
        say("done")
        await asyncio.to_thread(sys.stdin.readline)
        say(await world.text(block))
    finally:
        await world.close()


def say(text: str) -> None:
    """One line to whoever started this."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
