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

    task = asyncio.create_task(in_pauses(work))
    await asyncio.sleep(0)
    # The loop stands still here, as while a window is painted.
    assert came.wait(60)
    assert not went_on.wait(0.05)
    assert await task == "done"
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

    task = asyncio.create_task(in_pauses(work))
    while not came.is_set():
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.wait(60)


async def test_that_an_error_of_the_work_is_raised() -> None:
    def work(pause: Pause) -> None:
        pause()
        raise ValueError("unfit")

    with pytest.raises(ValueError, match="unfit"):
        await in_pauses(work)
