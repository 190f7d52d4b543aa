"""Long work as a value that can be watched and stopped."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. `total` 0 means unknown. `code` is a key of the word catalogue."""

    code: str
    done: int = 0
    total: int = 0


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
    """A named piece of long work with its cancel flag."""

    id: str
    title: str
    progress: Progress
    cancel: Cancel
