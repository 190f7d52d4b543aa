"""MemoryStore applies every change of blocks, attachments and archival entries, and reads them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from inspector.documents.airlock.gate import Airlock
from inspector.documents.document import EditStamp
from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.blocks import (
    Permission,
    Schema,
    UnreadableSchema,
)
from inspector.domain.content import Content
from inspector.domain.edits.access import is_aimed_right
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import CreateBlock, Rename
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import NotFoundError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.memory.archival import ARCHIVAL_OPERATIONS, ArchivalWriter
from inspector.memory.consent_grants import note_use, partner_id, standing_of
from inspector.memory.contents import ContentWriter
from inspector.memory.document_cache import DocumentCache, shown_version
from inspector.memory.history import BlockHistory
from inspector.memory.opened_history import brought_forward
from inspector.memory.past_entities import PastThings
from inspector.memory.permissions import WriteContext, check
from inspector.memory.precompute import Precomputer, check_size
from inspector.memory.reader import MemoryReader
from inspector.memory.redaction import VersionRedactor
from inspector.memory.refusals import refused
from inspector.memory.rows import ROW_OPERATIONS, RowWriter
from inspector.memory.schema_change import SchemaConversion
from inspector.memory.vetting import DocumentVetting
from inspector.storage import blocks
from inspector.storage.connection import Connection, Statement
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

_CONTENT = frozenset(CONTENT_OPERATIONS.values())


class MemoryStore(MemoryReader):
    """Blocks, attachments and archival entries of one open file.

    Every change is an operation with an actor, checked in this order: the block is there, permission,
    read-only parts, schema, limit. What is refused changes nothing; what changes nothing stores nothing.
    Methods that end in ``_in`` work inside a scope of the caller's.
    """

    handles: frozenset[type[Operation]] = _CONTENT | ROW_OPERATIONS | ARCHIVAL_OPERATIONS | {CreateBlock}
    kinds: frozenset[RefKind] = frozenset({RefKind.BLOCK, RefKind.ARCHIVAL})

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._ids = ids
        self._clock = clock
        self._journal = journal = Journal(clock, ids)
        self.airlock = Airlock()
        """Where documents from elsewhere are looked at: the file's one, which is closed with the store."""
        self._trust = DocumentVetting(database.feed, self.airlock)
        self.problem = self._trust.problem
        """What is wrong with a block's document, as far as anybody has looked."""
        super().__init__(database, self.problem)
        self._replicas = DocumentCache(self._trust)
        self._contents = ContentWriter(self._replicas, journal)
        self.ahead = Precomputer(database, self._contents, self._replicas, self._allowed)
        """Does the long part of edits before their transaction."""
        self._rows = RowWriter(self._contents, journal)
        self._archival = ArchivalWriter(journal)
        self.versions = BlockHistory(database, self._replicas, clock, ids)
        self.redactor = VersionRedactor(database, self._replicas, clock, ids)
        """Removes versions of blocks for good."""
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
            if edit.base is not None and not await self._replicas.run(partial(document.knows, edit.base)):
                edit = await brought_forward(self._replicas, connection, schema, edit)
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

    async def schema_conversion(
        self, block_id: str, schema: Schema, renames: Sequence[Rename] = ()
    ) -> SchemaConversion:
        """What a block's present content would be under another schema, and what of it would be lost, by name.

        Raises:
            NotFoundError: ``not_found.block``. DocumentError: the document cannot be read.
        """
        async with self._database.read() as connection:
            state = await self._state(connection, Ref(RefKind.BLOCK, block_id))
            plan = await self._contents.conversion(connection, state, schema, renames=renames)
        return SchemaConversion(plan.content, plan.lost)

    async def look_over(self) -> None:
        """Look at all documents of the file before anybody needs them, in another process and one by one.

        One that cannot be read becomes its block's problem and is told to the feed.

        Raises:
            FileError: the file cannot be read.
        """
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

    async def _state(self, connection: Connection, target: Ref) -> BlockState:
        state = await blocks.get(connection, target.id)
        if state is None:
            raise NotFoundError("not_found.block", name=target.id)
        return state


def _needs_active(operation: Operation) -> bool:
    return operation.op not in ("restore_block", "delete_block")
