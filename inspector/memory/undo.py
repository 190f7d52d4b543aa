"""Undo and redo: an actor's own steps, newest first, as new changes.

Nothing is removed and nobody else's work is touched: what somebody else has changed since stays as it is, and the
outcome names it. A step of which nothing is left is passed over. The actor must still be allowed to make each edit
that takes something back: for a content that is an overwriting one, whatever the change itself was, and the parts
that the change wrote must not have become read-only.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol

from inspector.domain.actor import Actor
from inspector.domain.codec import from_plain
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.history import TakeBack
from inspector.domain.errors import RefusedError
from inspector.domain.moments import IdGenerator
from inspector.domain.ref import Ref
from inspector.domain.undo import Undone, UndoStack, UndoStep, UndoWish
from inspector.memory.ahead import Ahead
from inspector.memory.refusals import refused
from inspector.memory.undo_rows import inverse_of
from inspector.memory.undo_stack import Step, steps, told
from inspector.storage import changes
from inspector.storage.changes import StepRow
from inspector.storage.connection import Connection
from inspector.storage.database import Database, Transaction
from inspector.storage.json_columns import parse

MOST_PASSED = 50
"""Steps without anything left that one undo looks at before it gives up."""


class Door(Protocol):
    """What applies intents of every family inside a transaction that is not its own."""

    async def apply_in(self, tx: Transaction, intent: Intent, *, consented: bool = False) -> Receipt:
        """Apply one intent, or raise and leave nothing. `consented`: a person has allowed it."""
        ...


class BlockGate(Protocol):
    """What knows who may write which block."""

    async def check_in(self, tx: Transaction, intent: Intent, *, consented: bool = False) -> None:
        """Pass if the intent would be allowed."""
        ...


class Undoer:
    """Undoes and redoes; it keeps nothing, so it does so after a restart too."""

    def __init__(
        self, database: Database, ids: IdGenerator, door: Door, gate: BlockGate, ahead: Ahead
    ) -> None:
        self._database = database
        self._ids = ids
        self._door = door
        self._gate = gate
        self._ahead = ahead

    async def undo(self, wish: UndoWish) -> Undone:
        """Take back the actor's newest step that something is left of, or the one that is named.

        Raises:
            RefusedError: ``refused.nothing_to_undo``; ``refused.undo_overtaken``, others have changed all of it
                since; or the rule that forbids the edit which would take it back. Nothing was changed then.
            DocumentError, FileError: as for any edit.
        """
        return await self._go(wish, undone=False)

    async def redo(self, wish: UndoWish) -> Undone:
        """Make again what the actor took back last.

        Raises:
            RefusedError: ``refused.nothing_to_redo``, also after another change; otherwise as `undo`.
            DocumentError, FileError: as for any edit.
        """
        return await self._go(wish, undone=True)

    async def stack(self, wish: UndoWish, limit: int = 100) -> UndoStack:
        """What could be undone and redone of what a wish names, the next of each first, at most `limit` of each."""
        async with self._database.read() as connection:
            return UndoStack(
                await _listed(connection, wish, limit, undone=False),
                await _listed(connection, wish, limit, undone=True),
            )

    async def take_in(
        self, tx: Transaction, wish: UndoWish, *, undone: bool, consented: bool = False
    ) -> Undone:
        """Undo, or with `undone` redo, in a transaction of the caller's. `consented`: a person has allowed it.

        Raises:
            RefusedError, DocumentError, FileError: as `undo` and `redo`; roll the transaction back then.
        """
        passed: list[Step] = []
        async with aclosing(steps(tx, wish.actor, wish.ref, wish.owner, undone=undone)) as found:
            async for step in found:
                if wish.change is not None and not step.holds(wish.change):
                    continue
                receipts, skipped = await self._take(tx, wish, step, consented=consented)
                if receipts:
                    newer = tuple([await told(tx, each) for each in passed])
                    return Undone(await told(tx, step), receipts, skipped, newer)
                passed.append(step)
                if wish.change is not None or len(passed) == MOST_PASSED:
                    break
            raise await _refusal(tx, wish, passed, undone=undone)

    async def step(
        self, connection: Connection, actor: Actor, change: int, *, undone: bool
    ) -> UndoStep | None:
        """The actor's step that a change belongs to, among those that stand so."""
        async with aclosing(steps(connection, actor, None, None, undone=undone)) as found:
            async for each in found:
                if each.holds(change):
                    return await told(connection, each)
        return None

    async def _go(self, wish: UndoWish, *, undone: bool) -> Undone:
        async def write() -> Undone:
            async with self._database.write() as tx:
                return await self.take_in(tx, wish, undone=undone)

        return await self._ahead.run(partial(_first_edits, wish, undone=undone), write)

    async def _take(
        self, tx: Transaction, wish: UndoWish, step: Step, *, consented: bool
    ) -> tuple[tuple[Receipt, ...], tuple[Ref, ...]]:
        """Take a step's changes back from the newest, or make them again. Gives what changed and what stayed."""
        if len(step.rows) > 1:
            tx.changeset = self._ids("set")
        receipts: list[Receipt] = []
        skipped: list[Ref] = []
        for row in reversed(step.rows):
            full = await changes.get(tx, row.change.seq)
            if full is None:
                continue
            inverse = await inverse_of(tx, full, wish.actor)
            skipped += inverse.skipped
            for edit in inverse.edits:
                receipt = await self._apply(tx, _intent(wish, row, edit), row, consented=consented)
                skipped += (Ref(edit.target.kind, edit.target.id, part) for part in receipt.skipped)
                if receipt.changed:
                    receipts.append(receipt)
                elif isinstance(edit.operation, TakeBack):
                    skipped.append(edit.target)
        return tuple(receipts), tuple(skipped)

    async def _apply(self, tx: Transaction, intent: Intent, row: StepRow, *, consented: bool) -> Receipt:
        if isinstance(intent.edit.operation, TakeBack):
            written = await changes.content_operation(tx, row.first)
            if written is not None:
                operation = from_plain(Operation, parse(written))
                first = replace(intent, edit=replace(intent.edit, operation=operation))
                await self._gate.check_in(tx, first, consented=consented)
        return await self._door.apply_in(tx, intent, consented=consented)


def _intent(wish: UndoWish, row: StepRow, edit: Edit) -> Intent:
    # A redoing names the taking back; every taking back names the change as it was first made.
    names = row.change.seq if row.role is changes.Role.UNDONE else row.first
    return Intent(
        edit, wish.actor, wish.reason, wish.batch_id, wish.tool_call_id, unlock=wish.unlock, undo_of=names
    )


async def _first_edits(wish: UndoWish, connection: Connection, *, undone: bool) -> tuple[Intent, ...]:
    """What takes the first step back that comes into question, as things stand."""
    async with aclosing(steps(connection, wish.actor, wish.ref, wish.owner, undone=undone)) as found:
        async for step in found:
            if wish.change is None or step.holds(wish.change):
                return tuple([each async for each in _inverted(connection, wish, step)])
    return ()


async def _inverted(connection: Connection, wish: UndoWish, step: Step) -> AsyncIterator[Intent]:
    for row in reversed(step.rows):
        full = await changes.get(connection, row.change.seq)
        if full is not None:
            for edit in (await inverse_of(connection, full, wish.actor)).edits:
                yield _intent(wish, row, edit)


async def _listed(
    connection: Connection, wish: UndoWish, limit: int, *, undone: bool
) -> tuple[UndoStep, ...]:
    listed: list[UndoStep] = []
    async with aclosing(steps(connection, wish.actor, wish.ref, wish.owner, undone=undone)) as found:
        async for step in found:
            if len(listed) >= limit:
                break
            listed.append(await told(connection, step))
    return tuple(listed)


async def _refusal(tx: Transaction, wish: UndoWish, passed: list[Step], *, undone: bool) -> RefusedError:
    if passed:
        step = await told(tx, passed[0])
        return refused("refused.undo_overtaken", ref=str(step.ref), operation=step.op, steps=len(passed))
    code = "refused.nothing_to_redo" if undone else "refused.nothing_to_undo"
    where = None if wish.ref is None else str(wish.ref)
    return refused(code, actor=wish.actor.name, ref=where, change=wish.change)
