"""The receipt of a change that was made elsewhere, read from what it left."""

from __future__ import annotations

from inspector.domain.consent import ConsentRequest
from inspector.domain.edits.base import Receipt, Version
from inspector.domain.errors import MalformedError
from inspector.storage.changes import change_of
from inspector.storage.connection import Connection

_CHANGE = """
    SELECT c.seq, c.kind, c.ref_kind, c.ref_id, c.ref_part, c.owner, c.actor_kind, c.actor_id, c.actor_name,
           c.reason, c.at, c.changeset, c.process, u.version_after
    FROM changes AS c LEFT JOIN updates AS u ON u.change_seq = c.seq WHERE c.seq = ?
"""


async def receipt_of(connection: Connection, request: ConsentRequest) -> Receipt:
    """What the agent gets whose edit was allowed.

    Raises:
        MalformedError: ``malformed.value``, when the journal does not have the change or who asked.
    """
    if request.asked_by is None:
        raise MalformedError(
            "malformed.value", where=f"consent:{request.id}", why="nobody is known to have asked"
        )
    if request.change is None:
        at = request.answered_at or request.created_at
        return Receipt(
            request.edit.target, None, request.edit.base, changed=False, actor=request.asked_by, at=at
        )
    return await receipt_of_change(connection, request.change)


async def receipt_of_change(connection: Connection, seq: int) -> Receipt:
    """The receipt of one change.

    Raises:
        MalformedError: ``malformed.value``, when the journal does not have it.
    """
    row = await connection.fetch_one(_CHANGE, (seq,))
    if row is None:
        raise MalformedError("malformed.value", where=f"change:{seq}", why="not in the journal")
    change = change_of(row, None)
    version = None if row["version_after"] is None else Version(row["version_after"])
    return Receipt(change.ref, change.seq, version, changed=True, actor=change.actor, at=change.at)
