"""Applies operations on archival entries."""

from __future__ import annotations

from dataclasses import replace

from inspector.domain.activity import EventKind
from inspector.domain.actor import ActorKind
from inspector.domain.blocks import ArchivalEntry
from inspector.domain.codec import to_plain
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.edits.block_rows import DeleteRow, InsertArchival, RestoreRow, UpdateArchival
from inspector.domain.errors import NotFoundError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search_index import found_of_entry
from inspector.memory.refusals import refused
from inspector.storage import agents, archival, json_columns, search
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

ARCHIVAL_OPERATIONS = frozenset({InsertArchival, UpdateArchival, DeleteRow, RestoreRow})


class ArchivalWriter:
    """Writes archival entries. An agent writes its own; a person every one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def apply(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply an operation on an archival entry.

        Raises:
            RefusedError: ``refused.not_owner``, ``refused.exists``. NotFoundError: ``not_found.archival``.
        """
        operation = intent.edit.operation
        if isinstance(operation, InsertArchival):
            return await self._insert(tx, intent, operation)
        entry = await archival.get(tx, intent.edit.target.id)
        if entry is None:
            raise NotFoundError("not_found.archival", name=intent.edit.target.id)
        _check_owner(intent, entry.agent_id)
        if isinstance(operation, UpdateArchival):
            changed = replace(
                entry,
                content=entry.content if operation.content is None else operation.content,
                tags=entry.tags if operation.tags is None else operation.tags,
            )
        else:
            changed = replace(entry, is_deleted=isinstance(operation, DeleteRow))
        return await self._put(tx, intent, entry, changed)

    async def _insert(self, tx: Transaction, intent: Intent, operation: InsertArchival) -> Receipt:
        _check_owner(intent, operation.agent_id)
        await agents.require(tx, operation.agent_id)
        json_columns.parse(operation.metadata)
        entry_id = intent.edit.target.id or self._journal.ids("arc")
        if await archival.get(tx, entry_id) is not None:
            raise refused("refused.exists", id=entry_id)
        at = self._journal.moment(intent)
        entry = ArchivalEntry(
            entry_id, operation.agent_id, operation.content, operation.tags, operation.metadata, at, at
        )
        return await self._put(tx, intent, None, entry)

    async def _put(
        self, tx: Transaction, intent: Intent, before: ArchivalEntry | None, entry: ArchivalEntry
    ) -> Receipt:
        ref = Ref(RefKind.ARCHIVAL, entry.id)
        if before == entry:
            return self._journal.receipt(intent, ref, None)
        at = self._journal.moment(intent)
        after = entry if before is None else replace(entry, updated_at=at)
        if before is None:
            await archival.insert(tx, after)
        else:
            await archival.update(tx, before, after)
        search.put(tx, found_of_entry(after))
        details = {"operation": intent.edit.operation.op, "count": 1, "entry_id": entry.id}
        self._journal.tell_change(tx, intent, EventKind.ARCHIVAL_OPERATION, details)
        differences = (_difference(before, after), _difference(after, before))
        seq = await self._journal.record(tx, intent, ref, owner=after.agent_id, differences=differences)
        return self._journal.receipt(intent, ref, seq)


def _check_owner(intent: Intent, agent_id: str) -> None:
    actor = intent.actor
    if actor.kind is ActorKind.AGENT and actor.id != agent_id:
        raise refused("refused.not_owner", label="archival", agent=actor.name)


def _difference(value: ArchivalEntry | None, other: ArchivalEntry | None) -> object:
    if value is None or other is None:
        return value
    compared = to_plain(other)
    return {name: each for name, each in to_plain(value).items() if each != compared[name]}
