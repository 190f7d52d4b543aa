"""A process killed in a storm of writes: whatever it was told is stored, is stored."""
# ruff: noqa: ASYNC220, ASYNC251 - nothing else waits for the loop of a test

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inspector.memory.checking import check
from tests.memory.world import new_world, open_world

ROOT = Path(__file__).resolve().parents[2]
TOO_MANY = "1000000"


async def storm(folder: Path, kills: int) -> None:
    """Start a writer and kill it, again and again; then look at the file."""
    async with new_world(folder) as world:
        block = await world.make(content="", char_limit=0)
        path = world.database.path
    acknowledged: list[str] = []
    delays = random.Random(20261120)
    for turn in range(kills):
        command = [
            sys.executable,
            "-m",
            "tests.memory.writing_process",
            str(path),
            block,
            f"k{turn}_",
            TOO_MANY,
        ]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        if turn % 2:
            # Every other one has something to lose, however slow the machine is.
            acknowledged.append(process.stdout.readline().strip())
        time.sleep(delays.uniform(0.005, 0.15))
        process.kill()
        told, _ = process.communicate()
        # A line cut short by the kill was not told.
        acknowledged.extend(line for line in told.split("\n")[:-1] if line.startswith("<"))
    assert acknowledged
    world = await open_world(path)
    try:
        text = await world.text(block)
        assert [mark for mark in acknowledged if text.count(mark) != 1] == []
    finally:
        await world.close()
    assert await check(path) == ()


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_that_16_kills_lose_no_acknowledged_edit(tmp_db_dir: Path) -> None:
    await storm(tmp_db_dir, 16)
