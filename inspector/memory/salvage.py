"""Salvages the blocks of a damaged file as completely as their rows allow.

A block is stored several times over: as a document (checkpoint and deltas), as the content derived from it, and in
the journal, which has its label and settings. Each is used where what is better is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from datetime import datetime

from inspector.documents.document import Document, EditStamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Block, Schema, TextSchema, UnreadableSchema
from inspector.domain.codec import write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.block_rows import RestoreBlock
from inspector.domain.errors import InspectorError
from inspector.domain.ref import RefKind
from inspector.domain.salvage import Recovery, SavedBlock
from inspector.memory.document_cache import derive
from inspector.memory.salvage_pieces import (
    BlockPieces,
    DocumentPath,
    FreeNumber,
    Row,
    block_row,
    pieces_of,
    sealed,
)
from inspector.memory.stored_documents import waiting_in
from inspector.storage.blocks import PENDING_UPDATES
from inspector.storage.json_columns import dump
from inspector.storage.redundancy import WRITER
from inspector.storage.salvage_rows import FoundRows
from inspector.storage.updates import hash_of

SALVAGE = Actor(ActorKind.SYSTEM, "salvage", "salvage")
Examine = Callable[[bytes | None, Sequence[bytes]], str]
"""Whether a document's bytes may be read in this process: empty, or the code of what is wrong with them."""
Rebuild = Callable[[Schema | None, Content, EditStamp], Document]
"""A fresh document with a content: every id and value as it was. Raises InspectorError."""


@dataclass(frozen=True)
class SalvageTools:
    """What a salvage works with: the examination of bytes, the maker of documents, the moment."""

    examine: Examine
    rebuild: Rebuild
    at: datetime

    @property
    def stamp(self) -> EditStamp:
        return EditStamp(SALVAGE.name, self.at, lambda: "")


@dataclass
class RestoredBlocks:
    """Rows for the new file, and how it went."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    blocks: list[SavedBlock] = field(default_factory=list)

    def add(self, table: str, *rows: Row) -> None:
        self.rows.setdefault(table, []).extend(rows)


@dataclass(frozen=True, slots=True)
class _Document:
    """A document that was put together, or None when it must not be read here; and what of it came back."""

    document: Document | None
    content: Content | None
    recovery: Recovery
    choice: DocumentPath
    why: str = ""
    waiting: frozenset[int] | None = None


def restore_blocks(found: FoundRows, tools: SalvageTools) -> RestoredBlocks:
    """Put together what can be of every block that any row still knows of. Runs in the caller's thread."""
    restored = RestoredBlocks()
    numbers = FreeNumber(1 + max((_number(row["seq"]) for row in found.of("changes")), default=0))
    labels: set[tuple[str, str]] = set()
    for pieces in sorted(pieces_of(found), key=lambda each: each.is_guessed):
        existing = (
            _with_shown_schema(pieces, tools) if pieces.is_guessed and not pieces.named_by_journal else pieces
        )
        _restore(_with_free_label(existing, labels), restored, tools, numbers)
    return restored


def _restore(pieces: BlockPieces, restored: RestoredBlocks, tools: SalvageTools, numbers: FreeNumber) -> None:
    block = pieces.block
    made = _document(pieces, tools)
    label, journal = block.label, pieces.named_by_journal
    if made is None:
        restored.blocks.append(
            SavedBlock(block.id, label, Recovery.LOST, pieces.last, "salvage.nothing_left", journal)
        )
        return
    history = made.choice.renumbered(pieces, made.waiting)
    missing = pieces.last - len(history)
    recovery = made.recovery
    if recovery is Recovery.WHOLE and missing:
        recovery = Recovery.HISTORY_INCOMPLETE
    restored.add("blocks", sealed(block_row(block), pieces.row))
    if made.document is not None and recovery not in (Recovery.WHOLE, Recovery.HISTORY_INCOMPLETE):
        history = _folded(history, made.document, block, numbers, restored, tools)
        restored.add("checkpoints", _checkpoint(block.id, len(history), made.document, tools.at))
    elif made.choice.checkpoint is not None:
        restored.add("checkpoints", made.choice.moved_checkpoint(pieces))
    restored.add("updates", *history)
    _add_content(pieces, made, history, restored, tools)
    restored.blocks.append(SavedBlock(block.id, label, recovery, missing, made.why, journal))


def _document(pieces: BlockPieces, tools: SalvageTools) -> _Document | None:
    """The best that the pieces give, None when nothing does."""
    why = "salvage.deltas_missing"
    stored = pieces.stored_content()
    schema = pieces.block.schema
    for choice in pieces.choices():
        if not choice.is_complete:
            continue
        if isinstance(schema, UnreadableSchema):
            return _Document(None, stored, Recovery.WHOLE, choice)
        document, why = _loaded(schema, choice, tools)
        if document is not None and pieces.agrees(document):
            waiting = waiting_in(document, choice.snapshot, choice.blobs)
            return _Document(document, document.content(), Recovery.WHOLE, choice, waiting=waiting)
    empty = DocumentPath(None, (), complete_to=0, is_complete=False)
    for content, recovery in ((stored, Recovery.CONTENT_ONLY), *_older(pieces, tools)):
        document = None if content is None else _rebuilt(schema, content, tools)
        if document is not None:
            return _Document(document, document.content(), recovery, empty, why)
    document = _rebuilt(schema, None, tools)
    return None if document is None else _Document(document, document.content(), Recovery.LOST, empty, why)


def _older(pieces: BlockPieces, tools: SalvageTools) -> Iterator[tuple[Content | None, Recovery]]:
    """Earlier contents, the latest first: what a checkpoint and the unbroken run of deltas after it give."""
    schema = pieces.block.schema
    if isinstance(schema, UnreadableSchema):
        return
    for choice in sorted(pieces.choices(), key=lambda each: -each.complete_to):
        if choice.complete_to:
            document, _ = _loaded(schema, choice, tools)
            if document is not None:
                yield document.content(), Recovery.OLDER_STATE


def _loaded(schema: Schema, choice: DocumentPath, tools: SalvageTools) -> tuple[Document | None, str]:
    why = tools.examine(choice.snapshot, choice.blobs)
    if why:
        return None, why
    try:
        document = Document.load(schema, choice.snapshot, choice.blobs)
        derive(schema, document.content())
    except InspectorError as error:
        return None, error.code
    return document, ""


def _rebuilt(
    schema: Schema | UnreadableSchema, content: Content | None, tools: SalvageTools
) -> Document | None:
    readable = None if isinstance(schema, UnreadableSchema) else schema
    try:
        if content is None:
            document = Document.create(readable or TextSchema(), None, tools.stamp)
        else:
            document = tools.rebuild(readable, content, tools.stamp)
        derive(document.schema, document.content())
    except InspectorError:
        return None
    return document


def _folded(
    history: list[Row],
    document: Document,
    block: Block,
    numbers: FreeNumber,
    restored: RestoredBlocks,
    tools: SalvageTools,
) -> list[Row]:
    """The history without its bytes, and one more entry: the salvage, whose content the checkpoint holds."""
    change = numbers.next()
    operation = RestoreBlock()
    at = write_time(tools.at)
    actor: Row = {"actor_kind": SALVAGE.kind.value, "actor_id": SALVAGE.id, "actor_name": SALVAGE.name}
    common: Row = {
        **actor,
        "reason": "salvage",
        "at": at,
        "undo_of": None,
        "changeset": None,
        "tool_call_id": None,
    }
    made: Row = {
        **common,
        "block_id": block.id,
        "seq": len(history) + 1,
        "change_seq": change,
        "peer": document.peer,
        "counter_from": 0,
        "counter_to": 0,
        "version_before": history[-1]["version_after"] if history else "",
        "version_after": document.version,
        "operation": dump(operation),
        "content_hash": hash_of(b""),
        "process": 0,
        "size": 0,
        "pending": 0,
        "blob": None,
    }
    journal: Row = {
        **common,
        "seq": change,
        "kind": operation.op,
        "ref_kind": RefKind.BLOCK.value,
        "ref_id": block.id,
        "ref_part": None,
        "owner": block.owner,
        "batch_id": None,
        "process": 0,
        "before": None,
        "after": None,
    }
    restored.add("changes", journal)
    return [*({**row, "blob": None, "pending": 0} for row in history), made]


def _checkpoint(block_id: str, upto: int, document: Document, at: datetime) -> Row:
    snapshot = document.export_snapshot()
    return {
        "block_id": block_id,
        "upto_seq": upto,
        "version": document.version,
        "content_hash": hash_of(snapshot),
        "at": write_time(at),
        "size": len(snapshot),
        "snapshot": snapshot,
    }


def _add_content(
    pieces: BlockPieces, made: _Document, history: list[Row], restored: RestoredBlocks, tools: SalvageTools
) -> None:
    block, content, document = pieces.block, made.content, made.document
    if content is None:
        return
    schema = block.schema
    if isinstance(schema, UnreadableSchema) or document is None:
        if pieces.content is not None:
            restored.add("block_contents", {**pieces.content, "revision": len(history)})
        return
    derived = derive(schema, content)
    by = _writer(pieces, made, history, tools)
    row: Row = {name: by[name] for name in (*WRITER, "written_at")}
    row |= {
        "block_id": block.id,
        "version": document.version,
        "revision": len(history),
        "problem": PENDING_UPDATES if made.waiting else None,
        "content": dump(derived.content),
        "rendered": derived.rendered,
    }
    restored.add("block_contents", row)


def _writer(pieces: BlockPieces, made: _Document, history: list[Row], tools: SalvageTools) -> Row:
    """Who wrote the content, as its row says; as the history says where that is all there and has it otherwise."""
    kept = pieces.content
    is_there = made.recovery is Recovery.WHOLE and len(history) == pieces.last > 0
    is_whole = not is_there or pieces.has_writer()
    if kept is not None and made.recovery is not Recovery.OLDER_STATE and is_whole:
        return kept
    if not history:
        # Nothing but a snapshot is left.
        by = dict(zip(WRITER, (SALVAGE.kind.value, SALVAGE.id, SALVAGE.name, "salvage", None), strict=True))
        return {**by, "written_at": write_time(tools.at)}
    return {**history[-1], "written_at": history[-1]["at"]}


def _with_shown_schema(pieces: BlockPieces, tools: SalvageTools) -> BlockPieces:
    """A block of which nothing but its content is known has the schema that the content shows."""
    content = pieces.stored_content()
    document = None if content is None else _rebuilt(UnreadableSchema("", ""), content, tools)
    return (
        pieces if document is None else replace(pieces, block=replace(pieces.block, schema=document.schema))
    )


def _with_free_label(pieces: BlockPieces, taken: set[tuple[str, str]]) -> BlockPieces:
    """Two active blocks of one owner never share a label; a block that was guessed gives way."""
    block = pieces.block
    if not block.is_active:
        return pieces
    label, number = block.label, 1
    while (block.owner, label) in taken:
        number += 1
        label = f"{block.label} {number}"
    taken.add((block.owner, label))
    return pieces if label == block.label else replace(pieces, block=replace(block, label=label))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
