"""Reads from the journal which changes and versions belong to an earlier moment."""

from __future__ import annotations

from datetime import datetime

from inspector.domain.agents import ContextConfig
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.codec import moment_of, write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Version
from inspector.domain.past_requests import JournalMoment
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import LastWrite
from inspector.storage.changes import actor_of
from inspector.storage.connection import LAST_OF_ALL, Connection

_UNTIL = "SELECT coalesce(max(seq), 0) AS seq FROM changes WHERE at <= ?"
_OUT_OF_ORDER = "SELECT count(*) AS changes FROM changes WHERE seq <= ? AND at > ?"
_FIRST = "SELECT min(seq) AS seq, min(at) AS at FROM changes"
_MOST_MOMENTS = 20_000
# `spans`: from which change to which a block was shared with the agent; one that came with an import has no change
# that says so. `had`: the names that its settings have, or had.
MOMENTS = """
    WITH attaching AS (
        SELECT ref_id AS block_id, seq, before, after, lag(seq) OVER steps AS earlier, lead(seq) OVER steps AS later
        FROM changes WHERE ref_kind = 'attachment' AND ref_part = ?1
        WINDOW steps AS (PARTITION BY ref_id ORDER BY seq)
    ), spans AS (
        SELECT block_id, seq AS since, coalesce(later, ?4) AS until FROM attaching WHERE after IS NOT NULL
        UNION ALL SELECT block_id, 0, seq FROM attaching WHERE earlier IS NULL AND before IS NOT NULL
        UNION ALL SELECT block_id, 0, ?4 FROM attachments
        WHERE agent_id = ?1 AND block_id NOT IN (SELECT block_id FROM attaching)
    ), settings AS (
        SELECT CASE WHEN json_valid(text) THEN text END AS text FROM (
            SELECT before AS text FROM changes WHERE ref_kind = 'agent' AND ref_id = ?1
            UNION ALL SELECT after FROM changes WHERE ref_kind = 'agent' AND ref_id = ?1
        )
    ), had AS (
        SELECT 'layout' AS kind, json_extract(text, '$.config.layout') AS name FROM settings
        UNION SELECT 'layout', ?5
        UNION SELECT 'layout', json_extract(config, '$.layout') FROM agents WHERE id = ?1 AND json_valid(config)
        UNION SELECT 'tool', value FROM settings, json_each(settings.text, '$.tools')
        UNION SELECT 'tool', value FROM agents, json_each(CASE WHEN json_valid(tools) THEN tools END)
        WHERE agents.id = ?1
    )
    SELECT seq, at FROM (
        SELECT seq, at FROM changes WHERE owner = ?1
        UNION SELECT seq, at FROM changes WHERE owner = ?2
        UNION SELECT seq, at FROM changes WHERE ref_kind = 'attachment' AND ref_part = ?1
        UNION SELECT changes.seq, changes.at FROM spans CROSS JOIN changes
        ON ref_kind = 'block' AND ref_id = spans.block_id AND seq > since AND seq < until
        UNION SELECT changes.seq, changes.at FROM spans JOIN blocks ON blocks.id = spans.block_id CROSS JOIN changes
        ON ref_kind = 'agent' AND ref_id = blocks.owner AND seq > since AND seq < until
        WHERE json_extract(CASE WHEN json_valid(after) THEN after END, '$.name') IS NOT NULL
        UNION SELECT changes.seq, changes.at FROM had CROSS JOIN changes ON ref_kind = had.kind AND ref_id = had.name
    ) ORDER BY seq DESC LIMIT ?3
"""
_AFTER = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, at, before, after FROM changes
    WHERE seq > ? ORDER BY seq DESC
"""
_LAST_UNTIL = """
    SELECT kind, at FROM changes WHERE ref_kind = ? AND ref_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1
"""
_VERSION = """
    SELECT seq, version_after, actor_kind, actor_id, actor_name, reason, at, tool_call_id FROM updates
    WHERE block_id = ? AND change_seq <= ? ORDER BY seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class LaterChange:
    """A change behind the moment; `before` and `after` are JSON texts of what it changed, None for nothing."""

    seq: int
    kind: str
    ref: Ref
    at: datetime
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class VersionThen:
    """The version that a block's content had, how many changes had made it, and the last of them."""

    version: Version
    revision: int
    written: LastWrite


async def last_until(connection: Connection, moment: datetime) -> int:
    """The number of the last change that has a time up to a moment, 0 when there is none."""
    row = await connection.fetch_one(_UNTIL, (write_time(moment),))
    return 0 if row is None else int(row["seq"])


async def moments(connection: Connection, agent_id: str) -> tuple[JournalMoment, ...]:
    """When something changed that an agent sees, oldest first; of those with one time, the last change."""
    layout = ContextConfig().layout
    values = (agent_id, CONSTELLATION_OWNER, _MOST_MOMENTS, LAST_OF_ALL, layout)
    rows = await connection.fetch_all(MOMENTS, values)
    latest: dict[str, int] = {}
    for row in rows:
        latest.setdefault(row["at"], row["seq"])
    return tuple(
        JournalMoment(seq, moment_of(at)) for at, seq in sorted(latest.items(), key=lambda each: each[1])
    )


async def out_of_order(connection: Connection, seq: int, moment: datetime) -> int:
    """How many changes up to a number have a time behind the moment: the clock was set back, or rows imported."""
    row = await connection.fetch_one(_OUT_OF_ORDER, (seq, write_time(moment)))
    return 0 if row is None else int(row["changes"])


async def first_change(connection: Connection) -> datetime | None:
    """The earliest time in the journal, None when it is empty."""
    row = await connection.fetch_one(_FIRST)
    return None if row is None or row["at"] is None else moment_of(row["at"])


async def after(connection: Connection, seq: int) -> tuple[LaterChange, ...]:
    """All changes behind a number, newest first; those of kinds that this version does not know are left away."""
    rows = await connection.fetch_all(_AFTER, (seq,))
    kinds = set(RefKind)
    return tuple(
        LaterChange(
            row["seq"],
            row["kind"],
            Ref(RefKind(row["ref_kind"]), row["ref_id"], row["ref_part"]),
            moment_of(row["at"]),
            row["before"],
            row["after"],
        )
        for row in rows
        if row["ref_kind"] in kinds
    )


async def last_of(connection: Connection, ref: Ref, seq: int) -> tuple[str, datetime] | None:
    """The kind and the time of the last change of a thing up to a number; None when there is none."""
    row = await connection.fetch_one(_LAST_UNTIL, (ref.kind.value, ref.id, seq))
    return None if row is None else (row["kind"], moment_of(row["at"]))


async def version_at(connection: Connection, block_id: str, seq: int) -> VersionThen | None:
    """The version of a block's content after change `seq`, None when the block had none yet."""
    row = await connection.fetch_one(_VERSION, (block_id, seq))
    if row is None:
        return None
    written = LastWrite(actor_of(row), moment_of(row["at"]), row["reason"], row["tool_call_id"])
    return VersionThen(Version(row["version_after"]), row["seq"], written)
