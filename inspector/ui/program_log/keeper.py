"""Keeps the newest lines that the window's program logged, without secrets, for as long as it runs."""

from __future__ import annotations

import logging
from collections import deque
from datetime import UTC, datetime

from inspector.domain.dataclass import dataclass
from inspector.domain.secrets import without_secrets
from inspector.ui.safe_text import shorten

MOST_LINES = 2000
_MOST_CHARACTERS, _MOST_READ = 20_000, 60_000
"""Characters of a line that are kept, and in which secrets are looked for."""
_PROGRAM = "inspector"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One thing that was logged. `number` counts from 1; `text` has the trace of an error below the first line."""

    number: int
    at: datetime
    level: int
    source: str
    text: str

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]


class LogKeeper(logging.Handler):
    """Takes what any thread logs. `count` is how many lines there have been, also those that are gone."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._lines: deque[LogLine] = deque(maxlen=MOST_LINES)
        self.count = 0

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The newest lines, the oldest of them first."""
        self.acquire()
        try:
            return tuple(self._lines)
        finally:
            self.release()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line. Whoever calls holds the handler's lock."""
        try:
            # Cut in two, a secret might not look like one.
            read = self.format(record)[:_MOST_READ]
            text = shorten(without_secrets(read), _MOST_CHARACTERS)
        except (TypeError, ValueError):
            self.handleError(record)
            return
        self.count += 1
        at = datetime.fromtimestamp(record.created, UTC)
        source = record.name.removeprefix(f"{_PROGRAM}.")
        self._lines.append(LogLine(self.count, at, record.levelno, source, text))


LOG = LogKeeper()
"""What this program logs, since `keep_log` was called."""


def keep_log() -> LogKeeper:
    """Keep from now on what the program logs, down to what is only for information."""
    logger = logging.getLogger(_PROGRAM)
    logger.addHandler(LOG)
    logger.setLevel(logging.INFO)
    return LOG
