"""Reads the rows of an export from an open file: the constellation or one agent's part.

Whoever takes them out is told of the damage, for what is passed on may be all that is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.edits.row_import import Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError, Problem, Severity
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.exchange.planning import LabelBook
from inspector.exchange.rows.row_import import documents
from inspector.storage import blocks, updates
from inspector.storage.bulk_rows import read_rows
from inspector.storage.connection import Connection
from inspector.storage.damaged_rows import damaged_among, seals
from inspector.storage.json_columns import parse
from inspector.storage.sealing import SEALS
from inspector.storage.table_catalogue import CONSENT_CHANGES, META, TABLES

# What makes a file the one it is: a part of it is another.
_IDENTITY = frozenset({"constellation_id", "created_at"})
_BY_AGENT = (
    *("tool_rules", "archival_entries", "messages", "summaries", "activity"),
    *("consent_requests", "wakeups", "runs", "context_states"),
)
_NO_DAMAGE = frozenset({"block.over_limit", "block.over_items"})
_BYTES = (
    ("updates", "blob", "seq", "check.delta_damaged"),
    ("checkpoints", "snapshot", "upto_seq", "check.checkpoint_damaged"),
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
            parameters = {"label": str(row["label"]), "new": label}
            where = str(Ref(RefKind.BLOCK, str(row["id"])))
            problems.append(Problem("export.block_becomes_own", Severity.INFO, where, parameters))
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


async def damage(connection: Connection, rows: ConstellationRows) -> tuple[Problem, ...]:
    """The problems of the blocks among rows that were taken out of an open file."""
    wanted = {row["id"] for row in rows.of("blocks")}
    counts = await updates.counts(connection)
    states = [state for state in await blocks.read_all(connection, deleted=True) if state.block.id in wanted]
    found = [problem for state in states for problem in _of_state(state, counts.get(state.block.id, 0))]
    labels: dict[Cell, str] = {state.block.id: state.block.label for state in states}
    return (*found, *_of_bytes(rows, labels))


async def damage_to_cells(
    connection: Connection, whole: ConstellationRows, part: ConstellationRows
) -> tuple[Problem, ...]:
    """Which of the rows of a part are not what was written; `whole` has them as they lie in the open file.

    An import seals what it is given, so nothing else will ever tell.
    """
    stored = await seals(connection, whole.tables)
    wanted = {
        name: {tuple(row[column] for column in SEALS[name].key) for row in part.of(name)} for name in stored
    }
    return await asyncio.to_thread(lambda: tuple(damaged_among(stored, whole.tables, wanted)))


def _of_state(state: BlockState, deltas: int) -> Iterator[Problem]:
    if state.problem is not None and state.problem.code not in _NO_DAMAGE:
        yield state.problem
    if state.content is not None and deltas != state.revision:
        yield _problem(
            state.block.id, state.block.label, "check.revision", revision=state.revision, deltas=deltas
        )


def _of_bytes(rows: ConstellationRows, labels: Mapping[Cell, str]) -> Iterator[Problem]:
    for table, column, number, code in _BYTES:
        for row in rows.of(table):
            data, seq = row[column], row[number]
            if isinstance(data, bytes) and updates.hash_of(data) != row["content_hash"]:
                block = str(row["block_id"])
                yield _problem(block, labels.get(block, ""), code, seq=seq if isinstance(seq, int) else 0)
    for block_id, document in documents(rows).items():
        if not document.is_whole:
            yield _problem(str(block_id), labels.get(block_id, ""), "check.delta_missing")


def _problem(block_id: str, label: str, code: str, **parameters: int) -> Problem:
    where = str(Ref(RefKind.BLOCK, block_id))
    return Problem(code, Severity.ERROR, where, {"label": str(label), **parameters})
