"""Reads and writes the rows of a block's document: deltas and the checkpoints that fold them."""

from __future__ import annotations

import hashlib
from datetime import datetime

from inspector.domain.actor import Actor
from inspector.domain.codec import Plain, moment_of, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation, Version
from inspector.domain.edits.block_rows import RestoreBlock
from inspector.domain.edits.redaction import Redacted, RedactVersions
from inspector.domain.errors import MalformedError
from inspector.domain.history import BlockVersion
from inspector.storage.changes import actor_of
from inspector.storage.connection import LAST_OF_ALL, Connection, Row
from inspector.storage.json_columns import dump, load, parse
from inspector.storage.sealing import seal_of
from inspector.storage.transaction import Transaction

_SINCE = """
    SELECT seq, blob, version_after, size, pending, content_hash FROM updates
    WHERE block_id = ? AND seq > ? ORDER BY seq
"""
_NEWEST_CHECKPOINT = """
    SELECT upto_seq, version, snapshot, content_hash FROM checkpoints
    WHERE block_id = ? ORDER BY upto_seq DESC LIMIT 1
"""
_INSERT = """
    INSERT INTO updates (block_id, seq, change_seq, peer, counter_from, counter_to, version_before,
                         version_after, operation, changeset, undo_of, content_hash, actor_kind, actor_id,
                         actor_name, reason, tool_call_id, process, at, size, blob, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_UNFOLDED = """
    SELECT count(*) AS deltas, coalesce(sum(size), 0) AS bytes FROM updates
    WHERE block_id = ?1 AND seq > (SELECT coalesce(max(upto_seq), 0) FROM checkpoints WHERE block_id = ?1)
"""
_COUNTS = "SELECT block_id, count(*) AS deltas FROM updates GROUP BY block_id"
_ADD_CHECKPOINT = """
    INSERT INTO checkpoints (block_id, upto_seq, version, content_hash, at, size, snapshot)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
# The last checkpoint before a fresh start holds what the document after it has not.
_DROP_OLDER = """
    DELETE FROM checkpoints WHERE block_id = ?1 AND upto_seq < ?2
    AND upto_seq NOT IN (
        SELECT seq - 1 FROM updates WHERE block_id = ?1 AND (operation = ?3 OR operation LIKE ?4)
    )
"""
_SET_ASIDE = """
    SELECT upto_seq, version, snapshot, content_hash FROM checkpoints
    WHERE block_id = ?1 AND upto_seq >= (SELECT min(seq) FROM updates WHERE block_id = ?1 AND version_after = ?2)
    ORDER BY upto_seq LIMIT 1
"""
_FOLD = "UPDATE updates SET blob = NULL WHERE block_id = ? AND seq <= ? AND at <= ? AND blob IS NOT NULL"
_CLEAR_PENDING = "UPDATE updates SET pending = 0 WHERE block_id = ? AND pending = 1"
_MARK_PENDING = "UPDATE updates SET pending = 1 WHERE block_id = ? AND seq = ?"
_HISTORY = """
    SELECT u.seq, u.change_seq, u.version_before, u.version_after, u.operation, u.actor_kind, u.actor_id,
           u.actor_name, u.reason, u.at, u.size, typeof(u.blob) = 'null' AS folded, u.tool_call_id, u.changeset,
           u.undo_of, u.pending, c.after
    FROM updates AS u LEFT JOIN changes AS c ON c.seq = u.change_seq
    WHERE u.block_id = ? AND u.seq < ? ORDER BY u.seq DESC LIMIT ?
"""
_CHANGE_OF = """
    SELECT min(change_seq) AS change_seq FROM updates WHERE block_id = ?1 AND version_after = ?2
"""
_VERSION_OF = "SELECT version_after FROM updates WHERE block_id = ? AND seq = ?"
_OPERATION_OF = """
    SELECT operation FROM updates WHERE block_id = ? AND version_after = ? ORDER BY seq LIMIT 1
"""
# In the order in which they came, each beginning with what the one before it ended with.
_OF_TURN = """
    SELECT u.version_before, u.version_after FROM updates AS u JOIN changes AS c ON c.seq = u.change_seq
    WHERE u.block_id = ? AND u.actor_id = ? AND u.actor_kind = ? AND c.batch_id = ? ORDER BY u.seq
"""
_HOLDS = """
    SELECT 1 FROM updates
    WHERE block_id = ? AND version_before = ? AND operation = ? AND actor_kind = ? AND actor_id = ? LIMIT 1
"""
_SCHEMA_CHANGES = """
    SELECT seq, before FROM changes
    WHERE ref_kind = 'block' AND ref_id = ? AND before LIKE '%"schema"%' ORDER BY seq
"""


FRESH_START = RestoreBlock()
"""The operation of the delta with which a document begins anew, while the one before it is set aside."""

_REDACTIONS = f'{{"op":"{RedactVersions.op}",%'
"""Matches the operations of deltas with which a document begins anew since versions were redacted."""

_REDACTED = f'{{"op":"{Redacted.op}",'


@dataclass(frozen=True, slots=True)
class Delta:
    """One stored delta; `blob` is None when a checkpoint holds it."""

    seq: int
    blob: bytes | None
    version: Version
    pending: bool
    content_hash: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A full snapshot of a document as of delta `upto_seq`."""

    upto_seq: int
    version: Version
    snapshot: bytes
    content_hash: str


@dataclass(frozen=True, slots=True)
class NewDelta:
    """A delta to store: the bytes, where they stand in the document's history, and whose they are."""

    block_id: str
    seq: int
    change_seq: int
    blob: bytes
    peer: str
    counter_from: int
    counter_to: int
    before: Version
    after: Version
    operation: Operation
    actor: Actor
    reason: str
    at: datetime
    tool_call_id: str | None = None
    undo_of: int | None = None


@dataclass(frozen=True, slots=True)
class UnfoldedDeltas:
    """What has been written since the last checkpoint."""

    deltas: int
    bytes: int


NOTHING_UNFOLDED = UnfoldedDeltas(0, 0)


def hash_of(blob: bytes) -> str:
    """What tells whether stored bytes have changed."""
    return hashlib.sha256(blob).hexdigest()


async def since(connection: Connection, block_id: str, seq: int) -> tuple[Delta, ...]:
    """A block's deltas after `seq`, in order."""
    return tuple(_delta(row) for row in await connection.fetch_all(_SINCE, (block_id, seq)))


async def newest_checkpoint(connection: Connection, block_id: str) -> Checkpoint | None:
    """The checkpoint to load from, None when there is none yet."""
    row = await connection.fetch_one(_NEWEST_CHECKPOINT, (block_id,))
    return None if row is None else _checkpoint(row)


async def set_aside(connection: Connection, block_id: str, version: Version) -> Checkpoint | None:
    """The first checkpoint that has a version, None when none does."""
    row = await connection.fetch_one(_SET_ASIDE, (block_id, version))
    return None if row is None else _checkpoint(row)


async def insert(transaction: Transaction, delta: NewDelta) -> None:
    """Insert one delta of a document."""
    actor = delta.actor
    size, at, changeset = len(delta.blob), write_time(delta.at), transaction.changeset
    place = (delta.peer, delta.counter_from, delta.counter_to, delta.before, delta.after)
    operation = dump(delta.operation)
    made = (hash_of(delta.blob), actor.kind.value, actor.id, actor.name, delta.reason, delta.tool_call_id)
    transaction.later(
        _INSERT,
        (
            *(delta.block_id, delta.seq, delta.change_seq, *place, operation, changeset, delta.undo_of),
            *(*made, await transaction.process_id(), at, size, delta.blob),
            seal_of(delta.change_seq, *place, operation, changeset, delta.undo_of, *made, at, size),
        ),
    )


async def unfolded(connection: Connection, block_id: str) -> UnfoldedDeltas:
    """What has been written since the last checkpoint."""
    row = await connection.fetch_one(_UNFOLDED, (block_id,))
    return NOTHING_UNFOLDED if row is None else UnfoldedDeltas(row["deltas"], row["bytes"])


async def counts(connection: Connection) -> dict[str, int]:
    """How many deltas each block has, folded ones included; those that have none are not there."""
    return {str(row["block_id"]): row["deltas"] for row in await connection.fetch_all(_COUNTS)}


async def fold(
    transaction: Transaction,
    block_id: str,
    checkpoint: Checkpoint,
    at: datetime,
    foldable: tuple[int, datetime],
) -> None:
    """Store a checkpoint in place of older ones, and empty the deltas that it makes superfluous.

    Those are at most numbered as the first of `foldable`, and not younger than the second. Their rows, with
    author, time and reason, always stay.
    """
    await add_checkpoint(transaction, block_id, checkpoint, at)
    starts = (dump(FRESH_START), _REDACTIONS)
    await transaction.execute(_DROP_OLDER, (block_id, checkpoint.upto_seq, *starts))
    seq, moment = foldable
    await transaction.execute(_FOLD, (block_id, min(seq, checkpoint.upto_seq), write_time(moment)))


async def add_checkpoint(
    transaction: Transaction, block_id: str, checkpoint: Checkpoint, at: datetime
) -> None:
    """Store a checkpoint beside those that are there."""
    snapshot = checkpoint.snapshot
    values = (checkpoint.upto_seq, checkpoint.version, checkpoint.content_hash, write_time(at), len(snapshot))
    await transaction.execute(_ADD_CHECKPOINT, (block_id, *values, snapshot))


async def operation_of(connection: Connection, block_id: str, version: Version) -> Operation | None:
    """The operation that a version's row names; None without such a row, or where it names none that can be read."""
    row = await connection.fetch_one(_OPERATION_OF, (block_id, version))
    return None if row is None else _operation(row["operation"])


async def version_of(connection: Connection, block_id: str, seq: int) -> Version | None:
    """The version that a block's delta of a number led to, None when there is no such delta."""
    row = await connection.fetch_one(_VERSION_OF, (block_id, seq))
    return None if row is None else Version(row["version_after"])


async def mark_pending(transaction: Transaction, block_id: str, seq: int) -> None:
    """Note that a delta's foundation is missing."""
    await transaction.execute(_MARK_PENDING, (block_id, seq))


async def clear_pending(transaction: Transaction, block_id: str) -> None:
    """Note that all foundations of a block's deltas are there."""
    await transaction.execute(_CLEAR_PENDING, (block_id,))


async def change_of(connection: Connection, block_id: str, version: Version) -> int | None:
    """The number of the change that led to a version, None when none did."""
    row = await connection.fetch_one(_CHANGE_OF, (block_id, version))
    return None if row is None else row["change_seq"]


async def after_turn(
    connection: Connection, block_id: str, base: Version, actor: Actor, batch_id: str
) -> Version:
    """What an actor's edits of one turn have made of a version, as far as nobody else wrote between them."""
    for row in await connection.fetch_all(_OF_TURN, (block_id, actor.id, actor.kind.value, batch_id)):
        if row["version_before"] == base:
            base = Version(row["version_after"])
    return base


async def holds(connection: Connection, edit: Edit, actor: Actor) -> bool:
    """Whether an actor's very edit, with its base, is among a block's deltas."""
    wanted = (edit.target.id, edit.base, dump(edit.operation), actor.kind.value, actor.id)
    return await connection.fetch_one(_HOLDS, wanted) is not None


async def schema_changes(connection: Connection, block_id: str) -> tuple[tuple[int, str], ...]:
    """The numbers of the changes of a block's schema in order, each with the schema before it as JSON text."""
    found: list[tuple[int, str]] = []
    for row in await connection.fetch_all(_SCHEMA_CHANGES, (block_id,)):
        before = _plain(row["before"])
        if isinstance(before, dict) and "schema" in before:
            found.append((row["seq"], dump(before["schema"])))
    return tuple(found)


async def history(
    connection: Connection, block_id: str, before: int | None = None, limit: int | None = None
) -> tuple[BlockVersion, ...]:
    """The versions of a block's content, oldest first, folded ones included.

    All of them, or the last `limit` of those numbered below `before`.
    """
    values = (block_id, LAST_OF_ALL if before is None else before, -1 if limit is None else limit)
    rows = await connection.fetch_all(_HISTORY, values)
    return tuple(_version(row) for row in reversed(rows))


def _checkpoint(row: Row) -> Checkpoint:
    return Checkpoint(row["upto_seq"], Version(row["version"]), row["snapshot"], row["content_hash"])


def _delta(row: Row) -> Delta:
    return Delta(
        row["seq"], row["blob"], Version(row["version_after"]), bool(row["pending"]), row["content_hash"]
    )


def _version(row: Row) -> BlockVersion:
    # Most rows are of versions that are there, and need not be decoded.
    operation = row["operation"]
    found = _operation(operation) if operation.startswith(_REDACTED) else None
    redacted = found if isinstance(found, Redacted) else None
    return BlockVersion(
        seq=row["seq"],
        change_seq=row["change_seq"],
        before=Version(row["version_before"]),
        version=Version(row["version_after"]),
        operation=operation,
        actor=actor_of(row),
        reason=row["reason"],
        at=moment_of(row["at"]),
        size=row["size"],
        folded=bool(row["folded"]),
        tool_call_id=row["tool_call_id"],
        changeset=row["changeset"],
        undo_of=row["undo_of"],
        length=None if redacted is not None else _length(row["after"]),
        pending=bool(row["pending"]),
        redacted=redacted,
    )


def _length(after: object) -> int | None:
    """The characters of a content, where its change tells them."""
    plain = _plain(after)
    length = plain.get("length") if isinstance(plain, dict) else None
    return length if isinstance(length, int) else None


def _operation(text: str) -> Operation | None:
    try:
        operation: Operation = load(Operation, text)
    except MalformedError:
        return None
    return operation


def _plain(column: object) -> Plain:
    """What a JSON column holds, None when that cannot be read."""
    try:
        return parse(column) if isinstance(column, str) else None
    except MalformedError:
        return None
