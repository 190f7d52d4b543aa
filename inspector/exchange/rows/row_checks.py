"""Checks imported rows: ids, references, order, labels and readable values.

What would break the file or stand for something else is refused. What merely cannot be read is noted and kept as it
is: the file it came from held it too, and shows it as a problem in its place. What a history lacks is noted as well,
and what people have entrusted to somebody.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from inspector.domain.blocks import CONSTELLATION_OWNER, legible
from inspector.domain.edits.row_import import Cell, ConstellationRows, Row
from inspector.domain.errors import MalformedError
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.planning import LabelBook, printable
from inspector.storage.meta import PARTNER_ID, PARTNER_NAME
from inspector.storage.row_validation import LARGEST_NUMBER, flaws
from inspector.storage.table_catalogue import TABLES

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
_COUNTED: tuple[tuple[str, str, int], ...] = (
    ("processes", "id", 1),
    ("changes", "seq", 1),
    ("updates", "seq", 1),
    ("updates", "counter_from", 0),
    ("updates", "counter_to", 0),
    ("checkpoints", "upto_seq", 0),
    ("messages", "position", -LARGEST_NUMBER),
    ("messages", "sequence_in_batch", -LARGEST_NUMBER),
)
"""Columns of numbers that are counted on from, and the least that they may hold."""
_ORDERED: Mapping[str, tuple[str, ...]] = {
    "messages": ("agent_id", "position"),
    "changes": ("seq", "ref_id"),
    "updates": ("block_id", "seq"),
}
"""Rows that must be added in an order, and what they are ordered by; both columns hold what can be compared."""


def checked(rows: ConstellationRows, notes: ImportLog) -> ConstellationRows:
    """The rows, their labels made usable.

    Raises:
        MalformedError: an id stands twice, a reference leads nowhere, or a number or hash cannot be right.
    """
    _check_unique(rows)
    _check_references(rows)
    _check_each(rows, "agents", _check_agent)
    _check_each(rows, "request_texts", _check_hash)
    _check_each(rows, "changes", _check_undo)
    _check_each(rows, "blocks", _check_limit)
    _check_numbers(rows)
    _note_flaws(rows, notes)
    _note_owners(rows, notes)
    _note_damage(rows, notes)
    if rows.history:
        _note_lost_history(rows, notes)
    _note_entrusted(rows, notes)
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
                    raise _refuse(f"{table}[{index}]", f"{', '.join(names)} {_shown(key)} appears twice")
                seen.add(key)
    in_force: set[tuple[Cell, ...]] = set()
    for index, row in enumerate(rows.of("tool_rules")):
        key = (row["agent_id"], row["tool"], row["kind"])
        if not row["is_deleted"]:
            if key in in_force:
                raise _refuse(f"tool_rules[{index}]", "a second rule of one kind for one tool")
            in_force.add(key)


def _check_references(rows: ConstellationRows) -> None:
    existing: dict[tuple[str, str], set[Cell]] = {}
    for table, column, target, key in _REFERENCES:
        if (target, key) not in existing:
            existing[target, key] = {row[key] for row in rows.of(target)}
        for index, row in enumerate(rows.of(table)):
            value = row[column]
            if value is not None and value not in existing[target, key]:
                where = f"{table}[{index}].{column}"
                raise _refuse(where, f"{_shown((value,))} is not among {target}")


def _check_each(rows: ConstellationRows, table: str, check: Callable[[Row, str], None]) -> None:
    for index, row in enumerate(rows.of(table)):
        check(row, f"{table}[{index}]")


def _check_agent(row: Row, where: str) -> None:
    # What it owned would be everyone's.
    if row["id"] == CONSTELLATION_OWNER:
        raise _refuse(f"{where}.id", f"{CONSTELLATION_OWNER} is reserved for all agents")


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


def _check_numbers(rows: ConstellationRows) -> None:
    """Numbers that the file goes on counting from: one at the end of all numbers would be its last."""
    for table, column, least in _COUNTED:
        for index, row in enumerate(rows.of(table)):
            number = row[column]
            if isinstance(number, int) and not least <= number <= LARGEST_NUMBER:
                where, why = f"{table}[{index}].{column}", "the number is out of range"
                raise MalformedError("import.number_out_of_range", where=where, why=why, number=number)


def _note_flaws(rows: ConstellationRows, notes: ImportLog) -> None:
    for table in TABLES:
        for index, row in enumerate(rows.of(table.name)):
            for column, why in flaws(table, row):
                # What becomes of a content is said where it is read.
                if (table.name, column) == ("block_contents", "content"):
                    continue
                notes.warn("import.unreadable_value", f"{table.name}[{index}].{column}", why=why)


def _note_owners(rows: ConstellationRows, notes: ImportLog) -> None:
    agents = {row["id"] for row in rows.of("agents")}
    for index, row in enumerate(rows.of("blocks")):
        if row["owner"] not in agents and row["owner"] != CONSTELLATION_OWNER:
            notes.warn("import.owner_missing", f"blocks[{index}].owner", label=legible(str(row["label"])))


def _note_damage(rows: ConstellationRows, notes: ImportLog) -> None:
    for table, column in (("updates", "blob"), ("checkpoints", "snapshot")):
        for index, row in enumerate(rows.of(table)):
            blob = row[column]
            if isinstance(blob, bytes) and hashlib.sha256(blob).hexdigest() != row["content_hash"]:
                notes.warn("import.damaged_bytes", f"{table}[{index}].{column}")


def _with_labels(blocks: Sequence[Row], notes: ImportLog) -> list[Row]:
    """The blocks; among the active ones of an owner a label that stands twice is numbered."""
    wanted = [printable(str(row["label"])) for row in blocks]
    owners = [str(row["owner"]) for row in blocks]
    book = LabelBook(zip(owners, wanted, strict=True))
    labelled: list[Row] = []
    for index, (row, owner, label) in enumerate(zip(blocks, owners, wanted, strict=True)):
        where = f"blocks[{index}]"
        if label != row["label"]:
            notes.warn(
                "import.label_changed",
                f"{where}.label",
                label=legible(str(row["label"])),
                new=legible(label),
            )
        new = book.take(owner, label) if row["is_active"] else label
        if new != label:
            notes.warn("import.label_numbered", where, label=legible(label), new=legible(new))
        labelled.append({**row, "label": new})
    return labelled


def _shown(key: tuple[Cell, ...]) -> str:
    return ", ".join(repr(each)[:80] for each in key)


def _refuse(where: str, why: str) -> MalformedError:
    return MalformedError("import.malformed", where=where, why=why)


def _note_lost_history(rows: ConstellationRows, notes: ImportLog) -> None:
    """Note each block of whose changes not every one has its row, numbered from 1.

    It would else pass for one that was never changed: what is there reads well without them.
    """
    numbers: defaultdict[Cell, set[int]] = defaultdict(set)
    for row in rows.of("updates"):
        if isinstance(row["seq"], int):
            numbers[row["block_id"]].add(row["seq"])
    for block in rows.of("blocks"):
        found = numbers[block["id"]]
        parameters = {
            "where": str(Ref(RefKind.BLOCK, str(block["id"])))[:200],
            "label": str(block["label"])[:80],
        }
        if not found:
            notes.warn("import.history_missing", **parameters)
        elif len(found) < max(found):
            notes.warn("import.history_incomplete", **parameters)


def _note_entrusted(rows: ConstellationRows, notes: ImportLog) -> None:
    """Note each consent that the rows bring and that nobody has taken back, and the partner.

    A person's word is given where that person sees what it is for; in a new file it stands, and is told.
    """
    agents = {row["id"]: str(row["name"])[:80] for row in rows.of("agents")}
    labels = {row["id"]: str(row["label"])[:80] for row in rows.of("blocks")}
    for row in rows.of("consent_grants"):
        if row["revoked_at"] is not None or row["uses"] == 0:
            continue
        where, agent = str(Ref(RefKind.GRANT, str(row["id"])))[:200], agents[row["agent_id"]]
        if row["block_id"] is None:
            notes.warn("import.brings_consent_for_all", where, agent=agent)
        else:
            notes.warn("import.brings_consent", where, agent=agent, label=labels[row["block_id"]])
    if partner := rows.facts.get(PARTNER_ID):
        name = rows.facts.get(PARTNER_NAME) or partner
        notes.warn("import.brings_partner", str(Ref(RefKind.CONSTELLATION, "")), name=name[:80])
