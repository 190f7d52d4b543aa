"""Compares cells that repeat what another row says, for check and salvage."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from inspector.domain.actor import ActorKind
from inspector.domain.codec import read_time, write_time
from inspector.domain.edits.block_rows import CreateBlock, RestoreBlock
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.storage.json_columns import parse

AnyRow = Mapping[str, Any] | sqlite3.Row
WRITER = ("actor_kind", "actor_id", "actor_name", "reason", "tool_call_id")
"""Columns that say who wrote; the time stands beside them."""

_ACTOR = ("actor_kind", "actor_id", "actor_name")
_MAKING = frozenset({CreateBlock.op, RestoreBlock.op})
_LINKS = """
    SELECT u.block_id, b.label, u.seq, u.change_seq, u.undo_of, u.version_after, u.at,
           u.actor_kind, u.actor_id, u.actor_name,
           c.ref_kind, c.ref_id, c.undo_of AS change_undo_of, c.at AS change_at, c.after,
           c.actor_kind AS change_actor_kind, c.actor_id AS change_actor_id, c.actor_name AS change_actor_name
    FROM updates AS u JOIN blocks AS b ON b.id = u.block_id JOIN changes AS c ON c.seq = u.change_seq
    ORDER BY u.block_id, u.seq
"""
_UPDATE = """
    SELECT change_seq, version_after, operation, at, actor_kind, actor_id, actor_name, reason, tool_call_id
    FROM updates WHERE block_id = ? AND seq = ?
"""
# A change of schema may leave a document as it is.
_CHANGES = """
    SELECT at, actor_kind, actor_id, actor_name, reason, tool_call_id
    FROM changes WHERE ref_kind = 'block' AND ref_id = ? AND seq >= ?
"""


def is_change_of(update: AnyRow, change: AnyRow) -> bool:
    """Whether a row of the journal is the one of a block's stored change."""
    if change["ref_kind"] != RefKind.BLOCK or change["ref_id"] != update["block_id"]:
        return False
    if change["at"] != update["at"] or any(change[name] != update[name] for name in _ACTOR):
        return False
    after = _object(change["after"])
    return "version" not in after or bool(after["version"] == update["version_after"])


def says_who_wrote(content: AnyRow, last: AnyRow, changes: Iterable[AnyRow]) -> bool:
    """Whether a content's row names the writer of its last stored change, or of one in the journal from then on.

    What an import, a salvage or a fresh start made itself keeps whoever wrote it before.
    """
    return _is_made_over(last) or any(_is_by(content, each) for each in (last, *changes))


def link_problems(
    connection: sqlite3.Connection, damaged: Collection[tuple[str, tuple[str, ...]]]
) -> Iterator[Problem]:
    """Stored changes whose row in the journal is another's. Of `damaged` rows, by table and key, that is told."""
    for row in connection.execute(_LINKS):
        update, change = (
            ("updates", (row["block_id"], str(row["seq"]))),
            ("changes", (str(row["change_seq"]),)),
        )
        if update in damaged or change in damaged:
            continue
        named = {name: row[f"change_{name}"] for name in (*_ACTOR, "at")}
        named |= {name: row[name] for name in ("ref_kind", "ref_id", "after")}
        parameters = {"label": row["label"], "seq": row["seq"], "change": row["change_seq"]}
        where = str(Ref(RefKind.BLOCK, row["block_id"]))
        if not is_change_of(row, named):
            yield Problem("check.change_differs", Severity.ERROR, where, parameters)
        elif row["undo_of"] != row["change_undo_of"]:
            yield Problem("check.undo_differs", Severity.ERROR, where, parameters)


def is_by_another(connection: sqlite3.Connection, content: AnyRow) -> bool:
    """Whether a content names another writer than its stored changes and the journal do."""
    last = connection.execute(_UPDATE, (content["block_id"], content["revision"])).fetchone()
    if last is None:
        return False
    changes = connection.execute(_CHANGES, (content["block_id"], last["change_seq"])).fetchall()
    return not says_who_wrote(content, last, changes)


def _is_made_over(update: AnyRow) -> bool:
    kind = update["actor_kind"]
    if kind in (ActorKind.IMPORT, ActorKind.SYSTEM):
        return _object(update["operation"]).get("op") in _MAKING
    return False


def _is_by(content: AnyRow, made: AnyRow) -> bool:
    at = content["written_at"]
    return all(content[name] == made[name] for name in WRITER) and (
        at == made["at"] or at == _again(made["at"])
    )


def _again(stored: Any) -> Any:
    try:
        return write_time(read_time(stored))
    except ValueError:
        return stored


def _object(stored: Any) -> dict[str, Any]:
    try:
        plain = parse(stored) if isinstance(stored, str) else None
    except MalformedError:
        return {}
    return plain if isinstance(plain, dict) else {}
