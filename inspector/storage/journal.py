"""Writes what every change leaves beside itself: a journal row, an event and a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from inspector.domain.activity import Event, EventKind, NewEvent, default_importance
from inspector.domain.actor import ActorKind, Clock, IdGenerator
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Intent, Receipt, Version
from inspector.domain.ref import Ref
from inspector.storage import activity
from inspector.storage.json_columns import dump
from inspector.storage.transaction import Transaction


class Journal:
    """Writes journal rows and events with the clock and ids of the store."""

    def __init__(self, clock: Clock, ids: IdGenerator) -> None:
        self.clock = clock
        self.ids = ids

    def at_a_moment(self, intent: Intent) -> Intent:
        """The intent with its time, now if it names none: all that it leaves has one and the same."""
        return intent if intent.at is not None else replace(intent, at=self.clock())

    def moment(self, intent: Intent) -> datetime:
        return self.clock() if intent.at is None else intent.at

    async def record(
        self,
        tx: Transaction,
        intent: Intent,
        ref: Ref,
        *,
        owner: str | None,
        differences: tuple[object, object] = (None, None),
    ) -> int:
        """Write the intent's row in the journal; `differences` are what was before and what is after."""
        before, after = differences
        return await tx.record(
            kind=intent.edit.operation.op,
            ref=ref,
            actor=intent.actor,
            reason=intent.reason,
            at=self.moment(intent),
            owner=owner,
            before=before,
            after=after,
            batch_id=intent.batch_id,
            tool_call_id=intent.tool_call_id,
            undo_of=intent.undo_of,
        )

    async def recorded(
        self,
        tx: Transaction,
        intent: Intent,
        ref: Ref,
        owner: str | None,
        differences: tuple[object, object] = (None, None),
    ) -> Receipt:
        """Write the row, and give what the caller gets for it."""
        seq = await self.record(tx, intent, ref, owner=owner, differences=differences)
        return self.receipt(intent, ref, seq)

    def tells(self, intent: Intent) -> bool:
        """Whether an intent's events are written. An import's are not: reading a file is nothing an agent did."""
        return intent.actor.kind is not ActorKind.IMPORT

    def tell(self, tx: Transaction, intent: Intent, new_event: NewEvent) -> None:
        """Write an event, if the intent's are."""
        if not self.tells(intent):
            return
        kind, importance = new_event.kind, new_event.importance
        event = Event(
            id=self.ids("evt"),
            seq=0,
            agent_id=new_event.agent_id,
            kind=kind,
            details=dump(new_event.details),
            importance=default_importance(kind) if importance is None else importance,
            timestamp=self.moment(intent),
            batch_id=new_event.batch_id,
        )
        activity.insert(tx, event)

    def tell_change(
        self, tx: Transaction, intent: Intent, kind: EventKind, details: Mapping[str, object]
    ) -> None:
        actor = intent.actor
        agent_id = actor.id if actor.kind is ActorKind.AGENT else None
        self.tell(tx, intent, NewEvent(agent_id, kind, details, batch_id=intent.batch_id))

    def receipt(
        self,
        intent: Intent,
        ref: Ref,
        seq: int | None,
        version: Version | None = None,
        skipped: tuple[str, ...] = (),
    ) -> Receipt:
        """What the caller gets; without `seq` the intent changed nothing."""
        return Receipt(ref, seq, version, seq is not None, intent.actor, self.moment(intent), skipped)

    def unchanged(self, intent: Intent) -> Receipt:
        """What the caller gets for an intent that changed nothing of its target."""
        return self.receipt(intent, intent.edit.target, None)


def differences(before: object | None, after: object | None) -> tuple[object, object]:
    """Of two states of a row what differs, by field; all of the one where the other is None."""
    if before is None or after is None:
        return before, after
    old, new = to_plain(before), to_plain(after)
    names = [name for name in new if old[name] != new[name]]
    return {name: old[name] for name in names}, {name: new[name] for name in names}
