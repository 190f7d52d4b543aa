"""One write: statements that may be put off, rows of the journal, and savepoints."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.codec import write_time
from inspector.domain.ref import Ref
from inspector.storage.connection import LAST_OF_ALL, Channel, Connection, Parameters, Row, Statement
from inspector.storage.json_columns import dump
from inspector.storage.sealing import seal_of

_MOST_WAITING = 256
"""Statements; more are run before they take memory."""
_ADD_PROCESS = """
    INSERT INTO processes (peer, actor_kind, actor_id, actor_name, program, started_at)
    VALUES (?, ?, ?, ?, ?, ?) RETURNING id
"""
_ADD_CHANGE = """
    INSERT INTO changes (kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason,
                         at, batch_id, tool_call_id, changeset, undo_of, process, before, after, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq
"""
_ADD_NUMBERED = """
    INSERT INTO changes (kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason,
                         at, batch_id, tool_call_id, changeset, undo_of, process, before, after, seal, seq)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


class ProcessRow:
    """This process's row in the file: made by its first write, known only once that is on disk."""

    def __init__(self, actor: Actor, program: str, started_at: datetime) -> None:
        self.id: int | None = None
        # Unsigned, 64 bits, as a document's peer is; as text, for SQLite's integers are signed.
        self.peer = str(secrets.randbits(64))
        self._actor = actor
        self._program = program
        self._started_at = started_at

    async def add(self, transaction: Connection) -> int:
        actor = self._actor
        started_at = write_time(self._started_at)
        values = (self.peer, actor.kind.value, actor.id, actor.name, self._program, started_at)
        rows = await transaction.fetch_all(_ADD_PROCESS, values)
        return int(rows[0][0])


class Transaction(Connection):
    """A write: all of it is kept when its scope ends well, nothing of it otherwise.

    `changeset` is the id that its changes share, when they belong together.
    """

    def __init__(
        self,
        channel: Channel,
        process: ProcessRow,
        changeset: str | None,
        last_change: int | None,
        begun: tuple[Statement, list[Row]] | None,
    ) -> None:
        super().__init__(channel)
        # Holds until anything else is run.
        self._begun = begun
        # Both hold until anything else is run that may write.
        self._last_change = last_change
        self._counted: dict[tuple[str, ...], int] = {}
        self.changeset = changeset
        self._process = process
        self._process_id = process.id
        self._waiting: list[Statement] = []

    def later(self, sql: str, parameters: Parameters = ()) -> None:
        """Run one statement with the next one, or with the commit: what is wrong with it is raised there."""
        self._begun = None
        self._waiting.append((sql, parameters))

    def count(self, key: tuple[str, ...], next_number: int) -> None:
        """Remember the number that the next row of a kind gets, after one was written."""
        self._counted[key] = next_number

    def counted(self, *keys: tuple[str, ...]) -> tuple[int, ...] | None:
        """The numbers remembered for these keys; None where one isn't known, or where much waits to be run."""
        if len(self._waiting) > _MOST_WAITING or not all(key in self._counted for key in keys):
            return None
        return tuple(self._counted[key] for key in keys)

    def waiting(self) -> tuple[Statement, ...]:
        """What is to be run before anything else, taken away."""
        statements, self._waiting = tuple(self._waiting), []
        return statements

    async def fetch_all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """All rows of a statement.

        Raises:
            FileError: SQLite's errors as ours.
        """
        channel, begun, self._begun = self._open_channel(), self._begun, None
        if begun is not None and begun[0] == (sql, parameters):
            return begun[1]
        if not sql.lstrip().startswith("SELECT"):
            self._forget_numbers()
        return await channel.fetch_last((*self.waiting(), (sql, parameters)))

    async def execute(self, sql: str, parameters: Parameters = ()) -> None:
        """Run one statement.

        Raises:
            FileError: SQLite's errors as ours.
        """
        await self.fetch_all(sql, parameters)

    async def execute_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for each row.

        Raises:
            FileError: SQLite's errors as ours.
        """
        waiting, self._begun = self.waiting(), None
        self._forget_numbers()
        if waiting:
            await self._open_channel().fetch_last(waiting)
        await self._open_channel().execute_many(sql, rows)

    def _forget_numbers(self) -> None:
        self._last_change = None
        self._counted.clear()

    async def process_id(self) -> int:
        """The id of this process's row, made now if this is its first write."""
        if self._process_id is None:
            self._process_id = await self._process.add(self)
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
        reported = (
            *(kind, ref.kind.value, ref.id, ref.part, owner, actor.kind.value, actor.id, actor.name, reason),
            *(write_time(at), batch_id, tool_call_id, changeset or self.changeset),
        )
        texts = tuple(None if each is None else dump(each) for each in (before, after))
        values = (*reported, undo_of, process, *texts, seal_of(*reported, undo_of, *texts))
        if self._last_change is None or self._last_change >= LAST_OF_ALL:
            seq = int((await self.fetch_all(_ADD_CHANGE, values))[0][0])
            self._last_change = seq
            return seq
        self._last_change += 1
        self.later(_ADD_NUMBERED, (*values, self._last_change))
        return self._last_change

    def kept(self) -> None:
        """The database calls this after the commit."""
        self._process.id = self._process_id


Guard = Callable[[Transaction], Awaitable[None]]
"""Looks whether what is about to be written may still be; raises where it may not."""


@asynccontextmanager
async def rehearsal(transaction: Transaction) -> AsyncIterator[None]:
    """Take back all that is written inside, whatever happens; the transaction goes on as it was before."""
    # The transaction remembers this row, so it must not be among what is taken back.
    await transaction.process_id()
    await transaction.execute("SAVEPOINT rehearsal")
    try:
        yield
    finally:
        await transaction.execute("ROLLBACK TO rehearsal")
        await transaction.execute("RELEASE rehearsal")


@asynccontextmanager
async def attempt(transaction: Transaction) -> AsyncIterator[None]:
    """Take back what is written inside if it fails; the transaction can go on as it was before."""
    await transaction.process_id()
    await transaction.execute("SAVEPOINT attempt")
    try:
        yield
        # What was put off until the next statement belongs to the attempt.
        await transaction.execute("RELEASE attempt")
    except BaseException:
        await transaction.execute("ROLLBACK TO attempt")
        await transaction.execute("RELEASE attempt")
        raise
