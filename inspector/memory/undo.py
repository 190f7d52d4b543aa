"""Undoes and redoes an actor's own changes, newest first, as new changes. A person may undo another author's.

Nothing is removed and nobody else's work is touched: what somebody else has changed since stays as it is, and the
outcome names it. A step of which nothing is left is passed over, and so are those of a block of before a redaction.
The actor must still be allowed to make each edit that takes something back: for a content that is an overwriting one,
whatever the change itself was, and the parts that the change wrote must not have become read-only.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol

from inspector.domain.actor import IdGenerator
from inspector.domain.changes import ChangeRole
from inspector.domain.codec import from_plain
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.history import TakeBack
from inspector.domain.edits.redaction import Redacted, Withheld
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref
from inspector.domain.undo import UndoneStep, UndoRequest, UndoStack, UndoStep
from inspector.memory.precompute import Precomputer
from inspector.memory.refusals import refused
from inspector.memory.undo_rows import inverse_of
from inspector.memory.undo_stack import StackStep, steps, undo_step
from inspector.storage import changes
from inspector.storage.changes import StepRow
from inspector.storage.connection import Connection
from inspector.storage.database import Database
from inspector.storage.json_columns import parse
from inspector.storage.transaction import Guard, Transaction

MOST_PASSED = 50
"""Steps without anything left that one undo looks at before it gives up."""


class EditApplier(Protocol):
    """What applies intents of every family inside a transaction that is not its own."""

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt: ...


class BlockGate(Protocol):
    """What knows who may write which block."""

    async def check_in(self, tx: Transaction, intent: Intent) -> None: ...


class Undoer:
    """Undoes and redoes; it keeps nothing, so it does so after a restart too."""

    def __init__(
        self, database: Database, ids: IdGenerator, applier: EditApplier, gate: BlockGate, ahead: Precomputer
    ) -> None:
        self._database = database
        self._ids = ids
        self._applier = applier
        self._gate = gate
        self._ahead = ahead

    async def undo(self, wish: UndoRequest, guard: Guard | None = None) -> UndoneStep:
        """Take back the actor's newest step that something is left of, or the one that is named.

        `guard` is asked first, in the same transaction.

        Raises:
            RefusedError: ``refused.nothing_to_undo``; ``refused.undo_overtaken``, others have changed all of it
                since; ``refused.undo_of_others``, no person asks; or the rule that forbids the edit which would take
                it back. Nothing was changed then.
            DocumentError, FileError: as for any edit.
        """
        return await self._go(wish, guard, undone=False)

    async def redo(self, wish: UndoRequest, guard: Guard | None = None) -> UndoneStep:
        """Make again what the actor took back last. `guard` is asked first, in the same transaction.

        Raises:
            RefusedError: ``refused.nothing_to_redo``, also after another change; otherwise as `undo`.
            DocumentError, FileError: as for any edit.
        """
        return await self._go(wish, guard, undone=True)

    async def stack(self, wish: UndoRequest, limit: int = 100) -> UndoStack:
        """What could be undone and redone of what a wish names, the next of each first, at most `limit` of each."""
        async with self._database.read() as connection:
            return UndoStack(
                await _listed(connection, wish, limit, undone=False),
                await _listed(connection, wish, limit, undone=True),
            )

    async def _go(self, wish: UndoRequest, guard: Guard | None, *, undone: bool) -> UndoneStep:
        if wish.steps_of != wish.actor and not wish.actor.is_person:
            raise refused("refused.undo_of_others", author=wish.steps_of.name)

        async def write() -> UndoneStep:
            async with self._database.write() as tx:
                if guard is not None:
                    await guard(tx)
                return await self._newest(tx, wish, undone=undone)

        return await self._ahead.run(partial(_first_edits, wish, undone=undone), write)

    async def _newest(self, tx: Transaction, wish: UndoRequest, *, undone: bool) -> UndoneStep:
        passed: list[StackStep] = []
        redacted: set[Ref] = set()
        async with aclosing(_steps(tx, wish, redacted, undone=undone)) as found:
            async for step in found:
                receipts, skipped = await self._take(tx, wish, step)
                if receipts:
                    newer = tuple([await undo_step(tx, each) for each in passed])
                    return UndoneStep(await undo_step(tx, step), receipts, skipped, newer)
                passed.append(step)
                if wish.change is not None or len(passed) == MOST_PASSED:
                    break
            if redacted and not passed:
                raise refused("refused.before_redaction")
            raise await _refusal(tx, wish, passed, undone=undone)

    async def _take(
        self, tx: Transaction, wish: UndoRequest, step: StackStep
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
            inverse = await inverse_of(tx, full, wish.steps_of)
            skipped += inverse.skipped
            for edit in inverse.edits:
                receipt = await self._apply(tx, _intent(wish, row, edit), row)
                skipped += (Ref(edit.target.kind, edit.target.id, part) for part in receipt.skipped)
                if receipt.changed:
                    receipts.append(receipt)
                elif isinstance(edit.operation, TakeBack):
                    skipped.append(edit.target)
        return tuple(receipts), tuple(skipped)

    async def _apply(self, tx: Transaction, intent: Intent, row: StepRow) -> Receipt:
        if isinstance(intent.edit.operation, TakeBack):
            operation = await _content_operation(tx, row)
            if operation is not None:
                if isinstance(operation, Redacted | Withheld):
                    raise refused("refused.before_redaction")
                first = replace(intent, edit=replace(intent.edit, operation=operation))
                await self._gate.check_in(tx, first)
        return await self._applier.apply_in(tx, intent)


def _intent(wish: UndoRequest, row: StepRow, edit: Edit) -> Intent:
    # A redoing names the taking back; every taking back names the change as it was first made.
    names = row.change.seq if row.role is ChangeRole.UNDONE else row.first
    return Intent(
        edit, wish.actor, wish.reason, wish.batch_id, wish.tool_call_id, unlock=wish.unlock, undo_of=names
    )


async def _first_edits(wish: UndoRequest, connection: Connection, *, undone: bool) -> tuple[Intent, ...]:
    """What takes the first step back that comes into question, as things stand."""
    async with aclosing(_steps(connection, wish, set(), undone=undone)) as found:
        async for step in found:
            return tuple([each async for each in _inverted(connection, wish, step)])
    return ()


async def _inverted(connection: Connection, wish: UndoRequest, step: StackStep) -> AsyncIterator[Intent]:
    for row in reversed(step.rows):
        full = await changes.get(connection, row.change.seq)
        if full is not None:
            for edit in (await inverse_of(connection, full, wish.steps_of)).edits:
                yield _intent(wish, row, edit)


async def _listed(
    connection: Connection, wish: UndoRequest, limit: int, *, undone: bool
) -> tuple[UndoStep, ...]:
    listed: list[UndoStep] = []
    async with aclosing(_steps(connection, wish, set(), undone=undone)) as found:
        async for step in found:
            if len(listed) >= limit:
                break
            listed.append(await undo_step(connection, step))
    return tuple(listed)


async def _steps(
    connection: Connection, wish: UndoRequest, redacted: set[Ref], *, undone: bool
) -> AsyncGenerator[StackStep, None]:
    """The steps that come into question, the next one first: those with the change that is named, else all.

    Of a block whose content was redacted since, no step is among all of them; such blocks come into `redacted`.
    """
    async with aclosing(steps(connection, wish.steps_of, wish.ref, wish.owner, undone=undone)) as found:
        async for step in found:
            if wish.change is not None:
                if step.holds(wish.change):
                    yield step
                continue
            refs = {row.change.ref.whole for row in step.rows}
            if not refs & redacted:
                # The other things of that step have changes before it that can be taken back.
                redacted |= await _redacted_in(connection, step)
            if not refs & redacted:
                yield step


async def _content_operation(connection: Connection, row: StepRow) -> Operation | None:
    """The operation of a change of a block's content, None for any other change."""
    written = await changes.content_operation(connection, row.first)
    return None if written is None else from_plain(Operation, parse(written))


async def _redacted_in(connection: Connection, step: StackStep) -> set[Ref]:
    """The blocks of a step whose content was redacted since."""
    found: set[Ref] = set()
    for row in step.rows:
        if isinstance(await _content_operation(connection, row), Redacted | Withheld):
            found.add(row.change.ref.whole)
    return found


async def _refusal(
    tx: Transaction, wish: UndoRequest, passed: list[StackStep], *, undone: bool
) -> RefusedError:
    if passed:
        step = await undo_step(tx, passed[0])
        return refused("refused.undo_overtaken", ref=str(step.ref), operation=step.op, steps=len(passed))
    code = "refused.nothing_to_redo" if undone else "refused.nothing_to_undo"
    where = None if wish.ref is None else str(wish.ref)
    return refused(code, actor=wish.steps_of.name, ref=where, change=wish.change)
