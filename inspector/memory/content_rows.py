"""Writes what an edit made of a content to the file: its delta, its derived text and its search row."""

from __future__ import annotations

from inspector.documents.airlock.wire import LIMITS
from inspector.documents.document import AppliedChange, Document, EditStamp
from inspector.domain.blocks import Block
from inspector.domain.edits.base import Intent, Version
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import found_of_block
from inspector.domain.snapshot import LastWrite
from inspector.memory.document_cache import CachedDocument, Derived, DocumentCache
from inspector.memory.refusals import refused
from inspector.storage import blocks, search, updates
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction


class ContentRows:
    """Writes the rows of contents, each in the transaction of its edit."""

    def __init__(self, replicas: DocumentCache, journal: Journal) -> None:
        self._replicas = replicas
        self._journal = journal

    def stamp(self, intent: Intent) -> EditStamp:
        """By whom and when an edit is made."""
        return EditStamp(intent.actor.name, self._journal.moment(intent), lambda: self._journal.ids("itm"))

    async def store(
        self,
        tx: Transaction,
        intent: Intent,
        block: Block,
        replica: CachedDocument,
        change: int,
        made: AppliedChange,
    ) -> None:
        """Store what an edit added to a document; `change` is its number in the journal."""
        if len(made.update) > LIMITS.update:
            raise refused(
                "refused.too_much_at_once", label=block.label, size=len(made.update), limit=LIMITS.update
            )
        replica.add(replica.seq + 1, made.update)
        self._replicas.trust.made(block.id, made.update)
        await updates.insert(
            tx,
            updates.NewDelta(
                block_id=block.id,
                seq=replica.seq,
                change_seq=change,
                blob=made.update,
                peer=made.peer,
                counter_from=made.counter_from,
                counter_to=made.counter_to,
                before=made.before,
                after=made.version,
                operation=intent.edit.operation,
                actor=intent.actor,
                reason=intent.reason,
                at=self._journal.moment(intent),
                tool_call_id=intent.tool_call_id,
                undo_of=intent.undo_of,
            ),
        )

    async def put(
        self, tx: Transaction, intent: Intent, block: Block, replica: CachedDocument, derived: Derived
    ) -> None:
        """Store what is read instead of the document: the content, its text, and what is searched."""
        at = self._journal.moment(intent)
        written = LastWrite(intent.actor, at, intent.reason, intent.tool_call_id)
        stored = blocks.StoredContent(replica.version, replica.seq, derived.content, derived.rendered)
        blocks.put_content(tx, block.id, stored, written, updated_at=at)
        if replica.pending:
            await blocks.set_problem(tx, block.id, blocks.PENDING_UPDATES)
            await updates.clear_pending(tx, block.id)
            for seq in sorted(replica.pending):
                await updates.mark_pending(tx, block.id, seq)
        search.put(tx, found_of_block(block, derived.searched, at))


def block_ref(block: Block) -> Ref:
    """What points at a block."""
    return Ref(RefKind.BLOCK, block.id)


def first_change(document: Document) -> AppliedChange:
    """All of a new document, as its first change."""
    blob, end = document.export_updates(None), document.own_operations
    return AppliedChange(blob, document.peer, 0, end, Version(""), document.version, ())
