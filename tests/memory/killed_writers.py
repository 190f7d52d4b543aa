"""A process that forks writers on demand: each is at work within milliseconds, for all is imported already.

python -m tests.memory.killed_writers PATH FOLDER

The writers edit one block of each schema in turn. A line with a tag starts a writer of that tag and is answered
with its process id. What the writer was told is stored it adds to the file of its tag in the folder: a write there is
the system's before the next edit begins.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Operation
from inspector.domain.edits.fields import AppendToField
from inspector.domain.edits.items import AddNode, AppendEntry, InSection, InsertItem
from inspector.domain.edits.text import AppendText, InsertText
from tests.memory.world import open_world

EDITS: tuple[tuple[str, Callable[[str], Operation]], ...] = (
    ("blk_text", AppendText),
    ("blk_map", lambda mark: AppendToField("things", mark)),
    ("blk_text", lambda mark: InsertText(0, mark)),
    ("blk_list", lambda mark: InsertItem({"title": mark})),
    ("blk_log", lambda mark: AppendEntry({"seen": mark})),
    ("blk_text", AppendText),
    ("blk_tree", AddNode),
    ("blk_composite", lambda mark: InSection("words", AppendText(mark))),
)
"""What is done in turn, and where; a text often enough to be folded. The schemas are `tests.workload`'s."""


async def edit_for_ever(path: Path, tag: str, told: int) -> None:
    """Write one mark after the other, and tell each edit once it is acknowledged."""
    world = await open_world(path, prefix=tag)
    human = Actor(ActorKind.HUMAN, tag, tag)
    number = os.getpid() % len(EDITS)
    while True:
        mark = f"<{tag}{number}>"
        block, operation = EDITS[number % len(EDITS)]
        await world.edit(block, operation(mark), actor=human)
        os.write(told, f"{mark}\n".encode())
        number += 1


def main(path: Path, folder: Path) -> None:
    """Fork until the input ends. Whoever asked for a writer ends it."""
    # The system forgets the dead by itself.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        tag = line.strip()
        process = os.fork()
        if process == 0:
            told = os.open(folder / tag, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            asyncio.run(edit_for_ever(path, tag, told))
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
