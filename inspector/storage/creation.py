"""Creates files: private to the user, and under their name only once they are complete."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import secrets
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from inspector.domain.codec import write_time
from inspector.domain.errors import FileError
from inspector.storage.failures import file_error
from inspector.storage.schema import APPLICATION_ID, CURRENT, STATEMENTS

LEFT_SECONDS = 3600.0
"""How long an unfinished file lies untouched before it counts as left by a process that was killed."""

_LEFTOVER = re.compile(r"\.[0-9a-f]{12}\.new(-journal|-wal|-shm)?\Z")
SIDE_FILES = ("-journal", "-wal", "-shm")
_LINK_UNSUPPORTED = (NotImplementedError, PermissionError, OSError)


def create_constellation(path: Path, at: datetime) -> None:
    """Make an empty constellation. When that fails, nothing of it stays.

    Raises:
        FileError: ``file.exists``, or why the file cannot be made.
    """
    create_database(path, lambda connection: _fill(connection, at))


def create_database(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make a database beside its place with `fill`, then put it there.

    Raises:
        FileError: ``file.exists``, or why the file cannot be made.
    """
    if os.path.lexists(path):
        raise FileError("file.exists", path=str(path))
    made = make_private_folder(path.parent)
    temporary = beside(path)
    try:
        make_private_file(temporary)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN")
            fill(connection)
            connection.execute("COMMIT")
        put_in_place(temporary, path)
    except BaseException as error:
        remove_with_side_files(temporary)
        for folder in reversed(made):
            # Somebody else may have put something there meanwhile.
            with contextlib.suppress(OSError):
                folder.rmdir()
        if isinstance(error, sqlite3.Error):
            raise file_error(error, str(path)) from error
        if isinstance(error, OSError):
            raise FileError("file.cannot_create", path=str(path), why=error.strerror or str(error)) from error
        raise


def beside(path: Path) -> Path:
    """A name in the same folder that nothing has yet, for a file on its way to `path`.

    What a process that was killed on that way has left there is removed.
    """
    remove_leftovers(path)
    return path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.new")


def remove_leftovers(path: Path) -> None:
    """Remove unfinished files on their way to `path` that nobody has touched for long, and a second name of it."""
    with contextlib.suppress(OSError):
        itself = path.stat() if path.exists() else None
        for each in path.parent.glob(f".{glob.escape(path.name[:100])}.*.new*"):
            found = each.lstat()
            is_same = itself is not None and (found.st_dev, found.st_ino) == (itself.st_dev, itself.st_ino)
            is_old = time.time() - found.st_mtime > LEFT_SECONDS
            if _LEFTOVER.search(each.name) and stat.S_ISREG(found.st_mode) and (is_same or is_old):
                each.unlink()


@contextmanager
def naming_errors(path: Path, temporary: Path) -> Iterator[None]:
    """Let what goes wrong with a file on its way to `path` be told of `path`: nobody asked for the other name."""
    try:
        yield
    except FileError as error:
        if error.parameters.get("path") != str(temporary):
            raise
        raise FileError(error.code, **{**error.parameters, "path": str(path)}) from error


def put_in_place(temporary: Path, path: Path) -> None:
    """Give a whole file its name; a file that has the name already is never replaced.

    Raises:
        FileError: ``file.exists``.
        OSError: when the folder does not take it.
    """
    try:
        os.link(temporary, path)
    except FileExistsError as error:
        raise FileError("file.exists", path=str(path)) from error
    except _LINK_UNSUPPORTED:
        # Some file systems have no hard links; there the check and the move are two steps.
        if os.path.lexists(path):
            raise FileError("file.exists", path=str(path)) from None
        temporary.rename(path)
    else:
        # It is there under its name: that the other name stays is no failure.
        with contextlib.suppress(OSError):
            temporary.unlink()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder outlive a loss of power, where the system can."""
    # Not every system can open a folder; there the name may be lost with the power, the data not.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sync_file(path: Path) -> None:
    """Make a whole file of ours outlive a loss of power; no database may be open there.

    Raises:
        OSError: when the disk does not take it.
    """
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def room_in(folder: Path) -> int:
    """Bytes that are free where a folder lies.

    Raises:
        OSError: when there is no such folder.
    """
    return shutil.disk_usage(folder).free


def make_private_folder(folder: Path) -> list[Path]:
    """Make a folder, and those above it that are missing, for the user alone.

    Returns:
        The folders that were made, outermost first.

    Raises:
        FileError: ``file.cannot_create``.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    made: list[Path] = []
    for each in reversed(missing):
        try:
            each.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise FileError("file.cannot_create", path=str(each), why=error.strerror or str(error)) from error
        made.append(each)
    return made


def make_private_file(path: Path) -> None:
    """Make an empty file for the user alone, whatever the umask is.

    Raises:
        OSError: when it exists or cannot be made.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def remove_with_side_files(path: Path) -> None:
    """Remove a database and what SQLite keeps beside it."""
    for each in (path, *(path.with_name(path.name + suffix) for suffix in SIDE_FILES)):
        each.unlink(missing_ok=True)


def _fill(connection: sqlite3.Connection, at: datetime) -> None:
    for statement in STATEMENTS:
        connection.execute(statement)
    facts = (("constellation_id", f"con_{secrets.token_hex(12)}"), ("created_at", write_time(at)))
    connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", facts)
    set_header(connection, CURRENT.packed)


def set_header(connection: sqlite3.Connection, user_version: int) -> None:
    """Write what tells our files from others, and their version."""
    # A pragma takes no parameters; both are numbers.
    connection.execute("PRAGMA application_id = " + str(int(APPLICATION_ID)))
    connection.execute("PRAGMA user_version = " + str(int(user_version)))
