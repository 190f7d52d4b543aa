"""The edit service: applies operations of any kind in one transaction, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from inspector.domain.actor import Actor, IdGenerator
from inspector.domain.changeset_previews import ChangesetPreview
from inspector.domain.edits.base import Edit, Intent, Receipt
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref
from inspector.domain.undo import UndoneStep, UndoRequest, UndoStack, UndoStep
from inspector.memory.changesets import Changesets
from inspector.memory.store import MemoryStore
from inspector.memory.undo import Undoer
from inspector.storage.database import Database
from inspector.storage.transaction import Guard, Transaction

OnProgress = Callable[[int, int], None]
"""Hears how many of how many steps are done."""


class IntentStore(Protocol):
    """What takes edits of some families. It applies them inside a transaction that is not its own."""

    def takes(self, edit: Edit) -> bool: ...

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt: ...


class EditService:
    """Finds each intent's store and applies all in one transaction; and takes back what was applied."""

    def __init__(
        self, database: Database, ids: IdGenerator, memory: MemoryStore, others: Sequence[IntentStore]
    ) -> None:
        self._database = database
        self._ids = ids
        self._memory = memory
        self._stores = (memory, *others)
        self.undoer = Undoer(database, ids, self, memory, memory.ahead)
        self._changesets = Changesets(database, self)

    async def apply(
        self,
        intents: Sequence[Intent],
        changeset: str | None = None,
        on_progress: OnProgress | None = None,
        guard: Guard | None = None,
    ) -> tuple[Receipt, ...]:
        """Apply all intents as one, or none of them. Several share a changeset.

        `on_progress` hears of each step of the work and may end it by raising, as a cancelled job does. `guard` is
        asked first, in the same transaction.

        Raises:
            RefusedError: a rule said no. NotFoundError: a target does not exist. FileError: the file cannot
                be written. Nothing was changed then.
        """
        shared = changeset or (self._ids("set") if len(intents) > 1 else None)
        first = self._memory.reads_first(intents[0].edit) if intents else None

        async def write() -> tuple[Receipt, ...]:
            receipts: list[Receipt] = []
            async with self._database.write(shared, first) as tx:
                if guard is not None:
                    await guard(tx)
                for done, intent in enumerate(intents):
                    if on_progress is not None:
                        on_progress(done, len(intents))
                    receipts.append(await self._store_of(intent.edit).apply_in(tx, intent))
            return tuple(receipts)

        return await self._memory.ahead.run_for(intents, write)

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            RefusedError, NotFoundError, FileError: as `apply`; roll the transaction back then.
            InputError: ``input.no_store``, nothing takes such an edit.
        """
        return await self._store_of(intent.edit).apply_in(tx, intent)

    async def preview(self, intents: Sequence[Intent]) -> ChangesetPreview:
        """What the intents would do as one changeset, and every reason why not; nothing is stored.

        Raises:
            FileError: the file cannot be written.
        """
        return await self._memory.ahead.run_for(intents, lambda: self._changesets.preview(intents))

    async def undo(self, actor: Actor, ref: Ref | None = None) -> UndoneStep:
        """Take back the actor's newest change or changeset, of `ref` if that is given; see `undo_wish`."""
        return await self.undo_wish(UndoRequest(actor, ref))

    async def redo(self, actor: Actor, ref: Ref | None = None) -> UndoneStep:
        """Make again what the actor took back last; see `redo_wish`."""
        return await self.redo_wish(UndoRequest(actor, ref))

    async def undo_wish(self, wish: UndoRequest, guard: Guard | None = None) -> UndoneStep:
        """Take back a step of the actor's own, as new changes; whatever others have made of it since stays.

        `guard` is asked first, in the same transaction.

        Raises:
            RefusedError: ``refused.nothing_to_undo``; ``refused.undo_overtaken``, nothing of it is left to take
                back; or the rule that forbids it. Nothing was changed then.
            DocumentError, FileError: as `apply`.
        """
        return await self.undoer.undo(wish, guard)

    async def redo_wish(self, wish: UndoRequest, guard: Guard | None = None) -> UndoneStep:
        """Make a step again that the actor has taken back, unless the actor has made another change since.

        `guard` is asked first, in the same transaction.

        Raises:
            RefusedError: ``refused.nothing_to_redo``; otherwise as `undo_wish`.
            DocumentError, FileError: as `apply`.
        """
        return await self.undoer.redo(wish, guard)

    async def undo_stack(
        self, actor: Actor, ref: Ref | None = None, limit: int = 100, *, owner: str | None = None
    ) -> UndoStack:
        """The actor's steps that can be undone and redone, the next one of each first.

        With `ref` those of that thing, with `owner` those of what is that agent's. Whether a step can still be
        applied shows only when it is tried.
        """
        return await self.undoer.stack(UndoRequest(actor, ref, owner), limit)

    async def can_undo(self, actor: Actor, ref: Ref | None = None) -> UndoStep | None:
        """What `undo` would try first, None when there is nothing."""
        return next(iter((await self.undo_stack(actor, ref, 1)).undo), None)

    async def can_redo(self, actor: Actor, ref: Ref | None = None) -> UndoStep | None:
        """What `redo` would try first, None when there is nothing."""
        return next(iter((await self.undo_stack(actor, ref, 1)).redo), None)

    def _store_of(self, edit: Edit) -> IntentStore:
        for store in self._stores:
            if store.takes(edit):
                return store
        raise InputError("input.no_store", operation=edit.operation.op, target=str(edit.target))
