"""A process that forks writers on demand: each is at work within milliseconds, for all is imported already.

python -m tests.memory.victims PATH BLOCK FOLDER

A line with a tag starts a writer of that tag and is answered with its process id. What the writer was told is
stored it adds to the file of its tag in the folder: a write there is the system's before the next edit begins.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.text import AppendText, InsertText
from tests.memory.world import open_world


async def edit_for_ever(path: Path, block: str, tag: str, told: int) -> None:
    """Edit the start and the end in turn, and tell each edit once it is acknowledged."""
    world = await open_world(path, prefix=tag)
    human = Actor(ActorKind.HUMAN, tag, tag)
    number = 0
    while True:
        mark = f"<{tag}{number}>"
        operation = AppendText(mark) if number % 2 else InsertText(0, mark)
        await world.memory.edit(block, operation, actor=human)
        os.write(told, f"{mark}\n".encode())
        number += 1


def main(path: Path, block: str, folder: Path) -> None:
    """Fork until the input ends. Whoever asked for a writer ends it."""
    # The system forgets the dead by itself.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        tag = line.strip()
        process = os.fork()
        if process == 0:
            told = os.open(folder / tag, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            asyncio.run(edit_for_ever(path, block, tag, told))
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
