"""ConsentStore keeps consent requests and grants, and waits for answers.

A request changes nothing yet. A yes applies its edit in the transaction that stores the answer: exactly once, in
whichever process the person is. A grant lets later edits of an agent through, for a time, for a number of uses, or
until it is revoked.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from inspector.domain.actor import SYSTEM, Actor, Clock, IdGenerator
from inspector.domain.blocks import Permission
from inspector.domain.changes import Change
from inspector.domain.consent import (
    ConsentDecision,
    ConsentGrant,
    ConsentPreview,
    ConsentRequest,
    ConsentState,
    Partner,
)
from inspector.domain.edits.access import is_aimed_right
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.consent import (
    AnswerConsent,
    GrantConsent,
    RequestConsent,
    RevokeGrant,
    SetPartner,
    TimeOutConsent,
)
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.errors import FileError, NotFoundError, Problem, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.changesets import Changesets
from inspector.memory.consent_grants import level_asked, read_partner
from inspector.memory.consent_preview import preview, together
from inspector.memory.consent_writing import ConsentWriter, edit_asked
from inspector.memory.refusals import refused
from inspector.memory.store import MemoryStore
from inspector.storage import blocks, consent
from inspector.storage.database import POLL_SECONDS, Database
from inspector.storage.feed import Subscription
from inspector.storage.journal import Journal
from inspector.storage.transaction import Guard, Transaction, rehearsal

_CONTENT = frozenset(CONTENT_OPERATIONS.values())


class _AskedEdits:
    """Applies what answers would allow, and no answer."""

    def __init__(self, writer: ConsentWriter) -> None:
        self._writer = writer

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        return await self._writer.apply_asked(tx, intent)


class ConsentStore:
    """Requests, answers, grants, and who is the partner. `person` is the actor unless a call names another."""

    def __init__(
        self, database: Database, memory: MemoryStore, clock: Clock, ids: IdGenerator, person: Actor
    ) -> None:
        self._database = database
        self._memory = memory
        self._clock = clock
        self._writer = ConsentWriter(memory, Journal(clock, ids))
        self._person = person

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        return is_aimed_right(edit) and type(edit.operation) in self._writer.handles

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentWriter.apply`; roll the transaction back then.
        """
        return await self._writer.apply(tx, intent)

    async def request(
        self, intent: Intent, *, wait: timedelta, guard: Guard | None = None
    ) -> ConsentRequest | Receipt:
        """Store an agent's edit of a block for a person to answer; apply it where it needs no consent.

        An edit that would be refused after a yes too is refused at once. The request ends after `wait`. `guard` is
        asked first, in the same transaction.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as any edit; nothing was changed then.
        """
        async with self._database.write() as tx:
            if guard is not None:
                await guard(tx)
            try:
                return await self._memory.apply_in(tx, intent)
            except RefusedError as error:
                # Permission is the first thing that is looked at: nothing has been written yet.
                if error.code != "refused.needs_consent":
                    raise
            async with rehearsal(tx):
                await self._memory.apply_in(tx, intent, consented=True)
            return await self._store_request(tx, intent, wait)

    async def wait_for_answer(self, request_id: str) -> ConsentRequest:
        """Wait until a request is granted, here or in another process; its `change` is what its edit became.

        Raises:
            RefusedError: ``refused.consent_denied``, ``refused.consent_answered``, ``refused.consent_timed_out``,
                ``refused.consent_not_answered`` (the file was closed). NotFoundError: ``not_found.consent``.
            FileError.
        """
        async with self._database.feed.subscribe() as news:
            while True:
                request = await self.get(request_id)
                if request.state is ConsentState.GRANTED:
                    return request
                if request.state is not ConsentState.PENDING:
                    raise await self._refusal(request)
                await self._until_heard(news, request)
                if request.state_at(self._clock()) is ConsentState.TIMED_OUT:
                    await self._do(Ref(RefKind.CONSENT, request_id), TimeOutConsent(), SYSTEM)

    async def answer(
        self,
        request_id: str,
        decision: ConsentDecision,
        *,
        until: datetime | None = None,
        edited: Edit | None = None,
        words: str = "",
        actor: Actor | None = None,
    ) -> ConsentRequest:
        """Answer a request, and apply its edit, or `edited`, unless the answer is no; gives the request as it is then.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.answer_partner_only``, ``refused.answer_no_partner``,
                ``refused.consent_closed``, ``refused.until_needed``, ``refused.until_past``, or what
                refuses the edit by now: the request still waits then. NotFoundError: ``not_found.consent``. FileError.
        """
        await self._do(Ref(RefKind.CONSENT, request_id), AnswerConsent(decision, until, edited, words), actor)
        return await self.get(request_id)

    async def get(self, request_id: str) -> ConsentRequest:
        """One request, as it is stored.

        Raises:
            NotFoundError: ``not_found.consent``.
        """
        async with self._database.read() as connection:
            request = await consent.get(connection, request_id)
        if request is None:
            raise NotFoundError("not_found.consent", name=request_id)
        return request

    async def requests(
        self, state: ConsentState | None = None
    ) -> tuple[tuple[ConsentRequest, ...], tuple[Problem, ...]]:
        """Requests in a state as of now, or all, oldest first; and what cannot be read."""
        async with self._database.read() as connection:
            found, problems = await consent.read_all(connection)
        now = self._clock()
        present = (replace(each, state=each.state_at(now)) for each in found)
        return tuple(each for each in present if state in (None, each.state)), problems

    async def preview(self, request_id: str) -> ConsentPreview:
        """What a request's edit would make of the present.

        Raises:
            NotFoundError: ``not_found.consent``, ``not_found.block``. DocumentError, FileError.
        """
        request = await self.get(request_id)
        async with self._database.read() as connection:
            edit = await edit_asked(connection, request)
        return await preview(self._memory, replace(request, edit=edit))

    async def preview_together(self, request_ids: Sequence[str]) -> tuple[ConsentPreview, ...]:
        """What requests would make of the present, allowed one after the other: each with the whole of its block.

        Raises:
            NotFoundError, DocumentError: as `preview`. FileError: the file cannot be written.
        """
        previews = [await self.preview(each) for each in request_ids]
        answer = AnswerConsent(ConsentDecision.ONCE)
        intents = [Intent(Edit(Ref(RefKind.CONSENT, each), answer), self._person) for each in request_ids]
        trial = await Changesets(self._database, _AskedEdits(self._writer)).preview(intents)
        return tuple(
            together(one, trial, outcome.refusal)
            for one, outcome in zip(previews, trial.outcomes, strict=True)
        )

    async def answer_refusal(self, request: ConsentRequest) -> Refusal | None:
        """Why the person at this machine may not answer a request, None where they may."""
        async with self._database.read() as connection:
            try:
                await self._writer.check_answerer(connection, self._person, request)
            except RefusedError as error:
                return error.refusal
        return None

    async def grants(self, *, over: bool = False) -> tuple[tuple[ConsentGrant, ...], tuple[Problem, ...]]:
        """Grants in force as of now, with `over` the others too, oldest first; and what cannot be read."""
        async with self._database.read() as connection:
            found, problems = await consent.grants(connection)
        now = self._clock()
        return tuple(each for each in found if over or each.holds_at(now)), problems

    async def grant(self, operation: GrantConsent, *, actor: Actor | None = None) -> str:
        """Let an agent write without asking; gives the grant's id.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.until_past``, ``refused.uses``. NotFoundError.
        """
        return (await self._do(Ref(RefKind.GRANT, ""), operation, actor)).ref.id

    async def revoke(self, grant_id: str, *, actor: Actor | None = None) -> Receipt:
        """End a grant from this moment on.

        Raises:
            RefusedError: ``refused.people_only``. NotFoundError: ``not_found.grant``.
        """
        return await self._do(Ref(RefKind.GRANT, grant_id), RevokeGrant(), actor)

    async def partner(self) -> Partner | None:
        """The person set as partner, None when nobody is."""
        async with self._database.read() as connection:
            return await read_partner(connection)

    async def set_partner(self, person_id: str, name: str = "", *, actor: Actor | None = None) -> Receipt:
        """Say who the partner is; an empty id for nobody.

        Raises:
            RefusedError: ``refused.people_only``. FileError.
        """
        return await self._do(Ref(RefKind.CONSTELLATION, ""), SetPartner(person_id, name), actor)

    async def _do(self, target: Ref, operation: Operation, actor: Actor | None) -> Receipt:
        async with self._database.write() as tx:
            return await self.apply_in(tx, Intent(Edit(target, operation), actor or self._person))

    async def _store_request(self, tx: Transaction, intent: Intent, wait: timedelta) -> ConsentRequest:
        edit, agent_id = intent.edit, intent.actor.id
        state = await blocks.get(tx, edit.target.id)
        if state is None:
            raise NotFoundError("not_found.block", name=edit.target.id)
        if edit.base is None and type(edit.operation) in _CONTENT:
            edit = replace(edit, base=state.version)
        level = await level_asked(tx, agent_id, edit.target.id) or Permission.HUMAN
        operation = RequestConsent(agent_id, edit, level, intent.reason, self._clock() + wait)
        asking = replace(intent, edit=Edit(Ref(RefKind.CONSENT, ""), operation))
        return await self._writer.get(tx, (await self.apply_in(tx, asking)).ref.id)

    async def _until_heard(self, news: Subscription, request: ConsentRequest) -> None:
        """Wait for news of a request, or until its time is over."""
        while request.state_at(self._clock()) is ConsentState.PENDING:
            try:
                async with asyncio.timeout(POLL_SECONDS):
                    async for each in news:
                        if isinstance(each, Change) and each.ref == Ref(RefKind.CONSENT, request.id):
                            return
            except TimeoutError:
                # Nobody else may be watching for what other processes do.
                with contextlib.suppress(FileError):
                    await self._database.poll()
            else:
                raise refused("refused.consent_not_answered", id=request.id)

    async def _refusal(self, request: ConsentRequest) -> RefusedError:
        state = await self._memory.get(request.edit.target.id)
        label = request.edit.target.id if state is None else state.block.label
        if request.state is ConsentState.TIMED_OUT:
            return refused("refused.consent_timed_out", label=label, asked=request.level.label)
        answerer = request.answerer
        by = request.answered_by if answerer is None else answerer.name
        if request.words:
            return refused("refused.consent_answered", label=label, by=by, words=request.words)
        return refused("refused.consent_denied", label=label, by=by)
