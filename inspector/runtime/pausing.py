"""Runs long work in a thread that gives way to the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from inspector.domain.pauses import Pause

_T = TypeVar("_T")
_WORK_SECONDS = 0.004
_LONGEST_SECONDS = 1.0
"""A loop that does not come round for so long hangs or has been stopped; to wait on would mend neither."""


async def in_pauses(work: Callable[[Pause], _T]) -> _T:
    """What `work` gives, run in a thread. When the one who waits for it is cancelled, it ends at its next pause.

    Python runs one thread at a time, and the window's gives the interpreter away with each call of Qt: beside a thread
    that computes all the time it is several times as slow. So that thread waits, whenever `work` pauses and a few
    milliseconds have gone by, until the loop has come round.
    """
    turn = _Turn(asyncio.get_running_loop())
    try:
        return await asyncio.to_thread(work, turn.pause)
    except asyncio.CancelledError:
        turn.end()
        raise


class _Abandoned(Exception):
    """Nobody waits for the work any more."""


class _Turn:
    """What one thread's work waits at."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._came_round = Event()
        self._is_abandoned = False
        self._last = time.perf_counter()

    def pause(self) -> None:
        """Wait for the loop, if there has been work for some milliseconds."""
        if not self._is_abandoned and time.perf_counter() - self._last >= _WORK_SECONDS:
            self._came_round.clear()
            self._loop.call_soon_threadsafe(self._came_round.set)
            self._came_round.wait(_LONGEST_SECONDS)
            self._last = time.perf_counter()
        if self._is_abandoned:
            raise _Abandoned

    def end(self) -> None:
        """Let the work end at its next pause."""
        self._is_abandoned = True
        self._came_round.set()
