"""Reads and writes rows of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.changes import Change, ChangeRole
from inspector.domain.codec import moment_of
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.edits.history import TakeBack
from inspector.domain.history import VersionSpan
from inspector.domain.ref import Ref, RefKind
from inspector.storage.connection import Connection, Row

_OF_REF = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
           changeset, process, batch_id, tool_call_id, undo_of, before, after
    FROM changes WHERE ref_kind = ? AND ref_id = ? ORDER BY seq
"""
_LAST = "SELECT coalesce(max(seq), 0) FROM changes"
_ONE = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, owner, actor_kind, actor_id, actor_name, reason, at,
           changeset, process, batch_id, tool_call_id, undo_of, before, after
    FROM changes WHERE seq = ?
"""
# What a taking back names is a change as it was first made; what a redoing names is a taking back. So `parent` and
# `first` are all that there is above a row. A changeset's rows are always asked for: what they belong to may have
# been changed by another row of theirs.
_OF_ACTOR = """
    SELECT c.seq, c.kind, c.ref_kind, c.ref_id, c.ref_part, c.owner, c.actor_kind, c.actor_id, c.actor_name,
           c.reason, c.at, c.changeset, c.process, c.undo_of, parent.undo_of AS undone,
           coalesce(first.seq, c.seq) AS first, coalesce(first.changeset, c.changeset) AS first_changeset
    FROM changes AS c
    LEFT JOIN changes AS parent ON parent.seq = c.undo_of
    LEFT JOIN changes AS first ON first.seq = coalesce(parent.undo_of, c.undo_of)
    WHERE c.actor_id = ?1 AND c.actor_kind = ?2 AND c.seq < ?3
      AND (?4 IS NULL OR (c.ref_id = ?5 AND c.ref_kind IN (?4, ?6))
           OR c.changeset IS NOT NULL OR first.changeset IS NOT NULL)
    ORDER BY c.seq DESC LIMIT ?7
"""
# Without those that were undone before the changeset went on.
_ACTORS_CHANGESET = """
    SELECT c.seq, c.kind, c.ref_kind, c.ref_id, c.ref_part, c.owner, c.actor_kind, c.actor_id, c.actor_name,
           c.reason, c.at, c.changeset, c.process, c.undo_of, parent.undo_of AS undone,
           coalesce(first.seq, c.seq) AS first, coalesce(first.changeset, c.changeset) AS first_changeset
    FROM changes AS c
    LEFT JOIN changes AS parent ON parent.seq = c.undo_of
    LEFT JOIN changes AS first ON first.seq = coalesce(parent.undo_of, c.undo_of)
    WHERE c.changeset = ? AND c.actor_id = ? AND c.actor_kind = ?
      AND (c.undo_of IS NOT NULL OR NOT EXISTS (
          SELECT 1 FROM changes AS back WHERE back.undo_of = c.seq
          AND NOT EXISTS (SELECT 1 FROM changes AS again WHERE again.undo_of = back.seq)))
    ORDER BY c.seq
"""
_BY_OTHERS = """
    SELECT 1 FROM changes WHERE ref_kind = ? AND ref_id = ? AND seq > ? AND (actor_id <> ? OR actor_kind <> ?)
    LIMIT 1
"""
_VERSIONS = """
    SELECT version_before, version_after,
           CASE WHEN undo_of IS NOT NULL AND json_extract(operation, '$.op') = ?2
                THEN json_extract(operation, '$.after') END AS inverts
    FROM updates WHERE block_id = ?1 AND seq >= ?3 AND seq < ?4 ORDER BY seq
"""
# From the newest, for that is where what is taken back mostly lies.
_SEQ_OF = """
    SELECT seq FROM updates WHERE block_id = ? AND version_after = ? AND seq < ? ORDER BY seq DESC LIMIT 1
"""
_BOUNDS_SINCE = """
    SELECT 1 FROM changes
    WHERE ref_kind = 'block' AND ref_id = ? AND seq > ? AND kind IN ('set_char_limit', 'set_schema') LIMIT 1
"""
_LIMIT_SINCE = """
    SELECT 1 FROM changes
    WHERE ref_kind = 'block' AND ref_id = ? AND seq > ? AND kind = 'set_char_limit' LIMIT 1
"""
# What names a taking back makes that again; any other is taken back as it was made last.
_TURNED = """
    SELECT CASE WHEN named.undo_of IS NOT NULL THEN named.seq ELSE coalesce((
        SELECT max(again.seq) FROM changes AS back JOIN changes AS again ON again.undo_of = back.seq
        WHERE back.undo_of = named.seq
    ), named.seq) END AS seq
    FROM changes AS named WHERE named.seq = ?
"""
_NO_SEQ = 2**63 - 1
"""Beyond the last one."""

_OPERATION = "SELECT operation FROM updates WHERE change_seq = ?"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change with what only its undo and time travel need; `before` and `after` are JSON texts."""

    change: Change
    batch_id: str | None
    tool_call_id: str | None
    undo_of: int | None
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class StepRow:
    """A change as part of a step. `first` is the number of the change that it takes back or makes again.

    `step` is the same for all changes of one step, whatever their role; `group` for those made together.
    """

    change: Change
    role: ChangeRole
    first: int
    step: str
    group: str


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
        at=moment_of(row["at"]),
        own=own_process is not None and row["process"] == own_process,
        owner=row["owner"],
        changeset=row["changeset"],
    )


def actor_of(row: Row | Mapping[str, Any]) -> Actor:
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


async def get(connection: Connection, seq: int) -> ChangeRow | None:
    """Read one change by its number."""
    row = await connection.fetch_one(_ONE, (seq,))
    return None if row is None else _full(row)


async def of_actor(
    connection: Connection, actor: Actor, ref: Ref | None, before: int, limit: int
) -> tuple[StepRow, ...]:
    """An actor's changes numbered below `before`, newest first.

    With `ref`, only those of that thing (a block's sharing is of the block), and those of any changeset.
    """
    kind, thing, other = (None, None, None) if ref is None else (ref.kind.value, ref.id, ref.kind.value)
    if kind == RefKind.BLOCK:
        other = RefKind.ATTACHMENT.value
    values = (actor.id, actor.kind.value, before, kind, thing, other, limit)
    return tuple(_step_row(row) for row in await connection.fetch_all(_OF_ACTOR, values))


async def of_actors_changeset(connection: Connection, actor: Actor, changeset: str) -> tuple[StepRow, ...]:
    """An actor's changes of one changeset, oldest first."""
    rows = await connection.fetch_all(_ACTORS_CHANGESET, (changeset, actor.id, actor.kind.value))
    return tuple(_step_row(row) for row in rows)


async def changed_by_others(connection: Connection, ref: Ref, actor: Actor, since: int) -> bool:
    """Whether anybody but the actor has changed a thing after change `since`."""
    values = (ref.kind.value, ref.id, since, actor.id, actor.kind.value)
    return await connection.fetch_one(_BY_OTHERS, values) is not None


async def content_operation(connection: Connection, seq: int) -> str | None:
    """The operation of a change of a block's content, as JSON text; None for any other change."""
    row = await connection.fetch_one(_OPERATION, (seq,))
    return None if row is None else str(row["operation"])


async def spans_to_take_back(
    connection: Connection, block_id: str, version: Version
) -> tuple[VersionSpan, ...]:
    """Of a content's changes, what it takes to take back the one that ended at a version, oldest first.

    These are that change, all that were taken back or made again since then, and what took them back.
    """
    found: list[VersionSpan] = []
    end, first = _NO_SEQ, await _seq_of(connection, block_id, version, _NO_SEQ)
    while first is not None:
        # What reaches further back brings in more that may reach further still.
        spans = await _spans(connection, block_id, first, end)
        found, end = [*spans, *found], first
        existing = {span.after for span in found}
        earlier = {span.inverts for span in spans if span.inverts is not None} - existing
        places = [await _seq_of(connection, block_id, each, end) for each in earlier]
        first = min((place for place in places if place is not None), default=None)
    turned = {version, *(span.inverts for span in found)}
    return tuple(span for span in found if span.inverts is not None or span.after in turned)


async def _seq_of(connection: Connection, block_id: str, version: Version, before: int) -> int | None:
    row = await connection.fetch_one(_SEQ_OF, (block_id, version, before))
    return None if row is None else int(row["seq"])


async def _spans(connection: Connection, block_id: str, first: int, end: int) -> list[VersionSpan]:
    rows = await connection.fetch_all(_VERSIONS, (block_id, TakeBack.op, first, end))
    return [
        VersionSpan(Version(row["version_before"]), Version(row["version_after"]), row["inverts"])
        for row in rows
    ]


def _step_row(row: Row) -> StepRow:
    change = change_of(row, None)
    first_changeset = row["first_changeset"]
    return StepRow(
        change,
        role_of(row),
        row["first"],
        f"#{row['first']}" if first_changeset is None else first_changeset,
        f"#{change.seq}" if change.changeset is None else change.changeset,
    )


def role_of(row: Row) -> ChangeRole:
    """What a change is in its step, by the columns ``undo_of`` and ``undone``, its parent's."""
    if row["undo_of"] is None:
        return ChangeRole.DONE
    return ChangeRole.UNDONE if row["undone"] is None else ChangeRole.REDONE


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


async def bounds_changed_since(connection: Connection, block_id: str, seq: int) -> bool:
    """Whether a change after one has set anew what a block may hold."""
    return await connection.fetch_one(_BOUNDS_SINCE, (block_id, seq)) is not None


async def limit_changed_since(connection: Connection, block_id: str, seq: int) -> bool:
    """Whether a change after one has set a block's character limit anew."""
    return await connection.fetch_one(_LIMIT_SINCE, (block_id, seq)) is not None


async def turned(connection: Connection, undo_of: int) -> int:
    """The number of the change whose outcome goes when an undo or a redo names one as what it is of."""
    row = await connection.fetch_one(_TURNED, (undo_of,))
    return undo_of if row is None else int(row["seq"])
