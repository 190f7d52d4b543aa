"""Reads and writes rows of summaries."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load, texts
from inspector.storage.sealing import SEALS, Cell, differing, set_cells

_SELECT = """
    SELECT id, agent_id, content, topics, start_at, end_at, message_count, depth, previous_summary_id,
           covers_first, covers_last, children, details, created_at, is_deleted
    FROM summaries
"""
# Rows are numbered as they are written; times may be those of a clock that was set back.
_OF_AGENT = _SELECT + "WHERE agent_id = ?1 AND is_deleted <= ?2 ORDER BY rowid"
_BY_ID = _SELECT + "WHERE id = ?"
AFTER_ROWID = """
    SELECT rowid, id, agent_id, content, topics, start_at, end_at, message_count, depth, previous_summary_id,
           covers_first, covers_last, children, details, created_at, is_deleted
    FROM summaries WHERE rowid > ? ORDER BY rowid LIMIT ?
"""
"""Summaries behind a rowid, for going through all of them."""
_INSERT = """
    INSERT INTO summaries (id, content, topics, details, agent_id, start_at, end_at, message_count, depth,
                           previous_summary_id, covers_first, covers_last, children, created_at, is_deleted, seal)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SET_DELETED = "UPDATE summaries SET is_deleted = ? WHERE id = ?"
_EXISTS = "SELECT 1 FROM summaries WHERE id = ?"
_COUNTS = "SELECT agent_id, count(*) AS summaries FROM summaries WHERE is_deleted = 0 GROUP BY agent_id"


async def of_agent(
    source: Connection, agent_id: str, *, deleted: bool = False
) -> tuple[list[Summary], list[Problem]]:
    """An agent's summaries in the order in which they were written, and a problem for each row that cannot be read.

    With `deleted` those too.
    """
    found: list[Summary] = []
    problems: list[Problem] = []
    for row in await source.fetch_all(_OF_AGENT, (agent_id, int(deleted))):
        _collect(row, found.append, problems.append)
    return found, problems


async def get(source: Connection, summary_id: str) -> Summary | None:
    """One summary, deleted ones included.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await source.fetch_one(_BY_ID, (summary_id,))
    return None if row is None else summary_of(row)


async def exists(source: Connection, summary_id: str) -> bool:
    """Whether there is a summary of that id, deleted ones included."""
    return await source.fetch_one(_EXISTS, (summary_id,)) is not None


async def counts(source: Connection) -> dict[str, int]:
    """Summaries that are not deleted, by agent id."""
    return {row["agent_id"]: row["summaries"] for row in await source.fetch_all(_COUNTS)}


async def insert(source: Connection, summary: Summary) -> None:
    """Insert the row of a summary."""
    covers = summary.covers
    cells = _cells(summary)
    fixed: dict[str, Cell] = {
        "agent_id": summary.agent_id,
        "start_at": write_time(summary.start),
        "end_at": write_time(summary.end),
        "message_count": summary.message_count,
        "depth": summary.depth,
        "previous_summary_id": summary.previous_summary_id,
        "covers_first": None if covers is None else covers.first,
        "covers_last": None if covers is None else covers.last,
        "children": dump(summary.children),
        "created_at": write_time(summary.created_at),
    }
    seal = SEALS["summaries"].of(cells | fixed)
    values = (summary.id, *cells.values(), *fixed.values(), int(summary.is_deleted), seal)
    await source.fetch_all(_INSERT, values)


async def set_texts(source: Connection, before: Summary, after: Summary) -> None:
    """Store what differs of a summary's text, topics and details."""
    await set_cells(source, "summaries", (after.id,), differing(_cells(before), _cells(after)))


async def set_deleted(source: Connection, summary_id: str, *, deleted: bool) -> None:
    """Delete a summary or restore it."""
    await source.fetch_all(_SET_DELETED, (int(deleted), summary_id))


def _cells(summary: Summary) -> dict[str, Cell]:
    """What is sealed and may be set again, as it is stored."""
    return {"content": summary.content, "topics": dump(summary.topics), "details": dump(summary.details)}


def _collect(row: Row, keep: Callable[[Summary], None], report: Callable[[Problem], None]) -> None:
    try:
        keep(summary_of(row))
    except (MalformedError, ValueError) as error:
        report(
            Problem("problem.summary_unreadable", Severity.ERROR, f"summary:{row['id']}", {"why": str(error)})
        )


def summary_of(row: Row) -> Summary:
    """The summary of a row.

    Raises:
        MalformedError, ValueError: when it cannot be read.
    """
    covers = None if row["covers_first"] is None else PositionRange(row["covers_first"], row["covers_last"])
    return Summary(
        id=row["id"],
        agent_id=row["agent_id"],
        content=row["content"],
        topics=texts(row["topics"]),
        start=read_time(row["start_at"]),
        end=read_time(row["end_at"]),
        message_count=row["message_count"],
        depth=row["depth"],
        previous_summary_id=row["previous_summary_id"],
        covers=covers,
        children=texts(row["children"]),
        details=load(SummaryDetails, row["details"]),
        created_at=read_time(row["created_at"]),
        is_deleted=bool(row["is_deleted"]),
    )
