"""Rows of the queue that are no messages: by them the direct turns of an agent follow one another over all processes.

An agent whose turn somebody has begun directly, or waits to begin, has one such row, `domain.queueing.turn_row`. Its
metadata lists the claims in the order they came in; the first one that hasn't run out has the turn, or is the next to
get it. All of it is written in transactions that hold the file's lock from their beginning, so that two processes
never read the same row and both take the turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from inspector.domain.codec import read_time, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.queueing import TURN_ORIGIN, turn_row
from inspector.domain.turns import TurnHolder
from inspector.storage.connection import Connection
from inspector.storage.transaction import Transaction

LONGEST_LEASE = timedelta(minutes=10)
"""A claim that says it lives for longer was written by a wrong clock or a stranger, and counts for nothing."""

_CLAIMS = "SELECT metadata FROM queue WHERE id = ?"
_PUT = """
    INSERT INTO queue (id, from_agent_id, target_agent_id, content, priority, metadata, origin, state, attempts,
                       created_at, lease_until, lease_process)
    VALUES (?, NULL, ?, '', 0, ?, ?, 'running', 0, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET metadata = excluded.metadata, lease_until = excluded.lease_until,
        lease_process = excluded.lease_process
"""
_REMOVE = "DELETE FROM queue WHERE id = ?"
_IN_HAND = """
    SELECT lease_process FROM queue
    WHERE target_agent_id = ?1 AND id <> 'turn:' || ?1 AND state = 'running' AND lease_until > ?2
"""
# Nobody's then, and no longer the one's who had it: what that one does with it is stored no more.
_TAKE_AWAY = """
    UPDATE queue SET lease_process = NULL
    WHERE target_agent_id = ?1 AND id <> 'turn:' || ?1 AND state = 'running' AND coalesce(lease_until, '') <= ?2
"""
_PROCESS = "SELECT actor_name, program FROM processes WHERE id = ?"


@dataclass(frozen=True, slots=True)
class TurnClaim:
    """A direct turn that has begun or waits, and until when it is believed to live without a sign of life.

    `token` is its own alone, `process` the row of the process that it is of.
    """

    token: str
    until: datetime
    process: int
    has_begun: bool = False

    def is_live(self, now: datetime) -> bool:
        """Whether it counts at a moment."""
        return now < self.until <= now + LONGEST_LEASE


async def claims(connection: Connection, agent_id: str) -> tuple[TurnClaim, ...]:
    """The claims of an agent's direct turns in their order, those that ran out included.

    A row that can't be read has none: it is written anew by the next claim.
    """
    row = await connection.fetch_one(_CLAIMS, (turn_row(agent_id),))
    if row is None:
        return ()
    try:
        return tuple(_claim(each) for each in json.loads(row["metadata"])["turns"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()


async def claim(transaction: Transaction, agent_id: str, token: str, now: datetime, until: datetime) -> bool:
    """Claim an agent's turn or renew a waiting claim; whether the turn is ours from now on.

    Claims that ran out go, and so does the hold on a message whose lease ran out: whoever wakes up behind one of them
    finds that it is lost.
    """
    live = [each for each in await claims(transaction, agent_id) if each.token == token or each.is_live(now)]
    if all(each.token != token for each in live):
        live.append(TurnClaim(token, until, await transaction.process_id()))
    is_ours = live[0].token == token and await _in_hand(transaction, agent_id, now) is None
    await _put(
        transaction,
        agent_id,
        (
            replace(each, until=until, has_begun=is_ours or each.has_begun) if each.token == token else each
            for each in live
        ),
        now,
    )
    if is_ours:
        await transaction.execute(_TAKE_AWAY, (agent_id, write_time(now)))
    return is_ours


async def renew(transaction: Transaction, agent_id: str, token: str, now: datetime, until: datetime) -> bool:
    """Lengthen the lease of a turn that has begun; False where it has been taken away."""
    found = await claims(transaction, agent_id)
    if not any(each.token == token and each.has_begun for each in found):
        return False
    renewed = (replace(each, until=until) if each.token == token else each for each in found)
    await _put(transaction, agent_id, renewed, now)
    return True


async def release(transaction: Transaction, agent_id: str, token: str, now: datetime) -> None:
    """Take a claim back; nothing happens where it is gone already."""
    found = await claims(transaction, agent_id)
    if any(each.token == token for each in found):
        await _put(transaction, agent_id, (each for each in found if each.token != token), now)


async def is_held(connection: Connection, agent_id: str, token: str) -> bool:
    """Whether a turn that has begun still has the agent."""
    return any(each.token == token and each.has_begun for each in await claims(connection, agent_id))


async def is_taken(connection: Connection, agent_id: str, now: datetime) -> bool:
    """Whether a direct turn has the agent or waits for it."""
    return any(each.is_live(now) for each in await claims(connection, agent_id))


async def drop_lapsed(transaction: Transaction, agent_id: str, now: datetime) -> None:
    """Take away the claims that ran out."""
    found = await claims(transaction, agent_id)
    live = [each for each in found if each.is_live(now)]
    if len(live) < len(found):
        await _put(transaction, agent_id, live, now)


async def holder(connection: Connection, agent_id: str, token: str, now: datetime) -> TurnHolder | None:
    """Whose turn a waiting claim waits for; None where it need not wait, and where it is there no more."""
    process = await _in_hand(connection, agent_id, now)
    if process is not None:
        return await _named(connection, process, is_queued=True)
    live = [each for each in await claims(connection, agent_id) if each.token == token or each.is_live(now)]
    if live[:1] and live[0].token != token and any(each.token == token for each in live):
        return await _named(connection, live[0].process, is_queued=False)
    return None


async def _named(connection: Connection, process: int, *, is_queued: bool) -> TurnHolder:
    row = await connection.fetch_one(_PROCESS, (process,))
    if row is None:
        return TurnHolder("", "", is_queued)
    return TurnHolder(row["actor_name"], row["program"], is_queued)


async def _in_hand(connection: Connection, agent_id: str, now: datetime) -> int | None:
    """The process that has a message of the agent in hand; None where none has, or its lease ran out."""
    row = await connection.fetch_one(_IN_HAND, (agent_id, write_time(now)))
    # A process that is no longer known has it all the same.
    return None if row is None else row["lease_process"] or 0


async def _put(transaction: Transaction, agent_id: str, live: Iterable[TurnClaim], now: datetime) -> None:
    turns = tuple(live)
    if not turns:
        await transaction.execute(_REMOVE, (turn_row(agent_id),))
        return
    metadata = json.dumps({"turns": [_plain(each) for each in turns]})
    until = write_time(max(each.until for each in turns))
    row = (turn_row(agent_id), agent_id, metadata, TURN_ORIGIN, write_time(now), until, turns[0].process)
    await transaction.execute(_PUT, row)


def _plain(claim: TurnClaim) -> dict[str, Any]:
    until = write_time(claim.until)
    return {
        "token": claim.token,
        "until": until,
        "process": claim.process,
        "has_begun": claim.has_begun,
    }


def _claim(plain: dict[str, Any]) -> TurnClaim:
    return TurnClaim(
        str(plain["token"]), read_time(plain["until"]), int(plain["process"]), plain["has_begun"] is True
    )
