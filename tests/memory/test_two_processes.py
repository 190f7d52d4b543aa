"""Two real processes on one file: nothing is lost, both end with the same text, each hears of the other."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.domain.changes import Change
from inspector.domain.edits.text import AppendText, InsertText
from tests.memory.world import HUMAN, new_world

ROOT = Path(__file__).resolve().parents[2]
EDITS = 150


class Writer:
    """The process that `tests.memory.writing_process` is."""

    def __init__(self, path: Path, block: str, tag: str, count: int) -> None:
        command = [sys.executable, "-m", "tests.memory.writing_process", str(path), block, tag, str(count)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def hear(self) -> str:
        """The next line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().removesuffix("\n")

    def go(self) -> None:
        """Let it do the next thing."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Stop it if it runs, and close what leads to it."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def writers() -> Iterator[list[Writer]]:
    """Processes that are ended after the test."""
    started: list[Writer] = []
    yield started
    for each in started:
        each.end()


async def test_that_two_processes_that_edit_at_once_lose_nothing(
    tmp_db_dir: Path, writers: list[Writer]
) -> None:
    async with new_world(tmp_db_dir, "a") as world:
        block = await world.make(content="|", char_limit=0)
        writer = Writer(world.database.path, block, "b", EDITS)
        writers.append(writer)
        assert await asyncio.to_thread(writer.hear) == "ready"
        writer.go()
        marks = [f"<a{number}>" for number in range(EDITS)]
        for number, mark in enumerate(marks):
            operation = AppendText(mark) if number % 2 else InsertText(0, mark)
            await world.edit(block, operation, actor=HUMAN)
        while await asyncio.to_thread(writer.hear) != "done":
            pass
        text = await world.text(block)
        writer.go()
        assert await asyncio.to_thread(writer.hear) == text
        for mark in (*marks, *(f"<b{number}>" for number in range(EDITS))):
            assert text.count(mark) == 1
        assert len(text) == 1 + sum(len(f"<a{number}>") for number in range(EDITS)) * 2
        assert (
            (await world.memory.versions.content_at(block, (await world.state(block)).version)).content
        ) == (await world.memory.content(block))


async def test_that_another_process_is_heard_within_a_second_and_in_order(
    tmp_db_dir: Path, writers: list[Writer]
) -> None:
    async with new_world(tmp_db_dir, "a") as world, asyncio.TaskGroup() as tasks:
        block = await world.make(content="")
        watching = tasks.create_task(world.database.watch())
        async with world.database.feed.subscribe() as news:
            writer = Writer(world.database.path, block, "b", 5)
            writers.append(writer)
            assert await asyncio.to_thread(writer.hear) == "ready"
            writer.go()
            while await asyncio.to_thread(writer.hear) != "done":
                pass
            written = time.monotonic()
            heard = [await anext(news) for _ in range(5)]
            assert time.monotonic() - written < 1
            changes = [each for each in heard if isinstance(each, Change)]
            assert [each.own for each in changes] == [False] * 5
            assert [each.seq for each in changes] == sorted({each.seq for each in changes})
            assert {each.ref.id for each in changes} == {block}
            assert {each.kind for each in changes} == {"append_text", "insert_text"}
            await world.edit(block, AppendText("own"), actor=HUMAN)
            own = await anext(news)
            assert isinstance(own, Change)
            assert own.own
            await world.database.poll()
            assert news.waiting() == ()
        watching.cancel()
