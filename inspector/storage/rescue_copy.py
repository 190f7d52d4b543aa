"""Copies an open file that lost its name to a new file."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

from inspector.domain.errors import FileError
from inspector.storage.connection import Channel, finish
from inspector.storage.creation import beside, make_private_file, put_in_place, remove_with_side_files
from inspector.storage.failures import file_error


async def copy_moved(source: Channel, opened_as: Path, target: Path) -> None:
    """Copy what a connection has open to a new file, whole or not at all. The caller holds the channel's lock.

    Raises:
        FileError: ``file.exists``, ``file.cannot_create``, or why the source cannot be read.
    """
    temporary = beside(target)
    try:
        writer = await asyncio.to_thread(_new_database, temporary)
        try:
            await finish(source.copy_into(writer))
        finally:
            await asyncio.to_thread(writer.close)
        await asyncio.to_thread(put_in_place, temporary, target)
    except BaseException as error:
        await asyncio.to_thread(remove_with_side_files, temporary)
        if isinstance(error, sqlite3.Error):
            raise file_error(error, str(opened_as)) from error
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            raise FileError("file.cannot_create", path=str(target), why=why) from error
        raise


def _new_database(path: Path) -> sqlite3.Connection:
    make_private_file(path)
    # It is filled in the thread of the connection that is copied.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection
