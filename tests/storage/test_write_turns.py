"""Processes that write one file take turns: a lock is waited for, and who wrote last leaves others a moment."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.storage.connection import (
    MOMENT_SECONDS,
    PATIENCE_SECONDS,
    REMEMBERED_SECONDS,
    Row,
    Turns,
    in_turn,
)
from tests.storage.builders import fact, new_file, opened, set_fact


class Stopwatch:
    """Time that passes by hand, and by sleeping."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(asyncio, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def rows(*processes: int) -> list[Row]:
    """Rows of the journal, by the processes that wrote them."""
    return [{"process": each} for each in processes]  # type: ignore[misc]


async def test_that_a_lock_is_waited_for_until_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Stopwatch(monkeypatch)
    asked = 0

    async def ask() -> str:
        nonlocal asked
        asked += 1
        watch.now += 0.5
        if asked < 4:
            raise FileError("file.locked", path="x")
        return "done"

    assert await in_turn(ask) == "done"
    assert asked == 4
    asked = -1_000_000
    started = watch.now
    with pytest.raises(FileError) as caught:
        await in_turn(ask)
    assert caught.value.code == "file.locked"
    assert PATIENCE_SECONDS <= watch.now - started <= PATIENCE_SECONDS + 1


async def test_that_any_other_error_is_not_waited_for() -> None:
    asked = []

    async def ask() -> None:
        asked.append(1)
        raise FileError("file.disk_full", path="x")

    with pytest.raises(FileError):
        await in_turn(ask)
    assert len(asked) == 1


async def test_that_a_moment_is_left_only_to_those_who_write_too(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Stopwatch(monkeypatch)
    turn = Turns()
    await turn.let_others()
    turn.committed(rows(1), 1)
    await turn.let_others()
    assert watch.slept == []
    turn.committed(rows(2, 1), 1)
    await turn.let_others()
    assert watch.slept == [pytest.approx(MOMENT_SECONDS)]
    # It is over: nobody waits twice for one commit, nor for those who wrote long ago.
    await turn.let_others()
    watch.now += REMEMBERED_SECONDS + 1
    turn.committed(rows(1), 1)
    await turn.let_others()
    assert len(watch.slept) == 1


async def test_that_a_writer_gets_its_turn_between_the_writes_of_another(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as busy, opened(path) as seldom:
        ended = asyncio.Event()

        async def write_always() -> int:
            number = 0
            while not ended.is_set():
                async with busy.write() as tx:
                    await set_fact(tx, f"busy {number}")
                    await asyncio.sleep(0.01)
                number += 1
            return number

        writing = asyncio.ensure_future(write_always())
        for number in range(10):
            async with seldom.write() as tx:
                await set_fact(tx, f"seldom {number}")
        ended.set()
        written = await writing
        # Had it waited for the other to pause, it would still wait; each turn was some of the other's, not hundreds.
        assert 0 < written < 500
        assert str(await fact(seldom)).startswith(("busy", "seldom"))
