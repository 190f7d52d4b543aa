"""Applies operations on messages inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from inspector.conversation.message_events import events_of, result_ids
from inspector.domain.edits.base import Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import AppendMessage, ArchiveMessage, EditMessage
from inspector.domain.errors import NotFoundError
from inspector.domain.messages import Message, call_names
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import found_of_message
from inspector.storage import messages as rows
from inspector.storage import search
from inspector.storage.connection import Connection
from inspector.storage.journal import Journal, differences
from inspector.storage.transaction import Transaction

_CALLS_PAGE = 16
"""Messages read at a time to find the calls of results: a turn may have thousands."""


class MessageWriter:
    """Writes messages, and the events that tell of them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def append(self, tx: Transaction, intent: Intent, operation: AppendMessage) -> Receipt:
        """Add a message at the end of an agent's conversation."""
        position, sequence = await rows.next_place(tx, operation.agent_id, operation.batch_id)
        message = Message(
            id=intent.edit.target.id or self._journal.ids("msg"),
            agent_id=operation.agent_id,
            position=position,
            batch_id=operation.batch_id,
            sequence_in_batch=sequence,
            role=operation.role,
            content=operation.content,
            batch_type=operation.batch_type,
            created_at=self._journal.moment(intent),
            source=operation.source,
            name=operation.name,
            metadata=operation.metadata,
            is_archived=operation.is_archived,
            compiled=operation.compiled,
        )
        rows.insert(tx, message)
        search.put(tx, found_of_message(message))
        await self._tell(tx, intent, message)
        return await self._journal.recorded(tx, intent, _ref(message), message.agent_id, (None, message))

    async def edit(self, tx: Transaction, intent: Intent, operation: EditMessage) -> Receipt:
        message = await self._message(tx, intent)
        if message.content == operation.content:
            return self._journal.unchanged(intent)
        await rows.set_content(tx, message.id, operation.content)
        changed = replace(message, content=operation.content)
        search.put(tx, found_of_message(changed))
        return await self._journal.recorded(
            tx, intent, _ref(message), message.agent_id, differences(message, changed)
        )

    async def archive(self, tx: Transaction, intent: Intent, operation: ArchiveMessage) -> Receipt:
        """Take a message out of the conversation that is sent, or back into it."""
        message = await self._message(tx, intent)
        if message.is_archived == operation.archived:
            return self._journal.unchanged(intent)
        await rows.set_archived(tx, message.id, archived=operation.archived)
        changed = replace(message, is_archived=operation.archived)
        return await self._journal.recorded(
            tx, intent, _ref(message), message.agent_id, differences(message, changed)
        )

    async def put_away(self, tx: Transaction, intent: Intent, operation: Operation) -> Receipt:
        """Delete a message or bring it back."""
        deleted = isinstance(operation, DeleteRow)
        message = await self._message(tx, intent)
        if message.is_deleted == deleted:
            return self._journal.unchanged(intent)
        await rows.set_deleted(tx, message.id, deleted=deleted)
        changed = replace(message, is_deleted=deleted)
        search.put(tx, found_of_message(changed))
        return await self._journal.recorded(
            tx, intent, _ref(message), message.agent_id, differences(message, changed)
        )

    async def _tell(self, tx: Transaction, intent: Intent, message: Message) -> None:
        if not self._journal.tells(intent):
            return
        calls = await self._calls_of(tx, message)
        for new_event in events_of(message, intent.actor, calls):
            self._journal.tell(tx, intent, new_event)

    async def _calls_of(self, tx: Transaction, message: Message) -> Mapping[str, str]:
        """The names of the tools whose results a message holds, by call: read backwards, for they stand nearby."""
        found = call_names([message])
        wanted = result_ids(message).difference(found)
        position = message.position
        while wanted:
            page = rows.decode(await rows.before_in_batch(tx, message, position, _CALLS_PAGE))
            found = {**call_names(reversed(page)), **found}
            wanted = wanted.difference(found)
            if len(page) < _CALLS_PAGE:
                break
            position = page[-1].position
        return found

    async def _message(self, source: Connection, intent: Intent) -> Message:
        message = await rows.get(source, intent.edit.target.id)
        if message is None:
            raise NotFoundError("not_found.message", name=intent.edit.target.id)
        return message


def _ref(message: Message) -> Ref:
    return Ref(RefKind.MESSAGE, message.id)
