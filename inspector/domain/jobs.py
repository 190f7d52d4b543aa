"""Long work as a value that can be watched and stopped."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from inspector.domain.errors import Parameters


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. `total` 0 means unknown."""

    done: int = 0
    total: int = 0

    @property
    def percent(self) -> int | None:
        """In whole per cent, None when that is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None


@dataclass(slots=True)
class Cancel:
    """A flag that work looks at between its steps; it may be raised from any thread."""

    event: threading.Event = field(default_factory=threading.Event)

    def ask(self) -> None:
        """Ask the work to stop."""
        self.event.set()

    @property
    def asked(self) -> bool:
        """Whether the work should stop."""
        return self.event.is_set()


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of long work. `code` and `parameters` say what is done, in the words of the catalogue."""

    id: str
    code: str
    parameters: Parameters
    progress: Progress
    cancel: Cancel
