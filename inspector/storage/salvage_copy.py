"""Copies a damaged file for a salvage, with SQLite's recovery already applied."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.creation import SIDE_FILES, make_private_folder
from inspector.storage.open_files import is_open_here
from inspector.storage.opening import harden, identity_of
from inspector.storage.salvage_pages import PageImage

KEPT_DAMAGED = 3
# Python cannot even read SQLite's words about a name in the file that is no UTF-8.
_NO_DATABASE = (sqlite3.Error, UnicodeDecodeError)


def image_of(source: Path) -> PageImage:
    """The pages of a file. The file itself is not changed.

    Raises:
        FileError: ``file.not_found``, ``file.not_a_constellation`` (a folder, a device), ``file.open_here``,
            ``file.cannot_open``, ``file.too_big``.
    """
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:
        copy = Path(folder) / "copy"
        copy_bytes(source, copy)
        _put_back(copy)
        # Nobody else knows of the copy, so no lock can be lost by reading it as it is.
        return PageImage(copy.read_bytes())


def copy_bytes(source: Path, target: Path) -> None:
    """Copy a file that may be no database any more, with what SQLite keeps beside it.

    Raises:
        FileError: as `image_of`.
    """
    identity_of(source)
    # Closing it here would drop the locks that this process has on it.
    if is_open_here(source):
        raise FileError("file.open_here", path=str(source))
    try:
        with _nobody_writing(source):
            for suffix in ("", *SIDE_FILES):
                each = source.with_name(source.name + suffix)
                if each.is_file() and suffix != "-shm":
                    shutil.copyfile(each, target.with_name(target.name + suffix))
                    target.with_name(target.name + suffix).chmod(0o600)
    except OSError as error:
        raise FileError("file.cannot_open", path=str(source), why=error.strerror or str(error)) from error


def keep_damaged(source: Path, folder: Path, name: str) -> Path:
    """Put a copy of a damaged file aside, for the user alone, and remove older ones than the last few.

    Raises:
        FileError: the file cannot be read, or the folder cannot be written.
    """
    make_private_folder(folder)
    number = 1 + max((_number_of(each) for each in folder.iterdir()), default=0)
    target = folder / f"{number:06d}-{name}"
    copy_bytes(source, target)
    for each in tuple(folder.iterdir()):
        if 0 < _number_of(each) <= number - KEPT_DAMAGED:
            with contextlib.suppress(OSError):
                each.unlink()
    return target


@contextmanager
def _nobody_writing(source: Path) -> Iterator[None]:
    """Keep others from writing meanwhile, where the file is whole enough for a lock."""
    uri = f"{source.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None)) as connection:
        with contextlib.suppress(*_NO_DATABASE):
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        yield


def _put_back(copy: Path) -> None:
    with (
        contextlib.suppress(*_NO_DATABASE),
        closing(sqlite3.connect(copy, isolation_level=None)) as connection,
    ):
        harden(connection)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        connection.execute("PRAGMA journal_mode = DELETE")


def _number_of(path: Path) -> int:
    head = path.name.partition("-")[0]
    return int(head) if len(head) == 6 and head.isascii() and head.isdigit() else 0
