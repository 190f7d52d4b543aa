"""Reads and writes rows of consent requests and grants.

Who asked, in which batch and until when stands in the journal, in the change that stored the request; what
became of it in the change that answered it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.codec import Plain, read_time, write_time
from inspector.domain.consent import ConsentGrant, ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit
from inspector.domain.errors import Problem
from inspector.domain.ref import RefKind
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load, parse
from inspector.storage.reading import read_rows

_SELECT = """
    SELECT r.id, r.agent_id, r.edit, r.level, r.reason, r.state, r.created_at, r.answered_at, r.answered_by,
           r.tool_call_id, asked.actor_kind AS asked_kind, asked.actor_id AS asked_id,
           asked.actor_name AS asked_name, asked.batch_id, asked.after AS asked_with,
           said.actor_kind AS said_kind, said.actor_id AS said_id, said.actor_name AS said_name,
           said.after AS said_what
    FROM consent_requests AS r
    LEFT JOIN changes AS asked
        ON asked.ref_kind = 'consent' AND asked.ref_id = r.id AND asked.kind = 'request_consent'
    LEFT JOIN changes AS said
        ON said.ref_kind = 'consent' AND said.ref_id = r.id AND said.kind = 'answer_consent'
"""
_BY_ID = _SELECT + "WHERE r.id = ?"
# In the order of the journal; times may be those of a clock that was set back.
_BY_STATE = _SELECT + "WHERE r.state = ? ORDER BY asked.seq IS NULL, asked.seq, r.rowid"
_ALL = _SELECT + "ORDER BY asked.seq IS NULL, asked.seq, r.rowid"
_INSERT = """
    INSERT INTO consent_requests (id, agent_id, edit, level, reason, state, created_at, answered_at, answered_by,
                                  tool_call_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CLOSE = """
    UPDATE consent_requests SET state = ?, answered_at = ?, answered_by = ? WHERE id = ? AND state = 'pending'
    RETURNING id
"""
_GRANTS = """
    SELECT id, request_id, agent_id, block_id, uses, granted_by, granted_at, expires_at, revoked_at
    FROM consent_grants
"""
_GRANT = _GRANTS + "WHERE id = ?"
_ALL_GRANTS = _GRANTS + "ORDER BY rowid"
# One that is not used up comes first, so that none is spent in vain.
_COVERING = (
    _GRANTS
    + """
    WHERE agent_id = ? AND (block_id IS NULL OR block_id = ?) AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > ?) AND (uses IS NULL OR uses > 0)
        AND (? IS NULL OR granted_by = ?)
    ORDER BY uses IS NOT NULL, rowid LIMIT 1
"""
)
_INSERT_GRANT = """
    INSERT INTO consent_grants (id, request_id, agent_id, block_id, uses, granted_by, granted_at, expires_at,
                                revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REVOKE = "UPDATE consent_grants SET revoked_at = ? WHERE id = ?"
_SPEND = "UPDATE consent_grants SET uses = uses - 1 WHERE id = ? AND uses IS NOT NULL"


async def read_all(
    connection: Connection, state: ConsentState | None = None
) -> tuple[tuple[ConsentRequest, ...], tuple[Problem, ...]]:
    """Requests stored in a state, or all, oldest first; and a problem for each that cannot be read."""
    if state is None:
        rows = await connection.fetch_all(_ALL)
    else:
        rows = await connection.fetch_all(_BY_STATE, (state.value,))
    return read_rows(rows, _request, RefKind.CONSENT)


async def get(connection: Connection, request_id: str) -> ConsentRequest | None:
    """Read one consent request by its id.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await connection.fetch_one(_BY_ID, (request_id,))
    return None if row is None else _request(row)


async def insert(transaction: Connection, request: ConsentRequest) -> None:
    """Insert the row of a consent request."""
    answered_at = request.answered_at
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
            None if answered_at is None else write_time(answered_at),
            request.answered_by,
            request.tool_call_id,
        ),
    )


async def close(
    transaction: Connection, request_id: str, state: ConsentState, at: datetime, by: str | None
) -> bool:
    """Give a pending request its answer; False when it had one already."""
    rows = await transaction.fetch_all(_CLOSE, (state.value, write_time(at), by, request_id))
    return bool(rows)


async def grants(connection: Connection) -> tuple[tuple[ConsentGrant, ...], tuple[Problem, ...]]:
    """All that was granted, oldest first, what is over included; and what cannot be read."""
    return read_rows(await connection.fetch_all(_ALL_GRANTS), _grant, RefKind.GRANT)


async def grant(connection: Connection, grant_id: str) -> ConsentGrant | None:
    """Read one grant by its id.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await connection.fetch_one(_GRANT, (grant_id,))
    return None if row is None else _grant(row)


async def covering(
    connection: Connection, agent_id: str, block_id: str, now: datetime, *, by: str | None
) -> ConsentGrant | None:
    """A grant in force that lets an agent write a block; with `by`, only one of that person's."""
    row = await connection.fetch_one(_COVERING, (agent_id, block_id, write_time(now), by, by))
    return None if row is None else _grant(row)


async def insert_grant(transaction: Connection, given: ConsentGrant) -> None:
    """Insert the row of a grant."""
    await transaction.fetch_all(
        _INSERT_GRANT,
        (
            *(given.id, given.request_id, given.agent_id, given.block_id, given.uses, given.granted_by),
            write_time(given.granted_at),
            None if given.expires_at is None else write_time(given.expires_at),
            None if given.revoked_at is None else write_time(given.revoked_at),
        ),
    )


async def revoke(transaction: Connection, grant_id: str, at: datetime) -> None:
    """End a grant from this moment on."""
    await transaction.fetch_all(_REVOKE, (write_time(at), grant_id))


async def spend(transaction: Connection, grant_id: str) -> None:
    """Count one use of a grant whose uses are counted."""
    await transaction.fetch_all(_SPEND, (grant_id,))


def _request(row: Row) -> ConsentRequest:
    asked_with, said_what = _plain(row["asked_with"]), _plain(row["said_what"])
    change = said_what.get("change")
    return ConsentRequest(
        id=row["id"],
        agent_id=row["agent_id"],
        edit=load(Edit, row["edit"]),
        level=Permission.parse(row["level"]),
        reason=row["reason"],
        state=ConsentState(row["state"]),
        created_at=read_time(row["created_at"]),
        answered_at=_moment(row["answered_at"]),
        answered_by=row["answered_by"],
        expires_at=_moment(asked_with.get("expires_at")),
        tool_call_id=row["tool_call_id"],
        batch_id=row["batch_id"],
        asked_by=_actor(row, "asked"),
        answerer=_actor(row, "said"),
        change=change if isinstance(change, int) else None,
        words=_text(said_what.get("words")),
        is_edited=said_what.get("edited") is True,
    )


def _grant(row: Row) -> ConsentGrant:
    return ConsentGrant(
        id=row["id"],
        agent_id=row["agent_id"],
        block_id=row["block_id"],
        granted_by=row["granted_by"],
        granted_at=read_time(row["granted_at"]),
        expires_at=_moment(row["expires_at"]),
        revoked_at=_moment(row["revoked_at"]),
        uses=row["uses"],
        request_id=row["request_id"],
    )


def _plain(text: str | None) -> Mapping[str, Plain]:
    plain = None if text is None else parse(text)
    return plain if isinstance(plain, dict) else {}


def _text(value: Plain) -> str:
    return value if isinstance(value, str) else ""


def _actor(row: Row, role: str) -> Actor | None:
    kind = row[f"{role}_kind"]
    return None if kind is None else Actor(ActorKind(kind), row[f"{role}_id"], row[f"{role}_name"])


def _moment(text: str | None) -> datetime | None:
    return None if text is None else read_time(text)
