"""Checks that the cells of a row can be read, for import and check.

A cell that is none of it makes its row a problem wherever it is listed; the row is kept as it is all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from inspector.domain.actor import ActorKind
from inspector.domain.agents import AgentStatus, ContextConfig, ToolRuleKind
from inspector.domain.blocks import BlockType, Permission, Schema
from inspector.domain.codec import from_plain, read_time
from inspector.domain.consent import ConsentState
from inspector.domain.content import Content
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.errors import MalformedError
from inspector.domain.messages import BatchType, Part, Role
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import SummaryDetails
from inspector.storage.connection import Row, Undecodable
from inspector.storage.json_columns import parse
from inspector.storage.meta import CONSTELLATION_ID, CREATED_AT, PARTNER_ID
from inspector.storage.table_catalogue import META, CellForm, TableColumn, TableRows

LARGEST_NUMBER = (1 << 53) - 1
"""Where counting ends: a file that goes on from it has room left, and every reader of JSON has the number exactly."""

_IDS: Mapping[str, tuple[str, ...]] = {"processes": ("peer", "actor_id")}
"""Ids that no seal vouches for."""
# Earlier ones are written with fewer digits, and so do not sort.
_YEARS = range(1000, 10_000)
_ACTOR: Mapping[str, Any] = {"actor_kind": ActorKind}
KINDS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "agents": {
            "instructions": tuple[str, ...],
            "config": ContextConfig,
            "tools": tuple[str, ...],
            "status": AgentStatus,
        },
        "tools": {"examples": tuple[str, ...]},
        "tool_rules": {"kind": ToolRuleKind},
        "blocks": {"block_type": BlockType, "schema": Schema, "permission": Permission},
        "block_contents": {**_ACTOR, "content": Content},
        "attachments": {"permission": Permission},
        "archival_entries": {"tags": tuple[str, ...]},
        "messages": {"role": Role, "content": tuple[Part, ...], "batch_type": BatchType},
        "summaries": {
            "topics": tuple[str, ...],
            "children": tuple[str, ...],
            "details": SummaryDetails,
        },
        "consent_requests": {"edit": Edit, "level": Permission, "state": ConsentState},
        "consent_changes": _ACTOR,
        "queue": {"state": QueueState},
        "processes": _ACTOR,
        "changes": _ACTOR,
        "updates": {**_ACTOR, "operation": Operation},
    }
)
"""Columns that hold one of our values, as its name or in JSON."""

_REFS: Mapping[str, RefKind] = {
    "agents": RefKind.AGENT,
    "tools": RefKind.TOOL,
    "tool_rules": RefKind.TOOL_RULE,
    "layouts": RefKind.LAYOUT,
    "user_schemas": RefKind.SCHEMA,
    "blocks": RefKind.BLOCK,
    "block_contents": RefKind.BLOCK,
    "attachments": RefKind.ATTACHMENT,
    "archival_entries": RefKind.ARCHIVAL,
    "messages": RefKind.MESSAGE,
    "summaries": RefKind.SUMMARY,
    "activity": RefKind.EVENT,
    "consent_requests": RefKind.CONSENT,
    "consent_grants": RefKind.GRANT,
    "queue": RefKind.QUEUE,
    "wakeups": RefKind.WAKEUP,
    "runs": RefKind.RUN,
    "updates": RefKind.BLOCK,
    "checkpoints": RefKind.BLOCK,
}
"""What the first column of a table is the id of; rows of other tables are nothing that can be pointed at."""


def flaws(table: TableRows, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The columns of a row that cannot be read, and why."""
    kinds = KINDS.get(table.name, {})
    for column in table.columns:
        if column.form not in (CellForm.BYTES, CellForm.PACKED, CellForm.NUMBER, CellForm.FLAG):
            why = _flaw(column, row[column.name], kinds.get(column.name))
            if why:
                yield column.name, why
    yield from _unsealed_flaws(table, row)


def place_of(table: TableRows, row: Mapping[str, Any] | Row) -> str:
    """What a row is of, as problems point at it."""
    key = str(row[table.columns[0].name])
    kind = _REFS.get(table.name)
    if kind is None:
        return f"{table.name}:{key}"
    return str(Ref(kind, key, str(row["agent_id"]) if kind is RefKind.ATTACHMENT else None))


def time_flaw(text: str) -> str:
    """Why a text is no time that can be stored; empty when it is one."""
    try:
        existing = read_time(text).year in _YEARS
    except (ValueError, OverflowError):
        existing = False
    return "" if existing else f"not a time: {text[:40]!r}"


def _unsealed_flaws(table: TableRows, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What no id and no time looks like, in cells that no seal vouches for."""
    ids, times = _IDS.get(table.name, ()), table.unsealed_times
    if table is META:
        ids = ("value",) if row["name"] in (CONSTELLATION_ID, PARTNER_ID) else ()
        times = ("value",) if row["name"] == CREATED_AT else ()
    for name in ids:
        if not str(row[name]).isprintable():
            yield name, f"not an id: {row[name]!r:.40}"
    for name in times:
        # Python reads any character between day and hour.
        text = "" if row[name] is None else str(row[name])
        if text[10:11] not in ("", "T", " ") or (table is META and time_flaw(text)):
            yield name, f"not a time: {text[:40]!r}"


def _flaw(column: TableColumn, cell: Any, kind: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Undecodable):
        return "not UTF-8"
    if column.form is CellForm.TIME:
        return time_flaw(cell)
    return "" if kind is None else _kind_flaw(cell, kind, in_json=column.form is CellForm.JSON)


def _kind_flaw(cell: Any, kind: Any, *, in_json: bool) -> str:
    try:
        from_plain(kind, parse(str(cell)) if in_json else cell)
    except MalformedError as error:
        return f"{error.parameters.get('where', '')}: {error.parameters.get('why', error.code)}"[:300]
    except RecursionError:
        return "nested too deeply"
    return ""
