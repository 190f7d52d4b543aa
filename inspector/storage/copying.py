"""A whole file copied while it is open: by SQLite, so that no lock is lost and no half-written page is taken.

The copy is taken in steps. Between them whoever writes the file gets on: nobody waits longer than one step.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.creation import beside, make_private_file, put_in_place, remove_with_side_files
from inspector.storage.failures import file_error
from inspector.storage.opening import connect_to_read

STEP_PAGES = 512
"""Two megabytes: some ten milliseconds."""
PAUSE_SECONDS = 0.003
BUSY_SECONDS = 0.02
MOST_RESTARTS = 4
AT_ONCE_PAGES = 65_536
"""A file of up to 256 MB may be copied in one step, in about a second; a writer waits for five."""
MOST_WAITING_SECONDS = 10.0


class _RestartedError(Exception):
    """Somebody keeps writing, so SQLite keeps beginning anew."""

    def __init__(self, pages: int) -> None:
        super().__init__(pages)
        self.pages = pages


class _Pace:
    """What is done between two steps: let others write, and notice when there is no getting on."""

    def __init__(self) -> None:
        self._left = float("inf")
        self._restarts = 0
        self._moved_at = time.monotonic()

    def __call__(self, status: int, left: int, pages: int) -> None:
        now = time.monotonic()
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            if now - self._moved_at > MOST_WAITING_SECONDS:
                raise sqlite3.OperationalError("the file is locked")
            return
        self._moved_at = now
        if left >= self._left:
            self._restarts += 1
            if self._restarts > MOST_RESTARTS:
                raise _RestartedError(pages)
        self._left = left
        if left:
            time.sleep(PAUSE_SECONDS)


def copy_database(source: Path, target: Path) -> None:
    """Copy a database to a new file, whole or not at all. Runs in the caller's thread.

    Raises:
        FileError: ``file.exists``, ``file.cannot_create``, ``file.busy`` when others write without end and the
            file is too large to be copied in one go, or why the source cannot be read.
    """
    copy_and_place(source, target.parent, lambda _: target)


def copy_and_place(source: Path, folder: Path, name: Callable[[Path], Path]) -> Path:
    """Copy a database into a folder, look at the copy, and then give it the name that `name` decides on.

    Raises:
        FileError: as `copy_database`, and what `name` raises; nothing of the copy stays then.
    """
    target = folder / source.name
    with _new_file(source, target) as temporary:
        _copy(source, temporary)
        target = name(temporary)
        put_in_place(temporary, target)
    return target


@contextmanager
def _new_file(source: Path, target: Path) -> Iterator[Path]:
    """A private file beside `target` for the copy; whatever goes wrong, nothing of it stays."""
    temporary = beside(target)
    try:
        make_private_file(temporary)
        yield temporary
    except sqlite3.Error as error:
        remove_with_side_files(temporary)
        raise file_error(error, str(source)) from error
    except OSError as error:
        remove_with_side_files(temporary)
        raise FileError("file.cannot_create", path=str(target), why=error.strerror or str(error)) from error
    except BaseException:
        remove_with_side_files(temporary)
        raise


def _copy(source: Path, target: Path) -> None:
    with closing(connect_to_read(source)) as reader:
        try:
            _take(reader, target, STEP_PAGES)
        except _RestartedError as error:
            if error.pages > AT_ONCE_PAGES:
                raise FileError("file.busy", path=str(source)) from error
            _take(reader, target, -1)


def _take(reader: sqlite3.Connection, target: Path, pages: int) -> None:
    with closing(sqlite3.connect(target, isolation_level=None)) as writer:
        writer.execute("PRAGMA synchronous = FULL")
        reader.backup(writer, pages=pages, progress=_Pace(), sleep=BUSY_SECONDS)
