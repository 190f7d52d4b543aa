"""Connections to a file: one task at a time, each call one hop to its thread.

Several processes write one file in turns: nobody waits long because another one is quicker. SQLite's own way of
waiting asks less and less often, up to ten times a second. Beside a program that writes fifty times a second,
somebody who saves now and then would find it locked again and again, for seconds. So a write asks every millisecond
or two, and who has seen others write lately leaves them a moment after each of its own commits.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import FileError, MalformedError
from inspector.storage.failures import Failure, file_error, primary_code

T = TypeVar("T")
Row = sqlite3.Row
Parameters = Sequence[Any]
Statement = tuple[str, Parameters]
Committed = tuple[list[Row], bool, asyncio.CancelledError | None]
"""What `Channel.commit` gives."""

STATEMENT_SECONDS = 30.0
"""How long one statement may run before it is stopped; ours take milliseconds."""
_STEPS_BETWEEN_LOOKS = 50_000
LAST_OF_ALL = (1 << 63) - 1
"""The largest number that SQLite gives to a row."""
SQLITE_VERSION = sqlite3.sqlite_version
"""The version of the SQLite that every file is read and written with."""
_UNDONE = (UnicodeEncodeError, OverflowError, *Failure)
_LAST_NUMBER = "SELECT max(seq) FROM sqlite_sequence"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which file lies under a path, and how many names it has."""

    device: int
    inode: int
    links: int = field(default=1, compare=False)

    @classmethod
    def of(cls, path: Path) -> Identity | None:
        """The file that lies there now, None when there is none."""
        try:
            found = path.stat()
        except OSError:
            return None
        return cls(found.st_dev, found.st_ino, found.st_nlink)

    def at(self, path: Path) -> tuple[int, str | None]:
        """How many names what lies there has, and what became of this file if it is not that one."""
        try:
            found = path.stat()
        except OSError:
            return 1, "gone"
        is_same = (found.st_dev, found.st_ino) == (self.device, self.inode)
        return found.st_nlink, None if is_same else "replaced"


class Undecodable(str):
    """A text cell that is no UTF-8, with replacement characters; whoever reads the row reports it."""

    __slots__ = ()


class StatementDeadline:
    """Stops a statement that runs too long, from SQLite's own progress callback."""

    def __init__(self) -> None:
        self._at = float("inf")

    def attach(self, connection: sqlite3.Connection) -> None:
        connection.set_progress_handler(self._is_past, _STEPS_BETWEEN_LOOKS)

    def start(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def _is_past(self) -> int:
        return int(time.monotonic() > self._at)


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end even if the caller is cancelled meanwhile; that cancellation is raised then."""
    task, cancelled = await outlast(work)
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    return task.result()


async def outlast(work: Coroutine[Any, Any, T]) -> tuple[asyncio.Task[T], asyncio.CancelledError | None]:
    """As `finish`, but gives what is done, and the caller's cancellation."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    return task, cancelled


class _Unbroken(asyncio.Future[T]):
    """What cannot be cancelled: whoever waits for it hears of a cancellation once it is done."""

    def cancel(self, msg: object = None) -> bool:
        return False


class _Thread(aiosqlite.Connection):
    """A connection that does whole pieces of work in its thread: each way there and back costs as much as an insert."""

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        execute: Callable[..., Awaitable[T]] = self._execute
        return await execute(work, self._conn)

    def run_whole(self, work: Callable[[sqlite3.Connection], T]) -> asyncio.Future[T]:
        """As `run`, of work that nothing breaks off."""
        future: asyncio.Future[T] = _Unbroken(loop=asyncio.get_running_loop())
        self._tx.put_nowait((future, partial(work, self._conn)))
        return future


class Channel:
    """One SQLite connection in a thread of its own. The holder of `lock` alone may use it."""

    def __init__(self, raw: _Thread, path: str, deadline: StatementDeadline) -> None:
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
        deadline = StatementDeadline()

        def connect() -> sqlite3.Connection:
            connection = connector()
            connection.row_factory = sqlite3.Row
            deadline.attach(connection)
            return connection

        raw = _Thread(connect, 64)
        try:
            await raw
        except Failure as error:
            raise file_error(error, path) from error
        return cls(raw, path, deadline)

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run one statement to its end.

        Raises:
            FileError: SQLite's errors as ours. MalformedError: ``malformed.text``, a text with no UTF-8 form;
                ``malformed.value``, a number that no column takes.
        """
        return await self._do(partial(_run, ((sql, parameters),)))

    async def fetch_last(self, statements: Sequence[Statement]) -> list[Row]:
        """Run statements in order, in one hop, and give the rows of the last one.

        Raises:
            FileError, MalformedError: as `fetch_all`; those before the one that failed have been done.
        """
        return await self._do(partial(_run, statements))

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for each row, in one hop.

        Raises:
            FileError, MalformedError: as `fetch_all`.
        """
        await self._do(lambda connection: connection.executemany(sql, rows))

    async def begin(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Begin to write, and run statements in the same hop; give the rows of each.

        Raises:
            FileError: ``file.locked`` while another process writes; else as `fetch_all`.
        """
        return await self._do(partial(_begin, statements))

    async def commit(
        self, statements: Sequence[Statement], may_commit: Callable[[list[Row]], bool]
    ) -> Committed:
        """Run statements and commit, in one hop; give the rows of the last one, and whether it is committed.

        It isn't if `may_commit` says no to those rows, nor while another process reads: then only the commit is
        to be tried again. The caller's cancellation meanwhile is given too, to be raised when all is told.

        Raises:
            FileError, MalformedError: as `fetch_all`.
        """
        self._deadline.start(STATEMENT_SECONDS)
        work = self._raw.run_whole(partial(_commit, statements, may_commit))
        cancelled: asyncio.CancelledError | None = None
        try:
            try:
                rows, is_committed = await work
            except asyncio.CancelledError as error:
                cancelled = error
                rows, is_committed = work.result()
        except _UNDONE as error:
            if cancelled is not None:
                raise cancelled from error
            raise await finish(self._explained(error)) from error
        return rows, is_committed, cancelled

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
        async with self.lock:
            await finish(self._raw.close())

    async def _explained(
        self, error: UnicodeEncodeError | OverflowError | sqlite3.Error | UnicodeDecodeError
    ) -> FileError | MalformedError:
        """The error that a caller gets. SQLite says that it is full for a disk, and where numbers have run out."""
        if isinstance(error, UnicodeEncodeError | OverflowError):
            return _not_storable(error)
        found = file_error(error, self._path)
        if found.code == "file.disk_full":
            with contextlib.suppress(sqlite3.Error):
                (row,) = await self._raw.execute_fetchall(_LAST_NUMBER)
                if row[0] == LAST_OF_ALL:
                    return FileError("file.numbers_used_up", path=self._path)
        return found

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._deadline.start(STATEMENT_SECONDS)
        try:
            try:
                return await self._raw.run(work)
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:
                    raise
                if self.mend is None or not await self.mend():
                    raise
            return await self._raw.run(work)
        except asyncio.CancelledError:
            await self._raw.interrupt()
            raise
        except _UNDONE as error:
            raise await self._explained(error) from error


def _run(statements: Sequence[Statement], connection: sqlite3.Connection) -> list[Row]:
    *first, (sql, parameters) = statements
    for each in first:
        connection.execute(*each)
    try:
        return connection.execute(sql, parameters).fetchall()
    except sqlite3.OperationalError as error:
        # Python's own error, before SQLite has a code: a text cell that is no UTF-8.
        if hasattr(error, "sqlite_errorcode") or not str(error).startswith("Could not decode"):
            raise
    # Only now, as a callback for each cell would slow every other query down.
    connection.text_factory = decoded
    try:
        return connection.execute(sql, parameters).fetchall()
    finally:
        connection.text_factory = str


def _begin(statements: Sequence[Statement], connection: sqlite3.Connection) -> list[list[Row]]:
    connection.execute("BEGIN IMMEDIATE")
    return [_run((each,), connection) for each in statements]


def _commit(
    statements: Sequence[Statement],
    may_commit: Callable[[list[Row]], bool],
    connection: sqlite3.Connection,
) -> tuple[list[Row], bool]:
    rows = _run(statements, connection)
    if not may_commit(rows):
        return rows, False
    try:
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if primary_code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        return rows, False
    return rows, True


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
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    def end(self) -> None:
        """Make any later use an error."""
        self._channel = None

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise RuntimeError("this read or write has ended")
        return self._channel


PATIENCE_SECONDS = 5.0
MOMENT_SECONDS = 0.003
REMEMBERED_SECONDS = 10.0


async def in_turn(work: Callable[[], Awaitable[T]]) -> T:
    """Do what another process's lock may keep from being done, again until it is.

    Raises:
        FileError: ``file.locked`` after five seconds, and what else `work` raises.
    """
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await work()
        except FileError as error:
            if error.code != "file.locked" or time.monotonic() > until:
                raise
        await asyncio.sleep(0)


class Turns:
    """This process's place among those that write the file."""

    def __init__(self) -> None:
        self._own_at = self._others_at = float("-inf")

    def committed(self, rows: Iterable[Row], process: int | None) -> None:
        """This process has committed; `rows` are the journal's, its own and those of others that came before."""
        self._own_at = time.monotonic()
        self.noticed(rows, process)

    def noticed(self, rows: Iterable[Row], process: int | None) -> None:
        if any(row["process"] != process for row in rows):
            self._others_at = time.monotonic()

    async def let_others(self) -> None:
        """Before a write: wait until whoever waits for the last one to end has had a chance."""
        now = time.monotonic()
        left = self._own_at + MOMENT_SECONDS - now
        if left > 0 and now - self._others_at < REMEMBERED_SECONDS:
            await asyncio.sleep(left)
