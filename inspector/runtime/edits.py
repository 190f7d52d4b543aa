"""The one way in for every change: intents of any family, in one transaction, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from inspector.domain.edits.base import Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.errors import InputError
from inspector.domain.ref import RefKind
from inspector.storage.database import Database, Transaction

_ROW_OPERATIONS = (DeleteRow, RestoreRow)


class Store(Protocol):
    """What takes intents of some families. It applies them inside a transaction that is not its own."""

    handles: frozenset[type[Operation]]

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent, or raise and leave nothing."""
        ...


class EditDoor:
    """Finds each intent's store by its operation; deletions and restorations by what they point at."""

    def __init__(self, database: Database, stores: Sequence[Store], rows: Mapping[RefKind, Store]) -> None:
        self._database = database
        self._rows = rows
        self._by_operation: dict[type[Operation], Store] = {}
        for store in stores:
            for operation in store.handles - frozenset(_ROW_OPERATIONS):
                self._by_operation[operation] = store

    async def apply(self, intents: Sequence[Intent], changeset: str | None = None) -> tuple[Receipt, ...]:
        """Apply all intents as one, or none of them.

        Raises:
            RefusedError: a rule said no. NotFoundError: a target does not exist. FileError: the file cannot
                be written. Nothing was changed then.
        """
        async with self._database.write(changeset) as tx:
            return tuple([await self._store_of(intent).apply_in(tx, intent) for intent in intents])

    def _store_of(self, intent: Intent) -> Store:
        operation = intent.edit.operation
        if isinstance(operation, _ROW_OPERATIONS):
            store = self._rows.get(intent.edit.target.kind)
        else:
            store = self._by_operation.get(type(operation))
        if store is None:
            raise InputError("input.no_store", operation=operation.op, target=str(intent.edit.target))
        return store
