"""The open file: consistent reads, one write at a time, and news of every change after it is on disk."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from inspector.domain.actor import Actor
from inspector.domain.changes import FileMoved
from inspector.domain.codec import write_time
from inspector.domain.errors import FileError
from inspector.domain.health import Problem, Severity
from inspector.domain.moments import Clock
from inspector.domain.ref import Ref
from inspector.storage import changes, json_columns
from inspector.storage.connection import Channel, Connection, Parameters, Row, finish
from inspector.storage.copying import copy_and_place
from inspector.storage.creation import create_constellation
from inspector.storage.feed import Feed
from inspector.storage.held import hold, release
from inspector.storage.migrations import migrated_copy
from inspector.storage.moved import copy_moved
from inspector.storage.opening import Admission, Identity, admit, connect
from inspector.storage.schema import FORMAT, Format
from inspector.storage.sealing import seal_of
from inspector.storage.turns import Turns, in_turn

POLL_SECONDS = 0.25

_ADD_PROCESS = """
    INSERT INTO processes (peer, actor_kind, actor_id, actor_name, program, started_at)
    VALUES (?, ?, ?, ?, ?, ?) RETURNING id
"""
_ADD_CHANGE = """
    INSERT INTO changes (kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason,
                         at, batch_id, tool_call_id, changeset, undo_of, process, before, after, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq
"""
_DATA_VERSION = "PRAGMA data_version"


class _Process:
    """This process's row in the file: made by its first write, known only once that is on disk."""

    def __init__(self, actor: Actor, program: str, started_at: datetime) -> None:
        self.id: int | None = None
        # Unsigned, 64 bits, as a document's peer is; as text, for SQLite's integers are signed.
        self.peer = str(secrets.randbits(64))
        self._actor = actor
        self._program = program
        self._started_at = started_at

    async def add(self, channel: Channel) -> int:
        actor = self._actor
        started_at = write_time(self._started_at)
        values = (self.peer, actor.kind.value, actor.id, actor.name, self._program, started_at)
        rows = await channel.fetch_all(_ADD_PROCESS, values)
        return int(rows[0][0])


class Transaction(Connection):
    """A write: all of it is kept when its scope ends well, nothing of it otherwise.

    `changeset` is the id that its changes share, when they belong together.
    """

    def __init__(self, channel: Channel, process: _Process, changeset: str | None) -> None:
        super().__init__(channel)
        self.changeset = changeset
        self._process = process
        self._process_id = process.id

    async def execute(self, sql: str, parameters: Parameters = ()) -> None:
        """Run one statement.

        Raises:
            FileError: SQLite's errors as ours.
        """
        await self._open_channel().fetch_all(sql, parameters)

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for each row.

        Raises:
            FileError: SQLite's errors as ours.
        """
        await self._open_channel().execute_many(sql, rows)

    async def process_id(self) -> int:
        """The id of this process's row, made now if this is its first write."""
        if self._process_id is None:
            self._process_id = await self._process.add(self._open_channel())
        return self._process_id

    async def record(  # noqa: PLR0913  one row of the journal; all are named
        self,
        *,
        kind: str,
        ref: Ref,
        actor: Actor,
        reason: str,
        at: datetime,
        owner: str | None = None,
        before: object = None,
        after: object = None,
        changeset: str | None = None,
        batch_id: str | None = None,
        tool_call_id: str | None = None,
        undo_of: int | None = None,
    ) -> int:
        """Write a change into the journal; it is told to subscribers after the commit.

        `before` and `after` are values or plain data of what differs; None means nothing was or is there.

        Returns:
            The change's number.
        """
        process = await self.process_id()
        told = (
            *(kind, ref.kind.value, ref.id, ref.part, owner, actor.kind.value, actor.id, actor.name, reason),
            *(write_time(at), batch_id, tool_call_id, changeset or self.changeset),
        )
        texts = tuple(None if each is None else json_columns.dump(each) for each in (before, after))
        values = (*told, undo_of, process, *texts, seal_of(*told, *texts))
        rows = await self._open_channel().fetch_all(_ADD_CHANGE, values)
        return int(rows[0][0])

    def kept(self) -> None:
        """The database calls this after the commit."""
        self._process.id = self._process_id


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

    def __init__(self, admission: Admission, channels: _Channels, process: _Process, last_seq: int) -> None:
        self.path = admission.path
        self.read_only: Problem | None = admission.read_only
        self.problems: tuple[Problem, ...] = admission.problems
        self.feed = Feed(last_seq)
        self.moved: str | None = None
        """What happened to the file under us (``replaced``, ``gone``); writes are refused from then on."""
        self._identity = admission.identity
        self._reader = channels.reader
        self._writer = channels.writer
        self._copy = channels.copy
        self._process = process
        self._data_version: int | None = None
        self._turns = Turns()
        self._reader.mend = self._mend
        hold(self._identity)

    @classmethod
    async def open(  # noqa: PLR0913  all that an opening depends on
        cls,
        path: Path,
        *,
        create: bool = False,
        leave_wal: bool = True,
        clock: Clock,
        actor: Actor,
        program: str,
        form: Format = FORMAT,
    ) -> Database:
        """Open a file; not a byte of it changes before the first write.

        With `create` the file must not be there yet; it is made whole or not at all. One of an older version
        is refused: `migrations.migrate` changes it, `open_copy` reads it as it is.

        Raises:
            FileError: as `opening.admit` and `creation.create_constellation`.
        """
        if create:
            await asyncio.to_thread(create_constellation, path, clock())
        admission = await asyncio.to_thread(admit, path, form, leave_wal=leave_wal)
        return await cls._connected(admission, _Process(actor, program, clock()), None)

    @classmethod
    async def open_copy(
        cls, path: Path, *, clock: Clock, actor: Actor, program: str, form: Format = FORMAT
    ) -> Database:
        """Open a file of an older version for reading: from a copy that is brought to this version.

        Raises:
            FileError: as `migrations.migrated_copy` and `opening.admit`.
        """
        copy = tempfile.TemporaryDirectory(prefix="context-inspector-")
        try:
            admission = await asyncio.to_thread(_admit_copy, path, Path(copy.name), form)
            return await cls._connected(admission, _Process(actor, program, clock()), copy)
        except BaseException:
            copy.cleanup()
            raise

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
    async def write(self, changeset: str | None = None) -> AsyncIterator[Transaction]:
        """A write, one at a time; committed when the scope ends well, rolled back on any exception.

        Raises:
            FileError: ``file.read_only``, ``file.moved``, ``file.locked`` after five seconds, and others of
                SQLite's (``file.disk_full`` …). Nothing was changed then.
        """
        writer = self._writable()
        async with writer.lock:
            self._look_at_file()
            self._writable()
            transaction = Transaction(writer, self._process, changeset)
            await self._turns.let_others()
            try:
                await in_turn(partial(writer.fetch_all, "BEGIN IMMEDIATE"))
                yield transaction
            except BaseException:
                transaction.end()
                await finish(writer.roll_back())
                raise
            await finish(self._commit(writer, transaction))

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
            rows = await in_turn(partial(channel.fetch_all, changes.AFTER, (self.feed.last_seq,)))
            self._data_version = version
            self._turns.noticed(rows, self._process.id)
            self.feed.publish_rows(rows, self._process.id)

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
        self.feed.close()
        try:
            if self._writer is not None:
                await self._writer.close()
        finally:
            await self._reader.close()
            release(self._identity)
            if self._copy is not None:
                self._copy.cleanup()

    async def _commit(self, writer: Channel, transaction: Transaction) -> None:
        try:
            # Meanwhile another file may have taken the name; what is written here would be in no file that is found.
            self._look_at_file()
            self._writable()
            # Read with the write lock held: others' changes that are not told yet, then ours.
            rows = await writer.fetch_all(changes.AFTER, (self.feed.last_seq,))
            await in_turn(partial(writer.fetch_all, "COMMIT"))
        except BaseException:
            await writer.roll_back()
            raise
        finally:
            transaction.end()
        transaction.kept()
        self._turns.committed(rows, self._process.id)
        self.feed.publish_rows(rows, self._process.id)
        # It may have happened in the very commit. Then nobody is told that it is saved.
        self._look_at_file()
        self._writable()

    @classmethod
    async def _connected(
        cls, admission: Admission, process: _Process, copy: tempfile.TemporaryDirectory[str] | None
    ) -> Database:
        path, access = admission.path, admission.access
        reader = await Channel.open(partial(connect, path, access, writing=False), str(path))
        writer: Channel | None = None
        try:
            if admission.read_only is None:
                writer = await Channel.open(partial(connect, path, access, writing=True), str(path))
            last = await changes.last_seq(Connection(reader))
            return cls(admission, _Channels(reader, writer, copy), process, last)
        except BaseException:
            for channel in (writer, reader):
                if channel is not None:
                    await finish(channel.close())
            raise

    def _writable(self) -> Channel:
        if self.moved is not None:
            raise FileError("file.moved", path=str(self.path), what=self.moved)
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
        found = Identity.of(self.path)
        if found != self._identity:
            self.moved = "gone" if found is None else "replaced"
            self.feed.publish(FileMoved(self.moved))


def _admit_copy(path: Path, folder: Path, form: Format) -> Admission:
    admission = admit(migrated_copy(path, folder, form), form)
    reason = Problem("file.older_version", Severity.WARNING, str(path), {"known": str(form.version)})
    return replace(admission, access="ro", read_only=reason)


__all__ = ["Connection", "Database", "Row", "Transaction"]
