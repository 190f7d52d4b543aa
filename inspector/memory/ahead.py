"""The long part of an edit, done before the file is locked for writing.

What a change of a large text or of a long history comes to can take seconds, and no other process may write while a
transaction is open: it gives up after five. So such an edit is worked out first, on what is stored then, and the
transaction only stores it. If somebody else has written the block in between, it is worked out again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from inspector.documents.airlock.wire import LIMITS
from inspector.domain.blocks import UnreadableSchema
from inspector.domain.edits.access import innermost
from inspector.domain.edits.base import Intent
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import AppendEntry
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import DocumentError, FileError, MalformedError, NotFoundError, RefusedError
from inspector.domain.ref import RefKind
from inspector.domain.schema_faults import schema_fault
from inspector.domain.snapshot import BlockState
from inspector.memory.contents import ContentWriter, shown_version
from inspector.memory.refusals import refused
from inspector.memory.replicas import MovedOn, Replicas, Source, Write
from inspector.memory.schema_return import WayBack, way_back
from inspector.memory.sizes import check_length, check_size, size_of
from inspector.storage import blocks, updates
from inspector.storage.connection import Connection
from inspector.storage.database import Database

T = TypeVar("T")
Wanted = Callable[[Connection], Awaitable[Sequence[Intent]]]


class Gate(Protocol):
    """Gives the block of an intent, if its actor may make that edit; `consented` says that a person allows it."""

    async def __call__(self, connection: Connection, intent: Intent, *, consented: bool) -> BlockState:
        """Give it, or raise as the edit itself would."""
        ...


LONG = 64 * 1024
"""Bytes of a content, or of an operation's texts, from which on an edit is worked out ahead."""

TRIES = 3
"""How often before the work is done inside the transaction after all: others write the block all the time then."""

_LEFT_TO_THE_WRITE = (DocumentError, FileError, MalformedError, NotFoundError, RefusedError)
"""What is found wrong on the way: the transaction finds it again, and says so in the right order."""

_CONTENT = frozenset(CONTENT_OPERATIONS.values())
_MAY_BE_LONG = _CONTENT | {CreateBlock, SetSchema}


@dataclass(frozen=True, slots=True)
class _Work:
    """All that an edit is worked out from."""

    intent: Intent
    state: BlockState
    write: Write | None
    source: Source | None
    back: WayBack | None = None


class Ahead:
    """Works edits out ahead of their transactions. `gate` gives the block, if the actor may make the edit."""

    def __init__(self, database: Database, contents: ContentWriter, replicas: Replicas, gate: Gate) -> None:
        self._database = database
        self._contents = contents
        self._replicas = replicas
        self._gate = gate
        # Two would drop each other's work.
        self._turn = asyncio.Lock()

    async def run(self, wanted: Wanted, write: Callable[[], Awaitable[T]], *, consented: bool = False) -> T:
        """Work out what is `wanted`, then `write` it in a transaction; again, if a block was written in between.

        `consented` is for edits that the transaction may find allowed by a person.

        Raises:
            What `write` does.
        """
        if not await self._is_long(wanted):
            return await write()
        async with self._turn:
            for _ in range(TRIES):
                done = await self._work_out(wanted, consented=consented)
                try:
                    return await write()
                except MovedOn:
                    continue
                finally:
                    self._contents.forget_ahead(done)
            return await write()

    async def run_for(self, intents: Sequence[Intent], write: Callable[[], Awaitable[T]]) -> T:
        """As `run`, for intents that are known already."""

        async def wanted(_: Connection) -> Sequence[Intent]:
            return intents

        if not any(type(each.edit.operation) in _MAY_BE_LONG for each in intents):
            return await write()
        return await self.run(wanted, write)

    async def _is_long(self, wanted: Wanted) -> bool:
        with suppress(*_LEFT_TO_THE_WRITE):
            async with self._database.read() as connection:
                return any([await _takes_long(connection, each) for each in await wanted(connection)])
        return False

    async def _work_out(self, wanted: Wanted, *, consented: bool) -> tuple[str, ...]:
        """Gives the blocks whose edits are worked out: the first that is wanted of each."""
        found: dict[str, _Work] = {}
        made: Intent | None = None
        with suppress(*_LEFT_TO_THE_WRITE):
            async with self._database.read() as connection:
                for intent in await wanted(connection):
                    block_id = intent.edit.target.id
                    if not await _takes_long(connection, intent):
                        continue
                    if isinstance(intent.edit.operation, CreateBlock):
                        made = made or intent
                    elif block_id not in found:
                        with suppress(*_LEFT_TO_THE_WRITE):
                            work = await self._work_for(connection, intent, consented=consented)
                            found |= {} if work is None else {block_id: work}
        # The file is free again: no commit can pass a read that is open.
        for work in found.values():
            with suppress(*_LEFT_TO_THE_WRITE):
                await self._do(work)
        if made is not None and isinstance(made.edit.operation, CreateBlock):
            with suppress(*_LEFT_TO_THE_WRITE):
                await self._contents.create_ahead(made, made.edit.operation)
        return tuple(found)

    async def _do(self, work: _Work) -> None:
        if isinstance(work.intent.edit.operation, SetSchema):
            if work.source is not None:
                await self._contents.convert_ahead(work.intent, work.state, work.source, work.back)
            return
        block, shown = work.state.block, shown_version(work.state)
        if work.write is not None and not isinstance(block.schema, UnreadableSchema):
            await self._replicas.work_ahead(block.id, block.schema, shown, work.write, work.source)

    async def _work_for(self, connection: Connection, intent: Intent, *, consented: bool) -> _Work | None:
        state = await self._gate(connection, intent, consented=consented)
        block, operation = state.block, intent.edit.operation
        if isinstance(operation, SetSchema):
            fault = schema_fault(operation.schema)
            if operation.schema == block.schema or fault is not None:
                return None
            stored = await self._replicas.trust.stored(connection, block.id)
            return _Work(intent, state, None, stored, await way_back(connection, intent))
        if isinstance(block.schema, UnreadableSchema):
            raise refused("refused.unreadable_schema", label=block.label, why=block.schema.why)
        check_size(block, operation)
        check_length(intent, state)
        if isinstance(operation, RestoreVersion) and await updates.schema_changes(connection, block.id):
            # What it was must be made to fit the present schema, and that is done by the write itself.
            return None
        write = await self._contents.write_of(connection, intent)
        # To read all of it for each edit would take longer than most edits.
        is_here = self._replicas.holds(block.id, block.schema, shown_version(state))
        source = None if is_here else await self._replicas.trust.stored(connection, block.id)
        return _Work(intent, state, write, source)


async def _takes_long(connection: Connection, intent: Intent) -> bool:
    operation, target = intent.edit.operation, intent.edit.target
    if target.kind is not RefKind.BLOCK or type(operation) not in _MAY_BE_LONG:
        return False
    if isinstance(operation, CreateBlock):
        return LONG < size_of(operation) <= LIMITS.update
    if isinstance(innermost(operation), AppendEntry):
        # An entry has the very time of its change, which is when the transaction begins.
        return False
    if isinstance(operation, TakeBack | RestoreVersion) or size_of(operation) > LONG:
        return True
    return await blocks.content_size(connection, target.id) > LONG
