"""What is checked of rows that come from outside: ids, references, order, labels, and that values can be read.

What would break the file or stand for something else is refused. What merely cannot be read is noted and kept as it
is: the file it came from held it too, and shows it as a problem in its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from inspector.domain.agents import AgentStatus, ContextConfig, ToolRuleKind
from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType, Permission, Schema
from inspector.domain.codec import from_plain
from inspector.domain.consent import ConsentState
from inspector.domain.content import Content
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.edits.base import Edit
from inspector.domain.errors import MalformedError
from inspector.domain.messages import BatchType, Part, Role
from inspector.domain.records import QueueState
from inspector.domain.summaries import SummaryDetails
from inspector.exchange.labels import LabelBook, printable
from inspector.exchange.source import Notes
from inspector.storage.json_columns import parse

_UNIQUE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "processes": (("id",), ("peer",)),
    "agents": (("id",),),
    "tools": (("name",),),
    "tool_rules": (("id",),),
    "layouts": (("name",),),
    "user_schemas": (("name",),),
    "blocks": (("id",),),
    "block_contents": (("block_id",),),
    "attachments": (("block_id", "agent_id"),),
    "archival_entries": (("id",),),
    "messages": (("id",), ("agent_id", "position")),
    "summaries": (("id",),),
    "activity": (("id",),),
    "consent_requests": (("id",),),
    "consent_grants": (("id",),),
    "queue": (("id",),),
    "wakeups": (("id",),),
    "request_texts": (("hash",),),
    "runs": (("id",),),
    "context_states": (("agent_id", "at"),),
    "changes": (("seq",),),
    "updates": (("block_id", "seq"),),
    "checkpoints": (("block_id", "upto_seq"),),
}
_REFERENCES: tuple[tuple[str, str, str, str], ...] = (
    ("tool_rules", "agent_id", "agents", "id"),
    ("block_contents", "block_id", "blocks", "id"),
    ("attachments", "block_id", "blocks", "id"),
    ("attachments", "agent_id", "agents", "id"),
    ("archival_entries", "agent_id", "agents", "id"),
    ("messages", "agent_id", "agents", "id"),
    ("summaries", "agent_id", "agents", "id"),
    ("activity", "agent_id", "agents", "id"),
    ("consent_requests", "agent_id", "agents", "id"),
    ("consent_changes", "ref_id", "consent_requests", "id"),
    ("consent_grants", "request_id", "consent_requests", "id"),
    ("consent_grants", "agent_id", "agents", "id"),
    ("consent_grants", "block_id", "blocks", "id"),
    ("queue", "target_agent_id", "agents", "id"),
    ("wakeups", "agent_id", "agents", "id"),
    ("runs", "agent_id", "agents", "id"),
    ("runs", "request_hash", "request_texts", "hash"),
    ("runs", "manifest_digest", "request_texts", "hash"),
    ("context_states", "agent_id", "agents", "id"),
    ("context_states", "run_id", "runs", "id"),
    ("calibrations", "run_id", "runs", "id"),
    ("changes", "process", "processes", "id"),
    ("changes", "undo_of", "changes", "seq"),
    ("updates", "block_id", "blocks", "id"),
    ("updates", "change_seq", "changes", "seq"),
    ("updates", "process", "processes", "id"),
    ("updates", "undo_of", "changes", "seq"),
    ("checkpoints", "block_id", "blocks", "id"),
)
_KINDS: Mapping[str, Mapping[str, Any]] = {
    "agents": {
        "instructions": tuple[str, ...],
        "config": ContextConfig,
        "tools": tuple[str, ...],
        "status": AgentStatus,
    },
    "tools": {"examples": tuple[str, ...]},
    "tool_rules": {"kind": ToolRuleKind},
    "blocks": {"block_type": BlockType, "schema": Schema, "permission": Permission},
    "block_contents": {"content": Content},
    "attachments": {"permission": Permission},
    "archival_entries": {"tags": tuple[str, ...]},
    "messages": {"role": Role, "content": tuple[Part, ...], "batch_type": BatchType},
    "summaries": {
        "topics": tuple[str, ...],
        "children": tuple[str, ...],
        "details": SummaryDetails,
    },
    "consent_requests": {"edit": Edit, "level": Permission, "state": ConsentState},
    "queue": {"state": QueueState},
}
_ORDERED: Mapping[str, tuple[str, ...]] = {
    "messages": ("agent_id", "position"),
    "changes": ("seq", "ref_id"),
    "updates": ("block_id", "seq"),
}
"""Rows that must be added in an order, and what they are ordered by; both columns hold what can be compared."""
_STORED_AS_JSON = frozenset(
    {
        *("instructions", "config", "tools", "examples", "schema", "content", "tags"),
        *("topics", "children", "details", "edit"),
    }
)


def checked(rows: ConstellationRows, notes: Notes) -> ConstellationRows:
    """The rows, their labels made usable.

    Raises:
        MalformedError: an id stands twice, a reference leads nowhere, or a number or hash cannot be right.
    """
    _check_unique(rows)
    _check_references(rows)
    _check_each(rows, "request_texts", _check_hash)
    _check_each(rows, "changes", _check_undo)
    _check_each(rows, "blocks", _check_limit)
    for table, kinds in _KINDS.items():
        for index, row in enumerate(rows.of(table)):
            _check_values(f"{table}[{index}]", row, kinds, notes)
    _note_owners(rows, notes)
    _note_damage(rows, notes)
    tables = {**rows.tables, "blocks": _with_labels(rows.of("blocks"), notes)}
    for name, columns in _ORDERED.items():
        tables[name] = sorted(rows.of(name), key=itemgetter(*columns))
    return ConstellationRows(rows.facts, tables, rows.history)


def _check_unique(rows: ConstellationRows) -> None:
    for table, groups in _UNIQUE.items():
        for names in groups:
            seen: set[tuple[Cell, ...]] = set()
            for index, row in enumerate(rows.of(table)):
                key = tuple(row[name] for name in names)
                if key in seen:
                    raise _refuse(f"{table}[{index}]", f"{', '.join(names)} {_shown(key)} stands twice")
                seen.add(key)
    in_force: set[tuple[Cell, ...]] = set()
    for index, row in enumerate(rows.of("tool_rules")):
        key = (row["agent_id"], row["tool"], row["kind"])
        if not row["is_deleted"]:
            if key in in_force:
                raise _refuse(f"tool_rules[{index}]", "a second rule of one kind for one tool")
            in_force.add(key)


def _check_references(rows: ConstellationRows) -> None:
    known: dict[tuple[str, str], set[Cell]] = {}
    for table, column, target, key in _REFERENCES:
        if (target, key) not in known:
            known[target, key] = {row[key] for row in rows.of(target)}
        for index, row in enumerate(rows.of(table)):
            value = row[column]
            if value is not None and value not in known[target, key]:
                where = f"{table}[{index}].{column}"
                raise _refuse(where, f"{_shown((value,))} is not among {target}")


def _check_each(rows: ConstellationRows, table: str, check: Callable[[Row, str], None]) -> None:
    for index, row in enumerate(rows.of(table)):
        check(row, f"{table}[{index}]")


def _check_hash(row: Row, where: str) -> None:
    if hashlib.sha256(str(row["text"]).encode()).hexdigest() != row["hash"]:
        raise _refuse(f"{where}.hash", "is not the hash of the text")


def _check_undo(row: Row, where: str) -> None:
    seq, undone = row["seq"], row["undo_of"]
    if isinstance(seq, int) and (seq < 1 or (isinstance(undone, int) and undone >= seq)):
        raise _refuse(f"{where}.seq", "changes count from 1, and take back earlier ones")


def _check_limit(row: Row, where: str) -> None:
    limit = row["char_limit"]
    if isinstance(limit, int) and limit < 0:
        raise _refuse(f"{where}.char_limit", "is negative")


def _check_values(where: str, row: Row, kinds: Mapping[str, Any], notes: Notes) -> None:
    for column, kind in kinds.items():
        cell = row[column]
        try:
            plain = parse(str(cell)) if column in _STORED_AS_JSON else cell
            from_plain(kind, plain)
        except MalformedError as error:
            why = f"{error.parameters.get('where', '')}: {error.parameters.get('why', error.code)}"
            notes.warn("import.unreadable_value", f"{where}.{column}", why=why[:300])
        except RecursionError:
            notes.warn("import.unreadable_value", f"{where}.{column}", why="nested too deeply")


def _note_owners(rows: ConstellationRows, notes: Notes) -> None:
    agents = {row["id"] for row in rows.of("agents")}
    for index, row in enumerate(rows.of("blocks")):
        if row["owner"] not in agents and row["owner"] != CONSTELLATION_OWNER:
            notes.warn("import.owner_missing", f"blocks[{index}].owner", label=str(row["label"])[:80])


def _note_damage(rows: ConstellationRows, notes: Notes) -> None:
    for table, column in (("updates", "blob"), ("checkpoints", "snapshot")):
        for index, row in enumerate(rows.of(table)):
            blob = row[column]
            if isinstance(blob, bytes) and hashlib.sha256(blob).hexdigest() != row["content_hash"]:
                notes.warn("import.damaged_bytes", f"{table}[{index}].{column}")


def _with_labels(blocks: Sequence[Row], notes: Notes) -> list[Row]:
    """The blocks; among the active ones of an owner a label that stands twice is numbered."""
    wanted = [printable(str(row["label"])) for row in blocks]
    owners = [str(row["owner"]) for row in blocks]
    book = LabelBook(zip(owners, wanted, strict=True))
    labelled: list[Row] = []
    for index, (row, owner, label) in enumerate(zip(blocks, owners, wanted, strict=True)):
        where = f"blocks[{index}]"
        if label != row["label"]:
            notes.warn("import.label_changed", f"{where}.label", label=str(row["label"])[:80], new=label[:80])
        new = book.take(owner, label) if row["is_active"] else label
        if new != label:
            notes.warn("import.label_numbered", where, label=label[:80], new=new[:80])
        labelled.append({**row, "label": new})
    return labelled


def _shown(key: tuple[Cell, ...]) -> str:
    return ", ".join(repr(each)[:80] for each in key)


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("import.malformed", where=where, why=why)
