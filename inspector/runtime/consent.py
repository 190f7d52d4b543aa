"""The door for what agents ask of people, as the person at this machine unless another is named."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from inspector.domain.actor import Actor
from inspector.domain.consent import (
    ConsentDecision,
    ConsentGrant,
    ConsentPreview,
    ConsentRequest,
    ConsentState,
    Partner,
)
from inspector.domain.edits.access import OperationRule, operation_table
from inspector.domain.edits.base import Intent, Receipt
from inspector.domain.edits.consent import GrantConsent
from inspector.domain.health import Problem
from inspector.domain.undo import Undone, UndoWish
from inspector.memory.asking import Asking
from inspector.memory.consent import ConsentStore
from inspector.runtime.edits import EditDoor


class ConsentDoor:
    """Requests, answers, grants, the partner, and the table of who may do what."""

    def __init__(self, store: ConsentStore, edits: EditDoor, asking: Asking, actor: Actor) -> None:
        self._store = store
        self._asking = asking
        self._edits = edits
        self._actor = actor

    @property
    def rules(self) -> tuple[OperationRule, ...]:
        """Each operation on a block with its class and what each level says to agents."""
        return operation_table()

    async def apply(self, intent: Intent, *, wait: timedelta | None = None) -> Receipt:
        """Apply one intent of any family; with `wait`, what needs consent is asked for and waited for.

        Raises:
            RefusedError: as `ConsentStore.edit`. NotFoundError, DocumentError, FileError.
        """
        if self._store.asks_for(intent.edit):
            return await self._store.edit(intent, wait=wait)
        return (await self._edits.apply([intent]))[0]

    async def ask(self, intent: Intent, *, wait: timedelta) -> str | Receipt:
        """Ask without waiting: the request's id, or the receipt where nothing needed asking.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as `ConsentStore.ask`.
        """
        return await self._store.ask(intent, wait=wait)

    async def apply_all(self, intents: Sequence[Intent], *, wait: timedelta) -> tuple[Receipt, ...]:
        """Apply an agent's intents as one changeset, all or none; the whole waits for consent if any of it must.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as `Asking.apply`.
        """
        return await self._asking.apply(intents, wait=wait)

    async def ask_all(self, intents: Sequence[Intent], *, wait: timedelta) -> str | tuple[Receipt, ...]:
        """As `apply_all`, without waiting: the request's id for `receipts`, or the receipts.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as `Asking.ask`.
        """
        return await self._asking.ask(intents, wait=wait)

    async def receipts(self, request_id: str) -> tuple[Receipt, ...]:
        """Wait for the answer to `ask_all`.

        Raises:
            RefusedError: as `ConsentStore.outcome`. NotFoundError, FileError.
        """
        return await self._asking.receipts(request_id)

    async def undo(self, wish: UndoWish, *, wait: timedelta, redo: bool = False) -> Undone:
        """Undo or redo a step of an agent's; the whole step waits for consent if any of it must.

        Raises:
            RefusedError, DocumentError, FileError: as `Asking.undo`.
        """
        return await self._asking.undo(wish, wait=wait, redo=redo)

    async def ask_undo(self, wish: UndoWish, *, wait: timedelta, redo: bool = False) -> str | Undone:
        """As `undo`, without waiting: the request's id for `undone`, or what was undone.

        Raises:
            RefusedError, DocumentError, FileError: as `Asking.ask_undo`.
        """
        return await self._asking.ask_undo(wish, wait=wait, redo=redo)

    async def undone(self, request_id: str) -> Undone:
        """Wait for the answer to `ask_undo`.

        Raises:
            RefusedError: as `ConsentStore.outcome`. NotFoundError, FileError.
        """
        return await self._asking.undone(request_id)

    async def outcome(self, request_id: str) -> Receipt:
        """Wait for the answer to a request, in whichever process it is given.

        Raises:
            RefusedError: as `ConsentStore.outcome`. NotFoundError, FileError.
        """
        return await self._store.outcome(request_id)

    async def requests(
        self, state: ConsentState | None = None
    ) -> tuple[tuple[ConsentRequest, ...], tuple[Problem, ...]]:
        """Requests in a state as of now, or all, oldest first; and what cannot be read."""
        return await self._store.requests(state)

    async def preview(self, request_id: str) -> ConsentPreview:
        """What a request's edit would make of the present.

        Raises:
            NotFoundError, DocumentError, FileError: as `ConsentStore.preview`.
        """
        return await self._asking.preview(request_id)

    async def answer(
        self,
        request_id: str,
        decision: ConsentDecision,
        *,
        until: datetime | None = None,
        actor: Actor | None = None,
    ) -> ConsentRequest:
        """Answer a request; unless the answer is no, its edit is applied in the same transaction.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentStore.answer`; the request still waits then.
        """
        return await self._store.answer(request_id, decision, actor=actor or self._actor, until=until)

    async def grants(self, *, over: bool = False) -> tuple[tuple[ConsentGrant, ...], tuple[Problem, ...]]:
        """What is granted as of now, with `over` what is over too; and what cannot be read."""
        return await self._store.grants(over=over)

    async def grant(self, operation: GrantConsent, *, actor: Actor | None = None) -> str:
        """Let an agent write without asking; gives the grant's id.

        Raises:
            RefusedError, NotFoundError: as `ConsentStore.grant`.
        """
        return await self._store.grant(operation, actor=actor or self._actor)

    async def revoke(self, grant_id: str, *, actor: Actor | None = None) -> Receipt:
        """Take a grant back.

        Raises:
            RefusedError, NotFoundError: as `ConsentStore.revoke`.
        """
        return await self._store.revoke(grant_id, actor=actor or self._actor)

    async def partner(self) -> Partner | None:
        """The person set as partner, None when nobody is."""
        return await self._store.partner()

    async def set_partner(self, person_id: str, name: str = "", *, actor: Actor | None = None) -> Receipt:
        """Say who the partner is; an empty id for nobody.

        Raises:
            RefusedError: ``refused.people_only``. FileError.
        """
        return await self._store.set_partner(person_id, name, actor=actor or self._actor)
