"""Adds rows that stand for lost ones, so that a salvage can keep what refers to them.

Where another table tells what a lost row said, it says it again: the journal has an agent as it was made, and a
delta has everything of its own journal row. Otherwise the row says that it is a stand-in.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from inspector.domain.agents import AgentStatus
from inspector.domain.errors import MalformedError
from inspector.storage.json_columns import dump, parse
from inspector.storage.redundancy import is_change_of
from inspector.storage.salvage_rows import Row, shapes
from inspector.storage.sealing import SEALS

SALVAGED = "salvage"
Tables = dict[str, list[Row]]
_OF_AGENTS = (
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


def mend(tables: Tables, at: str) -> Counter[str]:
    """Add the rows that others refer to and that are lost; gives how many by table."""
    _link(tables)
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
    _forget_lost_undo(tables)
    # What the salvage itself writes is no stand-in.
    own = _own_process(tables, at)
    for row in (*tables.get("changes", ()), *tables.get("updates", ())):
        row["process"] = row["process"] or own
    _seal(tables)
    return +made


def _seal(tables: Tables) -> None:
    """Seal what has no seal: rows that a salvage made itself, and those of a version that had none."""
    for name, seal in SEALS.items():
        for row in tables.get(name, ()):
            if not row.get(seal.column):
                row[seal.column] = seal.of(row)


def _link(tables: Tables) -> None:
    """Have deltas that name a row of the journal that is not theirs name their own, where there is just one."""
    changes = {row["seq"]: row for row in tables.get("changes", ())}
    astray: list[Row] = []
    claimed = set()
    for delta in tables.get("updates", ()):
        change = changes.get(delta["change_seq"])
        if change is not None and is_change_of(delta, change):
            claimed.add(delta["change_seq"])
        else:
            astray.append(delta)
    if not astray:
        return
    of_block: dict[object, list[Row]] = {}
    for seq, change in changes.items():
        if seq not in claimed:
            of_block.setdefault(change["ref_id"], []).append(change)
    for delta in astray:
        own = [each for each in of_block.get(delta["block_id"], ()) if _leads_there(delta, each)]
        if len(own) == 1:
            delta["change_seq"] = own[0]["seq"]


def _leads_there(delta: Row, change: Row) -> bool:
    """Whether a row of the journal is surely that of a delta: it names the version, or the kind of operation."""
    if not is_change_of(delta, change):
        return False
    return "version" in _object(change["after"]) or change["kind"] == _object(delta["operation"]).get("op")


def _facts(tables: Tables, at: str) -> Iterator[Row]:
    existing = {row["name"] for row in tables.get("meta", ())}
    if "constellation_id" not in existing:
        yield {"name": "constellation_id", "value": f"con_{secrets.token_hex(12)}"}
    if "created_at" not in existing:
        yield {"name": "created_at", "value": at}


def _changes(tables: Tables) -> Iterator[Row]:
    """The journal's rows of deltas whose own are lost."""
    existing = {row["seq"] for row in tables.get("changes", ())}
    owners = {row["id"]: row["owner"] for row in tables.get("blocks", ())}
    for delta in tables.get("updates", ()):
        if delta["change_seq"] in existing:
            continue
        existing.add(delta["change_seq"])
        same = (
            "actor_kind",
            "actor_id",
            "actor_name",
            "reason",
            "at",
            "tool_call_id",
            "changeset",
            "undo_of",
        )
        yield {
            **{name: delta[name] for name in (*same, "process")},
            "seq": delta["change_seq"],
            "kind": _object(delta["operation"]).get("op", "unknown"),
            "ref_kind": "block",
            "ref_id": delta["block_id"],
            "ref_part": None,
            "owner": owners.get(delta["block_id"]),
            "batch_id": None,
            "before": dump({"version": delta["version_before"]}),
            "after": dump({"version": delta["version_after"]}),
        }


def _agents(tables: Tables, at: str) -> Iterator[Row]:
    existing = {row["id"] for row in tables.get("agents", ())}
    wanted = {row[column] for table, column in _OF_AGENTS for row in tables.get(table, ())}
    reported = _agents_of_journal(tables.get("changes", ()))
    # One that only the journal knows was there too: nothing is ever removed.
    for agent_id in sorted(str(each) for each in (wanted | set(reported)) - existing - {None}):
        lost: Row = {"id": agent_id, "name": f"salvaged {agent_id}", "created_at": at, "updated_at": at}
        yield {**lost, **_EMPTY_AGENT, **reported.get(agent_id, {})}


def _agents_of_journal(changes: Iterable[Row]) -> dict[str, Row]:
    columns = {column.name for column in shapes()["agents"].columns}
    found: dict[str, Row] = {}
    for row in sorted(changes, key=lambda each: int(each["seq"] or 0)):
        if row["ref_kind"] != "agent" or row["after"] is None:
            continue
        agent_id = str(row["ref_id"])
        if row["kind"] == "create_agent" or agent_id in found:
            after = {name: value for name, value in _object(row["after"]).items() if name in columns - {"id"}}
            cells = {name: value if isinstance(value, str) else dump(value) for name, value in after.items()}
            found.setdefault(agent_id, {}).update(cells)
    return found


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


def _forget_lost_undo(tables: Tables) -> None:
    existing = {row["seq"] for row in tables.get("changes", ())}
    for row in (*tables.get("changes", ()), *tables.get("updates", ())):
        if row["undo_of"] not in existing:
            row["undo_of"] = None


def _object(stored: Any) -> dict[str, Any]:
    try:
        plain = parse(stored)
    except (MalformedError, TypeError):
        return {}
    return plain if isinstance(plain, dict) else {}
