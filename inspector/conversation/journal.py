"""What every write leaves besides itself: its row in the journal, the event that tells of it, the receipt."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from inspector.conversation.message_events import Told
from inspector.domain.activity import Event, default_importance
from inspector.domain.actor import ActorKind
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref
from inspector.storage import activity
from inspector.storage.database import Transaction
from inspector.storage.json_columns import dump


class Journal:
    """Writes journal rows and events with the clock and ids of the store."""

    def __init__(self, clock: Clock, ids: IdGenerator) -> None:
        self.clock = clock
        self.ids = ids

    def at_a_moment(self, intent: Intent) -> Intent:
        """The intent with its time, now if it names none: all that it leaves has one and the same."""
        return intent if intent.at is not None else replace(intent, at=self.clock())

    def moment(self, intent: Intent) -> datetime:
        """The time of an intent."""
        return self.clock() if intent.at is None else intent.at

    async def record(
        self, tx: Transaction, intent: Intent, ref: Ref, owner: str | None, values: tuple[object, object]
    ) -> Receipt:
        """Write the intent's row in the journal. `values` are what was before and what is after, None for nothing."""
        before, after = values
        at = self.moment(intent)
        seq = await tx.record(
            kind=intent.edit.operation.op,
            ref=ref,
            actor=intent.actor,
            reason=intent.reason,
            at=at,
            owner=owner,
            before=None if before is None else _difference(before, after),
            after=None if after is None else _difference(after, before),
            batch_id=intent.batch_id,
            tool_call_id=intent.tool_call_id,
            undo_of=intent.undo_of,
        )
        return Receipt(ref, seq, None, changed=True, actor=intent.actor, at=at)

    async def tell(self, tx: Transaction, intent: Intent, told: Told) -> None:
        """Write an event. An import tells of none: reading a file is nothing an agent did."""
        if intent.actor.kind is ActorKind.IMPORT:
            return
        importance = default_importance(told.kind) if told.importance is None else told.importance
        event = Event(
            id=self.ids("evt"),
            seq=0,
            agent_id=told.agent_id,
            kind=told.kind,
            details=dump(told.details),
            importance=importance,
            timestamp=self.moment(intent),
            batch_id=told.batch_id,
        )
        await activity.insert(tx, event)

    def unchanged(self, intent: Intent) -> Receipt:
        """What the caller gets for an intent that changed nothing."""
        at = self.moment(intent)
        return Receipt(intent.edit.target, None, None, changed=False, actor=intent.actor, at=at)


def _difference(value: object, other: object | None) -> Any:
    """What of `value` differs from `other`; all of it when there is no other."""
    plain = to_plain(value)
    if other is None:
        return plain
    compared = to_plain(other)
    return {name: each for name, each in plain.items() if each != compared[name]}
