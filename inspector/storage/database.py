"""The open file: consistent reads, one transaction at a time, and changes published after they are on disk."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from inspector.domain.actor import Actor, Clock
from inspector.domain.changes import FileMoved
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import FileError, InspectorError, Problem, Severity
from inspector.storage.connection import (
    Channel,
    Connection,
    Identity,
    Row,
    Statement,
    Turns,
    finish,
    in_turn,
    outlast,
)
from inspector.storage.copying import copy_and_place
from inspector.storage.creation import create_constellation
from inspector.storage.feed import ChangeFeed
from inspector.storage.last_seen import LOOK, SINCE, LastSeen, last_number
from inspector.storage.migrations import migrated_copy
from inspector.storage.open_files import register, unregister
from inspector.storage.opening import Admission, admit, connect, structure_problems
from inspector.storage.rescue_copy import copy_moved
from inspector.storage.schema import FORMAT, FileFormat
from inspector.storage.transaction import ProcessRow, Transaction

POLL_SECONDS = 0.25

_DATA_VERSION = "PRAGMA data_version"


@dataclass(frozen=True, slots=True)
class _Channels:
    reader: Channel
    writer: Channel | None
    copy: tempfile.TemporaryDirectory[str] | None


class Database:
    """One open constellation file. Open it with `open`, and close it.

    Readers and the writer have a connection each. A scope of either must not wait for the other: a writer
    cannot finish while a read is open, here or in another process.
    """

    def __init__(
        self, admission: Admission, channels: _Channels, process: ProcessRow, seen: LastSeen
    ) -> None:
        self.path = admission.path
        self.read_only: Problem | None = admission.read_only
        self.problems: tuple[Problem, ...] = admission.problems
        self._is_checked = admission.is_checked
        self._is_closed = False
        self.feed = ChangeFeed(seen.seq)
        self.moved: str | None = None
        """What happened to the file under us, as `FileMoved` has it; writes are refused from then on."""
        self._identity = admission.identity
        self._links = admission.identity.links
        self._reader = channels.reader
        self._writer = channels.writer
        self._copy = channels.copy
        self._process = process
        self._data_version: int | None = None
        self._seen = seen
        self._turns = Turns()
        self._reader.mend = self._mend
        register(self._identity)

    @classmethod
    async def open(  # noqa: PLR0913  all that an opening depends on
        cls,
        path: Path,
        *,
        create: bool = False,
        leave_wal: bool = True,
        check_later: bool = False,
        clock: Clock,
        actor: Actor,
        program: str,
        form: FileFormat = FORMAT,
    ) -> Database:
        """Open a file; not a byte of it changes before the first write.

        With `create` the file must not be there yet; it is made whole or not at all. One of an older version
        is refused: `migrations.migrate` changes it, `open_copy` reads it as it is. With `check_later` the structure
        of a large one is not looked at yet: `check_structure` does.

        Raises:
            FileError: as `opening.admit` and `creation.create_constellation`.
        """
        if create:
            await asyncio.to_thread(create_constellation, path, clock())
        admission = await asyncio.to_thread(admit, path, form, leave_wal=leave_wal, check_later=check_later)
        return await cls._connected(admission, ProcessRow(actor, program, clock()), None)

    @classmethod
    async def open_copy(
        cls, path: Path, *, clock: Clock, actor: Actor, program: str, form: FileFormat = FORMAT
    ) -> Database:
        """Open a file of an older version for reading: from a copy that is brought to this version.

        Raises:
            FileError: as `migrations.migrated_copy` and `opening.admit`.
        """
        copy = tempfile.TemporaryDirectory(prefix="context-inspector-")
        try:
            admission = await asyncio.to_thread(_admit_copy, path, Path(copy.name), form)
            return await cls._connected(admission, ProcessRow(actor, program, clock()), copy)
        except BaseException:
            copy.cleanup()
            raise

    async def check_structure(self) -> Sequence[Problem]:
        """What is wrong with the structure of a file that was opened before it was looked at."""
        if self._is_checked:
            return ()
        self._is_checked = True
        return await asyncio.to_thread(structure_problems, self.path, lambda: self._is_closed)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Connection]:
        """A scope whose reads all see one moment of the file. Keep it short: no commit can pass it.

        Raises:
            FileError: ``file.locked`` when a writer elsewhere does not finish, and others of SQLite's.
        """
        async with self._reader.lock:
            self._look_at_file()
            connection = Connection(self._reader)
            try:
                await self._reader.fetch_all("BEGIN")
                yield connection
            finally:
                connection.end()
                await finish(self._reader.roll_back())

    @asynccontextmanager
    async def write(
        self, changeset: str | None = None, first: Statement | None = None
    ) -> AsyncIterator[Transaction]:
        """A write, one at a time; committed when the scope ends well, rolled back on any exception.

        `first` is what will be read before all else: it is read with the beginning, in one hop.

        Raises:
            FileError: ``file.read_only``, ``file.moved``, ``file.overwritten``, ``file.version_changed``,
                ``file.switched_to_wal``, ``file.hard_linked``, ``file.locked`` after five seconds, and others of
                SQLite's (``file.disk_full`` …). Nothing was changed then.
        """
        self._look_at_file()
        writer = self._writable()
        async with writer.lock:
            self._look_at_file()
            self._writable()
            await self._turns.let_others()
            transaction: Transaction | None = None
            try:
                statements = ((LOOK, (self._seen.seq,)), *(() if first is None else (first,)))
                look, *rows = await in_turn(partial(writer.begin, statements))
                self._further(look)
                self._writable()
                begun = None if first is None else (first, rows[0])
                transaction = Transaction(writer, self._process, changeset, last_number(look), begun)
                yield transaction
            except BaseException as error:
                if transaction is not None:
                    transaction.end()
                await finish(writer.roll_back())
                if isinstance(error, InspectorError):
                    await finish(self._explain(writer, error))
                raise
            await self._commit(writer, transaction)

    def require_writable(self) -> None:
        """Pass if a write can be begun.

        Raises:
            FileError: ``file.read_only``, ``file.moved``.
        """
        self._look_at_file()
        self._writable()

    async def copy_to(self, target: Path) -> None:
        """Copy the file that was opened, wherever it is now, to a new one: whole or not at all.

        Raises:
            FileError: ``file.exists``, ``file.cannot_create``, or why the file cannot be read.
        """
        self._look_at_file()
        if self.moved is None:
            await asyncio.to_thread(copy_and_place, self.path, target.parent, partial(self._unmoved, target))
            return
        async with self._reader.lock:
            await copy_moved(self._reader, self.path, target)

    async def poll(self) -> None:
        """Look once for changes of other processes, and whether the file is still there."""
        self._look_at_file()
        if self.moved is not None:
            return
        channel = self._writer or self._reader
        async with channel.lock:
            version = int((await in_turn(partial(channel.fetch_all, _DATA_VERSION)))[0][0])
            if version == self._data_version:
                return
            rows = await in_turn(partial(self._look, channel))
            self._data_version = version
            self._turns.noticed(rows, self._process.id)
            self._publish(rows)

    async def watch(self) -> None:
        """Poll until cancelled. Whoever opened the file owns the task that this runs in.

        A poll that fails (the file is locked for long, a disk is away) is repeated at the next turn.
        """
        while True:
            with contextlib.suppress(FileError):
                await self.poll()
            await asyncio.sleep(POLL_SECONDS)

    async def close(self) -> None:
        """Let what runs finish, end all subscriptions, and close both connections."""
        self._is_closed = True
        self.feed.close()
        try:
            # The writer last: if another program has switched the file to WAL, only it can empty what lies beside.
            await self._reader.close()
        finally:
            if self._writer is not None:
                await self._writer.close()
            unregister(self._identity)
            if self._copy is not None:
                self._copy.cleanup()

    async def _commit(self, writer: Channel, transaction: Transaction) -> None:
        try:
            # Meanwhile another file may have taken the name; what is written here would be in no file that is found.
            self._look_at_file()
            self._writable()
            # Read with the write lock held: others' changes that are not told yet, then ours.
            news = (SINCE, (self._seen.seq,))
            rows, is_committed, cancelled = await writer.commit((*transaction.waiting(), news), self._is_same)
            if not self._is_same(rows):
                self._stop_writing("overwritten")
                self._writable()
            if not is_committed:
                again, late = await outlast(in_turn(partial(writer.fetch_all, "COMMIT")))
                cancelled = cancelled or late
                again.result()
        except BaseException:
            await finish(writer.roll_back())
            raise
        finally:
            transaction.end()
        further = self._seen.further(rows)
        transaction.kept()
        self._turns.committed(further, self._process.id)
        self._publish(further)
        if cancelled is not None:
            raise cancelled
        # It may have happened in the very commit. Then nobody is told that it is saved.
        self._look_at_file()
        self._writable()

    @classmethod
    async def _connected(
        cls, admission: Admission, process: ProcessRow, copy: tempfile.TemporaryDirectory[str] | None
    ) -> Database:
        path, access = admission.path, admission.access
        reader = await Channel.open(partial(connect, path, access, writing=False), str(path))
        writer: Channel | None = None
        try:
            if admission.read_only is None:
                writer = await Channel.open(partial(connect, path, access, writing=True), str(path))
        except BaseException:
            await finish(reader.close())
            raise
        seen = LastSeen(admission.version.packed, may_be_wal=admission.read_only is not None)
        database = cls(admission, _Channels(reader, writer, copy), process, seen)
        try:
            # Only now: the writer must stand ready, as another may have been killed since the connections were made.
            database._seen = await seen.read(Connection(reader))
        except BaseException:
            await finish(database.close())
            raise
        database.feed = ChangeFeed(database._seen.seq)
        return database

    def _writable(self) -> Channel:
        if self.moved is not None:
            raise _moved(self.path, self.moved)
        if self._links > 1:
            raise FileError("file.hard_linked", path=str(self.path))
        if self._writer is None:
            reason = "" if self.read_only is None else self.read_only.code
            raise FileError("file.read_only", path=str(self.path), why=reason)
        return self._writer

    def _unmoved(self, target: Path, _: Path) -> Path:
        """The name of a copy, unless what was copied may be another file already."""
        if self._copy is None and Identity.of(self.path) != self._identity:
            raise FileError("file.moved", path=str(self.path), what="replaced")
        return target

    async def _mend(self) -> bool:
        """Let the writer put back what a killed process left half-written; the reader may write nothing at all.

        Under a file that was moved, what lies beside its old name belongs to another file.
        """
        writer = self._writer
        if writer is None:
            return False
        async with writer.lock:
            self._look_at_file()
            if self.moved is not None:
                return False
            await in_turn(partial(writer.fetch_all, "BEGIN IMMEDIATE"))
            await writer.roll_back()
        return True

    def _look_at_file(self) -> None:
        if self.moved is not None or self._copy is not None:
            return
        self._links, what = self._identity.at(self.path)
        if what is not None:
            self._stop_writing(what)

    async def _look(self, channel: Channel) -> list[Row]:
        return self._further(await channel.fetch_all(LOOK, (self._seen.seq,)))

    def _is_same(self, rows: Sequence[Row]) -> bool:
        return not self._seen.is_overwritten(rows)

    def _further(self, rows: Sequence[Row]) -> list[Row]:
        """The changes that were not seen yet; none of a file that is not what was opened any more."""
        difference = self._seen.difference(rows)
        if difference is not None:
            self._stop_writing(difference)
            return []
        return self._seen.further(rows)

    def _publish(self, rows: Sequence[Row]) -> None:
        self._seen = self._seen.after(rows)
        self.feed.publish_rows(rows, self._process.id)

    async def _explain(self, writer: Channel, error: InspectorError) -> None:
        """Tell apart what a file that was changed under us says no to, and what would have failed anyway."""
        with contextlib.suppress(FileError):
            await self._look(writer)
        if self.moved is not None:
            raise _moved(self.path, self.moved) from error

    def _stop_writing(self, what: str) -> None:
        self.moved = what
        self.feed.publish(FileMoved(what))


def _moved(path: Path, what: str) -> FileError:
    if what in ("gone", "replaced"):
        return FileError("file.moved", path=str(path), what=what)
    return FileError(f"file.{what}", path=str(path))


def _admit_copy(path: Path, folder: Path, form: FileFormat) -> Admission:
    admission = admit(migrated_copy(path, folder, form), form)
    reason = Problem("file.older_version", Severity.WARNING, str(path), {"known": str(form.version)})
    return replace(admission, access="ro", read_only=reason)
