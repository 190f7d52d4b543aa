"""What each operation can be aimed at: an operation on a thing of another kind is none at all."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.domain.edits import block_rows, consent, rows
from inspector.domain.edits.access import OPERATION_ACCESS
from inspector.domain.edits.base import Edit, Operation
from inspector.domain.edits.items import InSection
from inspector.domain.ref import RefKind

_ROWS = frozenset(
    {
        *(RefKind.AGENT, RefKind.TOOL, RefKind.TOOL_RULE, RefKind.QUEUE, RefKind.WAKEUP, RefKind.RUN),
        *(RefKind.CONSTELLATION, RefKind.ARCHIVAL, RefKind.MESSAGE, RefKind.SUMMARY, RefKind.EVENT),
        RefKind.LAYOUT,
    }
)
_ONE: Mapping[type[Operation], RefKind] = {
    **dict.fromkeys((*OPERATION_ACCESS, InSection, block_rows.CreateBlock), RefKind.BLOCK),
    **dict.fromkeys((block_rows.InsertArchival, block_rows.UpdateArchival), RefKind.ARCHIVAL),
    **dict.fromkeys((rows.CreateAgent, rows.ConfigureAgent, rows.CompactHistory), RefKind.AGENT),
    rows.PutLayout: RefKind.LAYOUT,
    rows.PutTool: RefKind.TOOL,
    rows.PutToolRule: RefKind.TOOL_RULE,
    **dict.fromkeys((rows.AppendMessage, rows.EditMessage, rows.ArchiveMessage), RefKind.MESSAGE),
    **dict.fromkeys((rows.StoreSummary, rows.EditSummary), RefKind.SUMMARY),
    rows.LogEvent: RefKind.EVENT,
    rows.EnqueueMessage: RefKind.QUEUE,
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
"""The kinds of thing that each operation is for. What is only ever asked for, and never done as it is, has none."""


def is_aimed_right(edit: Edit) -> bool:
    """Whether an edit's operation is one for the kind of thing that it is aimed at."""
    return edit.target.kind in TARGETS.get(type(edit.operation), ())
