"""Rows of summaries."""

from __future__ import annotations

from collections.abc import Callable

from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import MalformedError
from inspector.domain.health import Problem, Severity
from inspector.domain.summaries import PositionRange, Summary, SummaryDetails
from inspector.storage.connection import Connection, Row
from inspector.storage.json_columns import dump, load, texts

_SELECT = """
    SELECT id, agent_id, content, topics, start_at, end_at, message_count, depth, previous_summary_id,
           covers_first, covers_last, children, details, created_at, is_deleted
    FROM summaries
"""
_OF_AGENT = _SELECT + "WHERE agent_id = ? AND is_deleted = 0 ORDER BY created_at, id"
_BY_ID = _SELECT + "WHERE id = ?"
_INSERT = """
    INSERT INTO summaries (id, agent_id, content, topics, start_at, end_at, message_count, depth,
                           previous_summary_id, covers_first, covers_last, children, details, created_at, is_deleted)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_SET_TEXTS = "UPDATE summaries SET content = ?, topics = ?, details = ? WHERE id = ?"
_SET_DELETED = "UPDATE summaries SET is_deleted = ? WHERE id = ?"
_COUNTS = "SELECT agent_id, count(*) AS summaries FROM summaries WHERE is_deleted = 0 GROUP BY agent_id"


async def of_agent(source: Connection, agent_id: str) -> tuple[list[Summary], list[Problem]]:
    """An agent's summaries, oldest first, and a problem for each row that cannot be read."""
    found: list[Summary] = []
    problems: list[Problem] = []
    for row in await source.fetch_all(_OF_AGENT, (agent_id,)):
        _collect(row, found.append, problems.append)
    return found, problems


async def get(source: Connection, summary_id: str) -> Summary | None:
    """One summary, deleted ones included.

    Raises:
        MalformedError: when its row cannot be read.
    """
    row = await source.fetch_one(_BY_ID, (summary_id,))
    return None if row is None else _summary(row)


async def counts(source: Connection) -> dict[str, int]:
    """Summaries that are not deleted, by agent id."""
    return {row["agent_id"]: row["summaries"] for row in await source.fetch_all(_COUNTS)}


async def insert(source: Connection, summary: Summary) -> None:
    """Add a row."""
    covers = summary.covers
    await source.fetch_all(
        _INSERT,
        (
            summary.id,
            summary.agent_id,
            summary.content,
            dump(summary.topics),
            write_time(summary.start),
            write_time(summary.end),
            summary.message_count,
            summary.depth,
            summary.previous_summary_id,
            None if covers is None else covers.first,
            None if covers is None else covers.last,
            dump(summary.children),
            dump(summary.details),
            write_time(summary.created_at),
            int(summary.is_deleted),
        ),
    )


async def set_texts(source: Connection, summary: Summary) -> None:
    """Store a summary's text, topics and details."""
    await source.fetch_all(
        _SET_TEXTS, (summary.content, dump(summary.topics), dump(summary.details), summary.id)
    )


async def set_deleted(source: Connection, summary_id: str, *, deleted: bool) -> None:
    """Delete or bring back."""
    await source.fetch_all(_SET_DELETED, (int(deleted), summary_id))


def _collect(row: Row, keep: Callable[[Summary], None], report: Callable[[Problem], None]) -> None:
    try:
        keep(_summary(row))
    except (MalformedError, ValueError) as error:
        report(
            Problem("problem.summary_unreadable", Severity.ERROR, f"summary:{row['id']}", {"why": str(error)})
        )


def _summary(row: Row) -> Summary:
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
