"""Watch that the interface's thread answers: a block of seconds leaves the calls of every thread in the run's mark."""

from __future__ import annotations

import logging
import time

from PySide6.QtCore import QObject, QTimer

from inspector.ui.run_marks import RunMark

HANG_SECONDS = 5.0
_LOG = logging.getLogger(__name__)


class HangWatch(QObject):
    """Logs a hang of the interface's thread once it is over; one that never ends is in the mark for the next start.

    A hang is a thread that runs no timer for `seconds`. What it leaves are places in code, no values.
    """

    def __init__(self, mark: RunMark, parent: QObject, *, seconds: float = HANG_SECONDS) -> None:
        super().__init__(parent)
        self._mark, self._seconds = mark, seconds
        self._answered = time.monotonic()
        self._timer = QTimer(self, interval=round(seconds * 200))
        self._timer.timeout.connect(self._answer)

    def start(self) -> None:
        """Watch from now on, until the mark ends."""
        self._answer()
        self._timer.start()

    def _answer(self) -> None:
        now = time.monotonic()
        calls = self._mark.expect_answer(self._seconds)
        if calls:
            _LOG.warning(
                "The window didn't respond for %.1f s. What ran then:\n%s", now - self._answered, calls
            )
        self._answered = now
