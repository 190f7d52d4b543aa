"""Reads rows of activity events for a timeline: pages, counts by time and by kind, each one bounded statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from inspector.domain.activity import Event, EventKind, Importance
from inspector.domain.codec import read_time, write_time
from inspector.domain.errors import Problem
from inspector.domain.records import APART
from inspector.domain.ref import RefKind
from inspector.domain.timeline import SYSTEM, EventExtent, EventFilter, KindTotal, RunTotal, TimeRange
from inspector.storage.activity import EVENT_COLUMNS, read_event
from inspector.storage.connection import Connection, Row
from inspector.storage.reading import read_rows

Condition = tuple[str, list[Any]]
Counted = tuple[int, int, int, int]
"""A bucket's place, an importance, whether it is a compression, and how many."""
_WORDS_TAKEN = 8
_EDGES = """
    SELECT (SELECT min(seq) FROM activity) AS first, (SELECT max(seq) FROM activity) AS last,
           (SELECT min(timestamp) FROM activity) AS earliest, (SELECT max(timestamp) FROM activity) AS latest
"""
_COUNT = "SELECT count(*) AS events FROM activity"
_SEQS = "SELECT seq FROM activity WHERE seq > ? AND seq <= ?{also} ORDER BY seq"
_BUCKETS = """
    SELECT CAST((julianday(timestamp) - julianday(?)) * ? AS INTEGER) AS bucket, importance, kind = ? AS folded,
           count(*) AS events
    FROM activity WHERE timestamp >= ? AND timestamp < ?{also} GROUP BY 1, 2, 3
"""
_KINDS = """
    SELECT kind, count(*) AS events, sum(importance >= ?) AS important
    FROM activity WHERE timestamp >= ? AND timestamp < ?{also} GROUP BY kind
"""
_KIND_NAMES = """
    SELECT DISTINCT kind FROM (SELECT kind FROM activity ORDER BY seq DESC LIMIT 20000) ORDER BY kind LIMIT 200
"""
_FROM = """
    SELECT seq FROM activity WHERE timestamp >= ?{also} ORDER BY timestamp, seq LIMIT 1
"""
_RUNS = """
    SELECT model, count(*) AS runs, total(input_tokens) AS input, total(output_tokens) AS output,
           total(duration_ms) AS lasted, total(cache_read_tokens) AS found, total(cache_write_tokens) AS kept,
           count(*) - count(input_tokens) AS unreported
    FROM runs WHERE started_at >= ? AND started_at < ?{also} GROUP BY model ORDER BY model
"""
_RUN_SIZES = """
    SELECT started_at, input_tokens FROM runs
    WHERE agent_id = ? AND input_tokens > 0 AND kind NOT IN (?, ?) ORDER BY rowid
"""
_RUN_BEFORE = """
    SELECT id FROM runs WHERE agent_id = ? AND started_at <= ? AND kind NOT IN (?, ?)
    ORDER BY started_at DESC, rowid DESC LIMIT 1
"""
_LENGTHS = """
    SELECT position, created_at, length(content) AS characters FROM messages
    WHERE agent_id = ? AND position > ? AND is_deleted = 0 AND compiled = 0 ORDER BY position LIMIT ?
"""
_VERSION_AT = "SELECT max(seq) AS number FROM updates WHERE block_id = ? AND at = ?"
_MESSAGE_AT = """
    SELECT id FROM messages WHERE batch_id = ? AND is_deleted = 0
    ORDER BY created_at = ? DESC, sequence_in_batch LIMIT 1
"""


async def extent(source: Connection) -> EventExtent:
    """How far the events reach. Times that can't be read are left out."""
    edges, counted = await source.fetch_one(_EDGES), await source.fetch_one(_COUNT)
    if edges is None or counted is None or edges["first"] is None:
        return EventExtent()
    times = _time(edges["earliest"]), _time(edges["latest"])
    return EventExtent(int(counted["events"]), edges["first"], edges["last"], *times)


async def seqs(source: Connection, wanted: EventFilter, after: int, upto: int) -> list[int]:
    """The numbers of the events that a filter lets through, behind one `seq` and up to another."""
    also, values = _also(wanted)
    rows = await source.fetch_all(_SEQS.format(also=also), (after, upto, *values))
    return [row[0] for row in rows]


async def page(source: Connection, wanted: Sequence[int]) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
    """Events by their `seq`, and a problem for each that can't be read."""
    places = ", ".join("?" * len(wanted))
    rows = await source.fetch_all(f"{EVENT_COLUMNS} WHERE seq IN ({places}) ORDER BY seq", tuple(wanted))
    return read_rows(rows, read_event, RefKind.EVENT)


async def buckets(
    source: Connection, wanted: EventFilter, over: TimeRange, part: TimeRange, count: int
) -> list[Counted]:
    """Events of a part of a stretch by bucket, importance and whether they are compressions.

    Args:
        source: Where to read.
        wanted: Which events.
        over: The whole stretch, which `count` buckets share.
        part: What of it is read.
        count: How many buckets.
    """
    also, values = _also(wanted)
    days = over.length.total_seconds() / 86_400
    start, end = write_time(part.start), write_time(part.end)
    parameters = (
        write_time(over.start),
        count / days,
        EventKind.CONTEXT_COMPRESSED.value,
        start,
        end,
        *values,
    )
    rows = await source.fetch_all(_BUCKETS.format(also=also), parameters)
    highest = max(Importance)
    return [
        (min(row[0], count - 1), min(max(row[1], 0), highest), row[2], row[3])
        for row in rows
        if row[0] is not None and row[0] >= 0
    ]


async def kinds(source: Connection, wanted: EventFilter, over: TimeRange) -> tuple[KindTotal, ...]:
    """Events of a stretch by kind."""
    also, values = _also(wanted)
    parameters = (int(Importance.HIGH), write_time(over.start), write_time(over.end), *values)
    rows = await source.fetch_all(_KINDS.format(also=also), parameters)
    return tuple(KindTotal(row[0], row[1], row[2]) for row in rows)


async def kind_names(source: Connection) -> tuple[str, ...]:
    """The kinds of the newest twenty thousand events, at most 200 of them."""
    return tuple(row[0] for row in await source.fetch_all(_KIND_NAMES))


async def first_from(source: Connection, wanted: EventFilter, moment: datetime) -> int | None:
    """The `seq` of the first event from a moment on, None where there is none."""
    also, values = _also(wanted)
    row = await source.fetch_one(_FROM.format(also=also), (write_time(moment), *values))
    return None if row is None else int(row["seq"])


async def count(source: Connection, wanted: EventFilter, over: TimeRange) -> int:
    """How many events of all kinds and importances a stretch has; an agent's alone if the filter names one."""
    also, values = _also(EventFilter(agent=wanted.agent))
    sql = f"{_COUNT} WHERE timestamp >= ? AND timestamp < ?{also}"
    row = await source.fetch_one(sql, (write_time(over.start), write_time(over.end), *values))
    return 0 if row is None else int(row["events"])


async def runs(source: Connection, agent_id: str | None, over: TimeRange) -> tuple[RunTotal, ...]:
    """What the runs of a stretch add up to, by model."""
    also, values = ("", []) if agent_id is None else (" AND agent_id = ?", [agent_id])
    parameters = (write_time(over.start), write_time(over.end), *values)
    rows = await source.fetch_all(_RUNS.format(also=also), parameters)
    return tuple(RunTotal(row[0], *map(int, tuple(row)[1:])) for row in rows)


async def run_sizes(source: Connection, agent_id: str) -> list[tuple[datetime, int]]:
    """When an agent's runs began and their input tokens, as they were reported."""
    return _timed(await source.fetch_all(_RUN_SIZES, (agent_id, *APART)))


async def run_before(source: Connection, agent_id: str, moment: datetime) -> str | None:
    """The id of the last run of an agent's conversation up to a moment."""
    row = await source.fetch_one(_RUN_BEFORE, (agent_id, write_time(moment), *APART))
    return None if row is None else str(row["id"])


async def message_lengths(
    source: Connection, agent_id: str, after: int, limit: int
) -> tuple[list[tuple[datetime, int]], int | None]:
    """When messages were written and their stored characters, behind a position; and where the next page begins."""
    rows = await source.fetch_all(_LENGTHS, (agent_id, after, limit))
    following = rows[-1]["position"] if len(rows) == limit else None
    return _timed([row[1:] for row in rows]), following


async def version_at(source: Connection, block_id: str, moment: datetime) -> int | None:
    """The number of the version that a change of a block at a moment made."""
    row = await source.fetch_one(_VERSION_AT, (block_id, write_time(moment)))
    return None if row is None or row["number"] is None else int(row["number"])


async def message_at(source: Connection, batch_id: str, moment: datetime) -> str | None:
    """The message of a batch that was written at a moment, else its first one."""
    row = await source.fetch_one(_MESSAGE_AT, (batch_id, write_time(moment)))
    return None if row is None else str(row["id"])


def _also(wanted: EventFilter) -> Condition:
    """The condition of a filter, to be joined to others, and its values."""
    parts: list[str] = []
    values: list[Any] = []
    if wanted.agent == SYSTEM:
        parts.append("agent_id IS NULL")
    elif wanted.agent is not None:
        parts.append("agent_id = ?")
        values.append(wanted.agent)
    if wanted.kind:
        parts.append("kind = ?")
        values.append(wanted.kind)
    for column, folded in (("kind", wanted.folded_kinds), ("ifnull(agent_id, '')", wanted.folded_agents)):
        if folded:
            parts.append(f"{column} NOT IN ({', '.join('?' * len(folded))})")
            values += folded
    if wanted.least > Importance.LOW:
        parts.append("importance >= ?")
        values.append(int(wanted.least))
    for moment, sign in ((wanted.since, ">="), (wanted.until, "<")):
        if moment is not None:
            parts.append(f"timestamp {sign} ?")
            values.append(write_time(moment))
    for word in wanted.words.split()[:_WORDS_TAKEN]:
        parts.append(r"(details LIKE ? ESCAPE '\' OR kind LIKE ? ESCAPE '\')")
        values += [_pattern(word)] * 2
    return "".join(f" AND {each}" for each in parts), values


def _pattern(word: str) -> str:
    escaped = word.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return f"%{escaped}%"


def _timed(rows: Sequence[Row] | Sequence[Any]) -> list[tuple[datetime, int]]:
    found = ((_time(row[0]), row[1]) for row in rows)
    return [(at, amount) for at, amount in found if at is not None]


def _time(stored: Any) -> datetime | None:
    try:
        return read_time(stored)
    except (ValueError, TypeError):
        return None
