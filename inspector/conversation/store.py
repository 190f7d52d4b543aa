"""The door for messages, summaries and activity: every change is an intent, every reading a value."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.domain.activity import DEFAULT_IMPORTANCE, Event, EventKind
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import (
    AppendMessage,
    ArchiveMessage,
    EditMessage,
    EditSummary,
    LogEvent,
    StoreSummary,
)
from inspector.domain.edits.targets import is_aimed_right
from inspector.domain.errors import NotFoundError, Refusal, RefusedError
from inspector.domain.findable import found_of_message, found_of_summary
from inspector.domain.health import Problem
from inspector.domain.messages import Batch, Message
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.domain.summaries import Summary
from inspector.storage import activity as activity_rows
from inspector.storage import messages as message_rows
from inspector.storage import search as search_rows
from inspector.storage import summaries as summary_rows
from inspector.storage.connection import Connection
from inspector.storage.database import Database, Transaction

PAGE_MESSAGES = 500
"""Messages read and decoded at a time, so that no page holds a thread for long."""
_KINDS = frozenset({RefKind.MESSAGE, RefKind.SUMMARY, RefKind.EVENT})


class ConversationStore:
    """Messages, summaries and activity of one constellation."""

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._appliers: Mapping[type[Operation], Callable[[Transaction, Intent, Any], Awaitable[Receipt]]] = {
            AppendMessage: self._append,
            EditMessage: self._edit_message,
            ArchiveMessage: self._archive,
            StoreSummary: self._store_summary,
            EditSummary: self._edit_summary,
            LogEvent: self._log,
            DeleteRow: self._delete,
            RestoreRow: self._delete,
        }

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store; some operations belong to several, by their target."""
        return is_aimed_right(edit) and type(edit.operation) in self._appliers and edit.target.kind in _KINDS

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent inside a transaction of the caller's.

        Raises:
            RefusedError: a rule said no. NotFoundError: the target does not exist.
        """
        # All that it leaves has one and the same time.
        intent = replace(intent, at=intent.at or self._clock())
        operation = intent.edit.operation
        return await self._appliers[type(operation)](tx, intent, operation)

    async def apply(self, intents: Sequence[Intent]) -> tuple[Receipt, ...]:
        """Apply intents in one transaction, all or none; several share a changeset."""
        changeset = self._ids("set") if len(intents) > 1 else None
        async with self._database.write(changeset) as tx:
            return tuple([await self.apply_in(tx, intent) for intent in intents])

    async def batches(self, agent_id: str) -> tuple[Batch, ...]:
        """An agent's batches, oldest first, without deleted messages; read page by page."""
        messages: list[Message] = []
        position = 0
        while True:
            async with self._database.read() as source:
                rows = await message_rows.page(source, agent_id, position, PAGE_MESSAGES)
            page = await asyncio.to_thread(message_rows.decode, rows)
            messages.extend(page)
            if len(page) < PAGE_MESSAGES:
                return group_batches(messages)
            position = page[-1].position

    async def batch(self, agent_id: str, batch_id: str) -> Batch | None:
        """One batch without its deleted messages, None when nothing is left of it."""
        async with self._database.read() as source:
            rows = await message_rows.of_batch(source, agent_id, batch_id)
        found = group_batches(message_rows.decode(rows))
        return found[0] if found else None

    async def message(self, message_id: str) -> Message | None:
        """One message, deleted ones included."""
        async with self._database.read() as source:
            return await message_rows.get(source, message_id)

    async def summaries(self, agent_id: str) -> tuple[tuple[Summary, ...], tuple[Problem, ...]]:
        """An agent's summaries, oldest first, and what could not be read."""
        async with self._database.read() as source:
            found, problems = await summary_rows.of_agent(source, agent_id)
        return tuple(found), tuple(problems)

    async def recent_events(self, limit: int) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """The newest events of all agents, in time order, and what could not be read."""
        async with self._database.read() as source:
            return await activity_rows.recent(source, limit)

    async def event_count(self) -> int:
        """How many events there are, of all agents."""
        async with self._database.read() as source:
            return await activity_rows.count(source)

    async def counts(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Messages and summaries by agent id."""
        async with self._database.read() as source:
            return await message_rows.counts(source), await summary_rows.counts(source)

    async def _append(self, tx: Transaction, intent: Intent, operation: AppendMessage) -> Receipt:
        position, sequence = await message_rows.next_place(tx, operation.agent_id, operation.batch_id)
        message = Message(
            id=intent.edit.target.id or self._ids("msg"),
            agent_id=operation.agent_id,
            position=position,
            batch_id=operation.batch_id,
            sequence_in_batch=sequence,
            role=operation.role,
            content=operation.content,
            batch_type=operation.batch_type,
            created_at=intent.at or self._clock(),
            source=operation.source,
            name=operation.name,
            metadata=operation.metadata,
            is_archived=operation.is_archived,
            compiled=operation.compiled,
        )
        await message_rows.insert(tx, message)
        await search_rows.put(tx, found_of_message(message))
        return await self._recorded(tx, intent, _message_ref(message), message.agent_id, None, message)

    async def _edit_message(self, tx: Transaction, intent: Intent, operation: EditMessage) -> Receipt:
        message = await self._message(tx, intent)
        if message.content == operation.content:
            return self._unchanged(intent)
        await message_rows.set_content(tx, message.id, operation.content)
        changed = replace(message, content=operation.content)
        await search_rows.put(tx, found_of_message(changed))
        return await self._recorded(tx, intent, _message_ref(message), message.agent_id, message, changed)

    async def _archive(self, tx: Transaction, intent: Intent, operation: ArchiveMessage) -> Receipt:
        message = await self._message(tx, intent)
        if message.is_archived == operation.archived:
            return self._unchanged(intent)
        await message_rows.set_archived(tx, message.id, archived=operation.archived)
        changed = replace(message, is_archived=operation.archived)
        return await self._recorded(tx, intent, _message_ref(message), message.agent_id, message, changed)

    async def _store_summary(self, tx: Transaction, intent: Intent, operation: StoreSummary) -> Receipt:
        if operation.end < operation.start:
            raise RefusedError(Refusal("refused.time_range"))
        summary = Summary(
            id=intent.edit.target.id or self._ids("sum"),
            agent_id=operation.agent_id,
            content=operation.content,
            topics=operation.topics,
            start=operation.start,
            end=operation.end,
            message_count=operation.message_count,
            depth=operation.depth,
            previous_summary_id=operation.previous_summary_id,
            covers=operation.covers,
            children=operation.children,
            details=operation.details,
            created_at=intent.at or self._clock(),
        )
        await summary_rows.insert(tx, summary)
        await search_rows.put(tx, found_of_summary(summary))
        ref = Ref(RefKind.SUMMARY, summary.id)
        return await self._recorded(tx, intent, ref, summary.agent_id, None, summary)

    async def _edit_summary(self, tx: Transaction, intent: Intent, operation: EditSummary) -> Receipt:
        summary = await self._summary(tx, intent)
        given = {
            name: value
            for name in ("content", "topics", "details")
            if (value := getattr(operation, name)) is not None
        }
        changed = replace(summary, **given)
        if changed == summary:
            return self._unchanged(intent)
        await summary_rows.set_texts(tx, changed)
        await search_rows.put(tx, found_of_summary(changed))
        return await self._recorded(tx, intent, intent.edit.target.whole, summary.agent_id, summary, changed)

    async def _log(self, tx: Transaction, intent: Intent, operation: LogEvent) -> Receipt:
        known = operation.kind if operation.kind in EventKind.__members__.values() else EventKind.CUSTOM
        event = Event(
            id=intent.edit.target.id or self._ids("evt"),
            seq=0,
            agent_id=operation.agent_id,
            kind=operation.kind,
            details=operation.details,
            importance=DEFAULT_IMPORTANCE[EventKind(known)]
            if operation.importance is None
            else operation.importance,
            timestamp=intent.at or self._clock(),
            batch_id=operation.batch_id,
        )
        await activity_rows.insert(tx, event)
        return await self._recorded(tx, intent, Ref(RefKind.EVENT, event.id), event.agent_id, None, None)

    async def _delete(self, tx: Transaction, intent: Intent, operation: Operation) -> Receipt:
        deleted = isinstance(operation, DeleteRow)
        if intent.edit.target.kind is RefKind.SUMMARY:
            return await self._delete_summary(tx, intent, deleted=deleted)
        message = await self._message(tx, intent)
        if message.is_deleted == deleted:
            return self._unchanged(intent)
        await message_rows.set_deleted(tx, message.id, deleted=deleted)
        changed = replace(message, is_deleted=deleted)
        await search_rows.put(tx, found_of_message(changed))
        return await self._recorded(tx, intent, _message_ref(message), message.agent_id, message, changed)

    async def _delete_summary(self, tx: Transaction, intent: Intent, *, deleted: bool) -> Receipt:
        summary = await self._summary(tx, intent)
        if summary.is_deleted == deleted:
            return self._unchanged(intent)
        await summary_rows.set_deleted(tx, summary.id, deleted=deleted)
        changed = replace(summary, is_deleted=deleted)
        await search_rows.put(tx, found_of_summary(changed))
        return await self._recorded(tx, intent, intent.edit.target.whole, summary.agent_id, summary, changed)

    async def _message(self, source: Connection, intent: Intent) -> Message:
        message = await message_rows.get(source, intent.edit.target.id)
        if message is None:
            raise NotFoundError("not_found.message", name=intent.edit.target.id)
        return message

    async def _summary(self, source: Connection, intent: Intent) -> Summary:
        summary = await summary_rows.get(source, intent.edit.target.id)
        if summary is None:
            raise NotFoundError("not_found.summary", name=intent.edit.target.id)
        return summary

    async def _recorded(
        self,
        tx: Transaction,
        intent: Intent,
        ref: Ref,
        owner: str | None,
        before: Message | Summary | None,
        after: Message | Summary | None,
    ) -> Receipt:
        at = intent.at or self._clock()
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

    def _unchanged(self, intent: Intent) -> Receipt:
        at = intent.at or self._clock()
        return Receipt(intent.edit.target, None, None, changed=False, actor=intent.actor, at=at)


def group_batches(messages: Sequence[Message]) -> tuple[Batch, ...]:
    """Messages as batches in the order of their first message; deleted messages are left away."""
    by_id: dict[str, list[Message]] = {}
    for message in messages:
        if not message.is_deleted:
            by_id.setdefault(message.batch_id, []).append(message)
    return tuple(Batch(batch_id, tuple(each)) for batch_id, each in by_id.items())


def _message_ref(message: Message) -> Ref:
    return Ref(RefKind.MESSAGE, message.id)


def _difference(value: Message | Summary, other: Message | Summary | None) -> Any:
    """What of `value` differs from `other`; all of it when there is no other."""
    plain = to_plain(value)
    if other is None:
        return plain
    compared = to_plain(other)
    return {name: each for name, each in plain.items() if each != compared[name]}
