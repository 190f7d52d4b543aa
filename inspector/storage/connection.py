"""Connections: one task at a time on each, every call one hop to its thread, every end a clean one."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

import aiosqlite

from inspector.domain.errors import FileError, MalformedError
from inspector.storage.failures import Failure, file_error

T = TypeVar("T")
Row = sqlite3.Row
Parameters = Sequence[Any]

STATEMENT_SECONDS = 30.0
"""How long one statement may run before it is stopped; ours take milliseconds."""
_STEPS_BETWEEN_LOOKS = 50_000
LAST_OF_ALL = (1 << 63) - 1
"""The largest number that SQLite gives to a row."""
_LAST_NUMBER = "SELECT max(seq) FROM sqlite_sequence"


class Undecodable(str):
    """A text cell that is no UTF-8, with replacement characters; whoever reads the row reports it."""

    __slots__ = ()


class Deadline:
    """Stops a statement that runs too long, from SQLite's own progress callback."""

    def __init__(self) -> None:
        self._at = float("inf")

    def attach(self, connection: sqlite3.Connection) -> None:
        """Watch over a connection."""
        connection.set_progress_handler(self._is_past, _STEPS_BETWEEN_LOOKS)

    def start(self, seconds: float) -> None:
        """Allow `seconds` from now."""
        self._at = time.monotonic() + seconds

    def _is_past(self) -> int:
        return int(time.monotonic() > self._at)


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even if the caller is cancelled meanwhile; that cancellation is raised then."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()


class Channel:
    """One SQLite connection in a thread of its own. The holder of `lock` alone may use it."""

    def __init__(self, raw: aiosqlite.Connection, path: str, deadline: Deadline) -> None:
        self.lock = asyncio.Lock()
        self._raw = raw
        self._path = path
        self._deadline = deadline
        self.mend: Callable[[], Awaitable[bool]] | None = None
        """Puts back what a killed writer left, where this connection may not; False when it must not be done."""

    @classmethod
    async def open(cls, connector: Callable[[], sqlite3.Connection], path: str) -> Channel:
        """Start the thread and let it make the connection.

        Raises:
            FileError: what `connector` raises, or SQLite's errors as ours.
        """
        deadline = Deadline()

        def connect() -> sqlite3.Connection:
            connection = connector()
            connection.row_factory = sqlite3.Row
            deadline.attach(connection)
            return connection

        try:
            raw = await aiosqlite.Connection(connect, 64)
        except Failure as error:
            raise file_error(error, path) from error
        return cls(raw, path, deadline)

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run one statement to its end.

        Raises:
            FileError: SQLite's errors as ours. MalformedError: ``malformed.text``, a text with no UTF-8 form;
                ``malformed.value``, a number that no column takes.
        """
        self._deadline.start(STATEMENT_SECONDS)
        try:
            return await self._fetch(sql, parameters)
        except asyncio.CancelledError:
            await self._raw.interrupt()
            raise
        except (UnicodeEncodeError, OverflowError) as error:
            raise _not_storable(error) from error
        except Failure as error:
            raise await self._told(error) from error

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for each row, in one hop.

        Raises:
            FileError: SQLite's errors as ours.
        """
        self._deadline.start(STATEMENT_SECONDS)
        try:
            await (await self._raw.executemany(sql, rows)).close()
        except asyncio.CancelledError:
            await self._raw.interrupt()
            raise
        except (UnicodeEncodeError, OverflowError) as error:
            raise _not_storable(error) from error
        except Failure as error:
            raise await self._told(error) from error

    async def roll_back(self) -> None:
        """End the transaction without its changes; nothing happens if SQLite has already ended it."""
        self._deadline.start(STATEMENT_SECONDS)
        try:
            await self._raw.execute_fetchall("ROLLBACK")
        except sqlite3.Error as error:
            if self._raw.in_transaction:
                raise file_error(error, self._path) from error

    async def copy_into(self, target: sqlite3.Connection) -> None:
        """Copy the whole file, as one moment has it, into another database, which any thread may use.

        Raises:
            FileError: SQLite's errors as ours.
        """
        try:
            await self._raw.backup(target)
        except sqlite3.Error as error:
            raise file_error(error, self._path) from error

    async def close(self) -> None:
        """Wait for what runs, then close."""
        async with self.lock:
            await finish(self._raw.close())

    async def _told(self, error: sqlite3.Error | UnicodeDecodeError) -> FileError:
        """The error that a caller gets. SQLite says that it is full for a disk, and where numbers have run out."""
        found = file_error(error, self._path)
        if found.code == "file.disk_full":
            with contextlib.suppress(sqlite3.Error):
                (row,) = await self._raw.execute_fetchall(_LAST_NUMBER)
                if row[0] == LAST_OF_ALL:
                    return FileError("file.numbers_used_up", path=self._path)
        return found

    async def _fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        try:
            return await self._decoded(sql, parameters)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
            if self.mend is None or not await self.mend():
                raise
        return await self._decoded(sql, parameters)

    async def _decoded(self, sql: str, parameters: Parameters) -> list[Row]:
        try:
            return list(await self._raw.execute_fetchall(sql, parameters))
        except sqlite3.OperationalError as error:
            # Python's own error, before SQLite has a code: a text cell that is no UTF-8.
            if hasattr(error, "sqlite_errorcode") or not str(error).startswith("Could not decode"):
                raise
        # Only now, as a callback for each cell would slow every other query down.
        self._raw.text_factory = decoded
        try:
            return list(await self._raw.execute_fetchall(sql, parameters))
        finally:
            self._raw.text_factory = str


def _not_storable(error: UnicodeEncodeError | OverflowError) -> MalformedError:
    if isinstance(error, OverflowError):
        return MalformedError("malformed.value", where="$", why="a number is out of range")
    return MalformedError("malformed.text", where=f"character {error.start}", why=error.reason)


def decoded(raw: bytes) -> str:
    """A text cell, an `Undecodable` where it is no UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return Undecodable(raw.decode(errors="replace"))


class Connection:
    """A scope in which all reads see one moment of the file."""

    def __init__(self, channel: Channel) -> None:
        self._channel: Channel | None = channel

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of a statement.

        Raises:
            FileError: SQLite's errors as ours.
        """
        return await self._open_channel().fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """The first row of a statement, None when there is none.

        Raises:
            FileError: SQLite's errors as ours.
        """
        rows = await self._open_channel().fetch_all(sql, parameters)
        return rows[0] if rows else None

    def end(self) -> None:
        """Make any later use an error."""
        self._channel = None

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise RuntimeError("this read or write has ended")
        return self._channel
