"""Taking a constellation out of an open file, whole or one agent's part of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.labels import LabelBook
from inspector.storage.connection import Connection
from inspector.storage.json_columns import parse
from inspector.storage.whole import read_rows
from inspector.storage.whole_tables import CONSENT_CHANGES, META, TABLES

# What makes a file the one it is: a part of it is another.
_IDENTITY = frozenset({"constellation_id", "created_at"})
_BY_AGENT = (
    *("tool_rules", "archival_entries", "messages", "summaries", "activity"),
    *("consent_requests", "wakeups", "runs", "context_states"),
)


async def take_rows(
    connection: Connection, *, history: bool = False
) -> tuple[ConstellationRows, tuple[Problem, ...]]:
    """All rows, as of one moment, and what of them could not be taken as it is."""
    tables: dict[str, Sequence[Row]] = {}
    problems: list[Problem] = []
    facts: dict[str, str] = {}
    for table in TABLES:
        if not history if table.is_history else history and table is CONSENT_CHANGES:
            continue
        rows, found = await read_rows(connection, table)
        problems += found
        if table is META:
            facts = {str(row["name"]): str(row["value"]) for row in rows}
        else:
            tables[table.name] = rows
    return ConstellationRows(facts, tables, history), tuple(problems)


def part_of(rows: ConstellationRows, agent_id: str) -> tuple[ConstellationRows, tuple[Problem, ...]]:
    """One agent's part: itself, what is its own, what it sees of others, and what it needs of all.

    A block of another agent that it sees becomes its own, at the level that it had; a problem says so.
    """
    attached = {row["block_id"]: row for row in rows.of("attachments") if row["agent_id"] == agent_id}
    seen = [
        row
        for row in rows.of("blocks")
        if row["owner"] in (agent_id, CONSTELLATION_OWNER) or (row["id"] in attached and row["is_active"])
    ]
    blocks, problems = _owned(seen, attached, agent_id)
    tables: dict[str, Sequence[Row]] = {
        "agents": _where(rows.of("agents"), "id", {agent_id}),
        "blocks": blocks,
        "attachments": [],
        "user_schemas": [],
    }
    for name in _BY_AGENT:
        tables[name] = _where(rows.of(name), "agent_id", {agent_id})
    tables["queue"] = _where(rows.of("queue"), "target_agent_id", {agent_id})
    _take_tools_and_layouts(rows, tables)
    _take_dependents(rows, tables, agent_id)
    if rows.history:
        _take_history(rows, tables, agent_id)
    facts = {name: value for name, value in rows.facts.items() if name not in _IDENTITY}
    return ConstellationRows(facts, tables, rows.history), problems


def _owned(
    blocks: Sequence[Row], attached: Mapping[Cell, Row], agent_id: str
) -> tuple[list[Row], tuple[Problem, ...]]:
    book = LabelBook((agent_id, str(row["label"])) for row in blocks if row["owner"] == agent_id)
    own: list[Row] = []
    problems: list[Problem] = []
    for row in sorted(blocks, key=lambda row: row["owner"] != agent_id):
        if row["owner"] == agent_id and row["is_active"]:
            book.take(agent_id, str(row["label"]))
        elif row["owner"] not in (agent_id, CONSTELLATION_OWNER):
            level = _lower(row["permission"], attached[row["id"]]["permission"])
            label = book.take(agent_id, str(row["label"]))
            told = {"label": str(row["label"]), "new": label}
            where = str(Ref(RefKind.BLOCK, str(row["id"])))
            problems.append(Problem("export.block_becomes_own", Severity.INFO, where, told))
            row = {**row, "owner": agent_id, "permission": level, "label": label}
        own.append(row)
    in_order = {row["id"]: place for place, row in enumerate(blocks)}
    return sorted(own, key=lambda row: in_order[row["id"]]), tuple(problems)


def _lower(one: Cell, other: Cell) -> Cell:
    try:
        return min(Permission.parse(str(one)), Permission.parse(str(other))).label
    except KeyError:
        return Permission.READ_ONLY.label


def _take_tools_and_layouts(rows: ConstellationRows, tables: dict[str, Sequence[Row]]) -> None:
    names: set[Cell] = {row["tool"] for row in tables["tool_rules"]}
    layouts: set[Cell] = set()
    for agent in tables["agents"]:
        try:
            names |= set(parse(str(agent["tools"])))
            layouts.add(parse(str(agent["config"])).get("layout"))
        except (MalformedError, TypeError, AttributeError):
            # An agent whose settings cannot be read keeps everything that they might name.
            names |= {row["name"] for row in rows.of("tools")}
            layouts |= {row["name"] for row in rows.of("layouts")}
    tables["tools"] = _where(rows.of("tools"), "name", names)
    tables["layouts"] = _where(rows.of("layouts"), "name", layouts)


def _take_dependents(rows: ConstellationRows, tables: dict[str, Sequence[Row]], agent_id: str) -> None:
    blocks = {row["id"] for row in tables["blocks"]}
    requests = {row["id"] for row in tables["consent_requests"]}
    runs = {row["id"] for row in tables["runs"]}
    texts = {row[name] for row in tables["runs"] for name in ("request_hash", "manifest_digest")}
    tables["block_contents"] = _where(rows.of("block_contents"), "block_id", blocks)
    tables["request_texts"] = _where(rows.of("request_texts"), "hash", texts)
    tables["calibrations"] = _where(rows.of("calibrations"), "run_id", runs)
    tables["consent_changes"] = _where(rows.of("consent_changes"), "ref_id", requests)
    tables["consent_grants"] = [
        row
        for row in _where(rows.of("consent_grants"), "agent_id", {agent_id})
        if row["block_id"] in blocks | {None} and row["request_id"] in requests | {None}
    ]


def _take_history(rows: ConstellationRows, tables: dict[str, Sequence[Row]], agent_id: str) -> None:
    blocks = {row["id"] for row in tables["blocks"]}
    tables["updates"] = _where(rows.of("updates"), "block_id", blocks)
    tables["checkpoints"] = _where(rows.of("checkpoints"), "block_id", blocks)
    needed: set[Cell] = {row[name] for row in tables["updates"] for name in ("change_seq", "undo_of")}
    kept: list[Row] = []
    # Backwards: what a change takes back is older than the change.
    for row in reversed(rows.of("changes")):
        if row["seq"] in needed or row["owner"] == agent_id or row["ref_id"] in blocks | {agent_id}:
            needed.add(row["undo_of"])
            kept.append(row)
    kept.reverse()
    tables["changes"] = kept
    writers = {row["process"] for row in (*kept, *tables["updates"])}
    tables["processes"] = _where(rows.of("processes"), "id", writers)


def _where(rows: Iterable[Row], column: str, values: Collection[Cell]) -> list[Row]:
    return [row for row in rows if row[column] in values]
