"""The permission that each operation on a block needs, as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from inspector.domain.blocks import Permission
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import block_rows, consent, fields, history, items, queue, rows, text
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.items import EditParts, InSection
from inspector.domain.ref import RefKind


class Access(StrEnum):
    """The column of the permission table."""

    APPEND = "append"
    OVERWRITE = "overwrite"
    DELETE = "delete"


class AccessVerdict(StrEnum):
    """What the table says to an agent."""

    ALLOW = "allow"
    ASK_PARTNER = "ask_partner"
    ASK_HUMAN = "ask_human"
    DENY = "deny"


OPERATION_ACCESS: dict[type[Operation], Access] = {
    text.SetText: Access.OVERWRITE,
    text.AppendText: Access.APPEND,
    text.InsertText: Access.OVERWRITE,
    text.SpliceText: Access.OVERWRITE,
    text.ReplaceText: Access.OVERWRITE,
    text.ReplaceLines: Access.OVERWRITE,
    text.PatchText: Access.OVERWRITE,
    fields.SetField: Access.OVERWRITE,
    fields.ClearField: Access.OVERWRITE,
    fields.AppendToField: Access.APPEND,
    fields.RemoveFromField: Access.OVERWRITE,
    fields.MoveInField: Access.OVERWRITE,
    fields.Increment: Access.OVERWRITE,
    items.InsertItem: Access.APPEND,
    items.UpdateItem: Access.OVERWRITE,
    items.MoveItem: Access.OVERWRITE,
    items.RemoveItem: Access.OVERWRITE,
    items.AppendEntry: Access.APPEND,
    items.RemoveEntry: Access.DELETE,
    items.AddNode: Access.APPEND,
    items.UpdateNode: Access.OVERWRITE,
    items.MoveNode: Access.OVERWRITE,
    items.RemoveNode: Access.OVERWRITE,
    history.RestoreVersion: Access.OVERWRITE,
    history.TakeBack: Access.OVERWRITE,
    block_rows.SetLabel: Access.OVERWRITE,
    block_rows.SetDescription: Access.OVERWRITE,
    block_rows.SetBlockType: Access.OVERWRITE,
    block_rows.SetCharLimit: Access.DELETE,
    block_rows.SetPinned: Access.OVERWRITE,
    block_rows.SetPermission: Access.DELETE,
    block_rows.SetSchema: Access.DELETE,
    block_rows.DeleteBlock: Access.DELETE,
    block_rows.RestoreBlock: Access.DELETE,
    block_rows.AttachBlock: Access.DELETE,
    block_rows.DetachBlock: Access.DELETE,
}

PEOPLE_ONLY: frozenset[type[Operation]] = frozenset({items.RemoveEntry})
"""What no level lets an agent do."""

_A, _D = AccessVerdict.ALLOW, AccessVerdict.DENY
PERMISSION_TABLE: dict[Permission, dict[Access, AccessVerdict]] = {
    Permission.READ_ONLY: {Access.APPEND: _D, Access.OVERWRITE: _D, Access.DELETE: _D},
    Permission.PARTNER: {
        Access.APPEND: AccessVerdict.ASK_PARTNER,
        Access.OVERWRITE: AccessVerdict.ASK_PARTNER,
        Access.DELETE: _D,
    },
    Permission.HUMAN: {
        Access.APPEND: AccessVerdict.ASK_HUMAN,
        Access.OVERWRITE: AccessVerdict.ASK_HUMAN,
        Access.DELETE: _D,
    },
    Permission.APPEND: {Access.APPEND: _A, Access.OVERWRITE: _D, Access.DELETE: _D},
    Permission.READ_WRITE: {Access.APPEND: _A, Access.OVERWRITE: _A, Access.DELETE: _D},
    Permission.ADMIN: {Access.APPEND: _A, Access.OVERWRITE: _A, Access.DELETE: _A},
}

NEEDED_LEVEL: dict[Access, Permission] = {
    Access.APPEND: Permission.APPEND,
    Access.OVERWRITE: Permission.READ_WRITE,
    Access.DELETE: Permission.ADMIN,
}


@dataclass(frozen=True, slots=True)
class OperationRule:
    """One row of the table that a screen shows: an operation, its class, and what each level says to an agent.

    People may do all of it, but a block of the level partner is written by the partner alone.
    """

    op: str
    access: Access
    people_only: bool
    verdicts: Mapping[Permission, AccessVerdict]


def operation_table() -> tuple[OperationRule, ...]:
    """All operations on a block that is there, in a fixed order."""
    return tuple(
        OperationRule(
            kind.op, access, kind in PEOPLE_ONLY, {level: _verdict(kind, level) for level in Permission}
        )
        for kind, access in OPERATION_ACCESS.items()
    )


def access_of(operation: Operation) -> Access:
    """The permission column of an operation; an operation in a section has that of what it wraps.

    Raises:
        KeyError: for an operation that is not on a block.
    """
    return OPERATION_ACCESS[type(innermost(operation))]


def verdict_of(operation: Operation, level: Permission) -> AccessVerdict:
    """What the table says to an agent of that level.

    Raises:
        KeyError: for an operation that is not on a block.
    """
    return _verdict(type(innermost(operation)), level)


def innermost(operation: Operation) -> Operation:
    """What an operation does where it is done: that in a section, or the operation itself."""
    while isinstance(operation, items.InSection):
        operation = operation.operation
    return operation


def single_operations(operation: Operation) -> Iterator[Operation]:
    """The operations that an operation consists of, in order: each is judged by itself."""
    match operation:
        case EditParts(parts):
            for part in parts:
                yield from single_operations(part)
        case InSection(section, EditParts() as inside):
            yield from (InSection(section, part) for part in single_operations(inside))
        case _:
            yield operation


def _verdict(kind: type[Operation], level: Permission) -> AccessVerdict:
    return AccessVerdict.DENY if kind in PEOPLE_ONLY else PERMISSION_TABLE[level][OPERATION_ACCESS[kind]]


_ROWS = frozenset(
    {
        *(RefKind.AGENT, RefKind.TOOL, RefKind.TOOL_RULE, RefKind.QUEUE, RefKind.WAKEUP, RefKind.RUN),
        *(RefKind.CONSTELLATION, RefKind.ARCHIVAL, RefKind.MESSAGE, RefKind.SUMMARY, RefKind.EVENT),
        RefKind.LAYOUT,
    }
)
_ONE: Mapping[type[Operation], RefKind] = {
    **dict.fromkeys((*OPERATION_ACCESS, InSection, EditParts, block_rows.CreateBlock), RefKind.BLOCK),
    **dict.fromkeys((block_rows.InsertArchival, block_rows.UpdateArchival), RefKind.ARCHIVAL),
    **dict.fromkeys((rows.CreateAgent, rows.ConfigureAgent, rows.CompactHistory), RefKind.AGENT),
    rows.PutLayout: RefKind.LAYOUT,
    rows.PutTool: RefKind.TOOL,
    rows.PutToolRule: RefKind.TOOL_RULE,
    **dict.fromkeys((rows.AppendMessage, rows.EditMessage, rows.ArchiveMessage), RefKind.MESSAGE),
    **dict.fromkeys((rows.StoreSummary, rows.EditSummary), RefKind.SUMMARY),
    rows.LogEvent: RefKind.EVENT,
    **dict.fromkeys(
        (rows.EnqueueMessage, rows.SetQueueState, queue.LeaseMessage, queue.SettleMessage), RefKind.QUEUE
    ),
    rows.SetWakeup: RefKind.WAKEUP,
    rows.StoreRun: RefKind.RUN,
    **dict.fromkeys((rows.SetMeta, consent.SetPartner), RefKind.CONSTELLATION),
    **dict.fromkeys((consent.RequestConsent, consent.AnswerConsent, consent.TimeOutConsent), RefKind.CONSENT),
    **dict.fromkeys((consent.GrantConsent, consent.RevokeGrant), RefKind.GRANT),
}
TARGETS: Mapping[type[Operation], frozenset[RefKind]] = {
    **{operation: frozenset({kind}) for operation, kind in _ONE.items()},
    **dict.fromkeys((block_rows.DeleteRow, block_rows.RestoreRow), _ROWS),
}
"""The kinds of thing that each operation is for."""


def is_aimed_right(edit: Edit) -> bool:
    """Whether an edit's operation is one for the kind of thing that it is aimed at."""
    return edit.target.kind in TARGETS.get(type(edit.operation), ())
