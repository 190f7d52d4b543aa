"""Puts one block's document together from the rows that a salvage found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from inspector.documents.document import Document
from inspector.domain.blocks import Block, BlockType, Permission, UnreadableSchema
from inspector.domain.codec import from_plain, read_time, write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.domain.ref import RefKind
from inspector.storage.blocks import PENDING_UPDATES, schema_of
from inspector.storage.json_columns import dump, load, parse
from inspector.storage.redundancy import says_who_wrote
from inspector.storage.salvage_pages import Value
from inspector.storage.salvage_rows import FoundRows
from inspector.storage.sealing import SEALS
from inspector.storage.updates import hash_of

Row = dict[str, Value]
_SETTINGS = frozenset(
    {
        "label",
        "description",
        "block_type",
        "schema",
        "char_limit",
        "permission",
        "pinned",
        "is_active",
        "metadata",
    }
)
_NO_TIME = "1970-01-01T00:00:00Z"


class FreeNumber:
    """Numbers that nothing has yet."""

    def __init__(self, first: int) -> None:
        self._following = first

    def next(self) -> int:
        self._following += 1
        return self._following - 1


@dataclass(frozen=True)
class DocumentPath:
    """One way to the document: a checkpoint (None: from the beginning) and the unbroken run of deltas after it.

    `complete_to` is the number of the last delta that is in it; it `is_complete` when that is the last there was.
    """

    checkpoint: Row | None
    blobs: tuple[bytes, ...]
    complete_to: int
    is_complete: bool

    @property
    def upto(self) -> int:
        return 0 if self.checkpoint is None else number(self.checkpoint["upto_seq"])

    @property
    def snapshot(self) -> bytes | None:
        snapshot = None if self.checkpoint is None else self.checkpoint["snapshot"]
        assert snapshot is None or isinstance(snapshot, bytes)
        return snapshot

    def renumbered(self, pieces: BlockPieces, waiting: frozenset[int] | None = None) -> list[Row]:
        """The history's rows, numbered without gaps. Damaged bytes that the checkpoint holds as well are emptied.

        `waiting` are the places, among the deltas, of those whose foundation is missing; None leaves what is said.
        """
        rows: list[Row] = []
        for index, row in enumerate(pieces.updates, 1):
            blob = row["blob"]
            whole = isinstance(blob, bytes) and hash_of(blob) == row["content_hash"]
            seq, pending = number(row["seq"]), row["pending"]
            if waiting is not None:
                pending = int(seq - self.upto - 1 in waiting)
            rows.append({**row, "seq": index, "pending": pending, "blob": blob if whole else None})
        return rows

    def moved_checkpoint(self, pieces: BlockPieces) -> Row:
        """The checkpoint's row, with the number that its last delta has now."""
        assert self.checkpoint is not None
        stored = sum(number(row["seq"]) <= self.upto for row in pieces.updates)
        return {**self.checkpoint, "upto_seq": stored}


@dataclass(frozen=True)
class BlockPieces:
    """All rows of one block that could be read. `last` is the number of its last change, as far as is known."""

    block: Block
    content: Row | None
    updates: tuple[Row, ...]
    checkpoints: tuple[Row, ...]
    named_by_journal: bool = False
    is_guessed: bool = False
    row: Row | None = None
    """The block's own row as it was found."""
    journal: tuple[Row, ...] = ()
    """What the journal has of the block."""

    @property
    def last(self) -> int:
        """The number of the last change, as far as is known."""
        seqs = [number(row["seq"]) for row in self.updates]
        seqs += [number(row["upto_seq"]) for row in self.checkpoints]
        if self.content is None or self._ends_as_shown(max(seqs, default=0)):
            return max(seqs, default=0)
        return max((*seqs, number(self.content["revision"])))

    def choices(self) -> Iterator[DocumentPath]:
        """The ways to the document, the one from the newest whole checkpoint first."""
        whole = [each for each in self.checkpoints if _is_whole(each, "snapshot")]
        for checkpoint in (*sorted(whole, key=lambda each: -number(each["upto_seq"])), None):
            yield self._choice(checkpoint)

    def stored_content(self) -> Content | None:
        """The content as it was stored beside the document, None when that cannot be read."""
        if self.content is None:
            return None
        try:
            content: Content = load(Content, text(self.content["content"]))
        except MalformedError:
            return None
        return content

    def agrees(self, document: Document) -> bool:
        """Whether a document is in the state that was stored last, as far as that is known.

        The last stored change tells which that is, and the content's row tells it again: one of them is enough.
        """
        content = self.content
        waits = any(row["pending"] for row in self.updates)
        if document.has_pending and not waits and (content is None or content["problem"] != PENDING_UPDATES):
            return False
        if content is None or content["version"] == document.version:
            return True
        return self._leads_to(document.version, self.last)

    def has_writer(self) -> bool:
        """Whether the content's row names the writer that the history has."""
        if self.content is None or not self.updates:
            return False
        last = self.updates[-1]
        since = [row for row in self.journal if number(row["seq"]) >= number(last["change_seq"])]
        return says_who_wrote(self.content, last, since)

    def _ends_as_shown(self, seq: int) -> bool:
        """Whether the content shown is that of a change: then none came after it, whatever number it says."""
        return self.content is not None and self._leads_to(self.content["version"], seq)

    def _leads_to(self, version: Value, seq: int) -> bool:
        """Whether a change is there, the last that is, and led to a version."""
        newest = self.updates[-1] if self.updates else None
        return newest is not None and number(newest["seq"]) == seq and newest["version_after"] == version

    def _choice(self, checkpoint: Row | None) -> DocumentPath:
        upto = 0 if checkpoint is None else number(checkpoint["upto_seq"])
        blobs: list[bytes] = []
        seq = upto
        for row in self.updates:
            if number(row["seq"]) <= upto:
                continue
            blob = row["blob"]
            if number(row["seq"]) != seq + 1 or not isinstance(blob, bytes) or not _is_whole(row, "blob"):
                break
            seq += 1
            blobs.append(blob)
        return DocumentPath(checkpoint, tuple(blobs), seq, is_complete=seq == self.last > 0)


def pieces_of(found: FoundRows) -> Iterator[BlockPieces]:
    """The pieces of every block that any row knows of."""
    rows = {text(row["id"]): row for row in found.of("blocks")}
    contents = {text(row["block_id"]): row for row in found.of("block_contents")}
    updates = _by_block(found.of("updates"))
    checkpoints = _by_block(found.of("checkpoints"))
    journal = _journal(found.of("changes"))
    changes = _changes(found.of("changes"))
    for block_id in dict.fromkeys((*rows, *contents, *updates, *checkpoints, *journal)):
        deltas = tuple(sorted(updates.get(block_id, ()), key=lambda row: number(row["seq"])))
        block = _block(rows[block_id]) if block_id in rows else None
        reported = _block_in_journal(block_id, journal.get(block_id), deltas)
        if block is not None and reported is not None and isinstance(block.schema, UnreadableSchema):
            block = replace(block, schema=reported.schema)
        yield BlockPieces(
            block or reported or _guessed(block_id),
            contents.get(block_id),
            deltas,
            tuple(_placed(each, deltas) for each in checkpoints.get(block_id, ())),
            named_by_journal=block is None and reported is not None,
            is_guessed=block is None,
            row=rows.get(block_id),
            journal=tuple(changes.get(block_id, ())),
        )


def _placed(checkpoint: Row, deltas: Iterable[Row]) -> Row:
    """A checkpoint with the number of the change that led to its version, where that change is there."""
    led = [row["seq"] for row in deltas if row["version_after"] == checkpoint["version"]]
    return {**checkpoint, "upto_seq": led[0]} if len(led) == 1 else checkpoint


def block_row(block: Block) -> Row:
    """A block as its row."""
    schema = block.schema
    return {
        "id": block.id,
        "owner": block.owner,
        "label": block.label,
        "description": block.description,
        "block_type": block.block_type.value,
        "schema": schema.raw if isinstance(schema, UnreadableSchema) else dump(schema),
        "char_limit": block.char_limit,
        "permission": block.permission.label,
        "pinned": int(block.pinned),
        "is_active": int(block.is_active),
        "created_at": write_time(block.created_at),
        "updated_at": write_time(block.updated_at),
        "metadata": block.metadata,
    }


def sealed(row: Row, found: Row | None) -> Row:
    """A block's row with a seal: the one that was found where its damage comes along, and stays to be told."""
    seal = SEALS["blocks"]
    stored = "" if found is None else text(found[seal.column])
    if found is None or not stored:
        return {**row, seal.column: seal.of(row)}
    written = {name: row[name] for name in seal.cells if row[name] != found[name]}
    return {**row, seal.column: seal.renewed(stored, written)}


def text(value: Value) -> str:
    """A cell of a TEXT column."""
    return value if isinstance(value, str) else ""


def number(value: Value) -> int:
    """A cell of an INTEGER column."""
    return value if isinstance(value, int) else 0


def _block(row: Row) -> Block | None:
    try:
        return Block(
            id=text(row["id"]),
            owner=text(row["owner"]),
            label=text(row["label"]),
            description=text(row["description"]),
            block_type=BlockType(text(row["block_type"])),
            schema=schema_of(text(row["schema"])),
            char_limit=number(row["char_limit"]),
            permission=Permission.parse(text(row["permission"])),
            pinned=bool(row["pinned"]),
            is_active=bool(row["is_active"]),
            created_at=read_time(text(row["created_at"])),
            updated_at=read_time(text(row["updated_at"])),
            metadata=text(row["metadata"]),
        )
    except (ValueError, KeyError):
        return None


def _block_in_journal(
    block_id: str, journal: Mapping[str, Any] | None, deltas: Iterable[Row]
) -> Block | None:
    """The block that the journal, or its own first change, describes."""
    moment = _NO_TIME
    plain = journal
    for row in deltas:
        if plain is None and number(row["seq"]) == 1:
            operation = _object(text(row["operation"]))
            if operation.get("op") == "create_block":
                plain, moment = {**operation, "is_active": True}, text(row["at"])
    if plain is None:
        return None
    values = {"id": block_id, "created_at": moment, "updated_at": moment, **plain}
    try:
        block: Block = from_plain(
            Block, {name: values[name] for name in Block.__dataclass_fields__ if name in values}
        )
    except (MalformedError, TypeError, ValueError):
        return None
    return block


def _guessed(block_id: str) -> Block:
    moment = read_time(_NO_TIME)
    return Block(
        id=block_id,
        owner="_constellation_",
        label=f"salvaged {block_id}",
        description="",
        block_type=BlockType.ARCHIVAL,
        schema=schema_of('{"kind":"text","viewport":null}'),
        char_limit=0,
        permission=Permission.READ_ONLY,
        pinned=False,
        is_active=True,
        created_at=moment,
        updated_at=moment,
        metadata="{}",
    )


def _journal(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    """What the journal says of blocks: how they were made, and what was set since."""
    found: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda each: number(each["seq"])):
        if row["ref_kind"] != "block" or row["after"] is None:
            continue
        after = _object(text(row["after"]))
        block_id = text(row["ref_id"])
        if row["kind"] == "create_block":
            found[block_id] = after
        elif block_id in found:
            found[block_id].update({name: value for name, value in after.items() if name in _SETTINGS})
    return found


def _changes(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["ref_kind"] == RefKind.BLOCK:
            found.setdefault(text(row["ref_id"]), []).append(row)
    return found


def _object(stored: str) -> dict[str, Any]:
    try:
        plain = parse(stored)
    except MalformedError:
        return {}
    return plain if isinstance(plain, dict) else {}


def _by_block(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(text(row["block_id"]), []).append(row)
    return found


def _is_whole(row: Row, column: str) -> bool:
    blob = row[column]
    return isinstance(blob, bytes) and hash_of(blob) == row["content_hash"]
