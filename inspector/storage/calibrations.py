"""Reads and writes rows of reported against counted tokens of a model call."""

from __future__ import annotations

from inspector.domain.calibration import RUNS_KEPT, Calibration
from inspector.domain.codec import read_time, write_time
from inspector.storage.connection import Connection

_INSERT = """
    INSERT INTO calibrations (model, tokenizer, estimated, reported, run_id, at) VALUES (?, ?, ?, ?, ?, ?)
"""
_NEWEST = """
    SELECT model, tokenizer, estimated, reported, run_id, at
    FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY model, tokenizer ORDER BY id DESC) AS place
        FROM calibrations
    )
    WHERE place <= ?
    ORDER BY id
"""


async def insert(transaction: Connection, row: Calibration) -> None:
    """Add what one call says."""
    values = (row.model, row.tokenizer, row.counted, row.reported, row.run_id, write_time(row.at))
    await transaction.fetch_all(_INSERT, values)


async def newest(connection: Connection, count: int = RUNS_KEPT) -> tuple[Calibration, ...]:
    """The newest rows of each model and tokenizer, oldest first. A row whose time cannot be read tells nothing."""
    found: list[Calibration] = []
    for row in await connection.fetch_all(_NEWEST, (count,)):
        try:
            at = read_time(row["at"])
        except ValueError:
            continue
        found.append(
            Calibration(row["model"], row["tokenizer"], row["estimated"], row["reported"], at, row["run_id"])
        )
    return tuple(found)
