"""Documents in memory: all in one thread, none of them needed.

A document here may be dropped at any time; it is loaded again from its deltas. One that holds what was never
committed (a write failed after the document had taken it) gives itself away: its version is not the stored one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from inspector.documents.document import Applied, Document, MergeStatus, Stamp
from inspector.domain.blocks import Schema
from inspector.domain.content import Content
from inspector.domain.edits.base import Operation, Version
from inspector.domain.errors import DocumentError, RefusedError
from inspector.domain.history import Span
from inspector.memory.derived import Derived, derive
from inspector.memory.trust import Trust
from inspector.storage.connection import Connection
from inspector.storage.updates import Checkpoint, Delta, since

T = TypeVar("T")
KEPT_DOCUMENTS = 64

Source = tuple[Checkpoint | None, tuple[Delta, ...]]
"""A document as it is stored."""


@dataclass(slots=True)
class Replica:
    """A document, its version, the last delta it holds, and the deltas that wait for their foundation."""

    document: Document
    schema: Schema
    seq: int
    version: Version
    pending: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Edited:
    """What an operation made of a document."""

    replica: Replica
    applied: Applied
    derived: Derived


@dataclass(frozen=True, slots=True)
class Write:
    """An operation on a document: by whom and when, and the version that its positions were read from.

    `spans` is what a taking back must know of other changes, see `Document.undo`. `content` is what the
    document is to hold after it, where the operation alone does not tell.
    """

    operation: Operation
    stamp: Stamp
    base: Version | None
    spans: tuple[Span, ...] = ()
    content: Content | None = None


class MovedOn(Exception):
    """A block was written since an edit of it was worked out ahead: what came of that is worth nothing."""


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What an operation comes to on what was stored then: an edit, nothing, or why it is refused."""

    schema: Schema
    stored: Version
    write: Write
    seq: int
    outcome: Edited | RefusedError | None

    def is_of(self, write: Write) -> bool:
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
    made: tuple[Replica, Derived]

    def is_of(self, schema: Schema, content: Content | None, stamp: Stamp) -> bool:
        """Whether it was made of the very content, by the same author."""
        return self.content is content and self.schema == schema and self.author == stamp.author


class Replicas:
    """The documents that were used last, and the thread that they live in."""

    def __init__(self, trust: Trust) -> None:
        self.trust = trust
        # One thread for all documents: Loro dead-locks when two threads meet in one.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="documents")
        self._kept: OrderedDict[str, Replica] = OrderedDict()
        self._ahead: dict[str, _Ahead] = {}
        self._first: _First | None = None
        self._closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """Do something with documents in their thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def create(self, schema: Schema, content: Content | None, stamp: Stamp) -> tuple[Replica, Derived]:
        """A new document with that content, and the schema's defaults; the one that was made ahead, if any was.

        Raises:
            RefusedError: when the content breaks the schema. DocumentError.
        """
        first = self._first
        if first is not None and first.is_of(schema, content, stamp):
            self._first = None
            return first.made
        return await self._created(schema, content, stamp)

    async def create_ahead(self, schema: Schema, content: Content | None, stamp: Stamp) -> None:
        """Make the document of a block that is to come, without the file; `create` then finds it there.

        Raises:
            RefusedError, DocumentError: as `create`.
        """
        self._first = _First(schema, content, stamp.author, await self._created(schema, content, stamp))

    async def _created(
        self, schema: Schema, content: Content | None, stamp: Stamp
    ) -> tuple[Replica, Derived]:
        def work() -> tuple[Replica, Derived]:
            document = Document.create(schema, content, stamp)
            return Replica(document, schema, 0, document.version), derive(schema, document.content())

        return await self.run(work)

    async def edit(
        self, connection: Connection, block_id: str, schema: Schema, stored: Version, write: Write
    ) -> Edited | None:
        """Apply an operation to a block's document, with all deltas that are stored by now. None: no effect.

        The document is then ahead of what is stored: `keep` it once that has caught up.

        Raises:
            RefusedError: the schema refuses it. DocumentError: the document cannot be read, or lacks what is stored.
            MovedOn: it was worked out ahead, for another version.
        """
        ahead = self._ahead.get(block_id)
        if ahead is not None and ahead.is_of(write):
            del self._ahead[block_id]
            return await _still_holds(connection, block_id, ahead, (schema, stored))
        held = await self._caught_up(connection, block_id, schema, stored)
        if held is not None:
            return await self._apply(block_id, held, write)
        replica = await self.load(connection, block_id, schema)
        await self.check_whole(replica, stored)
        return await self._apply(block_id, replica, write)

    def holds(self, block_id: str, schema: Schema, stored: Version) -> bool:
        """Whether a block's document is here just as it is stored."""
        held = self._kept.get(block_id)
        return held is not None and _is_at(held, schema, stored)

    async def work_ahead(
        self, block_id: str, schema: Schema, stored: Version, write: Write, source: Source | None
    ) -> None:
        """Do the work of an edit that is to come, without the file; `edit` then finds it done.

        Without a source, only if the document is still here (see `holds`).

        Raises:
            DocumentError: the document cannot be read, or lacks what is stored.
        """
        held = self._kept.pop(block_id, None)
        if held is None or not _is_at(held, schema, stored):
            if source is None:
                return
            held = await self.loaded(block_id, schema, source)
            await self.check_whole(held, stored)
        seq = held.seq
        outcome: Edited | RefusedError | None
        try:
            outcome = await self._apply(block_id, held, write)
        except RefusedError as error:
            outcome = error
        self._ahead[block_id] = _Ahead(schema, stored, write, seq, outcome)

    def forget_ahead(self, block_ids: Iterable[str]) -> None:
        """Drop what was worked out ahead and not asked for."""
        self._first = None
        for block_id in block_ids:
            self._ahead.pop(block_id, None)

    async def check_whole(self, replica: Replica, stored: Version) -> None:
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
        held = self._kept.get(block_id)
        if held is not None and _is_at(held, schema, stored):
            return held.document
        replica = await self._caught_up(connection, block_id, schema, stored)
        if replica is None:
            replica = await self.load(connection, block_id, schema)
        if block_id not in self._kept:
            self.keep(block_id, replica)
        return replica.document

    async def load(self, connection: Connection, block_id: str, schema: Schema) -> Replica:
        """A block's document as it is stored; it is not kept.

        Raises:
            DocumentError: when it cannot be read.
        """
        checkpoint, deltas = await self.trust.stored(connection, block_id)
        await self.trust.admit(block_id, checkpoint, deltas)
        return await self.run(lambda: _loaded(schema, checkpoint, deltas))

    async def loaded(self, block_id: str, schema: Schema, source: Source) -> Replica:
        """As `load`, of what was read from the file before.

        Raises:
            DocumentError: when it cannot be read.
        """
        await self.trust.admit(block_id, *source)
        return await self.run(lambda: _loaded(schema, *source))

    async def discard(self, block_id: str, edited: Edited) -> None:
        """Take an operation back that is not to be stored."""
        replica = edited.replica
        await self.run(lambda: replica.document.discard(edited.applied))
        replica.version = edited.applied.before
        self.keep(block_id, replica)

    async def derived(self, replica: Replica) -> Derived:
        """The forms of what a document holds.

        Raises:
            DocumentError: when it cannot be read by its schema.
        """
        return await self.run(lambda: derive(replica.schema, replica.document.content()))

    def keep(self, block_id: str, replica: Replica) -> None:
        """Keep a document for the next edit; the one that was not used for longest makes room."""
        self._kept[block_id] = replica
        self._kept.move_to_end(block_id)
        while len(self._kept) > KEPT_DOCUMENTS:
            self._kept.popitem(last=False)

    def forget(self, block_id: str) -> None:
        """Drop a block's document."""
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
    ) -> Replica | None:
        """The kept document, with what others have stored since; it is not kept then. None if it cannot be that."""
        held = self._kept.pop(block_id, None)
        # What a delta waits for may have come with a lower number: then all of them are looked at again.
        if held is None or held.schema != schema or held.pending:
            return None
        deltas = await since(connection, block_id, held.seq)
        if not all(delta.blob is not None for delta in deltas):
            return None
        if deltas:
            await self.trust.admit_further(connection, block_id, deltas)
            await self.run(lambda: _catch_up(held, deltas))
        return held if held.version == stored else None

    async def _apply(self, block_id: str, replica: Replica, write: Write) -> Edited | None:
        try:
            edited = await self.run(lambda: _edited(replica, write))
        except RefusedError:
            self.keep(block_id, replica)
            raise
        if edited is None:
            self.keep(block_id, replica)
        return edited


def _is_at(replica: Replica, schema: Schema, stored: Version) -> bool:
    return replica.schema == schema and replica.version == stored and not replica.pending


async def _still_holds(
    connection: Connection, block_id: str, ahead: _Ahead, there: tuple[Schema, Version]
) -> Edited | None:
    if (ahead.schema, ahead.stored) != there or await since(connection, block_id, ahead.seq):
        raise MovedOn
    if isinstance(ahead.outcome, RefusedError):
        raise ahead.outcome
    return ahead.outcome


def _loaded(schema: Schema, checkpoint: Checkpoint | None, deltas: Sequence[Delta]) -> Replica:
    snapshot = None if checkpoint is None else checkpoint.snapshot
    seq = 0 if checkpoint is None else checkpoint.upto_seq
    document = Document.load(schema, snapshot, ())
    replica = Replica(document, schema, seq, document.version)
    _catch_up(replica, deltas)
    return replica


def _catch_up(replica: Replica, deltas: Sequence[Delta]) -> None:
    """Take in deltas; one whose foundation is missing waits inside the document for it."""
    document = replica.document
    waiting: dict[int, bytes] = {}
    for delta in deltas:
        if delta.blob is None:
            raise DocumentError("document.folded_away", seq=delta.seq)
        if document.merge(delta.blob) is MergeStatus.PENDING:
            waiting[delta.seq] = delta.blob
        replica.seq = delta.seq
    # What waited may have found its foundation in what came after it.
    still = {seq for seq, blob in waiting.items() if document.merge(blob) is MergeStatus.PENDING}
    replica.pending |= frozenset(still if document.has_pending else ())
    replica.version = document.version


def _edited(replica: Replica, write: Write) -> Edited | None:
    document = replica.document
    if write.content is None:
        applied = document.apply(write.operation, write.stamp, write.base, write.spans)
    else:
        applied = document.become(write.content, write.stamp)
    if applied is None:
        return None
    replica.version = applied.version
    return Edited(replica, applied, derive(replica.schema, replica.document.content()))
