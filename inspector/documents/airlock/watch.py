"""Ends an airlock worker that takes too long or uses too much for its document."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum

from inspector.documents.airlock.wire import WorkerLimits
from inspector.domain.dataclass import dataclass

LOOK_SECONDS = 0.02
"""How often a worker's use is looked at: so long it can grow past its limit."""


@dataclass(frozen=True, slots=True)
class ProcessUsage:
    """What a process holds, in bytes, and what it has used of the processor since it started, in seconds."""

    memory: int
    cpu_seconds: float


class LimitExceeded(Enum):
    """What a worker was ended for."""

    WALL = "wall"
    CPU = "cpu"
    MEMORY = "memory"


Gauge = Callable[[int], ProcessUsage | None]
"""Gives what the process of an id uses; None when that cannot be told."""


class WorkerWatch:
    """Watches one worker while it is at one task; `stop` ends the worker and is called at most once."""

    def __init__(self, pid: int, limits: WorkerLimits, gauge: Gauge | None, stop: Callable[[], None]) -> None:
        self._pid = pid
        self._limits = limits
        self._gauge = gauge
        self._stop = stop
        self._over = threading.Event()
        self._deciding = threading.Lock()
        self.excess: LimitExceeded | None = None
        self.peak = 0
        self._thread = threading.Thread(target=self._look, name="airlock watch", daemon=True)

    def __enter__(self) -> WorkerWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # An answer that is there counts: after this nothing is ended any more.
        with self._deciding:
            self._over.set()

    def _look(self) -> None:
        if self._gauge is None:
            if not self._over.wait(self._limits.wall_seconds):
                self._end(LimitExceeded.WALL)
            return
        start = self._gauge(self._pid)
        used_before = 0.0 if start is None else start.cpu_seconds
        for _ in range(max(1, round(self._limits.wall_seconds / LOOK_SECONDS))):
            found = self._beyond(self._gauge(self._pid), used_before)
            if found is not None:
                self._end(found)
                return
            if self._over.wait(LOOK_SECONDS):
                return
        self._end(LimitExceeded.WALL)

    def _beyond(self, usage: ProcessUsage | None, used_before: float) -> LimitExceeded | None:
        if usage is None:
            return None
        self.peak = max(self.peak, usage.memory)
        if usage.memory > self._limits.memory:
            return LimitExceeded.MEMORY
        return LimitExceeded.CPU if usage.cpu_seconds - used_before > self._limits.cpu_seconds else None

    def _end(self, excess: LimitExceeded) -> None:
        with self._deciding:
            if not self._over.is_set():
                self.excess = excess
                self._stop()
