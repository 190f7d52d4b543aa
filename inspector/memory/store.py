"""MemoryStore: the one door for blocks, their attachments, and archival entries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from inspector.documents.airlock.gate import Airlock
from inspector.documents.document import Stamp
from inspector.domain.actor import Actor
from inspector.domain.archival import ArchivalEntry
from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    Attachment,
    Schema,
    SharedBlockInfo,
    UnreadableSchema,
)
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.edits.targets import is_aimed_right
from inspector.domain.errors import InputError, NotFoundError
from inspector.domain.health import Problem
from inspector.domain.history import BlockVersion
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.memory.ahead import Ahead
from inspector.memory.archival import ARCHIVAL_OPERATIONS, ArchivalWriter
from inspector.memory.consent_grants import note_use, standing_of
from inspector.memory.contents import ContentWriter, shown_version
from inspector.memory.history import BlockHistory
from inspector.memory.past import PastThings
from inspector.memory.permissions import Standing, check, effective_level
from inspector.memory.refusals import refused
from inspector.memory.replicas import Replicas
from inspector.memory.rows import ROW_OPERATIONS, RowWriter
from inspector.memory.trust import Trust
from inspector.storage import agents, archival, attachments, blocks
from inspector.storage.connection import Connection
from inspector.storage.database import Database, Transaction
from inspector.storage.journal import Journal

CONSTELLATION_NAME = "constellation"
"""The owner's name of blocks that every agent sees."""

_CONTENT = frozenset(CONTENT_OPERATIONS.values())


class MemoryStore:
    """Blocks, attachments and archival entries of one open file.

    Every change is an operation with an actor, checked in this order: the block is there, permission,
    read-only parts, schema, limit. What is refused changes nothing; what changes nothing stores nothing.
    Methods that end in ``_in`` work inside a scope of the caller's.
    """

    handles: frozenset[type[Operation]] = _CONTENT | ROW_OPERATIONS | ARCHIVAL_OPERATIONS | {CreateBlock}
    kinds: frozenset[RefKind] = frozenset({RefKind.BLOCK, RefKind.ARCHIVAL})

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._ids = ids
        self._clock = clock
        self._journal = journal = Journal(clock, ids)
        self.airlock = Airlock()
        """Where documents from elsewhere are looked at: the file's one, which is closed with the store."""
        self._trust = Trust(database.feed, self.airlock)
        self._replicas = Replicas(self._trust)
        self._contents = ContentWriter(self._replicas, journal)
        self.ahead = Ahead(database, self._contents, self._replicas, self._allowed)
        """Does the long part of edits before their transaction."""
        self._rows = RowWriter(self._contents, journal)
        self._archival = ArchivalWriter(journal)
        self.versions = BlockHistory(database, self._replicas, clock, ids)
        self.past = PastThings(database, self.versions)

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store; some operations belong to several, by their target."""
        return (
            is_aimed_right(edit) and type(edit.operation) in self.handles and edit.target.kind in self.kinds
        )

    async def edit(  # noqa: PLR0913  an edit's circumstances, all named
        self,
        block_id: str,
        operation: Operation,
        *,
        actor: Actor,
        reason: str = "",
        base: Version | None = None,
        unlock: bool = False,
        tool_call_id: str | None = None,
        batch_id: str | None = None,
    ) -> Receipt:
        """Apply one operation to a block; it is on disk when this returns.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: which rule said no, with what it compared.
            DocumentError: the document cannot be read. FileError: the file cannot be written.
        """
        edit = Edit(Ref(RefKind.BLOCK, block_id), operation, base)
        intent = Intent(edit, actor, reason, batch_id, tool_call_id, unlock=unlock)
        return (await self.apply((intent,)))[0]

    async def apply(self, intents: Sequence[Intent]) -> tuple[Receipt, ...]:
        """Apply intents in one transaction, all or none; several share a changeset.

        Raises:
            NotFoundError, RefusedError, DocumentError, FileError: as `edit`; nothing was changed then.
        """
        changeset = self._ids("set") if len(intents) > 1 else None
        given = tuple(map(self._journal.at_a_moment, intents))

        async def write() -> tuple[Receipt, ...]:
            async with self._database.write(changeset) as tx:
                return tuple([await self.apply_in(tx, intent) for intent in given])

        return await self.ahead.run_for(given, write)

    async def apply_in(self, tx: Transaction, intent: Intent, *, consented: bool = False) -> Receipt:
        """Apply one intent in a transaction of the caller's. `consented` says that a person has allowed it.

        Raises:
            NotFoundError, RefusedError, DocumentError, FileError: as `edit`; roll the transaction back then.
            InputError: ``input.no_store``, there is no such operation on a target of that kind.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if not self.takes(intent.edit):
            raise InputError("input.no_store", operation=operation.op, target=str(intent.edit.target))
        if type(operation) in ARCHIVAL_OPERATIONS:
            return await self._archival.apply(tx, intent)
        if isinstance(operation, CreateBlock):
            return await self._rows.create(tx, intent, operation)
        state = await self._state(tx, intent.edit.target)
        standing = await self._check(tx, intent, state, consented=consented)
        writer = self._contents if type(operation) in _CONTENT else self._rows
        receipt = await writer.apply(tx, intent, state)
        await note_use(tx, self._journal, intent, standing, receipt)
        return receipt

    async def check_in(self, tx: Transaction, intent: Intent, *, consented: bool = False) -> None:
        """Pass if the intent's actor may do that to its block, as things stand; `consented` as in `apply_in`.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: the rule that forbids it.
        """
        await self._check(tx, intent, await self._state(tx, intent.edit.target), consented=consented)

    async def get(self, block_id: str) -> BlockState | None:
        """One block with its content, deleted ones included."""
        async with self._database.read() as connection:
            state = await blocks.get(connection, block_id)
            return None if state is None else self._told(state)

    async def find(self, owner: str, label: str) -> BlockState | None:
        """The owner's active block of that label."""
        async with self._database.read() as connection:
            block_id = await blocks.id_of_label(connection, owner, label)
            state = None if block_id is None else await blocks.get(connection, block_id)
            return None if state is None else self._told(state)

    async def states(self, owner: str, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """An owner's blocks with their contents, in the order they were made; with `deleted` those too."""
        async with self._database.read() as connection:
            return await self.states_in(connection, owner, deleted=deleted)

    async def states_in(
        self, connection: Connection, owner: str, *, deleted: bool = False
    ) -> tuple[BlockState, ...]:
        """As `states`."""
        return tuple(map(self._told, await blocks.of_owner(connection, owner, deleted=deleted)))

    async def list(self, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """All blocks of all owners with their contents."""
        async with self._database.read() as connection:
            return tuple(map(self._told, await blocks.read_all(connection, deleted=deleted)))

    async def shared_with(self, agent_id: str) -> tuple[SharedBlock, ...]:
        """The active blocks of others that an agent sees: those for all first, then those attached to it."""
        async with self._database.read() as connection:
            return await self.shared_with_in(connection, agent_id)

    async def shared_with_in(self, connection: Connection, agent_id: str) -> tuple[SharedBlock, ...]:
        """As `shared_with`."""
        everyones = map(self._told, await blocks.of_owner(connection, CONSTELLATION_OWNER))
        attached = {each.block_id: each for each in await attachments.of_agent(connection, agent_id)}
        others = await blocks.attached_to(connection, agent_id) if attached else ()
        names = await agents.names(connection) if others else {}
        shared = [_shared(state, agent_id, CONSTELLATION_NAME, None) for state in everyones]
        for state in map(self._told, others):
            owner = state.block.owner
            if owner not in (agent_id, CONSTELLATION_OWNER):
                name = names.get(owner, owner)
                shared.append(_shared(state, agent_id, name, attached[state.block.id]))
        return tuple(shared)

    async def shared_block(self, block_id: str, agent_id: str) -> SharedBlock | None:
        """A block of another owner as an agent sees it; None when it does not."""
        async with self._database.read() as connection:
            state = await blocks.get(connection, block_id)
            if state is None or not state.block.is_active or state.block.owner == agent_id:
                return None
            owner = state.block.owner
            if owner == CONSTELLATION_OWNER:
                return _shared(self._told(state), agent_id, CONSTELLATION_NAME, None)
            attachment = await attachments.get(connection, block_id, agent_id)
            if attachment is None:
                return None
            name = (await agents.names(connection)).get(owner, owner)
            return _shared(self._told(state), agent_id, name, attachment)

    async def shared_infos(self, agent_id: str) -> tuple[SharedBlockInfo, ...]:
        """What is shared with an agent, without the contents."""
        return tuple(_info(each) for each in await self.shared_with(agent_id))

    async def attachments(self, block_id: str) -> tuple[Attachment, ...]:
        """With whom a block is shared."""
        async with self._database.read() as connection:
            return await attachments.of_block(connection, block_id)

    async def all_attachments(self) -> tuple[Attachment, ...]:
        """All sharing in the file."""
        async with self._database.read() as connection:
            return await attachments.read_all(connection)

    async def content(self, block_id: str) -> Content | None:
        """A block's content, None when there is no such block or it cannot be read."""
        state = await self.get(block_id)
        return None if state is None else state.content

    async def content_at(self, block_id: str, version: Version) -> Content:
        """A block's content at an earlier version; see `versions` for more of its history.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: ``refused.unreadable_schema``.
            DocumentError: the document cannot be read, or never had that version.
        """
        return (await self.versions.content_at(block_id, version)).content

    async def preview(self, edit: Edit, *further: Operation, author: str = "") -> Content:
        """The content that an edit would give, and further operations on it; nothing is stored, nobody is asked.

        `author` is whose entries it adds.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: the schema refuses it. DocumentError: the document
            cannot be read, or never had the edit's base version.
        """
        async with self._database.read() as connection:
            state = await self._state(connection, edit.target)
            schema = state.block.schema
            if isinstance(schema, UnreadableSchema):
                raise refused("refused.unreadable_schema", label=state.block.label, why=schema.why)
            document = await self._replicas.reading(connection, edit.target.id, schema, shown_version(state))
        stamp = Stamp(author, self._clock(), lambda: self._ids("itm"))

        def work() -> Content:
            trial = document.trial()
            trial.apply(edit.operation, stamp, edit.base)
            for operation in further:
                trial.apply(operation, stamp)
            return trial.content()

        return await self._replicas.run(work)

    async def schema_losses(self, block_id: str, schema: Schema) -> tuple[str, ...]:
        """What a block's present content would lose under another schema, by name; empty when all of it fits.

        Raises:
            NotFoundError: ``not_found.block``. DocumentError: the document cannot be read.
        """
        async with self._database.read() as connection:
            state = await self._state(connection, Ref(RefKind.BLOCK, block_id))
            return (await self._contents.conversion(connection, state, schema)).lost

    async def rendered(self, block_id: str) -> str | None:
        """A block's rendered text, None when there is no such block."""
        async with self._database.read() as connection:
            return await blocks.rendered(connection, block_id)

    async def history(self, block_id: str) -> tuple[BlockVersion, ...]:
        """All versions of a block's content, oldest first: who, when, why, size."""
        return await self.versions.versions(block_id)

    async def archival_entry(self, entry_id: str) -> ArchivalEntry | None:
        """One archival entry, deleted ones included."""
        async with self._database.read() as connection:
            return await archival.get(connection, entry_id)

    async def archival_entries(
        self, agent_id: str, *, deleted: bool = False
    ) -> tuple[tuple[ArchivalEntry, ...], tuple[Problem, ...]]:
        """An agent's archival entries, oldest first, and what cannot be read."""
        async with self._database.read() as connection:
            return await archival.of_agent(connection, agent_id, deleted=deleted)

    async def look_over(self, after: float = 0.0) -> None:
        """Look at all documents of the file before anybody needs them, in another process and one by one.

        It begins `after` so many seconds. One that cannot be read becomes its block's problem and is told to the feed.

        Raises:
            FileError: the file cannot be read.
        """
        await asyncio.sleep(after)
        await self._trust.look_over(self._database)

    async def close(self) -> None:
        """Let go of all documents. The file stays open: whoever opened it closes it."""
        await self._replicas.close()

    async def _check(self, tx: Connection, intent: Intent, state: BlockState, *, consented: bool) -> Standing:
        block, operation = state.block, intent.edit.operation
        if not block.is_active and _needs_active(operation):
            raise refused("refused.deleted", label=block.label)
        standing = await standing_of(tx, intent, block, self._journal, consented=consented)
        check(block, operation, standing)
        return standing

    async def _allowed(self, connection: Connection, intent: Intent, *, consented: bool) -> BlockState:
        state = await self._state(connection, intent.edit.target)
        await self._check(connection, intent, state, consented=consented)
        return state

    def _told(self, state: BlockState) -> BlockState:
        """The state with what is wrong with its document, if that was looked at and refused."""
        problem = self._trust.problem(state.block.id, state.block.label)
        return state if problem is None else replace(state, problem=problem)

    async def _state(self, connection: Connection, target: Ref) -> BlockState:
        state = await blocks.get(connection, target.id)
        if state is None:
            raise NotFoundError("not_found.block", name=target.id)
        return state


def _needs_active(operation: Operation) -> bool:
    return operation.op not in ("restore_block", "delete_block")


def _shared(state: BlockState, agent_id: str, owner_name: str, attachment: Attachment | None) -> SharedBlock:
    level = effective_level(state.block, agent_id, attachment)
    return SharedBlock(state, owner_name, state.block.permission if level is None else level, attachment)


def _info(shared: SharedBlock) -> SharedBlockInfo:
    block = shared.state.block
    return SharedBlockInfo(
        block.id,
        block.owner,
        shared.owner_name,
        block.label,
        block.description,
        block.block_type,
        shared.level,
    )
