"""A whole file copied while it is open: by SQLite, so that no lock is lost and no half-written page is taken."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.creation import beside, make_private_file, put_in_place, remove_with_side_files
from inspector.storage.failures import file_error


def copy_database(source: Path, target: Path) -> None:
    """Copy a database to a new file, whole or not at all. Runs in the caller's thread.

    Raises:
        FileError: ``file.exists``, ``file.cannot_create``, or why the source cannot be read.
    """
    temporary = beside(target)
    try:
        make_private_file(temporary)
        uri = f"{source.absolute().as_uri()}?mode=ro"
        with (
            closing(sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None)) as reader,
            closing(sqlite3.connect(temporary, isolation_level=None)) as writer,
        ):
            writer.execute("PRAGMA synchronous = FULL")
            reader.backup(writer)
        put_in_place(temporary, target)
    except sqlite3.Error as error:
        remove_with_side_files(temporary)
        raise file_error(error, str(source)) from error
    except OSError as error:
        remove_with_side_files(temporary)
        raise FileError("file.cannot_create", path=str(target), why=error.strerror or str(error)) from error
    except BaseException:
        remove_with_side_files(temporary)
        raise
