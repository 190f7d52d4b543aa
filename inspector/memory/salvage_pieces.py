"""Gathers what a salvage found of each block: its row, its content, its history and its checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inspector.domain.blocks import Block, BlockType, Permission, TextSchema, UnreadableSchema
from inspector.domain.codec import NO_TIME, from_plain, write_time
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.storage.blocks import cells_of, schema_of
from inspector.storage.json_columns import dump, load, parse
from inspector.storage.salvage_pages import Value
from inspector.storage.salvage_rows import FoundRows
from inspector.storage.sealing import SEALS
from inspector.storage.updates import hash_of

Row = dict[str, Value]


@dataclass(frozen=True)
class DocumentPath:
    """One way to a document: a checkpoint (None: from the beginning) and the unbroken run of deltas after it.

    `complete_to` is the number of the last change that is in it.
    """

    checkpoint: Row | None
    blobs: tuple[bytes, ...]
    complete_to: int

    @property
    def upto(self) -> int:
        return 0 if self.checkpoint is None else number(self.checkpoint["upto_seq"])

    @property
    def snapshot(self) -> bytes | None:
        snapshot = None if self.checkpoint is None else self.checkpoint["snapshot"]
        assert snapshot is None or isinstance(snapshot, bytes)
        return snapshot


@dataclass(frozen=True)
class BlockPieces:
    """All rows of one block that could be read; `row` is made up where the block's own is lost."""

    row: Row
    content: Row | None
    updates: tuple[Row, ...]
    checkpoints: tuple[Row, ...]
    named_by_journal: bool = False
    is_guessed: bool = False

    @property
    def id(self) -> str:
        return text(self.row["id"])

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the entries of the history that came back."""
        return tuple(number(row["seq"]) for row in self.updates)

    @property
    def last(self) -> int:
        """The number of the last change that the history or a checkpoint names."""
        return max((*self.numbers, *(number(row["upto_seq"]) for row in self.checkpoints)), default=0)

    @property
    def revision(self) -> int:
        """The number of the last change as the content has it."""
        return 0 if self.content is None else number(self.content["revision"])

    def writer(self) -> Row | None:
        """Who wrote the content as its own row says, None where that is lost or damaged."""
        seal, content = SEALS["block_contents"], self.content
        if content is None or seal.damaged(text(content["seal"]), content):
            return None
        return {name: content[name] for name in seal.cells}

    def path(self) -> DocumentPath:
        """The way to the document that leads farthest; of those that do so the one from the newest checkpoint."""
        whole = [each for each in self.checkpoints if _is_whole(each, "snapshot")]
        newest_first = sorted(whole, key=lambda each: -number(each["upto_seq"]))
        return max(map(self._path_from, (*newest_first, None)), key=lambda each: each.complete_to)

    def set_aside(self, checkpoint: Row | None) -> tuple[Row, ...]:
        """The older snapshots, with versions of before the document began anew; none where numbers are not right."""
        if checkpoint is None or self.numbers != tuple(range(1, len(self.numbers) + 1)):
            return ()
        upto = number(checkpoint["upto_seq"])
        older = [each for each in self.checkpoints if number(each["upto_seq"]) < upto]
        return tuple(each for each in older if _is_whole(each, "snapshot"))

    def stored_content(self) -> Content | None:
        """The content as it was stored beside the document, None when that cannot be read."""
        if self.content is None:
            return None
        try:
            content: Content = load(Content, text(self.content["content"]))
        except MalformedError:
            return None
        return content

    def history(self, upto: int) -> list[Row]:
        """The entries of the history up to a number, counted anew where some are lost.

        Damaged bytes are left out, as they are only of use where a checkpoint holds them as well.
        """
        rows = (row for row in self.updates if number(row["seq"]) <= upto)
        return [
            {**row, "seq": seq, "blob": row["blob"] if _is_whole(row, "blob") else None}
            for seq, row in enumerate(rows, 1)
        ]

    def _path_from(self, checkpoint: Row | None) -> DocumentPath:
        upto = 0 if checkpoint is None else number(checkpoint["upto_seq"])
        blobs: list[bytes] = []
        for row in self.updates:
            blob, seq = row["blob"], number(row["seq"])
            if seq <= upto:
                continue
            if seq != upto + len(blobs) + 1 or not isinstance(blob, bytes) or not _is_whole(row, "blob"):
                break
            blobs.append(blob)
        return DocumentPath(checkpoint, tuple(blobs), upto + len(blobs))


def pieces_of(found: FoundRows) -> Iterator[BlockPieces]:
    """The pieces of every block that any row knows of; those whose own row is lost come last."""
    rows = {text(row["id"]): row for row in found.of("blocks")}
    contents = {text(row["block_id"]): row for row in found.of("block_contents")}
    updates = _by_block(found.of("updates"))
    checkpoints = _by_block(found.of("checkpoints"))
    journal = _journal(found.of("changes"))
    for block_id in dict.fromkeys((*rows, *contents, *updates, *checkpoints, *journal)):
        described = _described(block_id, journal.get(block_id, {}))
        row = rows.get(block_id)
        if row is not None and described is not None:
            row = _with_schema(row, described)
        deltas = tuple(sorted(updates.get(block_id, ()), key=lambda each: number(each["seq"])))
        yield BlockPieces(
            row or _row_of(described or _guessed(block_id)),
            contents.get(block_id),
            deltas,
            tuple(_placed(each, deltas) for each in checkpoints.get(block_id, ())),
            named_by_journal=row is None and described is not None,
            is_guessed=row is None and described is None,
        )


def _placed(checkpoint: Row, deltas: Iterable[Row]) -> Row:
    """A checkpoint with the number of the change that led to its version, where that change is there."""
    led = [row["seq"] for row in deltas if row["version_after"] == checkpoint["version"]]
    return {**checkpoint, "upto_seq": led[0]} if len(led) == 1 else checkpoint


def with_cell(row: Row, name: str, cell: Value) -> Row:
    """A block's row with another cell; damage to the rest of it comes along and stays to be told."""
    return {**row, name: cell, "seal": SEALS["blocks"].renewed(text(row["seal"]), {name: cell})}


def text(value: Value) -> str:
    """A cell of a TEXT column."""
    return value if isinstance(value, str) else ""


def number(value: Value) -> int:
    """A cell of an INTEGER column."""
    return value if isinstance(value, int) else 0


def _row_of(block: Block) -> Row:
    cells = cells_of(block)
    seal = SEALS["blocks"].of(cells)
    return {"id": block.id, **cells, "updated_at": write_time(block.updated_at), "seal": seal}


def _with_schema(row: Row, described: Block) -> Row:
    """A block's row; its schema is the one that the journal has where its own cannot be read."""
    if not isinstance(schema_of(text(row["schema"])), UnreadableSchema):
        return row
    return with_cell(row, "schema", dump(described.schema))


def _described(block_id: str, journal: Mapping[str, Any]) -> Block | None:
    """The block that the journal describes: how it was made, and what was set since."""
    values = {"id": block_id, **journal}
    try:
        block: Block = from_plain(
            Block, {name: values[name] for name in Block.__dataclass_fields__ if name in values}
        )
    except (MalformedError, TypeError, ValueError):
        return None
    return block


def _guessed(block_id: str) -> Block:
    return Block(
        id=block_id,
        owner="_constellation_",
        label=f"salvaged {block_id}",
        description="",
        block_type=BlockType.ARCHIVAL,
        schema=TextSchema(),
        char_limit=0,
        permission=Permission.READ_ONLY,
        pinned=False,
        is_active=True,
        created_at=NO_TIME,
        updated_at=NO_TIME,
        metadata="{}",
    )


def _journal(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda each: number(each["seq"])):
        block_id = text(row["ref_id"])
        if row["ref_kind"] == "block" and (row["kind"] == "create_block" or block_id in found):
            found.setdefault(block_id, {}).update(_object(text(row["after"])))
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
