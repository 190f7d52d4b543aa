"""Long jobs of the engine as values that can be watched and stopped."""

from __future__ import annotations

import threading
from dataclasses import field

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is. `total` 0 means unknown."""

    done: int = 0
    total: int = 0

    @property
    def percent(self) -> int | None:
        """In whole per cent, None when that is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None


@dataclass(slots=True)
class CancelFlag:
    """A flag that work looks at between its steps; it may be raised from any thread."""

    event: threading.Event = field(default_factory=threading.Event)

    def ask(self) -> None:
        self.event.set()

    @property
    def asked(self) -> bool:
        return self.event.is_set()


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of long work. `code` and `parameters` say what is done, in the words of the catalogue."""

    id: str
    code: str
    parameters: Parameters
    progress: JobProgress
    cancel: CancelFlag
