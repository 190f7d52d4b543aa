"""Salvages the blocks of a damaged file.

A block comes back as its checkpoint and the unbroken run of deltas after it where that is what was stored last,
otherwise as the content that was stored beside them. What its history lacks is reported, and not made up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import datetime
from itertools import count

from inspector.documents.document import Document, EditStamp
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Schema, UnreadableSchema
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
    Row,
    number,
    pieces_of,
    text,
    with_cell,
)
from inspector.memory.stored_documents import waiting_in
from inspector.storage.blocks import PENDING_UPDATES, schema_of
from inspector.storage.json_columns import dump
from inspector.storage.salvage_rows import FoundRows
from inspector.storage.sealing import SEALS
from inspector.storage.updates import hash_of

SALVAGE = Actor(ActorKind.SYSTEM, "salvage", "salvage")
_SALVAGED: Row = {
    "actor_kind": SALVAGE.kind.value,
    "actor_id": SALVAGE.id,
    "actor_name": SALVAGE.name,
    "reason": "salvage",
    "tool_call_id": None,
}
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


def restore_blocks(found: FoundRows, tools: SalvageTools) -> RestoredBlocks:
    """Put together what can be of every block that any row still knows of. Runs in the caller's thread."""
    salvage = _BlockSalvage(tools, 1 + max((number(row["seq"]) for row in found.of("changes")), default=0))
    for pieces in sorted(pieces_of(found), key=lambda each: each.is_guessed or each.named_by_journal):
        salvage.restore(pieces)
    return salvage.restored


class _BlockSalvage:
    """Puts blocks together one by one; changes that it makes itself have numbers that nothing has yet."""

    def __init__(self, tools: SalvageTools, first_number: int) -> None:
        self.restored = RestoredBlocks()
        self._tools = tools
        self._numbers = count(first_number)
        self._labels: set[tuple[str, str]] = set()

    def restore(self, pieces: BlockPieces) -> None:
        row, path, stored = self._with_free_label(pieces.row), pieces.path(), pieces.stored_content()
        schema = schema_of(text(row["schema"]))
        if isinstance(schema, UnreadableSchema):
            # Nothing here can tell what is in it, so it stays as it lies.
            history = self._put(row, pieces.history(pieces.last), path.checkpoint)
            self.restored.add("block_contents", *(each for each in (pieces.content,) if each is not None))
            self._report(pieces, row, Recovery.WHOLE, pieces.last - len(history))
            return
        document, why = self._loaded(schema, path)
        if document is not None and _is_last(document, pieces, path, stored):
            self._put_document(pieces, row, path, document)
        else:
            self._put_content(pieces, row, schema, stored, why or "salvage.deltas_missing")

    def _put_document(self, pieces: BlockPieces, row: Row, path: DocumentPath, document: Document) -> None:
        waiting = {path.upto + 1 + at for at in waiting_in(document, path.snapshot, path.blobs)}
        history = pieces.history(path.complete_to)
        for each, seq in zip(history, pieces.numbers, strict=False):
            each["pending"] = int(seq in waiting)
        stored = sum(number <= path.upto for number in pieces.numbers)
        self._put(row, history, path.checkpoint and {**path.checkpoint, "upto_seq": stored})
        self.restored.add("checkpoints", *pieces.set_aside(path.checkpoint))
        is_shown = pieces.content is not None and pieces.content["version"] == document.version
        last = pieces.last if is_shown else max(pieces.last, pieces.revision)
        recovery = Recovery.OLDER_STATE if path.complete_to < last else Recovery.WHOLE
        said = None if recovery is Recovery.OLDER_STATE else pieces.writer()
        writer = said or self._writer_of(history)
        self._put_shown(row, document, len(history), writer, PENDING_UPDATES if waiting else None)
        self._report(pieces, row, recovery, last - len(history))

    def _put_content(
        self, pieces: BlockPieces, row: Row, schema: Schema, stored: Content | None, why: str
    ) -> None:
        """Put a block with the content that was stored beside its document, which begins anew with it."""
        document = self._rebuilt(pieces, schema, stored)
        last = max(pieces.last, pieces.revision)
        if document is None:
            self._report(pieces, row, Recovery.LOST, last, "salvage.nothing_left")
            return
        if pieces.is_guessed:
            row = with_cell(row, "schema", dump(document.schema))
        history = [{**each, "blob": None, "pending": 0} for each in pieces.history(pieces.last)]
        missing = last - len(history)
        history.append(self._fresh_start(row, document, history))
        self._put(row, history, self._checkpoint(row, document, len(history)))
        self._put_shown(row, document, len(history), pieces.writer() or self._writer_of(history), None)
        self._report(pieces, row, Recovery.LOST if stored is None else Recovery.CONTENT_ONLY, missing, why)

    def _put(self, row: Row, history: list[Row], checkpoint: Row | None) -> list[Row]:
        self.restored.add("blocks", row)
        self.restored.add("updates", *history)
        if checkpoint is not None:
            self.restored.add("checkpoints", checkpoint)
        return history

    def _put_shown(
        self, row: Row, document: Document, revision: int, writer: Row, problem: str | None
    ) -> None:
        derived = derive(document.schema, document.content())
        shown: Row = {"block_id": row["id"], "version": document.version, "revision": revision}
        shown |= {
            "problem": problem,
            "content": dump(derived.content),
            "rendered": derived.rendered,
            **writer,
        }
        self.restored.add("block_contents", {**shown, "seal": SEALS["block_contents"].of(shown)})

    def _report(self, pieces: BlockPieces, row: Row, recovery: Recovery, missing: int, why: str = "") -> None:
        if recovery is Recovery.WHOLE and missing:
            recovery = Recovery.HISTORY_INCOMPLETE
        saved = SavedBlock(pieces.id, text(row["label"]), recovery, missing, why, pieces.named_by_journal)
        self.restored.blocks.append(saved)

    def _loaded(self, schema: Schema, path: DocumentPath) -> tuple[Document | None, str]:
        if not path.complete_to:
            return None, ""
        why = self._tools.examine(path.snapshot, path.blobs)
        if why:
            return None, why
        try:
            document = Document.load(schema, path.snapshot, path.blobs)
            derive(schema, document.content())
        except InspectorError as error:
            return None, error.code
        return document, ""

    def _rebuilt(self, pieces: BlockPieces, schema: Schema, content: Content | None) -> Document | None:
        try:
            if content is None:
                document = Document.create(schema, None, self._tools.stamp)
            else:
                # A block of which nothing but its content is known has the schema that the content shows.
                document = self._tools.rebuild(
                    None if pieces.is_guessed else schema, content, self._tools.stamp
                )
            derive(document.schema, document.content())
        except InspectorError:
            return None
        return document

    def _writer_of(self, history: list[Row]) -> Row:
        last = history[-1] if history else {**_SALVAGED, "at": write_time(self._tools.at)}
        return {**{name: last[name] for name in _SALVAGED}, "written_at": last["at"]}

    def _fresh_start(self, row: Row, document: Document, history: list[Row]) -> Row:
        """The entry of the history that says that the block was salvaged, and its change in the journal."""
        operation = RestoreBlock()
        common: Row = {
            **_SALVAGED,
            "at": write_time(self._tools.at),
            "changeset": None,
            "undo_of": None,
            "process": 0,
        }
        change: Row = {
            **common,
            **dict.fromkeys(("ref_part", "batch_id", "before", "after")),
            "seq": next(self._numbers),
            "kind": operation.op,
            "ref_kind": RefKind.BLOCK.value,
            "ref_id": row["id"],
            "owner": row["owner"],
        }
        self.restored.add("changes", change)
        return {
            **common,
            **dict.fromkeys(("counter_from", "counter_to", "size", "pending"), 0),
            "block_id": row["id"],
            "seq": len(history) + 1,
            "change_seq": change["seq"],
            "peer": document.peer,
            "version_before": history[-1]["version_after"] if history else "",
            "version_after": document.version,
            "operation": dump(operation),
            "content_hash": hash_of(b""),
            "blob": None,
        }

    def _checkpoint(self, row: Row, document: Document, upto: int) -> Row:
        snapshot = document.export_snapshot()
        return {
            "block_id": row["id"],
            "upto_seq": upto,
            "version": document.version,
            "content_hash": hash_of(snapshot),
            "at": write_time(self._tools.at),
            "size": len(snapshot),
            "snapshot": snapshot,
        }

    def _with_free_label(self, row: Row) -> Row:
        """Two active blocks of one owner never share a label; the later one gives way."""
        if not row["is_active"]:
            return row
        label, number = text(row["label"]), 1
        while (text(row["owner"]), label) in self._labels:
            number += 1
            label = f"{text(row['label'])} {number}"
        self._labels.add((text(row["owner"]), label))
        return row if label == row["label"] else with_cell(row, "label", label)


def _is_last(document: Document, pieces: BlockPieces, path: DocumentPath, stored: Content | None) -> bool:
    """Whether a document is what was stored last, as far as that is known: the stored content tells."""
    if stored is None or pieces.content is None:
        return True
    if path.complete_to < pieces.last:
        return False
    return document.version == pieces.content["version"] or document.content() == stored
