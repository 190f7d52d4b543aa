"""Writes a block's content: document, delta, derived text and event, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from inspector.documents.document import AppliedChange, Document
from inspector.documents.rebuilding import document_as_given
from inspector.domain.activity import EventKind
from inspector.domain.actor import ActorKind
from inspector.domain.blocks import Block, Schema, UnreadableSchema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.contents import diff_parts, parts_of
from inspector.domain.edits.base import Intent, Operation, Receipt, Version
from inspector.domain.edits.block_rows import CreateBlock, Rename, SetSchema
from inspector.domain.edits.history import RestoreVersion, TakeBack
from inspector.domain.errors import DocumentError, Refusal, RefusedError
from inspector.domain.history import VersionSpan
from inspector.domain.limit_violations import items_refusal, length_refusal
from inspector.domain.rendering.render import limit_length
from inspector.domain.search_index import found_of_block
from inspector.domain.snapshot import BlockState
from inspector.memory.content_rows import ContentRows, block_ref, first_change
from inspector.memory.document_cache import (
    CachedDocument,
    Derived,
    DocumentCache,
    DocumentWrite,
    EditedDocument,
    Source,
    StaleResult,
    shown_version,
)
from inspector.memory.effects import check_effect
from inspector.memory.folding import DeltaFolding, was_set_aside
from inspector.memory.history import WayBack, converted_version, way_back
from inspector.memory.opened_history import brought_forward
from inspector.memory.refusals import refused
from inspector.memory.schema_change import TEXT, SchemaConversion, change_schema, convert
from inspector.memory.schema_renames import renamed, renames_of, replaced_names
from inspector.memory.schema_undo import with_taken_values
from inspector.storage import blocks, search, updates
from inspector.storage.changes import (
    bounds_changed_since,
    limit_changed_since,
    spans_to_take_back,
)
from inspector.storage.connection import Connection
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SchemaChangePlan:
    """What a change of schema makes of a content, the document that it is written to, and what is lost.

    An undo of another change has `restored` what was there before it, or else `skipped` the parts that differ.
    """

    replica: CachedDocument
    content: Content
    lost: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    restored: bool = False


@dataclass(frozen=True, slots=True)
class _Converted:
    """A document under its new schema; the rest as `SchemaChangePlan` has it."""

    replica: CachedDocument
    applied: AppliedChange | None
    derived: Derived
    skipped: tuple[str, ...]
    restored: bool


@dataclass(frozen=True, slots=True)
class _ConvertedAhead:
    """What a change of schema comes to on what was stored then, and what that was."""

    operation: Operation
    was: tuple[Schema | UnreadableSchema, Version, str, WayBack | None]
    seq: int
    made: _Converted


class ContentWriter:
    """Writes the contents of blocks. Who may write is decided before."""

    def __init__(self, replicas: DocumentCache, journal: Journal) -> None:
        self._replicas = replicas
        self._journal = journal
        self._rows = ContentRows(replicas, journal)
        self._folding = DeltaFolding(replicas, journal, self._rows)
        self._ahead: dict[str, _ConvertedAhead] = {}

    async def create(self, tx: Transaction, intent: Intent, block: Block, operation: CreateBlock) -> Receipt:
        """Store a new block with its first content.

        Raises:
            RefusedError: the content breaks the schema or the limit, and no import brings it.
        """
        imported = intent.actor.kind is ActorKind.IMPORT
        make = document_as_given if imported else Document.create
        replica, derived = await self._replicas.create(
            _readable(block), operation.content, self._rows.stamp(intent), make
        )
        refusal = None if imported else _refusal_of(block, None, derived)
        if refusal is not None:
            raise RefusedError(refusal)
        await blocks.insert(tx, block)
        tell_of_block(self._journal, tx, intent, block)
        seq = await self._journal.record(
            tx, intent, block_ref(block), owner=block.owner, differences=(None, block)
        )
        made = await self._replicas.run(lambda: first_change(replica.document))
        # The content is in the delta itself.
        bare = replace(intent.edit, operation=replace(operation, content=None))
        await self._rows.store(tx, replace(intent, edit=bare), block, replica, seq, made)
        await self._rows.put(tx, intent, block, replica, derived)
        return self._journal.receipt(intent, block_ref(block), seq, made.version)

    async def apply(self, tx: Transaction, intent: Intent, state: BlockState) -> Receipt:
        """Apply an operation on a block's content.

        Raises:
            RefusedError: the schema or the limit refuses it. DocumentError: the document cannot be read.
        """
        block, operation = state.block, intent.edit.operation
        schema = _readable(block)
        converted = None
        if isinstance(operation, RestoreVersion):
            ids = self._journal.ids
            converted = await converted_version(self._replicas, tx, state, operation.version, ids)
        write = await self.write_of(tx, intent, converted)
        try:
            edited = await self._replicas.edit(tx, state, schema, write)
        except DocumentError as error:
            if error.code != "document.unknown_version":
                raise
            there = await brought_forward(self._replicas, tx, schema, intent.edit)
            if there is intent.edit:
                if await was_set_aside(tx, intent):
                    raise refused("refused.set_aside", label=block.label) from error
                raise
            write = replace(write, operation=there.operation, base=there.base)
            edited = await self._replicas.edit(tx, state, schema, write)
        if edited is None:
            return self._journal.receipt(intent, intent.edit.target, None, state.version)
        applied, derived, replica = edited.applied, edited.derived, edited.replica
        try:
            if isinstance(operation, RestoreVersion | TakeBack) and state.content is not None:
                check_effect(block, intent, state.content, derived.content)
            await self._check_bounds(tx, intent, state, edited)
        except RefusedError:
            await self._replicas.discard(block.id, edited)
            raise
        tell_of_block(self._journal, tx, intent, block)
        versions = ({"version": applied.before}, {"version": applied.version, "length": derived.length})
        seq = await self._journal.record(
            tx, intent, intent.edit.target, owner=block.owner, differences=versions
        )
        await self._rows.store(tx, intent, block, replica, seq, applied)
        await self._rows.put(tx, intent, block, replica, derived)
        if state.problem is not None and state.problem.code == blocks.PENDING_UPDATES and not replica.pending:
            await updates.clear_pending(tx, block.id)
        kept = await self._folding.fold(tx, intent, block, replica, derived)
        self._replicas.keep(block.id, kept)
        version = applied.version if kept is replica else kept.version
        return self._journal.receipt(intent, intent.edit.target, seq, version, applied.skipped)

    async def create_ahead(self, intent: Intent, operation: CreateBlock) -> None:
        """Make the document of a block that is to come, without the file; `create` then finds it there.

        Raises:
            RefusedError: the content breaks the schema.
        """
        await self._replicas.create_ahead(operation.schema, operation.content, self._rows.stamp(intent))

    async def write_of(
        self, connection: Connection, intent: Intent, content: Content | None = None
    ) -> DocumentWrite:
        """What an intent does to a document, with the history it needs; `content` as in `DocumentWrite`."""
        operation = intent.edit.operation
        spans: tuple[VersionSpan, ...] = ()
        if isinstance(operation, TakeBack):
            spans = await spans_to_take_back(connection, intent.edit.target.id, operation.after)
        return DocumentWrite(
            operation, self._rows.stamp(intent), intent.edit.base, spans=spans, content=content
        )

    async def convert(
        self, tx: Transaction, intent: Intent, state: BlockState, block: Block, change: int
    ) -> tuple[str, ...]:
        """Bring a block's content under its new schema; `change` is the number of that change.

        The undo of an earlier change restores the content of before it, unless somebody has written since; then
        the present content is converted. Gives the parts that are not again what they were.

        Raises:
            RefusedError: ``refused.schema_would_lose`` unless the operation accepts that; the limit.
            DocumentError: the document cannot be read.
        """
        back = await way_back(tx, intent)
        made = await self._found_converted(tx, intent, state, block, back)
        if made is None:
            renames = renames_of(intent.edit.operation)
            plan = await self.conversion(tx, state, _readable(block), back, renames)
            made = await self._converted(intent, block, plan)
        replica, applied, derived = made.replica, made.applied, made.derived
        old = state.block.schema
        before = None if isinstance(old, UnreadableSchema) else _length(old, state.content)
        grown = before is None or derived.length > before
        stood: int | None = None
        if back is not None and made.restored and not await limit_changed_since(tx, block.id, back.change):
            stood = derived.length
        refusal = length_refusal(block, before, derived.length, stood) if grown else None
        if refusal is not None and intent.actor.kind is not ActorKind.IMPORT:
            raise RefusedError(refusal)
        if applied is not None:
            await self._rows.store(tx, intent, block, replica, change, applied)
        await self._rows.put(tx, intent, block, replica, derived)
        return made.skipped

    async def convert_ahead(
        self, intent: Intent, state: BlockState, source: Source, back: WayBack | None
    ) -> None:
        """Do the work of a change of schema that is to come, without the file; `convert` then finds it done.

        `back` is the earlier one that it undoes, if it does.

        Raises:
            RefusedError, DocumentError: as `convert`.
        """
        operation = intent.edit.operation
        if not isinstance(operation, SetSchema):
            return
        block = replace(state.block, schema=operation.schema)
        replica = await self._replicas.loaded(block.id, operation.schema, source)
        seq = replica.seq
        plan = await self._planned(replica, state, operation.schema, back, operation.renamed)
        made = await self._converted(intent, block, plan)
        was = (state.block.schema, shown_version(state), intent.actor.name, back)
        self._ahead[block.id] = _ConvertedAhead(operation, was, seq, made)

    def forget_ahead(self, block_ids: Iterable[str]) -> None:
        """Drop what was worked out ahead and not asked for."""
        for block_id in block_ids:
            self._ahead.pop(block_id, None)
        self._replicas.forget_ahead(block_ids)

    async def _found_converted(
        self, tx: Transaction, intent: Intent, state: BlockState, block: Block, back: WayBack | None
    ) -> _Converted | None:
        ahead = self._ahead.pop(block.id, None)
        if ahead is None or ahead.operation != intent.edit.operation:
            return None
        was = (state.block.schema, shown_version(state), intent.actor.name, back)
        if ahead.was != was or await updates.since(tx, block.id, ahead.seq):
            raise StaleResult
        self._replicas.forget(block.id)
        return ahead.made

    async def _converted(self, intent: Intent, block: Block, plan: SchemaChangePlan) -> _Converted:
        operation = intent.edit.operation
        if plan.lost and not (isinstance(operation, SetSchema) and operation.accept_loss):
            raise refused("refused.schema_would_lose", label=block.label, lost=plan.lost)
        replica, stamp = plan.replica, self._rows.stamp(intent)
        applied = await self._replicas.run(lambda: replica.document.become(plan.content, stamp))
        replica.version = replica.document.version
        derived = await self._replicas.derived(replica)
        return _Converted(replica, applied, derived, plan.skipped, plan.restored)

    async def conversion(
        self,
        connection: Connection,
        state: BlockState,
        schema: Schema,
        back: WayBack | None = None,
        renames: Sequence[Rename] = (),
    ) -> SchemaChangePlan:
        """What a block's content becomes under another schema, and what of it is lost.

        What was converted before and not changed since goes back to what it was made from. `back` is the earlier
        change that is undone, if one is.

        Raises:
            DocumentError: the document cannot be read by the new schema.
        """
        self._replicas.forget(state.block.id)
        replica = await self._replicas.load(connection, state.block.id, schema)
        return await self._planned(replica, state, schema, back, renames)

    async def _planned(
        self,
        replica: CachedDocument,
        state: BlockState,
        schema: Schema,
        back: WayBack | None,
        renames: Sequence[Rename],
    ) -> SchemaChangePlan:
        await self._replicas.check_whole(replica, shown_version(state))
        old, present = state.block.schema, state.content
        if isinstance(old, UnreadableSchema) or present is None:
            return SchemaChangePlan(replica, await self._replicas.run(replica.document.content))
        document = replica.document
        is_last = back is not None and back.after == shown_version(state)

        def plan() -> SchemaChangePlan:
            sides: tuple[Content, Content] | None = None
            if back is not None:
                before = document.content_at(back.before, schema)
                after = present if is_last else document.content_at(back.after, old)
                if diff_parts(after, present).is_empty:
                    return SchemaChangePlan(replica, before, restored=True)
                sides = before, after
            made = self._changed(old, schema, (present, document.content()), renames)
            if sides is None:
                return SchemaChangePlan(replica, made.content, made.lost)
            after, now = (renamed(old, each, renames)[1] for each in (sides[1], present))
            content = with_taken_values(sides[0], after, now, made.content)
            return SchemaChangePlan(replica, content, made.lost, _not_restored(*sides, content))

        return await self._replicas.run(plan)

    def _changed(
        self, old: Schema, new: Schema, contents: tuple[Content, Content], renames: Sequence[Rename]
    ) -> SchemaConversion:
        """The present one of the contents under another schema; the other is what that finds in the document."""
        (present, lying), new_id = contents, partial(self._journal.ids, "itm")
        if not renames:
            return change_schema(old, new, present, lying, new_id)
        under, given = renamed(old, present, renames)
        made = convert(under, new, given, new_id)
        return SchemaConversion(made.content, (*replaced_names(old, present, renames), *made.lost))

    async def index(self, tx: Transaction, block: Block) -> None:
        """Bring a block's label, description and state into the search index; its content is there."""
        await search.retitle(tx, found_of_block(block, "", block.updated_at))

    async def _check_bounds(
        self, tx: Transaction, intent: Intent, state: BlockState, edited: EditedDocument
    ) -> None:
        """Refuse what is beyond the block's bounds; an import stands as it is."""
        block, operation, derived = state.block, intent.edit.operation, edited.derived
        if intent.actor.kind is ActorKind.IMPORT:
            return
        refusal = _refusal_of(block, state.content, derived)
        if refusal is not None and isinstance(operation, TakeBack):
            stood = await self._stood(tx, block, operation, edited.replica)
            refusal = _refusal_of(block, state.content, derived, stood)
        if refusal is not None:
            raise RefusedError(refusal)

    async def _stood(
        self, tx: Transaction, block: Block, operation: TakeBack, replica: CachedDocument
    ) -> Content | None:
        """What a change that is taken back found there; None if the bounds were others then."""
        change = await updates.change_of(tx, block.id, operation.after)
        if change is None or await bounds_changed_since(tx, block.id, change):
            return None
        return await self._replicas.run(lambda: replica.document.content_at(operation.before))


def tell_of_block(journal: Journal, tx: Transaction, intent: Intent, block: Block) -> None:
    """Write the event of a change to a block."""
    details = {
        "label": block.label,
        "operation": intent.edit.operation.op,
        "actor": intent.actor.name,
        "block_id": block.id,
    }
    journal.tell_change(tx, intent, EventKind.MEMORY_MODIFIED, details)


def _not_restored(before: Content, after: Content, content: Content) -> tuple[str, ...]:
    """The parts that a change of schema altered and that a content has not again as they were before it."""
    diff, altered = diff_parts(before, content), diff_parts(before, after)
    if diff.is_empty or altered.is_empty:
        return ()
    parts, own = parts_of(diff), set(parts_of(altered))
    if not parts or type(before) is not type(after):
        return parts or (TEXT,)
    # A section that was of another kind is altered as a whole.
    return tuple(each for each in parts if not own.isdisjoint((each, each.partition("/")[0])))


def _readable(block: Block) -> Schema:
    if isinstance(block.schema, UnreadableSchema):
        raise refused("refused.unreadable_schema", label=block.label, why=block.schema.why)
    return block.schema


def _length(schema: Schema, content: Content | None) -> int | None:
    return None if content is None else limit_length(schema, content)


def _refusal_of(
    block: Block, before: Content | None, derived: Derived, stood: Content | None = None
) -> Refusal | None:
    """Why an edit may not leave that, as `domain.excess` has it."""
    schema = _readable(block)
    refusal = items_refusal(schema, before, derived.content, stood)
    if refusal is not None or block.char_limit <= 0 or derived.length <= block.char_limit:
        return refusal
    return length_refusal(block, _length(schema, before), derived.length, _length(schema, stood))
