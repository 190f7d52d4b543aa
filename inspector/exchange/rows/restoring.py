"""The documents of adopted blocks, and what is derived from them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from inspector.documents.document import Document, Stamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Block, Schema, TextSchema, UnreadableSchema
from inspector.domain.codec import read_time
from inspector.domain.content import Content
from inspector.domain.edits.adopting import ConstellationRows, Row
from inspector.domain.edits.base import Intent, Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.errors import DocumentError, InspectorError, MalformedError
from inspector.domain.findable import found_of_block
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState, LastWrite
from inspector.exchange.rows.admission import StoredDocument, documents
from inspector.exchange.rows.rebuilding import rebuilt, shown_schema
from inspector.memory.derived import Derived, derive
from inspector.storage import blocks, search, updates
from inspector.storage.database import Transaction
from inspector.storage.journal import Journal
from inspector.storage.json_columns import load

T = TypeVar("T")
_CREATED = "create_block"


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
                await self._follow(tx, held, document)
            elif held.content is None:
                self._say(held, "import.content_unreadable")
            else:
                last = await self._begin(tx, intent, held, held.content)
        return last

    async def close(self) -> None:
        """End the documents' thread."""
        await asyncio.to_thread(self._thread.shutdown)

    async def _follow(self, tx: Transaction, held: _Held, document: StoredDocument) -> None:
        """Read the document that the block's history gives; it has been let in."""
        try:
            loaded = await self._run(lambda: _loaded(_schema_of(held), document))
        except (DocumentError, MalformedError) as error:
            await self._keep_unread(tx, held, document, error)
            return
        if held.content is not None and loaded.derived.content != held.content:
            self._say(held, "import.content_of_history")
        await self._put(tx, held, loaded.version, document.last, loaded.derived)
        if loaded.is_pending:
            await blocks.set_problem(tx, held.state.block.id, blocks.PENDING_UPDATES)

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
        stamp = Stamp("", self._journal.moment(intent), lambda: secrets.token_hex(8))
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
        seq = await self._record(tx, intent, held)
        delta = await self._run(lambda: _first_delta(document, held, intent, seq, stamp))
        await updates.insert(tx, delta)
        await self._put(tx, held, delta.after, delta.seq, derived)
        return seq

    async def _record(self, tx: Transaction, intent: Intent, held: _Held) -> int:
        block = held.state.block
        return await tx.record(
            kind=_CREATED,
            ref=Ref(RefKind.BLOCK, block.id),
            actor=intent.actor,
            reason=intent.reason,
            at=self._journal.moment(intent),
            owner=block.owner,
            after=block,
            changeset=self._changeset,
        )

    async def _put(
        self, tx: Transaction, held: _Held, version: Version, revision: int, derived: Derived
    ) -> None:
        block = held.state.block
        stored = blocks.StoredContent(version, revision, derived.content, derived.rendered)
        await blocks.put_content(tx, block, stored, held.written)
        await search.put(tx, found_of_block(block, derived.searched, block.updated_at))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _say(self, held: _Held, code: str, **parameters: str) -> None:
        block = held.state.block
        told = {"label": block.label, **parameters}
        self._problems.append(Problem(code, Severity.WARNING, str(Ref(RefKind.BLOCK, block.id)), told))


async def _held(tx: Transaction, row: Row) -> _Held:
    state = await blocks.get(tx, str(row["block_id"]))
    if state is None:
        raise MalformedError("import.malformed", where=str(row["block_id"]), why="a content without a block")
    try:
        content: Content | None = load(Content, str(row["content"]))
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
