"""The one way in for every change: intents of any family, in one transaction, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.errors import InputError
from inspector.domain.moments import IdGenerator
from inspector.storage.database import Database, Transaction


class Store(Protocol):
    """What takes edits of some families. It applies them inside a transaction that is not its own."""

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        ...

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent, or raise and leave nothing."""
        ...


class EditDoor:
    """Finds each intent's store and applies all in one transaction."""

    def __init__(self, database: Database, ids: IdGenerator, stores: Sequence[Store]) -> None:
        self._database = database
        self._ids = ids
        self._stores = tuple(stores)

    async def apply(self, intents: Sequence[Intent], changeset: str | None = None) -> tuple[Receipt, ...]:
        """Apply all intents as one, or none of them. Several share a changeset.

        Raises:
            RefusedError: a rule said no. NotFoundError: a target does not exist. FileError: the file cannot
                be written. Nothing was changed then.
        """
        shared = changeset or (self._ids("set") if len(intents) > 1 else None)
        async with self._database.write(shared) as tx:
            return tuple([await self._store_of(intent.edit).apply_in(tx, intent) for intent in intents])

    def _store_of(self, edit: Edit) -> Store:
        for store in self._stores:
            if store.takes(edit):
                return store
        raise InputError("input.no_store", operation=edit.operation.op, target=str(edit.target))
