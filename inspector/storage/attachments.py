"""Reads and writes rows of attachments: which agent sees which block, at what level."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inspector.domain.blocks import Attachment, Permission
from inspector.domain.codec import moment_of, write_time
from inspector.storage.connection import Connection, Row
from inspector.storage.reading import behind
from inspector.storage.sealing import SEALS, Cell, differing, set_cells

_SELECT = "SELECT block_id, agent_id, permission, attached_at FROM attachments "
_ONE = _SELECT + "WHERE block_id = ? AND agent_id = ?"
_OF_AGENT = _SELECT + "WHERE agent_id = ? ORDER BY attached_at, block_id"
_OF_BLOCK = _SELECT + "WHERE block_id = ? ORDER BY attached_at, agent_id"
_ALL = _SELECT + "ORDER BY attached_at, block_id, agent_id"
_INSERT = "INSERT INTO attachments (block_id, agent_id, permission, attached_at, seal) VALUES (?, ?, ?, ?, ?)"
_LAST = "SELECT max(attached_at) AS at FROM attachments"
_REMOVE = "DELETE FROM attachments WHERE block_id = ? AND agent_id = ?"


async def get(connection: Connection, block_id: str, agent_id: str) -> Attachment | None:
    """How a block is shared with an agent, None when it is not."""
    row = await connection.fetch_one(_ONE, (block_id, agent_id))
    return None if row is None else attachment_of(row)


async def of_agent(connection: Connection, agent_id: str) -> tuple[Attachment, ...]:
    """What is shared with an agent, in the order it was attached."""
    return tuple(attachment_of(row) for row in await connection.fetch_all(_OF_AGENT, (agent_id,)))


async def of_block(connection: Connection, block_id: str) -> tuple[Attachment, ...]:
    """With whom a block is shared."""
    return tuple(attachment_of(row) for row in await connection.fetch_all(_OF_BLOCK, (block_id,)))


async def read_all(connection: Connection) -> tuple[Attachment, ...]:
    """Read every attachment of the file."""
    return tuple(attachment_of(row) for row in await rows(connection))


async def rows(connection: Connection) -> Sequence[Row]:
    """The rows of every attachment, for `attachment_of`."""
    return await connection.fetch_all(_ALL)


async def next_time(connection: Connection, at: datetime) -> datetime:
    """The time of the next sharing: behind all that are there, also where the clock was set back."""
    row = await connection.fetch_one(_LAST)
    return behind(None if row is None else row["at"], at)


async def put(transaction: Connection, before: Attachment | None, after: Attachment) -> None:
    """Share a block, or write what differs of how it is shared; a time that cannot be read stays as it lies."""
    cells = _cells(after)
    if before is None:
        await transaction.fetch_all(_INSERT, (*cells.values(), SEALS["attachments"].of(cells)))
        return
    key = (after.block_id, after.agent_id)
    await set_cells(transaction, "attachments", key, differing(_cells(before), cells))


async def remove(transaction: Connection, block_id: str, agent_id: str) -> None:
    """Share a block no more."""
    await transaction.fetch_all(_REMOVE, (block_id, agent_id))


def _cells(attachment: Attachment) -> dict[str, Cell]:
    return {
        "block_id": attachment.block_id,
        "agent_id": attachment.agent_id,
        "permission": attachment.permission.label,
        "attached_at": write_time(attachment.attached_at),
    }


def attachment_of(row: Row) -> Attachment:
    """The attachment of a row of this table; one whose level cannot be read allows nothing but reading."""
    try:
        permission = Permission.parse(row["permission"])
    except KeyError:
        permission = Permission.READ_ONLY
    return Attachment(row["block_id"], row["agent_id"], permission, moment_of(row["attached_at"]))
