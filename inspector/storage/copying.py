"""Copies an open file through SQLite, so that no lock is lost and no half-written page is read.

The copy is taken in steps. Between them whoever writes the file gets on: nobody waits longer than one step. Each
write makes SQLite begin anew; where the writing has no end, the copy is taken in one go, if that is quicker than a
writer's patience.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.creation import (
    beside,
    make_private_file,
    put_in_place,
    remove_with_side_files,
    sync_file,
)
from inspector.storage.failures import file_error
from inspector.storage.opening import connect_to_read

STEP_PAGES = 512
"""Two megabytes: some ten milliseconds."""
PAUSE_SECONDS = 0.003
BUSY_SECONDS = 0.02
MOST_RESTARTS = 4
LOCKED_SECONDS = 3.0
"""How long others may have to wait for a copy in one go, by the speed so far; a writer waits for five."""
LONGEST_LOCKED_SECONDS = 4.0
"""When it is given up, should the speed so far have promised too much."""
MOST_WAITING_SECONDS = 10.0


class _RestartedError(Exception):
    """Somebody keeps writing, so SQLite keeps beginning anew; in one go the rest of them would wait for `seconds`."""

    def __init__(self, pages: int, seconds: float) -> None:
        super().__init__(pages, seconds)
        self.pages = pages
        self.seconds = seconds


class _Pace:
    """What is done between two steps: let others write, and notice when there is no getting on."""

    def __init__(self) -> None:
        self._left = float("inf")
        self._restarts = 0
        self._steps: list[float] = []
        self._moved_at = self._began_at = time.monotonic()

    def __call__(self, status: int, left: int, pages: int) -> None:
        now = time.monotonic()
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            if now - self._moved_at > MOST_WAITING_SECONDS:
                raise sqlite3.OperationalError("the file is locked")
            self._began_at = now
            return
        self._moved_at = now
        self._steps.append(now - self._began_at)
        if left >= self._left:
            self._restarts += 1
            if self._restarts > MOST_RESTARTS:
                # A step may have waited for somebody's lock: the middle one did not.
                raise _RestartedError(pages, pages / STEP_PAGES * sorted(self._steps)[len(self._steps) // 2])
        self._left = left
        if left:
            time.sleep(PAUSE_SECONDS)
        self._began_at = time.monotonic()


class WriteLockNotice:
    """What is done between two steps while nobody can write: notice when it takes too long."""

    def __init__(self) -> None:
        self._began_at = time.monotonic()

    def __call__(self, status: int, left: int, pages: int) -> None:
        """Called by SQLite: how many pages are left, and how many there are."""
        locked_seconds = time.monotonic() - self._began_at
        if left and locked_seconds > LONGEST_LOCKED_SECONDS:
            raise _RestartedError(pages, locked_seconds * pages / max(pages - left, 1))


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
        copy_pages(source, temporary)
        sync_file(temporary)
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


def copy_pages(source: Path, target: Path) -> None:
    """Copy a database into an empty file of ours, which a loss of power may still damage.

    Raises:
        FileError: ``file.busy``, ``file.needs_recovery``. sqlite3.Error: SQLite's own.
    """
    with closing(connect_to_read(source)) as reader:
        try:
            try:
                _take(reader, target, _Pace())
            except _RestartedError as error:
                if error.seconds > LOCKED_SECONDS:
                    raise
                _take_locked(reader, target)
        except _RestartedError as error:
            size = reader.execute("PRAGMA page_size").fetchone()[0] * error.pages
            seconds = max(1, round(error.seconds))
            on_step = {"path": str(source), "megabytes": size // 1_000_000, "seconds": seconds}
            raise FileError("file.busy", **on_step) from error


def _take_locked(reader: sqlite3.Connection, target: Path) -> None:
    """Copy while nobody can write: a lock for reading keeps every change out."""
    reader.execute("BEGIN")
    try:
        reader.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        _take(reader, target, WriteLockNotice())
    finally:
        reader.execute("ROLLBACK")


def _take(reader: sqlite3.Connection, target: Path, on_step: Callable[[int, int, int], None]) -> None:
    with closing(sqlite3.connect(target, isolation_level=None)) as writer:
        # The last step would wait for the disk while it keeps others from writing; whoever names the copy syncs it.
        writer.execute("PRAGMA synchronous = OFF")
        reader.backup(writer, pages=STEP_PAGES, progress=on_step, sleep=BUSY_SECONDS)
