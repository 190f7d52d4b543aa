"""Marks that a run of the window is under way, so that the next one sees how an earlier one ended or hung."""

from __future__ import annotations

import faulthandler
import logging
import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from PySide6.QtCore import QLockFile, qVersion

from inspector import __version__
from inspector.domain.dataclass import dataclass
from inspector.ui.wording import tr

_SUFFIX, _LOCK = ".run", ".lock"
_MOST_CHARACTERS = 40_000
_FAULT, _HANG = "Fatal Python error", "Timeout ("
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UncleanEnd:
    """A run that did not end in order. `details` has versions and calls, nothing of any file."""

    details: str

    @property
    def crashed(self) -> bool:
        """Whether it was a fault of the program: else somebody ended it, or the computer went down."""
        return _FAULT in self.details

    @property
    def hung(self) -> bool:
        """Whether the window had stopped answering when somebody ended the run."""
        return _HANG in self.details and not self.crashed


def about_this_run() -> str:
    """Versions and system, in one line, for a report."""
    versions = f"Context Inspector {__version__}, Python {platform.python_version()}, Qt {qVersion()}"
    return f"{versions}, {platform.platform()}"


class RunMark:
    """The mark of this run, a file in a folder. A fault that ends the program, or a hang, writes its calls into it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / f"{os.getpid()}{_SUFFIX}"
        self._lock: QLockFile | None = None
        self._file: TextIO | None = None
        self._size = 0

    def begin(self) -> UncleanEnd | None:
        """Set the mark; gives the newest earlier run that did not end in order, which is told once.

        Where the folder can't be written, nothing is marked.
        """
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            ended = list(self._ended())
            self._set()
        except OSError as error:
            _LOG.warning("This run can't be marked: %s", error)
            return None
        newest = max(ended, default=None)
        return UncleanEnd(newest[1]) if newest else None

    def end(self) -> None:
        """Take the mark away: the run ends in order."""
        if self._file is None:
            return
        faulthandler.cancel_dump_traceback_later()
        faulthandler.disable()
        self._file.close()
        self._file = None
        self._path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.unlock()

    def expect_answer(self, seconds: float) -> str:
        """Have the calls of all threads written into the mark, unless this is called again within so many seconds.

        Gives what was written since the last time and takes it out of the mark: the program went on.
        """
        if self._file is None:
            return ""
        # It also waits for one that is being written.
        faulthandler.cancel_dump_traceback_later()
        file = self._file.fileno()
        written = os.fstat(file).st_size - self._size
        calls = ""
        if written > 0:
            os.lseek(file, self._size, os.SEEK_SET)
            calls = os.read(file, min(written, _MOST_CHARACTERS)).decode("utf-8", "replace")
            os.ftruncate(file, self._size)
            os.lseek(file, self._size, os.SEEK_SET)
        faulthandler.dump_traceback_later(seconds, file=self._file)
        return calls.replace(str(Path.home()), "~")

    def _set(self) -> None:
        self._lock = _lock_of(self._path)
        self._lock.tryLock(0)
        file = self._path.open("w+", encoding="utf-8")
        self._path.chmod(0o600)
        file.write(f"{about_this_run()}\n{tr('Started')} {datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z\n")
        file.flush()
        self._size = os.fstat(file.fileno()).st_size
        faulthandler.enable(file)
        self._file = file

    def _ended(self) -> Iterator[tuple[float, str]]:
        """The runs whose process is gone, with the time of their last word; their marks are taken away."""
        for path in self._folder.glob(f"*{_SUFFIX}"):
            lock = _lock_of(path)
            if not lock.tryLock(0):
                continue
            with suppress(OSError):
                text = path.read_text(encoding="utf-8", errors="replace")[:_MOST_CHARACTERS]
                at = path.stat().st_mtime
                path.unlink(missing_ok=True)
                yield at, text.replace(str(Path.home()), "~")
            lock.unlock()


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(_LOCK)))
    # A lock is stale when its process is gone, however old it is.
    lock.setStaleLockTime(0)
    return lock
