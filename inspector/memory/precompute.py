"""Does the long part of an edit before the file is locked for the transaction.

What a change of a large text or of a long history comes to can take seconds, and no other process may write while a
transaction is open: it gives up after five. So such an edit is worked out first, on what is stored then, and the
transaction only stores it. If somebody else has written the block in between, it is worked out again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Protocol, TypeVar

from inspector.documents.airlock.wire import LIMITS
from inspector.domain.actor import ActorKind
from inspector.domain.blocks import TextSchema, UnreadableSchema
from inspector.domain.content import TextContent
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.access import innermost, single_operations
from inspector.domain.edits.base import Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock, SetSchema
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.edits.items import AppendEntry
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.edits.text import SetText
from inspector.domain.errors import DocumentError, FileError, MalformedError, NotFoundError, RefusedError
from inspector.domain.limit_violations import length_refusal
from inspector.domain.ref import RefKind
from inspector.domain.schema_faults import schema_fault
from inspector.domain.snapshot import BlockState
from inspector.memory.contents import ContentWriter
from inspector.memory.document_cache import DocumentCache, DocumentWrite, Source, StaleResult, shown_version
from inspector.memory.history import WayBack, way_back
from inspector.memory.refusals import refused
from inspector.storage import blocks, updates
from inspector.storage.connection import Connection
from inspector.storage.database import Database

T = TypeVar("T")
IntentsInTransaction = Callable[[Connection], Awaitable[Sequence[Intent]]]


class Gate(Protocol):
    """Gives the block of an intent, if its actor may make that edit."""

    async def __call__(self, connection: Connection, intent: Intent) -> BlockState: ...


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
    write: DocumentWrite | None
    source: Source | None
    back: WayBack | None = None


class Precomputer:
    """Works edits out ahead of their transactions. `gate` gives the block, if the actor may make the edit."""

    def __init__(
        self, database: Database, contents: ContentWriter, replicas: DocumentCache, gate: Gate
    ) -> None:
        self._database = database
        self._contents = contents
        self._replicas = replicas
        self._gate = gate
        # Two would drop each other's work.
        self._turn = asyncio.Lock()

    async def run(self, wanted: IntentsInTransaction, write: Callable[[], Awaitable[T]]) -> T:
        """Work out what is `wanted`, then `write` it in a transaction; again, if a block was written in between.

        Raises:
            What `write` does.
        """
        if not await self._is_long(wanted):
            return await write()
        async with self._turn:
            for _ in range(TRIES):
                done = await self._work_out(wanted)
                try:
                    return await write()
                except StaleResult:
                    continue
                finally:
                    self._contents.forget_ahead(done)
            return await write()

    def run_for(self, intents: Sequence[Intent], write: Callable[[], Awaitable[T]]) -> Awaitable[T]:
        """As `run`, for intents that are given. To see that they are short, the file is asked only where it must be."""

        async def wanted(_: Connection) -> Sequence[Intent]:
            return intents

        return self.run(wanted, write) if any(map(self._may_take_long, intents)) else write()

    async def _is_long(self, wanted: IntentsInTransaction) -> bool:
        with suppress(*_LEFT_TO_THE_WRITE):
            async with self._database.read() as connection:
                return any([await _takes_long(connection, each) for each in await wanted(connection)])
        return False

    def _may_take_long(self, intent: Intent) -> bool:
        takes_long = _by_itself(intent)
        return not self._replicas.is_small(intent.edit.target.id) if takes_long is None else takes_long

    async def _work_out(self, wanted: IntentsInTransaction) -> tuple[str, ...]:
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
                            work = await self._work_for(connection, intent)
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

    async def _work_for(self, connection: Connection, intent: Intent) -> _Work | None:
        state = await self._gate(connection, intent)
        block, operation = state.block, intent.edit.operation
        if isinstance(operation, SetSchema):
            fault = schema_fault(operation.schema)
            if operation.schema == block.schema or fault is not None:
                return None
            stored = await self._replicas.trust.stored(connection, block.id)
            return _Work(intent, state, None, stored, await way_back(connection, intent))
        if isinstance(block.schema, UnreadableSchema):
            raise refused("refused.unreadable_schema", label=block.label, why=block.schema.why)
        check_size(intent, state)
        if isinstance(operation, RestoreVersion) and await updates.schema_changes(connection, block.id):
            # What it was must be made to fit the present schema, and that is done by the write itself.
            return None
        write = await self._contents.write_of(connection, intent)
        # To read all of it for each edit would take longer than most edits.
        is_here = self._replicas.holds(block.id, block.schema, shown_version(state))
        source = None if is_here else await self._replicas.trust.stored(connection, block.id)
        return _Work(intent, state, write, source)


async def _takes_long(connection: Connection, intent: Intent) -> bool:
    existing = _by_itself(intent)
    return (
        await blocks.content_size(connection, intent.edit.target.id) > LONG if existing is None else existing
    )


def _by_itself(intent: Intent) -> bool | None:
    """Whether an intent takes long, as far as it shows by itself; None where the block's content decides."""
    operation, target = intent.edit.operation, intent.edit.target
    if target.kind is not RefKind.BLOCK or type(operation) not in _MAY_BE_LONG:
        return False
    if isinstance(operation, CreateBlock):
        return LONG < size_of(operation) <= LIMITS.update
    if any(isinstance(innermost(each), AppendEntry) for each in single_operations(operation)):
        # An entry has the very time of its change, which is when the transaction begins.
        return False
    if isinstance(operation, TakeBack | RestoreVersion) or size_of(operation) > LONG:
        return True
    return None


_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})


def check_size(intent: Intent, state: BlockState) -> None:
    """Refuse an operation whose texts are more than a stored change or, as a whole text, its block can hold.

    Raises:
        RefusedError: ``refused.too_much_at_once``, ``refused.char_limit``.
    """
    # One character is one byte or more, so that most texts need no encoding to be counted.
    size = size_of(intent.edit.operation)
    if size > LIMITS.update:
        raise refused("refused.too_much_at_once", label=state.block.label, size=size, limit=LIMITS.update)
    _check_length(intent, state)


def _check_length(intent: Intent, state: BlockState) -> None:
    """Refuse a whole text that is beyond its block's limit, before it is compared with the one that is there."""
    block, present, edit = state.block, state.content, intent.edit
    if not isinstance(edit.operation, SetText) or not isinstance(block.schema, TextSchema):
        return
    # What is wrong with the block is told first, by whoever finds it.
    if state.problem is not None or not isinstance(present, TextContent):
        return
    if edit.base not in (None, state.version):
        return
    text = edit.operation.text
    if intent.actor.kind is ActorKind.IMPORT or text == present.text:
        return
    refusal = length_refusal(block, len(present.text), len(text))
    if refusal is not None:
        raise RefusedError(refusal)


def size_of(operation: Operation) -> int:
    """The bytes of all texts of an operation."""
    size = 0
    waiting: list[object] = [operation]
    while waiting:
        each = waiting.pop()
        kind: type = type(each)
        if isinstance(each, str):
            size += len(each) if each.isascii() else len(each.encode(errors="surrogatepass"))
        elif kind in _WITHOUT_TEXT:
            continue
        elif names := _names(kind):
            waiting += [getattr(each, name) for name in names]
        elif isinstance(each, tuple | list):
            waiting += each
        elif isinstance(each, Mapping):
            waiting += each.values()
    return size


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
