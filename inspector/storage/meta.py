"""Reads and writes the facts of the constellation itself."""

from __future__ import annotations

from inspector.storage.connection import Connection

CONSTELLATION_ID = "constellation_id"
CREATED_AT = "created_at"
NAME = "name"
PARTNER_ID = "partner_id"
PARTNER_NAME = "partner_name"
UNCLEANED = "uncleaned"
"""Is there while freed parts of the file and its search index may still hold what was redacted."""

_ALL = "SELECT name, value FROM meta ORDER BY name"
_ONE = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_DROP = "DELETE FROM meta WHERE name = ?"


async def read_all(connection: Connection) -> dict[str, str]:
    """Read all facts of the constellation by name."""
    return {row["name"]: row["value"] for row in await connection.fetch_all(_ALL)}


async def get(connection: Connection, name: str) -> str | None:
    """One fact, None when it is not set."""
    row = await connection.fetch_one(_ONE, (name,))
    return None if row is None else str(row["value"])


async def put(transaction: Connection, name: str, value: str) -> None:
    """Store one fact of the constellation."""
    await transaction.fetch_all(_PUT, (name, value))


async def drop(transaction: Connection, name: str) -> None:
    """Forget one fact of the constellation."""
    await transaction.fetch_all(_DROP, (name,))
