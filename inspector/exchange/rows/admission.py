"""Foreign documents at the door: what does not pass is left out, and its block is made anew from its content."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from inspector.domain.edits.adopting import AdoptRows, Cell, ConstellationRows
from inspector.domain.edits.base import Intent
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem, Severity
from inspector.domain.ref import Ref, RefKind

Examine = Callable[[bytes | None, Sequence[bytes]], str]
"""Looks at one document's bytes, a snapshot and the updates after it; gives a code of what is wrong, or nothing.

It may take its time: it is called in a thread where nothing waits for it.
"""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a block's document is loaded from. `is_whole` is false when a delta that it needs has no bytes."""

    snapshot: bytes | None
    deltas: tuple[bytes, ...]
    last: int
    is_whole: bool

    @property
    def digest(self) -> bytes:
        """What tells these bytes from all others."""
        parts = (self.snapshot or b"", *self.deltas)
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


@dataclass(slots=True)
class Doorkeeper:
    """Lets documents in that have passed the examination, each once."""

    examine: Examine
    _passed: set[bytes] = field(default_factory=set)

    def admit_plan(self, plan: ImportPlan) -> ImportPlan:
        """The plan without documents that must not be read here; what is left out is among its problems."""
        problems: list[Problem] = []
        intents = tuple(self._intent(intent, problems) for intent in plan.intents)
        return replace(plan, intents=intents, problems=(*plan.problems, *problems))

    def admit(self, rows: ConstellationRows, problems: list[Problem]) -> ConstellationRows:
        """The rows without documents that must not be read here."""
        labels = {row["id"]: str(row["label"]) for row in rows.of("blocks")}
        refused: set[Cell] = set()
        for block_id, document in documents(rows).items():
            code = self._look(document)
            if code:
                refused.add(block_id)
                told = {"label": labels.get(block_id, ""), "why": code}
                where = str(Ref(RefKind.BLOCK, str(block_id)))
                problems.append(Problem("import.history_refused", Severity.WARNING, where, told))
        tables = dict(rows.tables)
        for name in ("updates", "checkpoints"):
            tables[name] = [row for row in rows.of(name) if row["block_id"] not in refused]
        return ConstellationRows(rows.facts, tables, rows.history)

    def _intent(self, intent: Intent, problems: list[Problem]) -> Intent:
        operation = intent.edit.operation
        if not isinstance(operation, AdoptRows) or not operation.rows.history:
            return intent
        rows = self.admit(operation.rows, problems)
        return replace(intent, edit=replace(intent.edit, operation=AdoptRows(rows)))

    def _look(self, document: StoredDocument) -> str:
        digest = document.digest
        if digest in self._passed:
            return ""
        code = self.examine(document.snapshot, document.deltas)
        if not code:
            self._passed.add(digest)
        return code


def documents(rows: ConstellationRows) -> dict[Cell, StoredDocument]:
    """Each block's newest snapshot and the deltas after it, in order."""
    newest: dict[Cell, tuple[int, bytes]] = {}
    for row in rows.of("checkpoints"):
        upto, snapshot = row["upto_seq"], row["snapshot"]
        if isinstance(upto, int) and isinstance(snapshot, bytes):
            newest[row["block_id"]] = max(newest.get(row["block_id"], (-1, b"")), (upto, snapshot))
    deltas: defaultdict[Cell, list[tuple[int, Cell]]] = defaultdict(list)
    for row in rows.of("updates"):
        if isinstance(row["seq"], int):
            deltas[row["block_id"]].append((row["seq"], row["blob"]))
    found: dict[Cell, StoredDocument] = {}
    for block_id in sorted(newest.keys() | deltas.keys(), key=str):
        upto, snapshot = newest.get(block_id, (0, None))
        after = [blob for seq, blob in sorted(deltas[block_id], key=lambda delta: delta[0]) if seq > upto]
        there = tuple(blob for blob in after if isinstance(blob, bytes))
        last = max((seq for seq, _ in deltas[block_id]), default=upto)
        found[block_id] = StoredDocument(snapshot, there, last, len(there) == len(after))
    return found
