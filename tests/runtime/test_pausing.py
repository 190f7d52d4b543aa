"""Work in a thread gives way to the loop, and ends when nobody waits for it any more."""

import asyncio
from threading import Event

import pytest

from inspector.domain.pauses import Pause
from inspector.runtime import pausing
from inspector.runtime.pausing import in_pauses


@pytest.fixture(autouse=True)
def _every_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pausing, "_WORK_SECONDS", 0.0)
    monkeypatch.setattr(pausing, "_LONGEST_SECONDS", 60.0)


async def test_that_work_waits_at_a_pause_until_the_loop_comes_round() -> None:
    came, went_on = Event(), Event()

    def work(pause: Pause) -> str:
        came.set()
        pause()
        went_on.set()
        return "done"

    async with asyncio.TaskGroup() as group:
        task = group.create_task(in_pauses(work))
        await asyncio.sleep(0)
        # The loop stands still here, as while a window is painted.
        assert came.wait(60)
        assert not went_on.wait(0.05)
    assert task.result() == "done"
    assert went_on.is_set()


async def test_that_work_that_is_cancelled_ends_at_its_next_pause() -> None:
    came, ended = Event(), Event()

    def work(pause: Pause) -> None:
        try:
            while True:
                pause()
                came.set()
        finally:
            ended.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(in_pauses(work))
        assert await asyncio.to_thread(came.wait, 60)
        task.cancel()
    assert task.cancelled()
    assert ended.wait(60)


async def test_that_an_error_of_the_work_is_raised() -> None:
    def work(pause: Pause) -> None:
        pause()
        raise ValueError("unfit")

    with pytest.raises(ValueError, match="unfit"):
        await in_pauses(work)
