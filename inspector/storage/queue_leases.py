"""Reads which queued messages and wakeups of agents are due, and writes leases of messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from inspector.domain.codec import write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.queueing import HEARTBEAT_ORIGIN, WAKEUP_ORIGIN
from inspector.domain.records import QueueState
from inspector.domain.turns import TurnHolder
from inspector.storage.connection import Connection
from inspector.storage.turn_leases import LONGEST_LEASE

# A message in hand comes before all others of its agent, as its turn has begun. One that failed keeps its place in
# the order: what was said after it is not heard before it. A pending one with a later time hasn't come yet.
_WAITING = """
    WITH waiting AS (
        SELECT q.rowid AS arrival, q.id, q.target_agent_id AS agent, q.priority, q.state, q.next_attempt_at,
               q.lease_until
        FROM queue AS q JOIN agents AS a ON a.id = q.target_agent_id
        WHERE q.state IN ('pending', 'failed', 'running') AND a.status = 'active'
          AND NOT (q.state = 'pending' AND coalesce(q.next_attempt_at, '') > ?1)
          AND (?2 IS NULL OR q.target_agent_id IN (SELECT value FROM json_each(?2)))
          AND (?3 OR q.origin <> ?4)
          AND q.target_agent_id NOT IN (SELECT value FROM json_each(?5))
          AND q.id <> 'turn:' || q.target_agent_id
    ), heads AS (
        SELECT *, row_number() OVER (
            PARTITION BY agent ORDER BY state = 'running' DESC, priority DESC, arrival
        ) AS place
        FROM waiting
    )
"""
_DUE = (
    _WAITING
    + """
    SELECT id FROM heads
    WHERE place = 1 AND NOT EXISTS (
        SELECT 1 FROM queue AS t WHERE t.id = 'turn:' || heads.agent AND t.lease_until > ?1 AND t.lease_until <= ?6
    ) AND (
        state = 'pending'
        OR (state = 'failed' AND coalesce(next_attempt_at, '') <= ?1)
        OR (state = 'running' AND coalesce(lease_until, '') <= ?1)
    )
    ORDER BY priority DESC, arrival LIMIT ?7
"""
)
_BLOCKED = (
    _WAITING
    + """
    SELECT w.agent, p.actor_name, p.program
    FROM waiting AS w JOIN queue AS t ON t.id = 'turn:' || w.agent AND t.lease_until > ?1 AND t.lease_until <= ?6
    LEFT JOIN processes AS p ON p.id = t.lease_process
    GROUP BY w.agent
"""
)
# What another process has in hand waits too, for as long as it may be believed to live: should it end, nobody else
# would answer it.
_MORE = (
    _WAITING
    + "SELECT EXISTS (SELECT 1 FROM waiting WHERE state <> 'running' OR coalesce(lease_until, '') <= ?6)"
)
# A wakeup whose last message still waits is not due again: what it would say is said already.
_WAKEUPS = """
    SELECT w.id FROM wakeups AS w JOIN agents AS a ON a.id = w.agent_id
    WHERE w.is_deleted = 0 AND w.wake_at <= ?1 AND a.status = 'active'
      AND (?2 IS NULL OR w.agent_id IN (SELECT value FROM json_each(?2)))
      AND w.agent_id NOT IN (SELECT value FROM json_each(?4))
      AND NOT EXISTS (
          SELECT 1 FROM queue AS q
          WHERE q.target_agent_id = w.agent_id AND q.state IN ('pending', 'failed', 'running')
            AND q.origin = ?3
            AND CASE WHEN json_valid(q.metadata) THEN json_extract(q.metadata, '$.wakeup') END = w.id
      )
    ORDER BY w.wake_at, w.id
"""
_LEASE = """
    UPDATE queue SET state = 'running', attempts = attempts + 1, lease_until = ?, lease_process = ?,
                     next_attempt_at = NULL
    WHERE id = ?
"""
_RENEW = """
    UPDATE queue SET lease_until = ?
    WHERE id = ? AND attempts = ? AND state = 'running' AND lease_process = ? RETURNING id
"""
_PROCESSED = "SELECT id FROM queue WHERE id = ? AND attempts = ? AND state = 'processed'"
_IN_HAND = "SELECT 1 FROM queue WHERE id = ? AND attempts = ? AND state = 'running' AND lease_process = ?"
_HOLDER = "SELECT lease_process FROM queue WHERE id = ?"
_BURY = (
    "UPDATE queue SET state = 'dead', last_error = ?, lease_until = NULL, lease_process = NULL WHERE id = ?"
)
_SETTLE = """
    UPDATE queue SET state = ?, attempts = ?, last_error = ?, next_attempt_at = ?, processed_at = ?,
                     lease_until = NULL, lease_process = NULL
    WHERE id = ?
"""


@dataclass(frozen=True, slots=True)
class QueueLook:
    """What a process looks for: at which moment, for which agents (None: all), and who is busy with a turn."""

    now: datetime
    agents: Collection[str] | None = None
    busy: Collection[str] = ()
    heartbeats: bool = True

    @property
    def whose(self) -> tuple[str, str | None]:
        """The moment, and the agents as a JSON array (None: all), as the statements take them."""
        return write_time(self.now), None if self.agents is None else json.dumps(sorted(self.agents))

    @property
    def of_messages(self) -> tuple[object, ...]:
        """The parameters of the statements on messages, as far as they are the same."""
        return (*self.whose, int(self.heartbeats), HEARTBEAT_ORIGIN, self.away)

    @property
    def believed(self) -> str:
        """Until when a direct turn may say that it lives and be believed."""
        return write_time(self.now + LONGEST_LEASE)

    @property
    def away(self) -> str:
        """The agents that get nothing now, as a JSON array."""
        return json.dumps(sorted(self.busy))


async def due(connection: Connection, look: QueueLook, limit: int) -> tuple[str, ...]:
    """The ids of messages to take: of each agent without a turn the first, by priority and then arrival."""
    rows = await connection.fetch_all(_DUE, (*look.of_messages, look.believed, limit))
    return tuple(str(row["id"]) for row in rows)


async def blocked(connection: Connection, look: QueueLook) -> dict[str, TurnHolder]:
    """The agents whose messages wait because a direct turn has them or waits for them, and whose that is."""
    rows = await connection.fetch_all(_BLOCKED, (*look.of_messages, look.believed))
    return {str(row["agent"]): TurnHolder(row["actor_name"] or "", row["program"] or "") for row in rows}


async def is_waiting(connection: Connection, look: QueueLook) -> bool:
    """Whether any message waits for a try or for the end of one in another process's hands."""
    rows = await connection.fetch_all(_MORE, (*look.of_messages, look.believed))
    return bool(rows[0][0])


async def due_wakeups(connection: Connection, look: QueueLook) -> tuple[str, ...]:
    """The ids of wakeups whose time has come, by time."""
    rows = await connection.fetch_all(_WAKEUPS, (*look.whose, WAKEUP_ORIGIN, look.away))
    return tuple(str(row["id"]) for row in rows)


async def lease(transaction: Connection, message_id: str, until: datetime, process: int) -> None:
    """Give a message into a process's hands, for another try."""
    await transaction.fetch_all(_LEASE, (write_time(until), process, message_id))


async def renew(
    transaction: Connection, leased: Sequence[tuple[str, int]], until: datetime, process: int
) -> frozenset[str]:
    """Lengthen leases, each a message's id and the number of the try.

    Gives those that were still there, and those whose try has been marked processed meanwhile.
    """
    kept: set[str] = set()
    for message_id, attempts in leased:
        rows = await transaction.fetch_all(_RENEW, (write_time(until), message_id, attempts, process))
        rows = rows or await transaction.fetch_all(_PROCESSED, (message_id, attempts))
        kept.update(str(row["id"]) for row in rows)
    return frozenset(kept)


async def is_in_hand(connection: Connection, message_id: str, attempts: int, process: int) -> bool:
    """Whether a process still has a message in hand for that try."""
    return await connection.fetch_one(_IN_HAND, (message_id, attempts, process)) is not None


async def holder(connection: Connection, message_id: str) -> int | None:
    """The process that has a message in hand."""
    row = await connection.fetch_one(_HOLDER, (message_id,))
    return None if row is None else row["lease_process"]


async def settle(  # noqa: PLR0913  the cells of one row
    transaction: Connection,
    message_id: str,
    *,
    state: QueueState,
    attempts: int,
    last_error: str | None,
    next_attempt_at: datetime | None,
    processed_at: datetime | None,
) -> None:
    """Write what came of a try; nobody has the message in hand then."""
    times = (None if each is None else write_time(each) for each in (next_attempt_at, processed_at))
    await transaction.fetch_all(_SETTLE, (state.value, attempts, last_error, *times, message_id))


async def bury(transaction: Connection, message_id: str, why: str) -> None:
    """Make a message that cannot be read a dead letter; everything else of its row stays as it lies."""
    await transaction.fetch_all(_BURY, (why, message_id))
