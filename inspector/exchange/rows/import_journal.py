"""Writes the search index and journal rows of an import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.domain.codec import write_time
from inspector.domain.edits.base import Intent
from inspector.domain.edits.row_import import AdoptRows, Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import SearchEntry, found_of_entry, found_of_message, found_of_summary
from inspector.memory.entities import read_entity
from inspector.storage import archival, json_columns, messages, summaries
from inspector.storage.bulk_rows import add_rows, add_to_index, last_numbers
from inspector.storage.table_catalogue import CHANGES
from inspector.storage.transaction import Transaction

_CREATORS: tuple[tuple[str, RefKind, str, str], ...] = (
    ("agents", RefKind.AGENT, "create_agent", "id"),
    ("tools", RefKind.TOOL, "put_tool", "name"),
    ("tool_rules", RefKind.TOOL_RULE, "put_tool_rule", "id"),
    ("layouts", RefKind.LAYOUT, AdoptRows.op, "name"),
    ("user_schemas", RefKind.SCHEMA, AdoptRows.op, "name"),
    ("archival_entries", RefKind.ARCHIVAL, "insert_archival", "id"),
    ("messages", RefKind.MESSAGE, "append_message", "id"),
    ("summaries", RefKind.SUMMARY, "store_summary", "id"),
    ("activity", RefKind.EVENT, "log_event", "id"),
    ("consent_grants", RefKind.GRANT, "grant_consent", "id"),
    ("queue", RefKind.QUEUE, "enqueue_message", "id"),
    ("wakeups", RefKind.WAKEUP, "set_wakeup", "id"),
    ("runs", RefKind.RUN, "store_run", "id"),
)
"""Tables, what their rows are, the operation that makes such a row, and the column that names it.

Blocks have their change from their document, and consent requests bring theirs.
"""


async def put_into_index(tx: Transaction, rows: ConstellationRows) -> None:
    """Make archival entries, messages and summaries findable."""
    await add_to_index(tx, _entries(rows))


async def note_import(tx: Transaction, intent: Intent, rows: ConstellationRows, changeset: str) -> int:
    """Write a change for each row that came, and one for the whole.

    Returns:
        The number of the last one.
    """
    noted = _Noted(intent, changeset, await tx.process_id(), (await last_numbers(tx))[1])
    read = {each.id: each for each in _messages(rows)}
    for ref, kind, owner in _made(rows):
        value = read.get(ref.id) if ref.kind is RefKind.MESSAGE else await _value(tx, ref)
        noted.add(ref, kind, owner, value)
    noted.add(intent.edit.target, AdoptRows.op, None, None)
    await add_rows(tx, CHANGES, noted.rows)
    return noted.last


class _Noted:
    """Rows of the journal, all by the importer and of one changeset."""

    def __init__(self, intent: Intent, changeset: str, process: int, last: int) -> None:
        if intent.at is None:
            raise ValueError("an intent that is applied has its time")
        actor = intent.actor
        self.last = last
        self.rows: list[dict[str, Cell]] = []
        self._common: dict[str, Cell] = {
            "actor_kind": actor.kind.value,
            "actor_id": actor.id,
            "actor_name": actor.name,
            "reason": intent.reason,
            "at": write_time(intent.at),
            "batch_id": None,
            "tool_call_id": None,
            "changeset": changeset,
            "undo_of": None,
            "process": process,
            "before": None,
        }

    def add(self, ref: Ref, kind: str, owner: str | None, value: object) -> None:
        self.last += 1
        after = None if value is None else json_columns.dump(value)
        pointed: dict[str, Cell] = {"ref_kind": ref.kind.value, "ref_id": ref.id, "ref_part": ref.part}
        self.rows.append(
            {**self._common, **pointed, "seq": self.last, "kind": kind, "owner": owner, "after": after}
        )


def _made(rows: ConstellationRows) -> Iterator[tuple[Ref, str, str | None]]:
    for table, kind, operation, key in _CREATORS:
        for row in rows.of(table):
            yield Ref(kind, str(row[key])), operation, _owner(table, row)
    owners = {row["id"]: str(row["owner"]) for row in rows.of("blocks")}
    for row in rows.of("attachments"):
        ref = Ref(RefKind.ATTACHMENT, str(row["block_id"]), str(row["agent_id"]))
        yield ref, "attach_block", owners[row["block_id"]]


def _owner(table: str, row: Row) -> str | None:
    name = {"agents": "id", "queue": "target_agent_id"}.get(table, "agent_id")
    owner = row.get(name)
    return None if owner is None else str(owner)


async def _value(tx: Transaction, ref: Ref) -> object:
    """What a row says; None for one that cannot be read, which shows itself as a problem in its place."""
    try:
        entity = await read_entity(tx, ref)
    except (MalformedError, ValueError, KeyError):
        return None
    return None if entity is None else entity.value


def _entries(rows: ConstellationRows) -> Iterator[SearchEntry]:
    for message in _messages(rows):
        yield found_of_message(message)
    for row in _rows(rows, "archival_entries"):
        try:
            yield found_of_entry(archival.entry_of(row))
        except (MalformedError, ValueError):
            continue
    for row in _rows(rows, "summaries"):
        try:
            yield found_of_summary(summaries.summary_of(row))
        except (MalformedError, ValueError):
            continue


def _messages(rows: ConstellationRows) -> Iterator[Message]:
    for message in messages.decode(_rows(rows, "messages")):
        if message.problem is None:
            yield message


def _rows(rows: ConstellationRows, table: str) -> Iterable[Any]:
    """Rows as the storage reads them: by the names of their columns."""
    return rows.of(table)
