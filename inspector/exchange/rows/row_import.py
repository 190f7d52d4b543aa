"""The store that writes an import's rows into a new file.

Rows go in as they are, and what is derived from them is made anew. A block's document is the one of its history where
that leads to its content. Otherwise, and without history, it is a new one with the same content and ids.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from datetime import datetime

from inspector.documents.document import Document, EditStamp
from inspector.documents.rebuilding import rebuilt, shown_schema
from inspector.domain.actor import Actor, ActorKind, Clock, IdGenerator
from inspector.domain.blocks import Block, Schema, TextSchema, UnreadableSchema
from inspector.domain.codec import read_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent, Receipt, Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.row_import import AdoptRows, Cell, ConstellationRows, Row
from inspector.domain.errors import DocumentError, InspectorError, MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import found_of_block
from inspector.domain.snapshot import LastWrite
from inspector.exchange.rows.import_journal import note_import, put_into_index
from inspector.exchange.rows.sound_content import sound_content
from inspector.memory.document_cache import Derived, derive
from inspector.storage import blocks, meta, search, updates
from inspector.storage.bulk_rows import add_consent_changes, add_rows
from inspector.storage.journal import Journal
from inspector.storage.json_columns import load
from inspector.storage.missing_rows import note_gaps
from inspector.storage.table_catalogue import BLOCK_CONTENTS, CONSENT_CHANGES, META, TABLES
from inspector.storage.transaction import Transaction

Examine = Callable[[bytes | None, Sequence[bytes]], str]
"""Examines one document's bytes, a snapshot and the updates after it; gives a code of what is wrong, or nothing.

It may take its time: it is called in a thread where nothing waits for it.
"""
_WRITTEN_OTHERWISE = (META, BLOCK_CONTENTS, CONSENT_CHANGES)


@dataclass(slots=True)
class RowImportStore:
    """Takes `AdoptRows`. `problems` holds what came out otherwise than the rows had it, for whoever asked.

    Documents pass `examine` before anything of them is read here.
    """

    clock: Clock
    ids: IdGenerator
    examine: Examine
    problems: list[Problem] = field(default_factory=list)

    def takes(self, edit: Edit) -> bool:
        return isinstance(edit.operation, AdoptRows) and edit.target.kind is RefKind.CONSTELLATION

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Put rows into the file, in a transaction of the caller's.

        Raises:
            FileError: an id is taken. MalformedError: a block's content cannot be made.
        """
        journal = Journal(self.clock, self.ids)
        intent = journal.at_a_moment(intent)
        operation = intent.edit.operation
        if not isinstance(operation, AdoptRows):
            raise TypeError(type(operation).__name__)
        reader = DocumentReader(journal.moment(intent), self.examine, self.problems)
        rows, contents = await asyncio.to_thread(reader.read, operation.rows)
        for name, value in rows.facts.items():
            await meta.put(tx, name, value)
        for table in TABLES:
            if table not in _WRITTEN_OTHERWISE and rows.of(table.name):
                await add_rows(tx, table, rows.of(table.name))
        if rows.of(CONSENT_CHANGES.name):
            await add_consent_changes(tx, rows.of(CONSENT_CHANGES.name))
        changeset = self.ids("set")
        last = await put_contents(tx, intent, contents, changeset)
        await put_into_index(tx, rows)
        if rows.history:
            last = await note_gaps(tx, intent.actor, journal.moment(intent)) or last
        else:
            last = await note_import(tx, intent, rows, changeset)
        return journal.receipt(intent, intent.edit.target, last)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a block's document is loaded from. `is_whole` is false when a delta that it needs has no bytes."""

    snapshot: bytes | None
    deltas: tuple[bytes, ...]
    last: int
    is_whole: bool


@dataclass(frozen=True, slots=True)
class FirstDelta:
    """The bytes of a document that begins with an import."""

    blob: bytes
    peer: str
    operations: int


@dataclass(frozen=True, slots=True)
class ImportedContent:
    """A block's content as its document gives it. `first` is that document, where no history comes along."""

    row: Row
    version: Version
    revision: int
    derived: Derived
    is_pending: bool = False
    first: FirstDelta | None = None


@dataclass(slots=True)
class DocumentReader:
    """Reads the documents of rows, in one thread, as nothing else may see them meanwhile."""

    at: datetime
    examine: Examine
    problems: list[Problem]
    """What came out otherwise than the rows had it."""

    def read(self, rows: ConstellationRows) -> tuple[ConstellationRows, tuple[ImportedContent, ...]]:
        """The rows without histories that are of no use, and the content of each block that has one.

        Raises:
            MalformedError: a content that no document can hold.
        """
        stored = documents(rows)
        by_id = {row["id"]: row for row in rows.of("blocks")}
        given = (*rows.of("block_contents"), *_last_writes(rows))
        contents = [self._content(by_id[row["block_id"]], row, stored.get(row["block_id"])) for row in given]
        found = tuple(each for each in contents if each is not None)
        kept = {each.row["block_id"] for each in found if each.first is None}
        return _with_histories(rows, kept), found

    def _content(self, block: Row, row: Row, stored: StoredDocument | None) -> ImportedContent | None:
        content = _given(row)
        followed = None if stored is None else self._followed(block, row, stored, content)
        if followed is not None and content in (None, followed.derived.content):
            if content is None:
                missing = row["content"] is None
                self._say(block, "import.content_missing" if missing else "import.content_of_history")
            return followed
        if content is None:
            content = self._sound_part(block, row)
        if content is None:
            self._say(block, "import.content_unreadable")
            return None
        try:
            begun = self._begun(block, row, content)
        except InspectorError as error:
            if followed is None:
                where = str(Ref(RefKind.BLOCK, str(block["id"])))
                raise MalformedError("import.malformed", where=where, why=str(error)) from error
            self._say(block, "import.content_of_history")
            return followed
        if followed is not None:
            self._say(block, "import.content_kept")
        if begun.derived.content != content:
            self._say(block, "import.content_differs")
        return begun

    def _followed(
        self, block: Row, row: Row, stored: StoredDocument, content: Content | None
    ) -> ImportedContent | None:
        """The content that a history gives, None for one that must not or cannot be read."""
        if code := self.examine(stored.snapshot, stored.deltas):
            self._say(block, "import.history_refused", why=code)
            return None
        try:
            if not stored.is_whole:
                raise DocumentError("document.folded_away", seq=stored.last)
            schema = _schema_of(block, content)
            document = Document.load(schema, stored.snapshot, stored.deltas)
            derived = derive(schema, document.content())
        except (DocumentError, MalformedError) as error:
            self._say(block, "import.history_unreadable", why=error.code)
            return None
        return ImportedContent(row, document.version, stored.last, derived, document.has_pending)

    def _begun(self, block: Row, row: Row, content: Content) -> ImportedContent:
        stamp = EditStamp("", self.at, lambda: secrets.token_hex(8))
        document = rebuilt(_schema_of(block, content), content, stamp)
        derived = derive(document.schema, document.content())
        first = FirstDelta(document.export_updates(None), document.peer, document.own_operations)
        return ImportedContent(row, document.version, 1, derived, first=first)

    def _sound_part(self, block: Row, row: Row) -> Content | None:
        """A damaged content without its damaged elements, which are named."""
        if row["content"] is None:
            return None
        content, left_out = sound_content(str(row["content"]))
        for place in left_out:
            self._say(block, "import.element_left_out", place=place[:80])
        return content

    def _say(self, block: Row, code: str, **parameters: str) -> None:
        where = str(Ref(RefKind.BLOCK, str(block["id"])))
        facts = {"label": str(block["label"]), **parameters}
        self.problems.append(Problem(code, Severity.WARNING, where, facts))


async def put_contents(
    tx: Transaction, intent: Intent, contents: Sequence[ImportedContent], changeset: str
) -> int | None:
    """Store the contents of blocks whose rows are in, and the first change of each new document.

    Returns:
        The number of the last change that was made, None for none.
    """
    last: int | None = None
    for content in contents:
        state = await blocks.get(tx, str(content.row["block_id"]))
        if state is None:
            raise MalformedError("import.malformed", where=str(content.row["block_id"]), why="no block")
        block, derived = state.block, content.derived
        if content.first is not None:
            last = await _record_first(tx, intent, block, content, content.first, changeset)
        stored = blocks.StoredContent(content.version, content.revision, derived.content, derived.rendered)
        blocks.put_content(tx, block.id, stored, _written(content.row, block), updated_at=block.updated_at)
        search.put(tx, found_of_block(block, derived.searched, block.updated_at))
        if content.is_pending:
            await blocks.set_problem(tx, block.id, blocks.PENDING_UPDATES)
    return last


def documents(rows: ConstellationRows) -> dict[Cell, StoredDocument]:
    """Each block's newest snapshot and the deltas after it, in order."""
    newest: dict[Cell, tuple[int, bytes]] = {}
    for row in rows.of("checkpoints"):
        upto, snapshot = row["upto_seq"], row["snapshot"]
        if isinstance(upto, int) and isinstance(snapshot, bytes):
            newest[row["block_id"]] = max(newest.get(row["block_id"], (-1, b"")), (upto, snapshot))
    deltas: defaultdict[Cell, list[tuple[int, Cell]]] = defaultdict(list)
    for row in rows.of("updates"):
        if isinstance(row["seq"], int):
            deltas[row["block_id"]].append((row["seq"], row["blob"]))
    found: dict[Cell, StoredDocument] = {}
    for block_id in sorted(newest.keys() | deltas.keys(), key=str):
        upto, snapshot = newest.get(block_id, (0, None))
        after = [blob for seq, blob in sorted(deltas[block_id], key=lambda delta: delta[0]) if seq > upto]
        there = tuple(blob for blob in after if isinstance(blob, bytes))
        last = max((seq for seq, _ in deltas[block_id]), default=upto)
        found[block_id] = StoredDocument(snapshot, there, last, len(there) == len(after))
    return found


async def _record_first(
    tx: Transaction,
    intent: Intent,
    block: Block,
    content: ImportedContent,
    first: FirstDelta,
    changeset: str,
) -> int:
    at = intent.at or block.updated_at
    seq = await tx.record(
        kind=CreateBlock.op,
        ref=Ref(RefKind.BLOCK, block.id),
        actor=intent.actor,
        reason=intent.reason,
        at=at,
        owner=block.owner,
        after=block,
        changeset=changeset,
    )
    schema = TextSchema() if isinstance(block.schema, UnreadableSchema) else block.schema
    made = CreateBlock(
        *(block.owner, block.label, schema, block.block_type, block.description, block.char_limit),
        *(block.permission, block.pinned),
        metadata=block.metadata,
    )
    delta = updates.NewDelta(
        block_id=block.id,
        seq=1,
        change_seq=seq,
        blob=first.blob,
        peer=first.peer,
        counter_from=0,
        counter_to=first.operations,
        before=Version(""),
        after=content.version,
        operation=made,
        actor=intent.actor,
        reason=intent.reason,
        at=at,
    )
    await updates.insert(tx, delta)
    return seq


def _last_writes(rows: ConstellationRows) -> Iterator[Row]:
    """For each block that has a history and no content: who wrote it last, as its content's row would say."""
    given = {row["block_id"] for row in rows.of("block_contents")}
    last = {row["block_id"]: row for row in rows.of("updates") if row["block_id"] not in given}
    for row in last.values():
        yield {**row, "written_at": row["at"], "content": None}


def _with_histories(rows: ConstellationRows, kept: Collection[Cell]) -> ConstellationRows:
    tables = dict(rows.tables)
    for name in ("updates", "checkpoints"):
        tables[name] = [row for row in rows.of(name) if row["block_id"] in kept]
    return ConstellationRows(rows.facts, tables, rows.history)


def _given(row: Row) -> Content | None:
    try:
        return None if row["content"] is None else load(Content, str(row["content"]))
    except MalformedError:
        return None


def _schema_of(block: Row, content: Content | None) -> Schema:
    """A block's schema; where it cannot be read, the one that its content shows."""
    schema = blocks.schema_of(str(block["schema"]))
    if not isinstance(schema, UnreadableSchema):
        return schema
    return TextSchema() if content is None else shown_schema(content)


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
