"""Rows of the journal: what every process writes with its changes, and all read."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.changes import Change
from inspector.domain.codec import read_time
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Connection, Row

AFTER = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
           changeset, process
    FROM changes WHERE seq > ? ORDER BY seq
"""
_OF_REF = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
           changeset, process, batch_id, tool_call_id, undo_of, before, after
    FROM changes WHERE ref_kind = ? AND ref_id = ? ORDER BY seq
"""
_OF_CHANGESET = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
           changeset, process, batch_id, tool_call_id, undo_of, before, after
    FROM changes WHERE changeset = ? ORDER BY seq
"""
_LAST = "SELECT coalesce(max(seq), 0) FROM changes"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change with what only its undo and time travel need; `before` and `after` are JSON texts."""

    change: Change
    batch_id: str | None
    tool_call_id: str | None
    undo_of: int | None
    before: str | None
    after: str | None


def change_of(row: Row, own_process: int | None) -> Change:
    """The change that a row tells.

    A kind of thing that this version does not know is told as a change of the whole file.
    """
    return Change(
        seq=row["seq"],
        kind=row["kind"],
        ref=_ref_of(row),
        actor=actor_of(row),
        reason=row["reason"],
        at=read_time(row["at"]),
        own=own_process is not None and row["process"] == own_process,
        owner=row["owner"],
        changeset=row["changeset"],
    )


def actor_of(row: Row) -> Actor:
    """The identity in the columns ``actor_kind``, ``actor_id`` and ``actor_name``."""
    try:
        kind = ActorKind(row["actor_kind"])
    except ValueError:
        kind = ActorKind.SYSTEM
    return Actor(kind, row["actor_id"], row["actor_name"])


async def last_seq(connection: Connection) -> int:
    """The number of the last change, 0 when there is none."""
    row = await connection.fetch_one(_LAST)
    return 0 if row is None else int(row[0])


async def of_ref(connection: Connection, ref: Ref) -> tuple[ChangeRow, ...]:
    """All changes of one thing, oldest first."""
    rows = await connection.fetch_all(_OF_REF, (ref.kind.value, ref.id))
    return tuple(_full(row) for row in rows)


async def of_changeset(connection: Connection, changeset: str) -> tuple[ChangeRow, ...]:
    """All changes of one changeset, oldest first."""
    return tuple(_full(row) for row in await connection.fetch_all(_OF_CHANGESET, (changeset,)))


def _full(row: Row) -> ChangeRow:
    return ChangeRow(
        change_of(row, None),
        row["batch_id"],
        row["tool_call_id"],
        row["undo_of"],
        row["before"],
        row["after"],
    )


def _ref_of(row: Row) -> Ref:
    try:
        return Ref(RefKind(row["ref_kind"]), row["ref_id"], row["ref_part"])
    except ValueError:
        return Ref(RefKind.FILE, row["ref_id"], row["ref_part"])
