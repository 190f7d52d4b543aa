"""Previews a changeset in a transaction that is rolled back.

So a preview takes the way of the edits themselves, with all their checks, and cannot differ from what comes of
them. It needs a file that can be written, and holds the write lock while it looks.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.domain.changeset_previews import AffectedEntity, ChangesetPreview, Entity, IntentPreview
from inspector.domain.edits.base import Intent
from inspector.domain.errors import DocumentError, InputError, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.entities import KINDS, read_entity
from inspector.memory.undo import EditApplier
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.transaction import Transaction, attempt, rehearsal


class _OnlyLooked(Exception):
    """No error: the way out of a transaction without its changes."""


class Changesets:
    """Looks at several intents before they are applied."""

    def __init__(self, database: Database, applier: EditApplier) -> None:
        self._database = database
        self._applier = applier

    async def preview(self, intents: Sequence[Intent]) -> ChangesetPreview:
        """What the intents would do one after the other; nothing is stored.

        One that is refused is left out, and the others are looked at without it.

        Raises:
            FileError: the file cannot be written.
        """
        outcomes: tuple[IntentPreview, ...] = ()
        affected: tuple[AffectedEntity, ...] = ()
        try:
            async with self._database.write() as tx:
                async with rehearsal(tx):
                    outcomes = tuple([await self._tried(tx, intent) for intent in intents])
                    refs = dict.fromkeys(ref for each in outcomes for ref in _touched(each))
                    after = {ref: await read_entity(tx, ref) for ref in refs}
                affected = await _affected(tx, after)
                raise _OnlyLooked
        except _OnlyLooked:
            return ChangesetPreview(outcomes, affected)

    async def _tried(self, tx: Transaction, intent: Intent) -> IntentPreview:
        try:
            async with attempt(tx):
                receipt = await self._applier.apply_in(tx, intent)
        except (RefusedError, InputError, DocumentError) as error:
            return IntentPreview(intent, None, Refusal(error.code, error.parameters))
        return IntentPreview(intent, receipt, None)


async def _affected(connection: Connection, after: dict[Ref, Entity | None]) -> tuple[AffectedEntity, ...]:
    before = {ref: await read_entity(connection, ref) for ref in after}
    return tuple(
        AffectedEntity(ref, before[ref], entity) for ref, entity in after.items() if before[ref] != entity
    )


def _touched(outcome: IntentPreview) -> tuple[Ref, ...]:
    """What a change was made to, as it can be read again."""
    receipt = outcome.receipt
    if receipt is None or not receipt.changed or receipt.ref.kind not in KINDS:
        return ()
    if receipt.ref.kind in (RefKind.ATTACHMENT, RefKind.CONSTELLATION):
        return (receipt.ref,)
    return (receipt.ref.whole,)
