"""ConsentStore: the one door for what agents ask of people, and for waiting until they have answered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from inspector.domain.actor import SYSTEM, Actor
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
from inspector.domain.edits.asking import parts_of
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
from inspector.domain.edits.targets import is_aimed_right
from inspector.domain.errors import FileError, NotFoundError, RefusedError
from inspector.domain.health import Problem
from inspector.domain.moments import Clock, IdGenerator
from inspector.domain.ref import Ref, RefKind
from inspector.memory.consent_grants import standing_of
from inspector.memory.consent_preview import preview
from inspector.memory.consent_writing import ConsentWriter, Performer, asked_intent
from inspector.memory.permissions import asked_level
from inspector.memory.refusals import refused
from inspector.memory.store import MemoryStore
from inspector.storage import attachments, blocks, consent, meta, settled
from inspector.storage.connection import Connection
from inspector.storage.database import POLL_SECONDS, Database, Transaction
from inspector.storage.feed import Subscription
from inspector.storage.journal import Journal
from inspector.storage.rehearsal import rehearsal

_CONTENT = frozenset(CONTENT_OPERATIONS.values())


class ConsentStore:
    """Requests that wait for a person, their answers, and what was granted for later.

    An edit that is allowed is applied by the transaction that stores the answer: exactly once, in whichever
    process the person is.
    """

    def __init__(self, database: Database, memory: MemoryStore, clock: Clock, ids: IdGenerator) -> None:
        self._database = database
        self._memory = memory
        self._clock = clock
        self._journal = Journal(clock, ids)
        self._writer = ConsentWriter(memory, self._journal)

    def takes(self, edit: Edit) -> bool:
        """Whether an edit is one for this store."""
        return is_aimed_right(edit) and type(edit.operation) in self._writer.handles

    def asks_for(self, edit: Edit) -> bool:
        """Whether an edit is one that an agent may have to ask for: one of a block."""
        return self._memory.takes(edit)

    async def apply_in(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent in a transaction of the caller's.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentWriter.apply`; roll the transaction back then.
        """
        return await self._writer.apply(tx, intent)

    async def apply(self, intents: Sequence[Intent]) -> tuple[Receipt, ...]:
        """Apply intents in one transaction, all or none.

        Raises:
            RefusedError, NotFoundError, FileError: as `ConsentWriter.apply`; nothing was changed then.
        """

        async def write() -> tuple[Receipt, ...]:
            async with self._database.write() as tx:
                return tuple([await self.apply_in(tx, intent) for intent in intents])

        allowed = partial(self._allowed_now, intents)
        return await self._memory.ahead.run(allowed, write, consented=True)

    async def edit(self, intent: Intent, *, wait: timedelta | None) -> Receipt:
        """Apply an edit of a block; where the block's level says so, ask for it and wait for the answer.

        `wait` None does not ask: what needs consent is then refused at once. What would be refused after
        an answer all the same is refused without asking.

        Raises:
            RefusedError: ``refused.needs_consent`` (without `wait`), ``refused.consent_denied``,
                ``refused.consent_timed_out``, ``refused.consent_not_answered`` (the file was closed
                meanwhile), and what `MemoryStore.edit` refuses. NotFoundError, DocumentError, FileError:
                as there.
        """
        if wait is None:
            return (await self._memory.apply((intent,)))[0]
        done = await self._applied_or_asked(intent, wait)
        return done if isinstance(done, Receipt) else await self.outcome(done.id)

    async def ask(self, intent: Intent, *, wait: timedelta) -> str | Receipt:
        """As `edit`, without waiting: the id of the request, or the receipt where nothing needed asking.

        Raises:
            RefusedError, NotFoundError, DocumentError, FileError: as `edit`.
        """
        done = await self._applied_or_asked(intent, wait)
        return done if isinstance(done, Receipt) else done.id

    async def outcome(self, request_id: str) -> Receipt:
        """Wait until a request is answered here or in another process, or its time is over.

        Raises:
            RefusedError: ``refused.consent_denied``, ``refused.consent_timed_out``,
                ``refused.consent_not_answered``. NotFoundError: ``not_found.consent``. FileError.
        """
        request = await self.granted(request_id)
        async with self._database.read() as connection:
            return await settled.receipt_of(connection, request)

    async def granted(self, request_id: str) -> ConsentRequest:
        """Wait as `outcome` does; gives the request once it is granted, with what it became.

        Raises:
            RefusedError, NotFoundError, FileError: as `outcome`.
        """
        async with self._database.feed.subscribe() as news:
            while True:
                request = await self._known(request_id)
                if request.state is ConsentState.GRANTED:
                    return request
                if request.state is not ConsentState.PENDING:
                    raise await self._refusal(request)
                await self._until_heard(news, request)
                if request.state_at(self._clock()) is ConsentState.TIMED_OUT:
                    await self._do(Ref(RefKind.CONSENT, request_id), TimeOutConsent(), SYSTEM)

    async def answer(
        self, request_id: str, decision: ConsentDecision, *, actor: Actor, until: datetime | None = None
    ) -> ConsentRequest:
        """Answer a request, and apply its edit unless the answer is no; gives the request as it is then.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.answer_partner_only``, ``refused.consent_closed``,
                ``refused.until_needed``, ``refused.until_past``, or what refuses the edit by now: the request
                still waits then. NotFoundError: ``not_found.consent``. FileError.
        """
        await self._do(Ref(RefKind.CONSENT, request_id), AnswerConsent(decision, until), actor)
        return await self._known(request_id)

    async def request(self, request_id: str) -> ConsentRequest | None:
        """One request, None when there is none of that id."""
        async with self._database.read() as connection:
            return await consent.get(connection, request_id)

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
        return await preview(self._memory, await self._known(request_id))

    async def grants(self, *, over: bool = False) -> tuple[tuple[ConsentGrant, ...], tuple[Problem, ...]]:
        """What is granted as of now, with `over` what is over too, oldest first; and what cannot be read."""
        async with self._database.read() as connection:
            found, problems = await consent.grants(connection)
        now = self._clock()
        return tuple(each for each in found if over or each.holds_at(now)), problems

    async def grant(self, operation: GrantConsent, *, actor: Actor) -> str:
        """Let an agent write without asking; gives the grant's id.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.until_past``, ``refused.uses``. NotFoundError.
        """
        return (await self._do(Ref(RefKind.GRANT, ""), operation, actor)).ref.id

    async def revoke(self, grant_id: str, *, actor: Actor) -> Receipt:
        """Take a grant back.

        Raises:
            RefusedError: ``refused.people_only``. NotFoundError: ``not_found.grant``.
        """
        return await self._do(Ref(RefKind.GRANT, grant_id), RevokeGrant(), actor)

    async def partner(self) -> Partner | None:
        """The person set as partner, None when nobody is."""
        async with self._database.read() as connection:
            facts = await meta.read_all(connection)
        person_id = facts.get(meta.PARTNER_ID)
        return Partner(person_id, facts.get(meta.PARTNER_NAME) or person_id) if person_id else None

    async def set_partner(self, person_id: str, name: str = "", *, actor: Actor) -> Receipt:
        """Say who the partner is; an empty id for nobody.

        Raises:
            RefusedError: ``refused.people_only``. FileError.
        """
        return await self._do(Ref(RefKind.CONSTELLATION, ""), SetPartner(person_id, name), actor)

    async def _do(self, target: Ref, operation: Operation, actor: Actor) -> Receipt:
        return (await self.apply((Intent(Edit(target, operation), actor),)))[0]

    async def _known(self, request_id: str) -> ConsentRequest:
        request = await self.request(request_id)
        if request is None:
            raise NotFoundError("not_found.consent", name=request_id)
        return request

    async def _allowed_now(self, intents: Sequence[Intent], connection: Connection) -> tuple[Intent, ...]:
        """The edits that the answers among intents allow."""
        found: list[Intent] = []
        for intent in intents:
            operation = intent.edit.operation
            if isinstance(operation, AnswerConsent) and operation.decision is not ConsentDecision.DENY:
                request = await consent.get(connection, intent.edit.target.id)
                if request is not None:
                    asked = await asked_intent(connection, request, intent.at)
                    found += parts_of(asked)
        return tuple(found)

    async def _applied_or_asked(self, intent: Intent, wait: timedelta) -> Receipt | Ref:
        async def wanted(_: Connection) -> tuple[Intent, ...]:
            return (intent,)

        async def write() -> Receipt | Ref:
            async with self._database.write() as tx:
                return await self._apply_or_ask(tx, intent, wait)

        return await self._memory.ahead.run(wanted, write, consented=True)

    async def _apply_or_ask(self, tx: Transaction, intent: Intent, wait: timedelta) -> Receipt | Ref:
        try:
            return await self._memory.apply_in(tx, intent)
        except RefusedError as error:
            # Permission is the first thing that is looked at: nothing has been written yet.
            if error.code != "refused.needs_consent":
                raise
        async with rehearsal(tx):
            await self._memory.apply_in(tx, intent, consented=True)
        return await self._store_request(tx, intent, wait)

    async def _store_request(self, tx: Transaction, intent: Intent, wait: timedelta) -> Ref:
        state = await blocks.get(tx, intent.edit.target.id)
        if state is None:
            raise NotFoundError("not_found.block", name=intent.edit.target.id)
        edit, actor = intent.edit, intent.actor
        if edit.base is None and type(edit.operation) in _CONTENT:
            edit = replace(edit, base=state.version)
        attachment = await attachments.get(tx, state.block.id, actor.id)
        level = asked_level(state.block, actor.id, attachment) or Permission.HUMAN
        request_id = await self.store_request(tx, replace(intent, edit=edit), level, wait)
        return Ref(RefKind.CONSENT, request_id)

    async def store_request(self, tx: Transaction, intent: Intent, level: Permission, wait: timedelta) -> str:
        """Store what an agent asks for, in a transaction of the caller's; gives the request's id.

        Raises:
            NotFoundError: ``not_found.agent``. FileError.
        """
        asked = RequestConsent(intent.actor.id, intent.edit, level, intent.reason, self._clock() + wait)
        asking = replace(intent, edit=Edit(Ref(RefKind.CONSENT, ""), asked))
        return (await self._writer.apply(tx, asking)).ref.id

    async def strictest(
        self, connection: Connection, intent: Intent, block_ids: Sequence[str]
    ) -> tuple[Permission, str]:
        """The lowest level at which an agent must ask for one of the blocks, and the first block of that level.

        What a grant covers already needs no asking.

        Raises:
            NotFoundError: ``not_found.block``, when none of the blocks is asked for.
        """
        found: list[tuple[Permission, str]] = []
        for block_id in block_ids:
            state = await blocks.get(connection, block_id)
            if state is None:
                continue
            standing = await standing_of(connection, intent, state.block, self._journal, consented=False)
            level = asked_level(state.block, intent.actor.id, standing.attachment)
            if level is not None and standing.grant is None:
                found.append((level, block_id))
        if not found:
            raise NotFoundError("not_found.block", name=intent.edit.target.id)
        return min(found, key=lambda each: each[0])

    def attend(self, performer: Performer) -> None:
        """Say what applies edits that were asked for as one, and steps, once they are allowed."""
        self._writer.performer = performer

    async def asked(self, connection: Connection, request: ConsentRequest) -> Intent:
        """What a request asks for, as its agent would do it now."""
        return await asked_intent(connection, request, self._clock())

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
        return refused("refused.consent_denied", label=label, by=by)
