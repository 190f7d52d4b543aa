"""ConversationStore applies every change of messages, summaries and events, and reads them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from inspector.conversation.activity import EventWriter, render_recent
from inspector.conversation.messages import MessageWriter
from inspector.conversation.summaries import SummaryWriter
from inspector.domain.activity import Event
from inspector.domain.actor import Clock, IdGenerator
from inspector.domain.agents import Agent
from inspector.domain.edits.access import is_aimed_right
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
from inspector.domain.errors import Problem
from inspector.domain.message_outline import BatchOutline, MessageOutline
from inspector.domain.messages import Batch, Message, Role, is_sendable
from inspector.domain.ref import RefKind
from inspector.domain.snapshot import OlderMessages
from inspector.domain.summaries import Summary
from inspector.storage import activity as activity_rows
from inspector.storage import messages as message_rows
from inspector.storage import summaries as summary_rows
from inspector.storage.database import Database
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

PAGE_MESSAGES = 500
"""Messages read and decoded at a time, so that no page holds a thread for long."""
_KINDS = frozenset({RefKind.MESSAGE, RefKind.SUMMARY, RefKind.EVENT})


class ConversationStore:
    """Messages, summaries and activity of one constellation."""

    def __init__(self, database: Database, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._clock = clock
        self._journal = journal = Journal(clock, ids)
        self._messages = MessageWriter(journal)
        self._summaries = SummaryWriter(journal)
        self._appliers: Mapping[type[Operation], Callable[[Transaction, Intent, Any], Awaitable[Receipt]]] = {
            AppendMessage: self._messages.append,
            EditMessage: self._messages.edit,
            ArchiveMessage: self._messages.archive,
            StoreSummary: self._summaries.store,
            EditSummary: self._summaries.edit,
            LogEvent: EventWriter(journal).log,
            DeleteRow: self._put_away,
            RestoreRow: self._put_away,
        }

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store; some operations belong to several, by their target."""
        return is_aimed_right(edit) and type(edit.operation) in self._appliers and edit.target.kind in _KINDS

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent inside a transaction of the caller's.

        Raises:
            RefusedError: a rule said no. NotFoundError: the target does not exist.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        return await self._appliers[type(operation)](tx, intent, operation)

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

    async def recent_batches(
        self, agent_id: str, least: int
    ) -> tuple[tuple[Batch, ...], OlderMessages | None]:
        """An agent's newest batches, of at least so many messages that may be sent, and what stands before them.

        Where anything does, they begin with a batch that a history may begin with, as far as there is one.
        """
        async with self._database.read() as source:
            ids = await message_rows.newest_batches(source, agent_id, least)
            rows = await message_rows.of_batches(source, agent_id, ids)
            messages = await asyncio.to_thread(message_rows.decode, rows)
            batches = group_batches(messages)
            start = next((at for at, batch in enumerate(batches) if _may_begin(batch)), 0)
            recent = [message for batch in batches[start:] for message in batch.messages]
            older = await message_rows.older_than(source, agent_id, recent)
        if older is None or older.count == len(messages) - len(recent):
            return batches, None
        return batches[start:], older

    async def batch(self, agent_id: str, batch_id: str) -> Batch | None:
        """One batch without its deleted messages, None when nothing is left of it."""
        async with self._database.read() as source:
            rows = await message_rows.of_batch(source, agent_id, batch_id)
        found = group_batches(message_rows.decode(rows))
        return found[0] if found else None

    async def outline(self, agent_id: str) -> MessageOutline:
        """Where all messages of an agent stand, deleted ones included; none of them is read."""
        async with self._database.read() as source:
            rows, put_away = await message_rows.outline(source, agent_id)
        return await asyncio.to_thread(_outline, rows, put_away)

    async def whole_batches(self, agent_id: str, batch_ids: Sequence[str]) -> tuple[Batch, ...]:
        """Some batches of an agent with their deleted messages, in the order of their first message."""
        async with self._database.read() as source:
            rows = await message_rows.of_batches(source, agent_id, batch_ids, deleted=True)
        messages = await asyncio.to_thread(message_rows.decode, rows)
        return group_batches(messages, deleted=True)

    async def places(self, message_ids: Sequence[str]) -> Mapping[str, int]:
        """The positions of some messages by id; one that is not there has none."""
        found: dict[str, int] = {}
        async with self._database.read() as source:
            for start in range(0, len(message_ids), PAGE_MESSAGES):
                page = message_ids[start : start + PAGE_MESSAGES]
                found.update(await message_rows.places(source, page))
        return found

    async def message(self, message_id: str) -> Message | None:
        """One message, deleted ones included."""
        async with self._database.read() as source:
            return await message_rows.get(source, message_id)

    async def summaries(self, agent_id: str) -> tuple[tuple[Summary, ...], tuple[Problem, ...]]:
        """An agent's summaries in the order in which they were written, and what could not be read.

        Deleted ones are among them: deeper ones may have been made of them.
        """
        async with self._database.read() as source:
            found, problems = await summary_rows.of_agent(source, agent_id, deleted=True)
        return tuple(found), tuple(problems)

    async def recent_events(
        self, limit: int, after: int = 0
    ) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """The newest events of all agents in the order in which they were written, and what could not be read.

        With `after`, only those behind that `seq`.
        """
        async with self._database.read() as source:
            return await activity_rows.recent(source, limit, after)

    async def render_recent(self, agent: Agent, zone: tzinfo) -> str:
        """What an agent is shown of what happened, as the section of its prompt reads; empty when nothing is."""
        async with self._database.read() as source:
            return await render_recent(source, agent, self._clock(), zone)

    async def events_until(
        self, moment: datetime, limit: int
    ) -> tuple[tuple[Event, ...], tuple[Problem, ...]]:
        """The newest events of all agents that have a time up to a moment, in the order they were written."""
        async with self._database.read() as source:
            return await activity_rows.until(source, moment, limit)

    async def event_count(self, agent_id: str | None = None) -> int:
        """How many events there are, of all agents or of one."""
        async with self._database.read() as source:
            return await activity_rows.count(source, agent_id)

    async def counts(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Messages and summaries by agent id."""
        async with self._database.read() as source:
            return await message_rows.counts(source), await summary_rows.counts(source)

    async def _put_away(self, tx: Transaction, intent: Intent, operation: Operation) -> Receipt:
        is_summary = intent.edit.target.kind is RefKind.SUMMARY
        writer = self._summaries if is_summary else self._messages
        return await writer.put_away(tx, intent, operation)


def _may_begin(batch: Batch) -> bool:
    """Whether a shortened history may begin with a batch: a whole turn that a user's message begins."""
    sent = next(filter(is_sendable, batch.messages), None)
    return sent is not None and sent.role is Role.USER and batch.is_complete


def _outline(rows: Sequence[Any], put_away: Sequence[Any]) -> MessageOutline:
    batches = tuple(BatchOutline(id_, tuple(sorted(json.loads(each)))) for id_, each in rows)
    deleted = frozenset(position for position, is_deleted in put_away if is_deleted)
    archived = frozenset(position for position, is_deleted in put_away if not is_deleted)
    return MessageOutline(batches, archived, deleted)


def group_batches(messages: Sequence[Message], *, deleted: bool = False) -> tuple[Batch, ...]:
    """Messages as batches in the order of their first message, deleted messages only if asked for."""
    by_id: dict[str, list[Message]] = {}
    for message in messages:
        if deleted or not message.is_deleted:
            by_id.setdefault(message.batch_id, []).append(message)
    return tuple(Batch(batch_id, tuple(each)) for batch_id, each in by_id.items())
