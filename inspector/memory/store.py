"""MemoryStore applies every change of blocks, attachments and archival entries, and reads them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from inspector.documents.airlock.gate import Airlock
from inspector.documents.document import EditStamp
from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    ArchivalEntry,
    Attachment,
    Permission,
    Schema,
    UnreadableSchema,
)
from inspector.domain.content import Content
from inspector.domain.edits.access import is_aimed_right
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import NotFoundError, Problem
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, SharedBlock
from inspector.memory.archival import ARCHIVAL_OPERATIONS, ArchivalWriter
from inspector.memory.consent_grants import note_use, partner_id, standing_of
from inspector.memory.contents import ContentWriter
from inspector.memory.document_cache import DocumentCache, shown_version
from inspector.memory.history import BlockHistory
from inspector.memory.past_entities import PastThings
from inspector.memory.permissions import WriteContext, check, effective_level
from inspector.memory.precompute import Precomputer, check_size
from inspector.memory.refusals import refused
from inspector.memory.rows import ROW_OPERATIONS, RowWriter
from inspector.memory.vetting import DocumentVetting
from inspector.storage import agents, archival, attachments, blocks
from inspector.storage.connection import Connection, Statement
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

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
        self._trust = DocumentVetting(database.feed, self.airlock)
        self._replicas = DocumentCache(self._trust)
        self._contents = ContentWriter(self._replicas, journal)
        self.ahead = Precomputer(database, self._contents, self._replicas, self._allowed)
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

    def reads_first(self, edit: Edit) -> Statement | None:
        """What `apply_in` begins with, where it is an edit of a block: see `Database.write`."""
        is_of_block = edit.target.kind is RefKind.BLOCK and not isinstance(edit.operation, CreateBlock)
        return blocks.reading(edit.target.id) if is_of_block else None

    async def apply_in(self, tx: Transaction, intent: Intent, *, consented: bool = False) -> Receipt:
        """Apply one intent in a transaction of the caller's. `consented` says that a person has allowed it.

        Raises:
            NotFoundError: ``not_found.block``. RefusedError: which rule said no, with what it compared.
            DocumentError: the document cannot be read. FileError: the file cannot be written.
                Roll the transaction back then.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if type(operation) in ARCHIVAL_OPERATIONS:
            return await self._archival.apply(tx, intent)
        if isinstance(operation, CreateBlock):
            return await self._rows.create(tx, intent, operation)
        state = await self._state(tx, intent.edit.target)
        standing = await self._check(tx, intent, state, consented=consented)
        if type(operation) in _CONTENT:
            check_size(intent, state)
            receipt = await self._contents.apply(tx, intent, state)
        else:
            receipt = await self._rows.apply(tx, intent, state)
        if standing.grant is not None:
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
            return None if state is None else self._with_problem(state)

    async def find(self, owner: str, label: str) -> BlockState | None:
        """The owner's active block of that label."""
        async with self._database.read() as connection:
            block_id = await blocks.id_of_label(connection, owner, label)
            state = None if block_id is None else await blocks.get(connection, block_id)
            return None if state is None else self._with_problem(state)

    async def states(self, owner: str, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """An owner's blocks with their contents, in the order they were made; with `deleted` those too."""
        async with self._database.read() as connection:
            return tuple(map(self._with_problem, await blocks.of_owner(connection, owner, deleted=deleted)))

    async def list(self, *, deleted: bool = False) -> tuple[BlockState, ...]:
        """All blocks of all owners with their contents."""
        async with self._database.read() as connection:
            return tuple(map(self._with_problem, await blocks.read_all(connection, deleted=deleted)))

    async def shared_with(self, agent_id: str) -> tuple[SharedBlock, ...]:
        """The active blocks of others that an agent sees: those for all first, then those attached to it."""
        async with self._database.read() as connection:
            everyones = map(self._with_problem, await blocks.of_owner(connection, CONSTELLATION_OWNER))
            attached = {each.block_id: each for each in await attachments.of_agent(connection, agent_id)}
            others = await blocks.attached_to(connection, agent_id) if attached else ()
            names = await agents.names(connection) if others else {}
        shared = [_shared(state, agent_id, CONSTELLATION_NAME, None) for state in everyones]
        for state in map(self._with_problem, others):
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
                return _shared(self._with_problem(state), agent_id, CONSTELLATION_NAME, None)
            attachment = await attachments.get(connection, block_id, agent_id)
            if attachment is None:
                return None
            name = (await agents.names(connection)).get(owner, owner)
            return _shared(self._with_problem(state), agent_id, name, attachment)

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
        stamp = EditStamp(author, self._clock(), lambda: self._ids("itm"))

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

    async def _check(
        self, tx: Connection, intent: Intent, state: BlockState, *, consented: bool
    ) -> WriteContext:
        block, operation = state.block, intent.edit.operation
        if not block.is_active and _needs_active(operation):
            raise refused("refused.deleted", label=block.label)
        if intent.actor.kind is ActorKind.AGENT:
            standing = await standing_of(tx, intent, block, self._journal, consented=consented)
        else:
            # Only the partner's own blocks ask which person it is.
            partner = await partner_id(tx) if block.permission is Permission.PARTNER else None
            standing = WriteContext(intent.actor, None, partner, intent.unlock, consented=consented)
        check(block, operation, standing)
        return standing

    async def _allowed(self, connection: Connection, intent: Intent) -> BlockState:
        state = await self._state(connection, intent.edit.target)
        await self._check(connection, intent, state, consented=False)
        return state

    def _with_problem(self, state: BlockState) -> BlockState:
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
