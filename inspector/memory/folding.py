"""Folds a block's deltas into checkpoints, and sets a history aside before it is too large to be stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from inspector.documents.document import Document, EditStamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Block, Schema
from inspector.domain.content import Content
from inspector.domain.edits.base import Intent
from inspector.domain.edits.history import TakeBack
from inspector.domain.errors import DocumentError, RefusedError
from inspector.memory.content_rows import ContentRows, block_ref, first_change
from inspector.memory.document_cache import CachedDocument, Derived, DocumentCache
from inspector.storage import updates
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

FOLD_DELTAS = 100
FOLD_BYTES = 256 * 1024
SET_ASIDE_BYTES = 32 * 1024 * 1024
"""From this size on a history is set aside: SQLite and the airlock take at most twice as much in one piece."""
HISTORY = Actor(ActorKind.SYSTEM, "history", "history")
UNFOLDED_DELTAS = 50
UNFOLDED_TIME = timedelta(days=7)


class DeltaFolding:
    """Keeps the stored histories of contents short enough to be loaded fast, and whole."""

    def __init__(self, replicas: DocumentCache, journal: Journal, rows: ContentRows) -> None:
        self._replicas = replicas
        self._journal = journal
        self._rows = rows

    async def fold(
        self, tx: Transaction, intent: Intent, block: Block, replica: CachedDocument, derived: Derived
    ) -> CachedDocument:
        """Fold a block's deltas if it is time; gives the document to go on with."""
        # A snapshot would leave out what waits for its foundation.
        if not _is_much(replica.unfolded) or replica.pending:
            return replica
        # Others may have folded since.
        replica.unfolded = await updates.unfolded(tx, block.id)
        if not _is_much(replica.unfolded):
            return replica
        checkpoint = await self._checkpoint(tx, block, replica)
        if len(checkpoint.snapshot) > SET_ASIDE_BYTES:
            return await self._begin_anew(tx, intent, block, replica, derived)
        return replica

    async def _checkpoint(self, tx: Transaction, block: Block, replica: CachedDocument) -> updates.Checkpoint:
        now = self._journal.clock()
        snapshot = await self._replicas.run(replica.document.export_snapshot)
        self._replicas.trust.made(block.id, snapshot)
        checkpoint = updates.Checkpoint(replica.seq, replica.version, snapshot, updates.hash_of(snapshot))
        foldable = (replica.seq - UNFOLDED_DELTAS, now - UNFOLDED_TIME)
        await updates.fold(tx, block.id, checkpoint, now, foldable)
        replica.unfolded = updates.NOTHING_UNFOLDED
        return checkpoint

    async def _begin_anew(
        self, tx: Transaction, intent: Intent, block: Block, old: CachedDocument, derived: Derived
    ) -> CachedDocument:
        """Go on with a fresh document of the same content, before the old one is too large to be stored.

        Earlier versions are read from the old one, whose last checkpoint stays.
        """
        schema, stamp = old.schema, self._rows.stamp(intent)
        try:
            fresh, size = await self._replicas.run(lambda: _fresh_document(schema, derived.content, stamp))
        except (RefusedError, DocumentError):
            # What does not fit its own schema can't be written anew. The old document serves as long as it can.
            return old
        if size > SET_ASIDE_BYTES // 2:
            # It is the content that is large, and nothing would be gained for long.
            return old
        replica = CachedDocument(fresh, schema, old.seq, fresh.version)
        edit = replace(intent.edit, operation=updates.FRESH_START)
        by = replace(intent, edit=edit, actor=HISTORY, reason="", undo_of=None, tool_call_id=None)
        change = await tx.record(
            kind="set_history_aside",
            ref=block_ref(block),
            actor=HISTORY,
            reason="",
            at=self._journal.moment(intent),
            owner=block.owner,
            before={"version": old.version},
            after={"version": fresh.version, "length": derived.length},
        )
        made = await self._replicas.run(lambda: first_change(fresh))
        await self._rows.store(tx, by, block, replica, change, replace(made, before=old.version))
        await self._rows.put(tx, intent, block, replica, derived)
        await self._checkpoint(tx, block, replica)
        return replica


async def was_set_aside(tx: Transaction, intent: Intent) -> bool:
    """Whether an operation speaks of a version that only a document has that was set aside."""
    operation = intent.edit.operation
    versions = (operation.before, operation.after) if isinstance(operation, TakeBack) else (intent.edit.base,)
    for each in versions:
        if each and await updates.set_aside(tx, intent.edit.target.id, each) is not None:
            return True
    return False


def _fresh_document(schema: Schema, content: Content, stamp: EditStamp) -> tuple[Document, int]:
    """A document with that very content, and how many bytes it takes."""
    document = Document.create(schema, content, stamp)
    if document.content() != content:
        document.become(content, stamp)
    if document.content() != content:
        raise DocumentError("document.failed")
    return document, len(document.export_snapshot())


def _is_much(unfolded: updates.UnfoldedDeltas) -> bool:
    return unfolded.deltas > FOLD_DELTAS or unfolded.bytes > FOLD_BYTES
