"""How long another process waits for the file while one edits a large text.

    python -m tests.bench.write_lock [CHARACTERS]

Beside each kind of edit: the seconds that it takes, and the longest that a writer in another process had to wait
meanwhile. Limit: two seconds; a writer gives up after five.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, ListItem
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.text import ReplaceMode, ReplaceText, SetText
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, HUMAN
from tests.runtime.undo_world import new_desk

LONGEST_WAIT = 2.0
CHARACTERS = 200_000


def wait_often(path: str, told: Connection) -> None:
    """Ask for the write lock again and again until told to stop; then tell the longest wait."""
    connection = sqlite3.connect(path, timeout=60, isolation_level=None)
    longest = 0.0
    told.send(None)
    while not told.poll():
        start = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
        longest = max(longest, time.perf_counter() - start)
        time.sleep(0.002)
    told.send(longest)


async def longest_wait(path: Path, edit: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """The seconds that an edit takes, refused or not, and the longest that another process waited meanwhile."""
    mine, theirs = multiprocessing.Pipe()
    other = multiprocessing.get_context("spawn").Process(target=wait_often, args=(str(path), theirs))
    other.start()
    await asyncio.to_thread(mine.recv)
    start = time.perf_counter()
    try:
        with suppress(RefusedError):
            await edit()
        taken = time.perf_counter() - start
    finally:
        mine.send(None)
        waited: float = await asyncio.to_thread(mine.recv)
        other.join()
    return taken, waited


def a_list_of(body: str) -> CreateBlock:
    """What makes a block with an item for each line."""
    lines = enumerate(body.splitlines())
    items = tuple(ListItem(f"i{number}", line) for number, line in lines)
    return CreateBlock(AGENT.id, "lines", ListSchema(), char_limit=0, content=ListContent(items))


async def measure(folder: Path, characters: int) -> float:
    """Print all kinds of edits; gives the longest wait."""
    chosen = random.Random(1)
    body = "".join(chosen.choice("abcdef \n") for _ in range(characters))
    longest = 0.0
    async with new_desk(folder) as desk:
        block = Ref(RefKind.BLOCK, await desk.world.make(content=body, char_limit=0))
        edits: dict[str, Callable[[], Awaitable[object]]] = {
            "regex x* to -": lambda: desk.do(block, ReplaceText("x*", "-", ReplaceMode.REGEX)),
            "undo of it": desk.undo,
            "all a to bb": lambda: desk.do(block, ReplaceText("a", "bb", ReplaceMode.ALL)),
            "undo of that": desk.undo,
            "another text": lambda: desk.do(block, SetText(body[::-1]), HUMAN),
            "preview": lambda: desk.edits.preview([Intent(Edit(block, SetText(body)), HUMAN)]),
            "made as a list": lambda: desk.do(Ref(RefKind.BLOCK, ""), a_list_of(body)),
            "schema: list": lambda: desk.do(block, SetSchema(ListSchema()), HUMAN),
        }
        for name, edit in edits.items():
            taken, waited = await longest_wait(desk.world.database.path, edit)
            longest = max(longest, waited)
            print(f"{name:16} {taken:7.2f} s, others waited {waited:.2f} s at most")
    return longest


def main(arguments: list[str]) -> int:
    """Measure; 1 when anybody waited too long."""
    characters = int(arguments[0]) if arguments else CHARACTERS
    with tempfile.TemporaryDirectory() as folder:
        return int(asyncio.run(measure(Path(folder), characters)) > LONGEST_WAIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
