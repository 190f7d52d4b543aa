"""Caches documents in memory, in one thread. Any of them can be dropped and loaded again.

A document here may be dropped at any time; it is loaded again from its deltas. One that holds what was never
committed (a write failed after the document had taken it) gives itself away: its version is not the stored one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from inspector.documents.document import AppliedChange, Document, EditStamp, MergeStatus
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation, Version
from inspector.domain.edits.text import SpliceText
from inspector.domain.errors import DocumentError, RefusedError
from inspector.domain.history import VersionSpan
from inspector.domain.rendering.render import rendered_and_length
from inspector.domain.search_index import content_text
from inspector.domain.snapshot import BlockState
from inspector.memory.vetting import DocumentVetting
from inspector.storage.connection import Connection
from inspector.storage.updates import NOTHING_UNFOLDED, Checkpoint, Delta, UnfoldedDeltas, set_aside, since

T = TypeVar("T")
KEPT_DOCUMENTS = 64
SMALL = 16 * 1024
"""Characters of a rendered content up to which no operation on it takes long."""

Source = tuple[Checkpoint | None, tuple[Delta, ...]]
"""A document as it is stored."""

Make = Callable[[Schema, Content | None, EditStamp], Document]
"""Makes a block's first document."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The forms of one content. `length` is what counts against the block's limit."""

    content: Content
    rendered: str
    length: int
    searched: str


def derive(schema: Schema, content: Content) -> Derived:
    """Make the forms of a content that are read instead of its document.

    Raises:
        MalformedError: when the content is not of the schema's kind.
    """
    rendered, length = rendered_and_length(schema, content)
    return Derived(content, rendered, length, content_text(content))


@dataclass(slots=True)
class CachedDocument:
    """A document, its version, the last delta it holds, and the deltas that wait for their foundation.

    `unfolded` is the most that can have been written since its newest checkpoint. `size` is how much was rendered of
    its content last, None when nothing was.
    """

    document: Document
    schema: Schema
    seq: int
    version: Version
    pending: frozenset[int] = frozenset()
    unfolded: UnfoldedDeltas = NOTHING_UNFOLDED
    size: int | None = None

    def add(self, seq: int, blob: bytes) -> None:
        self.seq = seq
        self.unfolded = UnfoldedDeltas(self.unfolded.deltas + 1, self.unfolded.bytes + len(blob))


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """What an operation made of a document."""

    replica: CachedDocument
    applied: AppliedChange
    derived: Derived


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """An operation on a document: by whom and when, and the version that its positions were read from.

    `spans` is what a taking back must know of other changes, see `Document.undo`. `content` is what the
    document is to hold after it, where the operation alone does not tell.
    """

    operation: Operation
    stamp: EditStamp
    base: Version | None
    spans: tuple[VersionSpan, ...] = ()
    content: Content | None = None


class StaleResult(Exception):
    """A block was written since an edit of it was worked out ahead: what came of that is worth nothing."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What an operation comes to on what was stored then: an edit, nothing, or why it is refused."""

    schema: Schema
    stored: Version
    write: DocumentWrite
    seq: int
    outcome: EditedDocument | RefusedError | None

    def is_of(self, write: DocumentWrite) -> bool:
        """Whether it is the same operation, by the same author and on the same base."""
        mine = self.write
        return (mine.operation, mine.base, mine.spans, mine.content, mine.stamp.author) == (
            *(write.operation, write.base, write.spans, write.content, write.stamp.author),
        )


@dataclass(frozen=True, slots=True)
class _First:
    """The document of a block that is to come."""

    schema: Schema
    content: Content | None
    author: str
    made: tuple[CachedDocument, Derived]

    def is_of(self, schema: Schema, content: Content | None, stamp: EditStamp) -> bool:
        """Whether it was made of the very content, by the same author."""
        return self.content is content and self.schema == schema and self.author == stamp.author


class DocumentCache:
    """The documents that were used last, and the thread that they live in."""

    def __init__(self, trust: DocumentVetting) -> None:
        self.trust = trust
        # One thread for all documents: Loro dead-locks when two threads meet in one.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="documents")
        self._running: set[Future[Any]] = set()
        self._kept: OrderedDict[str, CachedDocument] = OrderedDict()
        self._ahead: dict[str, _Ahead] = {}
        self._first: _First | None = None
        self._closed = False

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        running = self._thread.submit(work)
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        return asyncio.wrap_future(running)

    async def create(
        self, schema: Schema, content: Content | None, stamp: EditStamp, make: Make = Document.create
    ) -> tuple[CachedDocument, Derived]:
        """A new document with that content, and the schema's defaults; the one that was made ahead, if any was.

        Raises:
            RefusedError: when the content breaks the schema. DocumentError.
        """
        first = self._first
        if first is not None and first.is_of(schema, content, stamp):
            self._first = None
            return first.made
        return await self._created(schema, content, stamp, make)

    async def create_ahead(self, schema: Schema, content: Content | None, stamp: EditStamp) -> None:
        """Make the document of a block that is to come, without the file; `create` then finds it there.

        Raises:
            RefusedError, DocumentError: as `create`.
        """
        self._first = _First(schema, content, stamp.author, await self._created(schema, content, stamp))

    async def _created(
        self, schema: Schema, content: Content | None, stamp: EditStamp, make: Make = Document.create
    ) -> tuple[CachedDocument, Derived]:
        def work() -> tuple[CachedDocument, Derived]:
            document = make(schema, content, stamp)
            derived = derive(schema, document.content())
            return CachedDocument(document, schema, 0, document.version, size=len(derived.rendered)), derived

        return await self.run(work)

    async def edit(
        self, connection: Connection, state: BlockState, schema: Schema, write: DocumentWrite
    ) -> EditedDocument | None:
        """Apply an operation to a block's document, with all deltas that are stored by now. None: no effect.

        The document is then ahead of what is stored: `keep` it once that has caught up.

        Raises:
            RefusedError: the schema refuses it. DocumentError: the document cannot be read, or lacks what is stored.
            MovedOn: it was worked out ahead, for another version.
        """
        block_id, stored = state.block.id, shown_version(state)
        ahead = self._ahead.get(block_id)
        if ahead is not None and ahead.is_of(write):
            del self._ahead[block_id]
            return await _still_holds(connection, block_id, ahead, (schema, stored))
        replica = self._kept.get(block_id)
        if replica is None or not _is_at(replica, schema, stored) or replica.seq != state.revision:
            replica = await self._caught_up(connection, block_id, schema, stored)
        if replica is None:
            replica = await self.load(connection, block_id, schema)
            await self.check_whole(replica, stored)
        present, edited = replica, None
        # What is changed and then not stored, for whatever reason, is not kept.
        self._kept.pop(block_id, None)
        try:
            # The way to the thread and back takes longer than such an edit. Nothing runs there meanwhile.
            if not self._running and _is_quick(present, write):
                edited = _edited(present, write)
            else:
                edited = await self.run(lambda: _edited(present, write))
        except RefusedError:
            self.keep(block_id, replica)
            raise
        if edited is None:
            self.keep(block_id, replica)
        return edited

    def is_small(self, block_id: str) -> bool:
        """Whether a block's document is here, and its content was so small that no edit of it takes long."""
        replica = self._kept.get(block_id)
        return replica is not None and replica.size is not None and replica.size <= SMALL

    def holds(self, block_id: str, schema: Schema, stored: Version) -> bool:
        """Whether a block's document is here just as it is stored."""
        kept = self._kept.get(block_id)
        return kept is not None and _is_at(kept, schema, stored)

    async def work_ahead(
        self, block_id: str, schema: Schema, stored: Version, write: DocumentWrite, source: Source | None
    ) -> None:
        """Do the work of an edit that is to come, without the file; `edit` then finds it done.

        Without a source, only if the document is still here (see `holds`).

        Raises:
            DocumentError: the document cannot be read, or lacks what is stored.
        """
        kept = self._kept.pop(block_id, None)
        if kept is None or not _is_at(kept, schema, stored):
            if source is None:
                return
            kept = await self.loaded(block_id, schema, source)
            await self.check_whole(kept, stored)
        seq = kept.seq
        outcome: EditedDocument | RefusedError | None
        try:
            outcome = await self.run(lambda: _edited(kept, write))
        except RefusedError as error:
            outcome = error
        if not isinstance(outcome, EditedDocument):
            self.keep(block_id, kept)
        self._ahead[block_id] = _Ahead(schema, stored, write, seq, outcome)

    def forget_ahead(self, block_ids: Iterable[str]) -> None:
        """Drop what was worked out ahead and not asked for."""
        self._first = None
        for block_id in block_ids:
            self._ahead.pop(block_id, None)

    async def check_whole(self, replica: CachedDocument, stored: Version) -> None:
        """Return if a document holds all that its block shows (nothing: an empty version).

        To write one that does not would replace what is still good by what is left.

        Raises:
            DocumentError: ``document.incomplete``.
        """
        if stored and not await self.run(lambda: replica.document.knows(stored)):
            raise DocumentError("document.incomplete")

    async def reading(
        self, connection: Connection, block_id: str, schema: Schema, stored: Version
    ) -> Document:
        """A block's document to read from, with all that is stored by now; it may be ahead of that.

        Raises:
            DocumentError: when it cannot be read.
        """
        kept = self._kept.get(block_id)
        if kept is not None and _is_at(kept, schema, stored):
            return kept.document
        replica = await self._caught_up(connection, block_id, schema, stored)
        if replica is None:
            replica = await self.load(connection, block_id, schema)
        if block_id not in self._kept:
            self.keep(block_id, replica)
        return replica.document

    async def with_version(
        self, connection: Connection, block_id: str, document: Document, version: Version
    ) -> Document:
        """The document to read a version from: the given one, or the one set aside that has it.

        Raises:
            DocumentError: that one cannot be read.
        """
        if await self.run(lambda: document.knows(version)):
            return document
        aside = await set_aside(connection, block_id, version)
        if aside is None or aside.version == document.version:
            return document
        await self.trust.examine(aside)
        return await self.run(lambda: Document.load(document.schema, aside.snapshot))

    async def load(self, connection: Connection, block_id: str, schema: Schema) -> CachedDocument:
        """A block's document as it is stored; it is not kept.

        Raises:
            DocumentError: when it cannot be read.
        """
        checkpoint, deltas = await self.trust.stored(connection, block_id)
        await self.trust.admit(block_id, checkpoint, deltas)
        return await self.run(lambda: _loaded(schema, checkpoint, deltas))

    async def loaded(self, block_id: str, schema: Schema, source: Source) -> CachedDocument:
        """As `load`, of what was read from the file before.

        Raises:
            DocumentError: when it cannot be read.
        """
        await self.trust.admit(block_id, *source)
        return await self.run(lambda: _loaded(schema, *source))

    async def discard(self, block_id: str, edited: EditedDocument) -> None:
        """Take an operation back that is not to be stored."""
        replica = edited.replica
        await self.run(lambda: replica.document.discard(edited.applied))
        replica.version = edited.applied.before
        self.keep(block_id, replica)

    async def derived(self, replica: CachedDocument) -> Derived:
        """The forms of what a document holds.

        Raises:
            DocumentError: when it cannot be read by its schema.
        """
        return await self.run(lambda: derive(replica.schema, replica.document.content()))

    def keep(self, block_id: str, replica: CachedDocument) -> None:
        """Keep a document for the next edit; the one that was not used for longest makes room."""
        self._kept[block_id] = replica
        self._kept.move_to_end(block_id)
        while len(self._kept) > KEPT_DOCUMENTS:
            self._kept.popitem(last=False)

    def forget(self, block_id: str) -> None:
        self._kept.pop(block_id, None)

    async def close(self) -> None:
        """End the thread, after what it does now. The last references to the documents go there too."""
        kept, self._kept = self._kept, OrderedDict()
        if not self._closed:
            self._closed = True
            await self.trust.close()
            await self.run(kept.clear)
            self._thread.shutdown(wait=False)

    async def _caught_up(
        self, connection: Connection, block_id: str, schema: Schema, stored: Version
    ) -> CachedDocument | None:
        """The kept document, with what others have stored since; it is not kept then. None if it cannot be that."""
        kept = self._kept.pop(block_id, None)
        # What a delta waits for may have come with a lower number: then all of them are looked at again.
        if kept is None or kept.schema != schema or kept.pending:
            return None
        deltas = await since(connection, block_id, kept.seq)
        if not all(delta.blob is not None for delta in deltas):
            return None
        if deltas:
            await self.trust.admit_further(connection, block_id, deltas)
            await self.run(lambda: _catch_up(kept, deltas))
        return kept if kept.version == stored else None


def shown_version(state: BlockState) -> Version:
    """The version whose content a block shows; empty when it shows none, so that its document is all there is."""
    return Version("") if state.content is None else state.version


def _is_at(replica: CachedDocument, schema: Schema, stored: Version) -> bool:
    return replica.schema == schema and replica.version == stored and not replica.pending


def _is_quick(replica: CachedDocument, write: DocumentWrite) -> bool:
    """Whether an edit is typing in a small text, as it stands."""
    return (
        type(write.operation) is SpliceText
        and replica.size is not None
        and replica.size <= SMALL
        and write.base in (None, replica.version)
        and sum(len(each.insert) for each in write.operation.splices) <= SMALL
    )


async def _still_holds(
    connection: Connection, block_id: str, ahead: _Ahead, there: tuple[Schema, Version]
) -> EditedDocument | None:
    if (ahead.schema, ahead.stored) != there or await since(connection, block_id, ahead.seq):
        raise StaleResult
    if isinstance(ahead.outcome, RefusedError):
        raise ahead.outcome
    return ahead.outcome


def _loaded(schema: Schema, checkpoint: Checkpoint | None, deltas: Sequence[Delta]) -> CachedDocument:
    snapshot = None if checkpoint is None else checkpoint.snapshot
    seq = 0 if checkpoint is None else checkpoint.upto_seq
    document = Document.load(schema, snapshot, ())
    replica = CachedDocument(document, schema, seq, document.version)
    _catch_up(replica, deltas)
    return replica


def _catch_up(replica: CachedDocument, deltas: Sequence[Delta]) -> None:
    """Take in deltas; one whose foundation is missing waits inside the document for it."""
    document = replica.document
    waiting: dict[int, bytes] = {}
    for delta in deltas:
        if delta.blob is None:
            raise DocumentError("document.folded_away", seq=delta.seq)
        if document.merge(delta.blob) is MergeStatus.PENDING:
            waiting[delta.seq] = delta.blob
        replica.add(delta.seq, delta.blob)
    # What waited may have found its foundation in what came after it.
    still = {seq for seq, blob in waiting.items() if document.merge(blob) is MergeStatus.PENDING}
    replica.pending |= frozenset(still if document.has_pending else ())
    replica.version = document.version


def _edited(replica: CachedDocument, write: DocumentWrite) -> EditedDocument | None:
    document = replica.document
    if write.content is None:
        # What is made for the present version need not be told so by Loro.
        base = None if write.base == replica.version else write.base
        applied = document.apply(write.operation, write.stamp, base, write.spans)
    else:
        applied = document.become(write.content, write.stamp)
    if applied is None:
        return None
    replica.version = applied.version
    derived = derive(replica.schema, document.content())
    replica.size = len(derived.rendered)
    return EditedDocument(replica, applied, derived)
