"""The documents of adopted blocks, and what is derived from them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from inspector.documents.document import Document, Stamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Block, Schema, TextSchema, UnreadableSchema
from inspector.domain.codec import read_time
from inspector.domain.content import Content
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.edits.base import Intent, Version
from inspector.domain.edits.block_rows import CreateBlock, RestoreBlock
from inspector.domain.errors import DocumentError, InspectorError, MalformedError
from inspector.domain.findable import found_of_block
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, LastWrite
from inspector.exchange.rows.admission import StoredDocument, documents
from inspector.exchange.rows.rebuilding import bring_to, rebuilt, shown_schema
from inspector.memory.derived import Derived, derive
from inspector.storage import blocks, search, updates
from inspector.storage.database import Transaction
from inspector.storage.journal import Journal
from inspector.storage.json_columns import load

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Held:
    """What an adopted block is to hold, as its rows say."""

    state: BlockState
    content: Content | None
    written: LastWrite


@dataclass(frozen=True, slots=True)
class _Loaded:
    version: Version
    is_pending: bool
    derived: Derived


@dataclass(frozen=True, slots=True)
class _Continued:
    """What a document has beyond its history: one change that no other replica has made a part of."""

    blob: bytes
    peer: str
    operations: int
    before: Version
    after: Version
    derived: Derived


class BlockRestorer:
    """Gives adopted blocks their documents. What comes out otherwise than the rows had it is told in `problems`."""

    def __init__(self, journal: Journal, changeset: str, problems: list[Problem]) -> None:
        self._journal = journal
        self._changeset = changeset
        self._problems = problems
        # One thread for all documents, which nothing else sees: Loro dead-locks when two threads meet in one.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="adopted")

    async def restore(self, tx: Transaction, intent: Intent, rows: ConstellationRows) -> int | None:
        """Restore every block whose content is there.

        Returns:
            The number of the last change that this made, None when the history had them all.

        Raises:
            MalformedError: a content that no document can hold.
        """
        stored = documents(rows)
        last: int | None = None
        for row in rows.of("block_contents"):
            held = await _held(tx, row)
            document = stored.get(row["block_id"])
            if document is not None:
                last = await self._follow(tx, intent, held, document) or last
            elif held.content is None:
                self._say(held, "import.content_unreadable")
            else:
                last = await self._begin(tx, intent, held, held.content)
        for row in _without_content(rows):
            held = await _held(tx, row)
            self._say(held, "import.content_missing")
            last = await self._follow(tx, intent, held, stored[row["block_id"]]) or last
        return last

    async def close(self) -> None:
        """End the documents' thread."""
        await asyncio.to_thread(self._thread.shutdown)

    async def _follow(
        self, tx: Transaction, intent: Intent, held: _Held, stored: StoredDocument
    ) -> int | None:
        """Read the document that the block's history gives; it has been let in.

        Returns:
            The number of the change that keeps the given content, None where the history leads to it.
        """
        try:
            loaded = await self._run(lambda: _loaded(_schema_of(held), stored))
        except (DocumentError, MalformedError) as error:
            await self._keep_unread(tx, held, stored, error)
            return None
        more = await self._continued(intent, held, stored, loaded)
        if more is None:
            seq = None
            await self._put(tx, held, loaded.version, stored.last, loaded.derived)
        else:
            seq = await self._go_on(tx, intent, held, stored, more)
        if loaded.is_pending:
            await blocks.set_problem(tx, held.state.block.id, blocks.PENDING_UPDATES)
        return seq

    async def _continued(
        self, intent: Intent, held: _Held, stored: StoredDocument, loaded: _Loaded
    ) -> _Continued | None:
        """The document with the given content on top of its history; None where the history counts."""
        content = held.content
        if content is None or loaded.derived.content == content:
            return None
        stamp = self._stamp(intent)
        try:
            more = await self._run(lambda: _with_content(_schema_of(held), stored, content, stamp))
        except InspectorError:
            # It is of no kind that the block could hold.
            more = None
        if more is None or more.derived.content == loaded.derived.content:
            self._say(held, "import.content_of_history")
            return None
        self._say(held, "import.content_kept")
        if more.derived.content != content:
            self._say(held, "import.content_differs")
        return more

    async def _go_on(
        self, tx: Transaction, intent: Intent, held: _Held, stored: StoredDocument, more: _Continued
    ) -> int:
        versions = ({"version": more.before}, {"version": more.after, "length": more.derived.length})
        seq = await self._record(tx, intent, held, RestoreBlock.op, versions)
        made = updates.NewDelta(
            block_id=held.state.block.id,
            seq=stored.last + 1,
            change_seq=seq,
            blob=more.blob,
            peer=more.peer,
            counter_from=0,
            counter_to=more.operations,
            before=more.before,
            after=more.after,
            operation=RestoreBlock(),
            actor=intent.actor,
            reason=intent.reason,
            at=self._journal.moment(intent),
        )
        await updates.insert(tx, made)
        await self._put(tx, held, more.after, made.seq, more.derived)
        return seq

    async def _keep_unread(
        self, tx: Transaction, held: _Held, document: StoredDocument, error: InspectorError
    ) -> None:
        """As in the file it came from: the rows stay for whoever can mend them, the last content is shown."""
        self._say(held, "import.history_unreadable", why=error.code)
        if held.content is not None:
            derived = derive(shown_schema(held.content), held.content)
            await self._put(tx, held, Version(""), document.last, derived)
            await blocks.set_problem(tx, held.state.block.id, error.code)

    async def _begin(self, tx: Transaction, intent: Intent, held: _Held, content: Content) -> int:
        """Make a document with the content, and its one change."""
        block = held.state.block
        stamp = self._stamp(intent)
        schema = None if isinstance(block.schema, UnreadableSchema) else block.schema

        def work() -> tuple[Document, Derived]:
            document = rebuilt(schema, content, stamp)
            return document, derive(document.schema, document.content())

        try:
            document, derived = await self._run(work)
        except InspectorError as error:
            where = str(Ref(RefKind.BLOCK, block.id))
            raise MalformedError("import.malformed", where=where, why=str(error)) from error
        if derived.content != content:
            self._say(held, "import.content_differs")
        seq = await self._record(tx, intent, held, CreateBlock.op, (None, block))
        delta = await self._run(lambda: _first_delta(document, held, intent, seq, stamp))
        await updates.insert(tx, delta)
        await self._put(tx, held, delta.after, delta.seq, derived)
        return seq

    async def _record(
        self, tx: Transaction, intent: Intent, held: _Held, kind: str, differences: tuple[object, object]
    ) -> int:
        block = held.state.block
        before, after = differences
        return await tx.record(
            kind=kind,
            ref=Ref(RefKind.BLOCK, block.id),
            actor=intent.actor,
            reason=intent.reason,
            at=self._journal.moment(intent),
            owner=block.owner,
            before=before,
            after=after,
            changeset=self._changeset,
        )

    async def _put(
        self, tx: Transaction, held: _Held, version: Version, revision: int, derived: Derived
    ) -> None:
        block = held.state.block
        stored = blocks.StoredContent(version, revision, derived.content, derived.rendered)
        await blocks.put_content(tx, block, stored, held.written)
        await search.put(tx, found_of_block(block, derived.searched, block.updated_at))

    def _stamp(self, intent: Intent) -> Stamp:
        return Stamp("", self._journal.moment(intent), lambda: secrets.token_hex(8))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _say(self, held: _Held, code: str, **parameters: str) -> None:
        block = held.state.block
        told = {"label": block.label, **parameters}
        self._problems.append(Problem(code, Severity.WARNING, str(Ref(RefKind.BLOCK, block.id)), told))


def _without_content(rows: ConstellationRows) -> Iterable[Row]:
    """For each block that has a history and no content: a row for its content as of the last change."""
    given = {row["block_id"] for row in rows.of("block_contents")}
    last: dict[Cell, Row] = {}
    for row in rows.of("updates"):
        if row["block_id"] not in given:
            # They are in the order of their numbers.
            last[row["block_id"]] = {**row, "written_at": row["at"], "content": None}
    return last.values()


async def _held(tx: Transaction, row: Row) -> _Held:
    state = await blocks.get(tx, str(row["block_id"]))
    if state is None:
        raise MalformedError("import.malformed", where=str(row["block_id"]), why="a content without a block")
    content: Content | None
    try:
        content = None if row["content"] is None else load(Content, str(row["content"]))
    except MalformedError:
        content = None
    return _Held(state, content, _written(row, state.block))


def _written(row: Row, block: Block) -> LastWrite:
    try:
        at = read_time(str(row["written_at"]))
    except ValueError:
        at = block.updated_at
    try:
        kind = ActorKind(str(row["actor_kind"]))
    except ValueError:
        kind = ActorKind.SYSTEM
    actor = Actor(kind, str(row["actor_id"]), str(row["actor_name"]))
    tool_call = row["tool_call_id"]
    return LastWrite(actor, at, str(row["reason"]), None if tool_call is None else str(tool_call))


def _loaded(schema: Schema, stored: StoredDocument) -> _Loaded:
    if not stored.is_whole:
        raise DocumentError("document.folded_away", seq=stored.last)
    document = Document.load(schema, stored.snapshot, stored.deltas)
    return _Loaded(document.version, document.has_pending, derive(schema, document.content()))


def _with_content(schema: Schema, stored: StoredDocument, content: Content, stamp: Stamp) -> _Continued:
    document = Document.load(schema, stored.snapshot, stored.deltas)
    before = document.version
    bring_to(document, content, stamp)
    return _Continued(
        document.export_updates(before),
        document.peer,
        document.own_operations,
        before,
        document.version,
        derive(schema, document.content()),
    )


def _schema_of(held: _Held) -> Schema:
    schema = held.state.block.schema
    if not isinstance(schema, UnreadableSchema):
        return schema
    return TextSchema() if held.content is None else shown_schema(held.content)


def _first_delta(
    document: Document, held: _Held, intent: Intent, change: int, stamp: Stamp
) -> updates.NewDelta:
    block = held.state.block
    schema = TextSchema() if isinstance(block.schema, UnreadableSchema) else block.schema
    made = CreateBlock(
        *(block.owner, block.label, schema, block.block_type, block.description, block.char_limit),
        *(block.permission, block.pinned),
        metadata=block.metadata,
    )
    return updates.NewDelta(
        block_id=block.id,
        seq=1,
        change_seq=change,
        blob=document.export_updates(None),
        peer=document.peer,
        counter_from=0,
        counter_to=document.own_operations,
        before=Version(""),
        after=document.version,
        operation=made,
        actor=intent.actor,
        reason=intent.reason,
        at=stamp.at,
    )
