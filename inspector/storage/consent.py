"""Rows of edits that wait for a person."""

from __future__ import annotations

from inspector.domain.blocks import Permission
from inspector.domain.codec import read_time, write_time
from inspector.domain.consent import ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit
from inspector.domain.health import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load
from inspector.storage.reading import read_rows

_SELECT = """
    SELECT id, agent_id, edit, level, reason, state, created_at, answered_at, answered_by
    FROM consent_requests
"""
_BY_STATE = _SELECT + "WHERE state = ? ORDER BY created_at, id"
_ALL = _SELECT + "ORDER BY created_at, id"
_INSERT = """
    INSERT INTO consent_requests (id, agent_id, edit, level, reason, state, created_at, tool_call_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""


async def read_all(
    connection: Connection, state: ConsentState | None = None
) -> tuple[tuple[ConsentRequest, ...], tuple[Problem, ...]]:
    """Requests in a state, or all, oldest first; and a problem for each that cannot be read."""
    if state is None:
        rows = await connection.fetch_all(_ALL)
    else:
        rows = await connection.fetch_all(_BY_STATE, (state.value,))
    return read_rows(rows, _request, RefKind.CONSENT)


async def insert(transaction: Connection, request: ConsentRequest, tool_call_id: str | None) -> None:
    """Add a request."""
    await transaction.fetch_all(
        _INSERT,
        (
            request.id,
            request.agent_id,
            dump(request.edit),
            request.level.label,
            request.reason,
            request.state.value,
            write_time(request.created_at),
            tool_call_id,
        ),
    )


def _request(row: Row) -> ConsentRequest:
    answered_at = row["answered_at"]
    return ConsentRequest(
        id=row["id"],
        agent_id=row["agent_id"],
        edit=load(Edit, row["edit"]),
        level=Permission.parse(row["level"]),
        reason=row["reason"],
        state=ConsentState(row["state"]),
        created_at=read_time(row["created_at"]),
        answered_at=None if answered_at is None else read_time(answered_at),
        answered_by=row["answered_by"],
    )
