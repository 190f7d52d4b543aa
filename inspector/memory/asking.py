"""Several edits of an agent as one, and its undo and redo, where something in them needs a person's consent.

The whole waits: nothing of it is applied before the answer, and one request stands for all of it, with all the
blocks that it would write. Whoever may answer for the strictest of them answers for all. A yes applies the whole in
the transaction that stores the answer; "for a time" and "for this block" then hold for each of those blocks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from inspector.domain.consent import ConsentPreview, ConsentRequest
from inspector.domain.edits.asking import ApplyTogether, TakeStep
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import InspectorError, NotFoundError, Refusal, RefusedError
from inspector.domain.moments import IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import Undone, UndoWish
from inspector.memory.consent import ConsentStore
from inspector.memory.consent_preview import whole_text
from inspector.memory.consent_writing import Performed
from inspector.memory.refusals import refused
from inspector.memory.undo import Door, Undoer
from inspector.storage import blocks
from inspector.storage.connection import Connection
from inspector.storage.database import Database, Transaction
from inspector.storage.rehearsal import attempt, rehearsal
from inspector.storage.settled import receipt_of_change

_CONTENT = frozenset(CONTENT_OPERATIONS.values())
T = TypeVar("T")
_Work = Callable[[bool], Awaitable[T]]
"""Does the whole; told whether a person has allowed it."""


class Asking:
    """Applies what was asked for as one, at once where nobody need be asked, else once a person says yes."""

    def __init__(
        self, database: Database, ids: IdGenerator, consent: ConsentStore, door: Door, undoer: Undoer
    ) -> None:
        self._database = database
        self._ids = ids
        self._consent = consent
        self._door = door
        self._undoer = undoer
        consent.attend(self.perform)

    async def apply(self, intents: Sequence[Intent], *, wait: timedelta) -> tuple[Receipt, ...]:
        """Apply intents of one actor as one changeset; ask and wait where something in them needs consent.

        Raises:
            RefusedError: as `ConsentStore.edit`. NotFoundError, DocumentError, FileError: as any edit. Nothing
                was changed then.
        """
        done = await self.ask(intents, wait=wait)
        return await self.receipts(done) if isinstance(done, str) else done

    async def ask(self, intents: Sequence[Intent], *, wait: timedelta) -> str | tuple[Receipt, ...]:
        """As `apply`, without waiting: the id of the request, or the receipts where nothing needed asking.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as `apply`.
        """
        async with self._database.write() as tx:
            outcome = await _tried(tx, lambda consented: self._together(tx, intents, consented=consented))
            if isinstance(outcome, tuple):
                return outcome
            async with rehearsal(tx):
                receipts = await self._together(tx, intents, consented=True)
            based = tuple(await _with_bases(tx, intents))
            return await self._request(tx, intents[0], ApplyTogether(based), receipts, wait)

    async def receipts(self, request_id: str) -> tuple[Receipt, ...]:
        """Wait for the answer to what `ask` has asked: one receipt for each intent.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentStore.outcome`.
        """
        request = await self._consent.granted(request_id)
        operation = request.edit.operation
        if not isinstance(operation, ApplyTogether):
            return await self._receipts(request)
        made = {each.seq: each for each in await self._receipts(request)}
        # An export without history does not say what a request became.
        numbers = request.changes or (0,) * len(operation.intents)
        return tuple(
            made.get(seq) or _unchanged(intent, request)
            for seq, intent in zip(numbers, operation.intents, strict=True)
        )

    async def undo(self, wish: UndoWish, *, wait: timedelta, redo: bool = False) -> Undone:
        """Undo, or with `redo` redo, a step of the actor's; ask and wait where it needs consent.

        Raises:
            RefusedError: as `Undoer.undo` and `ConsentStore.edit`. DocumentError, FileError: as any edit.
        """
        done = await self.ask_undo(wish, wait=wait, redo=redo)
        return await self.undone(done) if isinstance(done, str) else done

    async def ask_undo(self, wish: UndoWish, *, wait: timedelta, redo: bool = False) -> str | Undone:
        """As `undo`, without waiting: the id of the request, or what was undone where nothing needed asking.

        Raises:
            RefusedError, DocumentError, FileError: as `undo`.
        """
        async with self._database.write() as tx:
            outcome = await _tried(
                tx, lambda consented: self._undoer.take_in(tx, wish, undone=redo, consented=consented)
            )
            if isinstance(outcome, Undone):
                return outcome
            async with rehearsal(tx):
                seen = await self._undoer.take_in(tx, wish, undone=redo, consented=True)
            tx.changeset = None
            written = tuple(dict.fromkeys(ref.id for ref in map(_block, seen.receipts) if ref is not None))
            step = TakeStep(seen.step.seq, redo, written, wish.unlock)
            edit = Edit(seen.step.ref.whole, step)
            intent = Intent(edit, wish.actor, wish.reason, wish.batch_id, wish.tool_call_id)
            return await self._request(tx, intent, step, seen.receipts, wait)

    async def undone(self, request_id: str) -> Undone:
        """Wait for the answer to what `ask_undo` has asked.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentStore.outcome`.
        """
        request = await self._consent.granted(request_id)
        operation, actor = request.edit.operation, request.asked_by
        if not isinstance(operation, TakeStep) or actor is None:
            raise NotFoundError("not_found.consent", name=request_id)
        receipts = await self._receipts(request)
        async with self._database.read() as connection:
            # It stands the other way by now, unless it was taken once more since.
            for undone in (not operation.redo, operation.redo):
                step = await self._undoer.step(connection, actor, operation.change, undone=undone)
                if step is not None:
                    return Undone(step, receipts, request.skipped)
        raise NotFoundError("not_found.consent", name=request_id)

    async def preview(self, request_id: str) -> ConsentPreview:
        """What a request would make of the present, whatever it asks for; nothing is stored.

        Raises:
            NotFoundError: ``not_found.consent``, ``not_found.block``. DocumentError, FileError.
        """
        request = await self._consent.request(request_id)
        if request is None or not isinstance(request.edit.operation, ApplyTogether | TakeStep):
            return await self._consent.preview(request_id)
        async with self._database.write() as tx:
            intent = await self._consent.asked(tx, request)
            label, before = await _shown(tx, request.blocks)
            refusal: Refusal | None = None
            after = before
            async with rehearsal(tx):
                try:
                    await self.perform(tx, intent)
                    _, after = await _shown(tx, request.blocks)
                except RefusedError as error:
                    refusal = error.refusal
                except InspectorError as error:
                    refusal = Refusal(error.code, error.parameters)
        return ConsentPreview(request, label, before, after, refusal)

    async def perform(self, tx: Transaction, asked: Intent) -> Performed:
        """Do what was asked for and is allowed now, in the transaction of the answer.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as any edit; roll the transaction back then.
        """
        operation = asked.edit.operation
        try:
            if isinstance(operation, ApplyTogether):
                intents = [replace(each, actor=asked.actor, at=asked.at) for each in operation.intents]
                receipts = await self._together(tx, intents, consented=True)
                return Performed(tuple(each.seq or 0 for each in receipts))
            if not isinstance(operation, TakeStep):
                raise refused("refused.people_only", operation=operation.op)
            wish = UndoWish(
                asked.actor,
                change=operation.change,
                reason=asked.reason,
                batch_id=asked.batch_id,
                tool_call_id=asked.tool_call_id,
                unlock=operation.unlock,
            )
            done = await self._undoer.take_in(tx, wish, undone=operation.redo, consented=True)
            return Performed(tuple(each.seq or 0 for each in done.receipts), done.skipped)
        finally:
            # The answer itself is nothing of the agent's.
            tx.changeset = None

    async def _together(
        self, tx: Transaction, intents: Sequence[Intent], *, consented: bool
    ) -> tuple[Receipt, ...]:
        tx.changeset = self._ids("set") if len(intents) > 1 else None
        return tuple([await self._door.apply_in(tx, each, consented=consented) for each in intents])

    async def _request(
        self,
        tx: Transaction,
        intent: Intent,
        operation: Operation,
        receipts: Sequence[Receipt],
        wait: timedelta,
    ) -> str:
        tx.changeset = None
        written = dict.fromkeys(ref.id for ref in map(_block, receipts) if ref is not None)
        level, first = await self._consent.strictest(tx, intent, tuple(written))
        asking = replace(intent, edit=Edit(Ref(RefKind.BLOCK, first), operation))
        return await self._consent.store_request(tx, asking, level, wait)

    async def _receipts(self, request: ConsentRequest) -> tuple[Receipt, ...]:
        numbers = request.changes or ((request.change,) if request.change else ())
        async with self._database.read() as connection:
            return tuple([await receipt_of_change(connection, each) for each in numbers if each])


async def _tried(tx: Transaction, work: _Work[T]) -> T | None:
    """What comes of it without consent; None when it needs one, and nothing is left of it then."""
    try:
        async with attempt(tx):
            return await work(False)
    except RefusedError as error:
        if error.code != "refused.needs_consent":
            raise
        return None


def _block(receipt: Receipt) -> Ref | None:
    """The block that a change was made to; its sharing is of the block."""
    if receipt.changed and receipt.ref.kind in (RefKind.BLOCK, RefKind.ATTACHMENT):
        return Ref(RefKind.BLOCK, receipt.ref.id)
    return None


def _unchanged(intent: Intent, request: ConsentRequest) -> Receipt:
    at = request.answered_at or request.created_at
    return Receipt(intent.edit.target, None, intent.edit.base, changed=False, actor=intent.actor, at=at)


async def _with_bases(connection: Connection, intents: Sequence[Intent]) -> list[Intent]:
    """The intents, the first for each block's content with the version that it was made for."""
    based: list[Intent] = []
    known: set[str] = set()
    for each in intents:
        edit, block_id = each.edit, each.edit.target.id
        if type(edit.operation) in _CONTENT and block_id not in known:
            known.add(block_id)
            state = await blocks.get(connection, block_id)
            if state is not None and edit.base is None:
                based.append(replace(each, edit=replace(edit, base=state.version)))
                continue
        based.append(each)
    return based


async def _shown(connection: Connection, block_ids: Sequence[str]) -> tuple[str, str]:
    """The labels and the whole texts of several blocks; each text under its label where there are several."""
    labels: list[str] = []
    texts: list[str] = []
    for block_id in block_ids:
        state = await blocks.get(connection, block_id)
        if state is None:
            continue
        text = whole_text(state, state.content)
        labels.append(state.block.label)
        texts.append(text if len(block_ids) == 1 else f"=== {state.block.label} ===\n{text}")
    return ", ".join(labels), "\n".join(texts)
