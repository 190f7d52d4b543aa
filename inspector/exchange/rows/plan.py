"""Checked rows as a plan, with the preview that a person sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.domain.actor import IMPORTER
from inspector.domain.edits.adopting import AdoptRows, ConstellationRows, Row
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportedAgent, ImportPlan
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.source import Notes
from inspector.storage.json_columns import parse


def plan_of(source_format: str, rows: ConstellationRows, notes: Notes, origin: str) -> ImportPlan:
    """The plan that adopts the rows, as one edit."""
    reason = f"imported from {origin}" if origin else "imported"
    return ImportPlan(
        source_format,
        (intent_of(rows, reason),),
        _agents(rows),
        notes.problems,
        notes.kept,
        rows.facts.get("name", ""),
    )


def intent_of(rows: ConstellationRows, reason: str) -> Intent:
    """The intent that adopts rows."""
    return Intent(Edit(Ref(RefKind.CONSTELLATION, ""), AdoptRows(rows)), IMPORTER, reason)


def _agents(rows: ConstellationRows) -> tuple[ImportedAgent, ...]:
    blocks = Counter(row["owner"] for row in rows.of("blocks") if row["is_active"])
    shared = Counter(row["agent_id"] for row in rows.of("attachments"))
    messages = _counted(rows.of("messages"), "is_deleted")
    sent = _counted(rows.of("messages"), "is_deleted", "is_archived", "compiled")
    return tuple(
        ImportedAgent(
            str(row["id"]),
            str(row["name"]),
            str(row["model"]),
            blocks[row["id"]],
            shared[row["id"]],
            messages[row["id"]],
            sent[row["id"]],
            _length(str(row["tools"])),
        )
        for row in rows.of("agents")
    )


def _counted(messages: Sequence[Row], *without: str) -> Counter[object]:
    return Counter(row["agent_id"] for row in messages if not any(row[name] for name in without))


def _length(text: str) -> int:
    try:
        found = parse(text)
    except MalformedError:
        return 0
    return len(found) if isinstance(found, list) else 0
