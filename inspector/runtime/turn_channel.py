"""A turn under way as others follow it: its events as they come, a stop that works at once, a person's answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from inspector.domain.turns import TurnEvent

Found = TypeVar("Found")
_log = logging.getLogger(__name__)


class StoppedError(Exception):
    """The turn was stopped while something was waited for."""


class TurnChannel:
    """Between a turn's work and whoever follows it."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        self._stop = asyncio.Event()
        self._ends: Callable[[], None] | None = None
        self._answers: dict[str, asyncio.Future[bool]] = {}

    @property
    def is_stopped(self) -> bool:
        return self._stop.is_set()

    def emit(self, event: TurnEvent) -> None:
        """Pass an event on to whoever follows."""
        self.events.put_nowait(event)

    def stop(self) -> None:
        """End what is waited for; the turn stores what it has and ends."""
        self._stop.set()
        if self._ends is not None:
            self._ends()

    @contextmanager
    def stopping(self, end: Callable[[], None]) -> Iterator[None]:
        """While inside, a stop ends something that then goes on to its end by itself, such as a call."""
        self._ends = end
        if self.is_stopped:
            end()
        try:
            yield
        finally:
            self._ends = None

    def answer(self, call_id: str, *, allowed: bool) -> bool:
        """Answer whether a call may be made; False where nobody waits for that."""
        waiting = self._answers.get(call_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(allowed)
        return True

    async def answered(self, call_id: str, seconds: float) -> bool:
        """Wait for a person's answer to a call; no answer in time is a no."""
        waiting: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answers[call_id] = waiting
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError:
            return False
        finally:
            del self._answers[call_id]

    async def unless_stopped(self, work: Awaitable[Found]) -> Found:
        """The result of work, which a stop cancels.

        Raises:
            StoppedError: it was stopped before there was one; and what the work raises.
        """
        task = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopped.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
        if task.cancelled():
            raise StoppedError
        return task.result()


class RunningTurn:
    """One turn. Iterating over it gives its events, the last of which is always `TurnDone`.

    The first step begins it. `stop`, `aclose` and a step that is cancelled end it at once, with what came until then
    stored. Use it as ``async with``, so that whatever happens nothing runs on. What keeps a turn from beginning at
    all, such as an agent that isn't there, is raised by the iteration.
    """

    def __init__(self, work: Callable[[TurnChannel], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._channel = TurnChannel()
        self._task: asyncio.Task[None] | None = None
        self._is_heard = False

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def stop(self) -> None:
        """End the turn now, as a person's wish: the text that came is kept, and calls get a result that says so."""
        self._channel.stop()

    def answer(self, call_id: str, *, allowed: bool) -> bool:
        """Answer a `ToolConsentAsked`; False where that call doesn't wait for an answer (any more)."""
        return self._channel.answer(call_id, allowed=allowed)

    async def ended(self) -> None:
        """Wait until the turn has ended by itself and all of it is stored; not at all if it hasn't begun."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def aclose(self) -> None:
        """End the turn if it still runs, and wait until all of it is stored."""
        self.stop()
        await self.ended()
        if self._task is not None:
            error = None if self._task.cancelled() else self._task.exception()
            if error is not None and not self._is_heard:
                _log.error("A turn failed", exc_info=error)

    async def __aenter__(self) -> RunningTurn:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __aiter__(self) -> RunningTurn:
        return self

    async def __anext__(self) -> TurnEvent:
        if self._task is None:
            self._task = asyncio.ensure_future(self._run())
        try:
            event = await self._channel.events.get()
        except asyncio.CancelledError:
            self.stop()
            raise
        if event is None:
            # Whoever asks again gets the same answer.
            self._channel.events.put_nowait(None)
            self._is_heard = True
            await self._task
            raise StopAsyncIteration
        return event

    async def _run(self) -> None:
        try:
            await self._work(self._channel)
        finally:
            self._channel.events.put_nowait(None)
