"""Writes the new file of a salvage with the rows that came back.

Rows are added that stand for lost ones, so that what refers to them can be kept: a delta has everything of its own
row in the journal, any other says that it is a stand-in. The search index is empty; whoever opens the file next makes
that anew.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from inspector.domain.agents import AgentStatus
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.storage.creation import create_database, set_header
from inspector.storage.json_columns import dump, parse
from inspector.storage.meta import CONSTELLATION_ID, CREATED_AT
from inspector.storage.salvage_rows import Row, shapes
from inspector.storage.schema import CURRENT, STATEMENTS
from inspector.storage.sealing import SEALS

SALVAGED = "salvage"
Tables = dict[str, list[Row]]
# Rows that can do without what they referred to.
_LET_GO = {
    "context_states": "UPDATE context_states SET run_id = NULL WHERE run_id NOT IN (SELECT id FROM runs)",
    "calibrations": "UPDATE calibrations SET run_id = NULL WHERE run_id NOT IN (SELECT id FROM runs)",
    "queue": "UPDATE queue SET lease_process = NULL WHERE lease_process NOT IN (SELECT id FROM processes)",
}
_OF_AGENTS = (
    ("blocks", "owner"),
    *(("tool_rules", "agent_id"), ("attachments", "agent_id"), ("archival_entries", "agent_id")),
    *(("messages", "agent_id"), ("summaries", "agent_id"), ("activity", "agent_id")),
    *(("consent_requests", "agent_id"), ("consent_grants", "agent_id"), ("queue", "target_agent_id")),
    *(("wakeups", "agent_id"), ("runs", "agent_id"), ("context_states", "agent_id")),
)
_EMPTY_AGENT = {
    **dict.fromkeys(("persona", "provider", "model"), ""),
    **dict.fromkeys(("instructions", "tools"), "[]"),
    **dict.fromkeys(("parameters", "config", "metadata"), "{}"),
    "status": AgentStatus.PAUSED.value,
}
_SAME = (
    *("actor_kind", "actor_id", "actor_name", "reason", "at"),
    *("tool_call_id", "changeset", "undo_of", "process"),
)
"""What a delta and its row in the journal both say."""


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """How many rows are in the new file, and how many were left out or made up, by table."""

    kept: Counter[str]
    lost: Counter[str]
    made_up: Counter[str]


def write_salvaged(path: Path, tables: Tables, at: str) -> WrittenRows:
    """Make a constellation of salvaged rows, whole or not at all. Runs in the caller's thread.

    Raises:
        FileError: ``file.exists``, or why the file cannot be made.
    """
    made_up = _mend(tables, at)
    lost: Counter[str] = Counter()
    kept: Counter[str] = Counter()

    def fill(connection: sqlite3.Connection) -> None:
        for statement in STATEMENTS:
            connection.execute(statement)
        for name in shapes():
            lost[name] += _add(connection, name, tables.get(name, ()))
        lost.update(_drop_what_refers_to_nothing(connection))
        for name in shapes():
            kept[name] = connection.execute(_count(name)).fetchone()[0]
        set_header(connection, CURRENT.packed)

    create_database(path, fill)
    return WrittenRows(+kept, +lost, made_up)


def _add(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> int:
    """Add rows; gives how many break a rule of their table."""
    refused = 0
    # Rows that get a number come after those that have one, so that none is given out twice.
    for row in sorted(rows, key=len, reverse=True):
        try:
            connection.execute(_insert(table, tuple(row)), tuple(row.values()))
        except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError, UnicodeEncodeError):
            refused += 1
    return refused


def _drop_what_refers_to_nothing(connection: sqlite3.Connection) -> Counter[str]:
    """Remove rows whose parents are lost, until none is left: each may be a parent itself."""
    lost: Counter[str] = Counter()
    for statement in _LET_GO.values():
        connection.execute(statement)
    while True:
        broken = {(row[0], row[1]) for row in connection.execute("PRAGMA foreign_key_check")}
        if not broken:
            return lost
        for table, rowid in broken:
            lost[table] += connection.execute(_delete(table), (rowid,)).rowcount


def _mend(tables: Tables, at: str) -> Counter[str]:
    """Add the rows that others refer to and that are lost; gives how many by table."""
    made: Counter[str] = Counter()
    for table, rows in (
        ("meta", _facts(tables, at)),
        ("changes", _changes(tables)),
        ("agents", _agents(tables, at)),
        ("processes", _processes(tables, at)),
    ):
        added = list(rows)
        tables.setdefault(table, []).extend(added)
        made[table] += len(added)
    # What the salvage itself writes is no stand-in.
    own = _own_process(tables, at)
    for row in (*tables.get("changes", ()), *tables.get("updates", ())):
        row["process"] = row["process"] or own
    _forget_lost_undo(tables)
    for name, seal in SEALS.items():
        for row in tables.get(name, ()):
            row["seal"] = row.get("seal") or seal.of(row)
    return +made


def _forget_lost_undo(tables: Tables) -> None:
    existing = {row["seq"] for row in tables.get("changes", ())}
    for name in ("changes", "updates"):
        for row in tables.get(name, ()):
            if row["undo_of"] not in existing | {None}:
                is_sound = not SEALS[name].damaged(str(row.get("seal", "")), row)
                row["undo_of"] = None
                # Damage to the rest of it stays to be told.
                row["seal"] = SEALS[name].of(row) if is_sound else row.get("seal")


def _facts(tables: Tables, at: str) -> Iterator[Row]:
    existing = {row["name"] for row in tables.get("meta", ())}
    if CONSTELLATION_ID not in existing:
        yield {"name": CONSTELLATION_ID, "value": f"con_{secrets.token_hex(12)}"}
    if CREATED_AT not in existing:
        yield {"name": CREATED_AT, "value": at}


def _changes(tables: Tables) -> Iterator[Row]:
    """The journal's rows of deltas whose own are lost."""
    existing = {row["seq"] for row in tables.get("changes", ())}
    owners = {row["id"]: row["owner"] for row in tables.get("blocks", ())}
    for delta in tables.get("updates", ()):
        if delta["change_seq"] in existing:
            continue
        existing.add(delta["change_seq"])
        yield {
            **{name: delta[name] for name in _SAME},
            "seq": delta["change_seq"],
            "kind": _kind_of(delta),
            "ref_kind": "block",
            "ref_id": delta["block_id"],
            "ref_part": None,
            "owner": owners.get(delta["block_id"]),
            "batch_id": None,
            "before": dump({"version": delta["version_before"]}),
            "after": dump({"version": delta["version_after"]}),
        }


def _kind_of(delta: Row) -> str:
    try:
        return str(parse(str(delta["operation"]))["op"])
    except (MalformedError, KeyError, TypeError):
        return "unknown"


def _agents(tables: Tables, at: str) -> Iterator[Row]:
    existing = {row["id"] for row in tables.get("agents", ())}
    wanted = {row[column] for table, column in _OF_AGENTS for row in tables.get(table, ())}
    for agent_id in sorted(str(each) for each in wanted - existing - {None, CONSTELLATION_OWNER}):
        lost: Row = {"id": agent_id, "name": f"salvaged {agent_id}", "created_at": at, "updated_at": at}
        yield {**lost, **_EMPTY_AGENT}


def _processes(tables: Tables, at: str) -> Iterator[Row]:
    existing = {row["id"] for row in tables.get("processes", ())}
    wanted = {row["process"] for table in ("changes", "updates") for row in tables.get(table, ())}
    for number in sorted(each for each in wanted - existing if isinstance(each, int) and each):
        yield _process(number, at)


def _own_process(tables: Tables, at: str) -> int:
    number = 1 + max((int(row["id"] or 0) for row in tables.get("processes", ())), default=0)
    tables.setdefault("processes", []).append(_process(number, at))
    return number


def _process(number: int, at: str) -> Row:
    actor: Row = {"actor_kind": "system", "actor_id": SALVAGED, "actor_name": SALVAGED}
    return {"id": number, "peer": str(secrets.randbits(64)), **actor, "program": SALVAGED, "started_at": at}


# The names below are those of our own tables and columns, never a file's.


def _insert(table: str, columns: tuple[str, ...]) -> str:
    places = ", ".join("?" * len(columns))
    return " ".join(("INSERT INTO", table, "(", ", ".join(columns), ") VALUES (", places, ")"))


def _delete(table: str) -> str:
    return " ".join(("DELETE FROM", table, "WHERE rowid = ?"))


def _count(table: str) -> str:
    return " ".join(("SELECT count(*) FROM", table))
