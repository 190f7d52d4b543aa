"""Lets model calls go side by side: a few at once, and one after another where a provider asks to wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager

from inspector.domain.replies import FailureKind, Reply
from inspector.runtime.recovery import FIRST_WAIT, LONGEST_WAIT
from inspector.runtime.turn_channel import StoppedError

AT_ONCE = 4
"""Calls that run at the same time."""
_ASKS_TO_WAIT = frozenset({FailureKind.RATE_LIMIT, FailureKind.OVERLOADED})


class _SlowPlace:
    """A place that has asked to wait: its further calls go one after another, the next one not before `until`."""

    def __init__(self) -> None:
        self.until = 0.0
        self.one = asyncio.Lock()


class SideGate:
    """What calls pass that are made side by side. A place is an origin with a key, of which a provider counts calls.

    Nothing passes any more once `is_stopped`.
    """

    def __init__(
        self, at_once: int = AT_ONCE, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._room = asyncio.Semaphore(at_once)
        self._sleep = sleep
        self._slow: dict[Hashable, _SlowPlace] = {}
        self._waiting: set[asyncio.Timeout] = set()
        self.is_stopped = False

    def stop(self) -> None:
        """Let nothing more pass; what waits ends at once."""
        self.is_stopped = True
        for limit in self._waiting:
            limit.reschedule(0.0)

    def ended(self, place: Hashable, reply: Reply) -> None:
        """Take over how a call ended: one that the provider refused for now makes those behind it wait."""
        failure = reply.failure
        if failure is None or failure.kind not in _ASKS_TO_WAIT:
            return
        seconds = FIRST_WAIT if failure.retry_after is None else min(failure.retry_after, LONGEST_WAIT)
        slow = self._slow.setdefault(place, _SlowPlace())
        slow.until = max(slow.until, asyncio.get_running_loop().time() + seconds)

    @asynccontextmanager
    async def turn(self, place: Hashable) -> AsyncIterator[None]:
        """Wait until a call may be made, and have its room while it is made.

        Raises:
            StoppedError: `stop` was called before it could be made.
        """
        async with AsyncExitStack() as stack:
            await self._enter(stack, place)
            if self.is_stopped:
                raise StoppedError
            yield

    async def _enter(self, stack: AsyncExitStack, place: Hashable) -> None:
        if self.is_stopped:
            return
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._waiting.add(limit)
                await self._wait(stack, place)
        except TimeoutError:
            raise StoppedError from None
        finally:
            self._waiting.discard(limit)

    async def _wait(self, stack: AsyncExitStack, place: Hashable) -> None:
        while True:
            slow = self._slow.get(place)
            if slow is not None:
                await stack.enter_async_context(slow.one)
                while (seconds := _left(slow)) > 0:
                    await self._sleep(seconds)
            await stack.enter_async_context(self._room)
            # Meanwhile the place may have asked to wait, or another time.
            if self._slow.get(place) is slow and (slow is None or _left(slow) <= 0):
                return
            await stack.aclose()


def _left(slow: _SlowPlace) -> float:
    return slow.until - asyncio.get_running_loop().time()
