"""What a history that comes from outside lacks: of a block's changes every one has its row, numbered from 1.

A file that was left out, or lines of one, would else pass for a block that was never changed: what is there reads
well without them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from inspector.domain.edits.adopting import Cell, ConstellationRows
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.source import Notes

_WRITES_CONTENT = frozenset({"create_block", *CONTENT_OPERATIONS})


def note_lost_history(rows: ConstellationRows, notes: Notes) -> None:
    """Note each block whose history is missing, or is not all of it."""
    numbers: defaultdict[Cell, set[int]] = defaultdict(set)
    last_changes: dict[Cell, int] = {}
    for row in rows.of("updates"):
        seq, change = row["seq"], row["change_seq"]
        if isinstance(seq, int) and isinstance(change, int):
            numbers[row["block_id"]].add(seq)
            last_changes[row["block_id"]] = max(change, last_changes.get(row["block_id"], 0))
    told = _last_told(rows)
    with_content = {row["block_id"] for row in rows.of("block_contents")}
    for block in rows.of("blocks"):
        block_id = block["id"]
        found = numbers.get(block_id, set())
        where, label = str(Ref(RefKind.BLOCK, str(block_id)))[:200], str(block["label"])[:80]
        if not found:
            if block_id in with_content or block_id in told:
                notes.warn("import.history_missing", where, label=label)
        elif len(found) < max(found) or last_changes[block_id] < told.get(block_id, 0):
            notes.warn("import.history_incomplete", where, label=label)


def _last_told(rows: ConstellationRows) -> Mapping[Cell, int]:
    """The last change of each block's content that the journal has."""
    last: dict[Cell, int] = {}
    for row in rows.of("changes"):
        seq = row["seq"]
        if row["ref_kind"] == RefKind.BLOCK and row["kind"] in _WRITES_CONTENT and isinstance(seq, int):
            last[row["ref_id"]] = max(seq, last.get(row["ref_id"], 0))
    return last
