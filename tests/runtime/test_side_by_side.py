"""Calls side by side: a few at once, one after another where a provider asks to wait, none once they are stopped."""

from __future__ import annotations

import asyncio

import pytest

from inspector.domain.replies import CallFailure, FailureKind, Reply
from inspector.runtime.side_by_side import AT_ONCE, SideGate
from inspector.runtime.turn_channel import StoppedError

WELL = Reply()


class Calls:
    """Calls that run until they are told how they end."""

    def __init__(self, gate: SideGate) -> None:
        self._gate = gate
        self._ends: dict[str, asyncio.Future[Reply]] = {}
        self._tasks: dict[str, asyncio.Task[str]] = {}
        self.running: list[str] = []

    def begin(self, *names: str) -> None:
        """Begin calls; what stands before a colon in a name is its place."""
        for name in names:
            self._ends[name] = asyncio.get_running_loop().create_future()
            self._tasks[name] = asyncio.ensure_future(self._call(name))

    async def end(self, name: str, reply: Reply = WELL) -> str:
        self._ends[name].set_result(reply)
        return await self._tasks[name]

    async def outcome(self, name: str) -> str:
        return await self._tasks[name]

    async def _call(self, name: str) -> str:
        place = name.partition(":")[0]
        try:
            async with self._gate.turn(place):
                self.running.append(name)
                reply = await self._ends[name]
                self._gate.ended(place, reply)
                self.running.remove(name)
        except StoppedError:
            return "stopped"
        return "ended"


async def settled() -> None:
    """Let everything happen that waits for nothing."""
    for _ in range(20):
        await asyncio.sleep(0)


def refused(seconds: float | None, kind: FailureKind = FailureKind.RATE_LIMIT) -> Reply:
    return Reply(failure=CallFailure(kind, retry_after=seconds))


async def test_that_a_few_calls_run_at_once_and_the_next_begins_when_one_ends() -> None:
    calls = Calls(SideGate())
    names = [f"here:{number}" for number in range(AT_ONCE + 2)]
    calls.begin(*names)
    await settled()
    assert calls.running == names[:AT_ONCE]
    assert await calls.end(names[1]) == "ended"
    await settled()
    assert calls.running == [names[0], *names[2 : AT_ONCE + 1]]
    for name in (names[0], *names[2:]):
        await calls.end(name)


@pytest.mark.parametrize(("seconds", "waited"), [(7.0, 7.0), (None, 1.0), (4_000.0, 300.0)])
async def test_that_a_place_that_asks_to_wait_gets_one_call_at_a_time_and_others_go_on(
    seconds: float | None, waited: float
) -> None:
    slept: list[float] = []
    woken = asyncio.Event()

    async def sleep(given: float) -> None:
        slept.append(given)
        await woken.wait()
        # The time has come: what is left to wait is as good as nothing.
        gate._slow["slow"].until = 0.0  # noqa: SLF001 - the loop's own clock stands still in a test

    gate = SideGate(2, sleep)
    calls = Calls(gate)
    calls.begin("slow:1", "other:1", "slow:2", "slow:3", "other:2")
    await settled()
    assert calls.running == ["slow:1", "other:1"]
    await calls.end("slow:1", refused(seconds))
    await settled()
    # Those that wait take no room from other places.
    assert calls.running == ["other:1", "other:2"]
    assert slept == [pytest.approx(waited, abs=1)]
    await calls.end("other:1")
    woken.set()
    await settled()
    assert calls.running == ["other:2", "slow:2"]
    await calls.end("other:2")
    await settled()
    assert calls.running == ["slow:2"]
    await calls.end("slow:2")
    await settled()
    assert calls.running == ["slow:3"]
    await calls.end("slow:3")


@pytest.mark.parametrize("kind", [FailureKind.AUTHENTICATION, FailureKind.SERVER, FailureKind.NOT_FOUND])
async def test_that_another_failure_makes_nobody_wait(kind: FailureKind) -> None:
    calls = Calls(SideGate(1))
    calls.begin("here:1", "here:2")
    await settled()
    await calls.end("here:1", refused(9.0, kind))
    await settled()
    assert calls.running == ["here:2"]
    await calls.end("here:2")


async def test_that_a_stop_ends_what_waits_at_once_and_lets_nothing_more_pass() -> None:
    async def sleep(_: float) -> None:
        await asyncio.Event().wait()

    gate = SideGate(1, sleep)
    calls = Calls(gate)
    calls.begin("slow:1", "slow:2", "other:1")
    await settled()
    await calls.end("slow:1", refused(60.0))
    await settled()
    assert calls.running == ["other:1"]
    calls.begin("other:2")
    await settled()
    gate.stop()
    assert await calls.outcome("slow:2") == await calls.outcome("other:2") == "stopped"
    calls.begin("other:3")
    assert await calls.outcome("other:3") == "stopped"
    # What runs is ended by whoever began it.
    assert calls.running == ["other:1"]
    assert await calls.end("other:1") == "ended"
