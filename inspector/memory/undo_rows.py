"""Works out the operations that undo a stored change from its journal row.

A column goes back to what it was only where it still is what the change made it; one that has been changed since
stays, and is named. A content goes back by `TakeBack`, which does the same for its parts. An undone change of schema
restores the content of before it, or converts what was written since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.domain.actor import Actor
from inspector.domain.codec import Plain, from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Operation, Version
from inspector.domain.edits.block_rows import DeleteBlock, DeleteRow, DetachBlock
from inspector.domain.edits.consent import SetPartner
from inspector.domain.edits.history import TakeBack
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.edits.rows import SetQueueState
from inspector.domain.errors import MalformedError
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.memory.entities import plain_row, read_entity
from inspector.memory.refusals import refused
from inspector.storage import changes
from inspector.storage.changes import ChangeRow
from inspector.storage.connection import Connection
from inspector.storage.json_columns import parse

_AGENT_COLUMNS = (
    *("name", "persona", "instructions", "provider", "model", "parameters", "config", "tools", "status"),
    "metadata",
)
# The operation that writes a column, and what the operation calls it.
_COLUMNS: Mapping[RefKind, Mapping[str, tuple[str, str]]] = {
    RefKind.BLOCK: {
        "label": ("set_label", "label"),
        "description": ("set_description", "description"),
        "block_type": ("set_block_type", "block_type"),
        "char_limit": ("set_char_limit", "char_limit"),
        "pinned": ("set_pinned", "pinned"),
        "permission": ("set_permission", "permission"),
        "schema": ("set_schema", "schema"),
    },
    RefKind.AGENT: {name: ("configure_agent", name) for name in _AGENT_COLUMNS},
    RefKind.ARCHIVAL: {name: ("update_archival", name) for name in ("content", "tags")},
    RefKind.MESSAGE: {
        "content": ("edit_message", "content"),
        "is_archived": ("archive_message", "archived"),
    },
    RefKind.SUMMARY: {name: ("edit_summary", name) for name in ("content", "topics", "details")},
    RefKind.QUEUE: {name: ("set_queue_state", name) for name in ("state", "next_attempt_at")},
}
# What is replaced as a whole: the operation, and which of its values are which of the row's.
_WHOLE: Mapping[RefKind, tuple[str, Mapping[str, str]]] = {
    RefKind.TOOL_RULE: (
        "put_tool_rule",
        {name: name for name in ("agent_id", "tool", "kind", "detail")},
    ),
    RefKind.WAKEUP: (
        "set_wakeup",
        {"agent_id": "agent_id", "content": "content", "wake_at": "at", "every_seconds": "every_seconds"},
    ),
    RefKind.ATTACHMENT: ("attach_block", {"agent_id": "agent_id", "permission": "permission"}),
}
# What is replaced as one value: the operation, and what it calls the value.
_WHOLE_VALUES: Mapping[RefKind, tuple[str, str]] = {
    RefKind.TOOL: ("put_tool", "tool"),
    RefKind.LAYOUT: ("put_layout", "layout"),
}
_TIMES = frozenset({"updated_at", "attached_at"})
_AWAY = "is_deleted"
_ACTIVE = "is_active"
_FLAGS: Mapping[tuple[str, bool], str] = {
    (_ACTIVE, True): "restore_block",
    (_ACTIVE, False): "delete_block",
    (_AWAY, True): "delete_row",
    (_AWAY, False): "restore_row",
}


@dataclass(frozen=True, slots=True)
class InverseEdits:
    """The edits that take a change back, in order, and what is left as it is because it was changed since."""

    edits: tuple[Edit, ...] = ()
    skipped: tuple[Ref, ...] = ()


async def inverse_of(connection: Connection, row: ChangeRow, actor: Actor) -> InverseEdits:
    """What takes a change of the actor's back, as things stand.

    Raises:
        RefusedError: ``refused.undo_unreadable``, what was there before cannot be written any more.
        MalformedError: the row of what it changed cannot be read.
    """
    ref, kind = row.change.ref, row.change.kind
    before, after = _stored(row.before), _stored(row.after)
    if kind in CONTENT_OPERATIONS:
        operation = TakeBack(Version(before["version"]), Version(after["version"]))
        return InverseEdits((Edit(ref.whole, operation),))
    if kind == SetPartner.op:
        return await _partner(connection, ref, before, after)
    present = plain_row(await read_entity(connection, ref))
    if ref.kind is RefKind.CONSTELLATION:
        return _fact(ref, before, after, present)
    if before is None:
        return await _unmade(connection, row, actor, present)
    if ref.kind in _WHOLE_VALUES and _AWAY not in before:
        op, name = _WHOLE_VALUES[ref.kind]
        return _whole(ref, after, present, {"op": op, name: before})
    if ref.kind in _WHOLE and _AWAY not in before:
        op, names = _WHOLE[ref.kind]
        return _whole(ref, after, present, {"op": op, **{name: before[key] for name, key in names.items()}})
    return _columns(ref, before, after, present)


async def _unmade(connection: Connection, row: ChangeRow, actor: Actor, present: Plain) -> InverseEdits:
    """Put away what the change made, unless somebody else has written it since."""
    ref = row.change.ref
    if present is None or present[_AWAY]:
        return InverseEdits()
    if ref.kind is RefKind.ATTACHMENT:
        if _differ(present, _stored(row.after)):
            return InverseEdits(skipped=(ref,))
        return InverseEdits((Edit(Ref(RefKind.BLOCK, ref.id), DetachBlock(ref.part or "")),))
    if await changes.changed_by_others(connection, ref, actor, row.change.seq):
        return InverseEdits(skipped=(ref,))
    if ref.kind is RefKind.QUEUE:
        return InverseEdits((Edit(ref.whole, SetQueueState(QueueState.DEAD)),))
    away = DeleteBlock() if ref.kind is RefKind.BLOCK else DeleteRow()
    return InverseEdits((Edit(ref.whole, away),))


def _columns(ref: Ref, before: Plain, after: Plain, present: Plain) -> InverseEdits:
    back, skipped = _still(before, after, present or {})
    flags = {name: back.pop(name) for name in (_ACTIVE, _AWAY) if name in back}
    operations: list[dict[str, Any]] = [{"op": _FLAGS[flag]} for flag in flags.items()]
    if operations and ref.kind is RefKind.BLOCK:
        # A restored block keeps the label that it got when it is deleted again: its own was taken.
        back.pop("label", None)
    given: dict[str, dict[str, Any]] = {}
    for name, value in back.items():
        cached = _COLUMNS.get(ref.kind, {}).get(name)
        if cached is None:
            skipped.append(name)
        else:
            op, key = cached
            given.setdefault(op, {"op": op})[key] = value
    operations += given.values()
    edits = tuple(Edit(ref.whole, _operation(ref, plain)) for plain in operations)
    return InverseEdits(edits, tuple(Ref(ref.kind, ref.id, name) for name in skipped))


def _whole(ref: Ref, after: Plain, present: Plain, back: Plain) -> InverseEdits:
    """Put back what a change replaced or, for what is shared, took away."""
    there = None if present is None or present[_AWAY] else present
    if (there is None) != (after is None) or (there is not None and _differ(there, after)):
        return InverseEdits(skipped=(ref,))
    target = Ref(RefKind.BLOCK, ref.id) if ref.kind is RefKind.ATTACHMENT else ref.whole
    return InverseEdits((Edit(target, _operation(ref, back)),))


def _fact(ref: Ref, before: Plain, after: Plain, present: Plain) -> InverseEdits:
    if present != after:
        return InverseEdits(skipped=(ref,))
    # A fact that was never told reads as an empty one.
    back = {"op": "set_meta", "name": ref.part, "value": before or ""}
    return InverseEdits((Edit(Ref(ref.kind, ref.id), _operation(ref, back)),))


async def _partner(connection: Connection, ref: Ref, before: Plain, after: Plain) -> InverseEdits:
    for name, value in after.items():
        entity = await read_entity(connection, Ref(ref.kind, ref.id, name))
        if (plain_row(entity) or "") != value:
            return InverseEdits(skipped=(ref,))
    operation = SetPartner(before["partner_id"], before["partner_name"])
    return InverseEdits((Edit(Ref(ref.kind, ref.id), operation),))


def _still(before: Plain, after: Plain, present: Plain) -> tuple[dict[str, Any], list[str]]:
    """The columns that a change can be taken back in, with what they were; and the names of the others."""
    back: dict[str, Any] = {}
    skipped: list[str] = []
    for name, was in before.items():
        if name in _TIMES or present.get(name) == was:
            continue
        if present.get(name) == after.get(name):
            back[name] = was
        else:
            skipped.append(name)
    return back, skipped


def _differ(present: Plain, after: Plain) -> bool:
    return any(present.get(name) != value for name, value in after.items() if name not in _TIMES)


def _operation(ref: Ref, plain: Plain) -> Operation:
    try:
        operation: Operation = from_plain(Operation, plain)
    except MalformedError as error:
        why = str(error.parameters.get("why"))
        raise refused("refused.undo_unreadable", ref=str(ref), operation=plain["op"], why=why) from error
    return operation


def _stored(text: str | None) -> Plain:
    return None if text is None else parse(text)
