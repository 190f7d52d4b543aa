"""Applies consent requests, answers and grants. An answer applies its edit in the same transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from inspector.documents.rebase import replaces_whole
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentDecision, ConsentGrant, ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.consent import (
    AnswerConsent,
    GrantConsent,
    RequestConsent,
    RevokeGrant,
    SetPartner,
    TimeOutConsent,
)
from inspector.domain.errors import NotFoundError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.consent_grants import level_asked, partner_id
from inspector.memory.refusals import refused
from inspector.memory.store import MemoryStore
from inspector.storage import agents, blocks, consent, meta, updates
from inspector.storage.connection import Connection
from inspector.storage.journal import Journal
from inspector.storage.transaction import Transaction

_BY_AGENTS = frozenset({RequestConsent, TimeOutConsent})

_Applier = Callable[[Transaction, Intent, Any], Awaitable[Receipt]]


class ConsentWriter:
    """Writes requests, answers, grants and the partner's identity."""

    def __init__(self, memory: MemoryStore, journal: Journal) -> None:
        self._memory = memory
        self._journal = journal
        self._appliers: Mapping[type[Operation], _Applier] = {
            RequestConsent: self._request,
            AnswerConsent: self._answer,
            TimeOutConsent: self._time_out,
            GrantConsent: self._grant,
            RevokeGrant: self._revoke,
            SetPartner: self._set_partner,
        }
        self.handles: frozenset[type[Operation]] = frozenset(self._appliers)

    async def apply(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply one intent.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.partner_only``, ``refused.consent_closed``,
                ``refused.consent_open``, ``refused.not_owner``, ``refused.exists``, ``refused.until_needed``,
                ``refused.until_past``, ``refused.uses``, ``refused.other_block_edited``; or what
                refuses the edit that was asked for.
            NotFoundError: ``not_found.consent``, ``not_found.grant``, ``not_found.agent``, ``not_found.block``.
        """
        intent = self._journal.at_a_moment(intent)
        operation = intent.edit.operation
        if intent.actor.kind is ActorKind.AGENT and type(operation) not in _BY_AGENTS:
            raise refused("refused.people_only", operation=operation.op)
        return await self._appliers[type(operation)](tx, intent, operation)

    async def get(self, connection: Connection, request_id: str) -> ConsentRequest:
        """One request.

        Raises:
            NotFoundError: ``not_found.consent``.
        """
        request = await consent.get(connection, request_id)
        if request is None:
            raise NotFoundError("not_found.consent", name=request_id)
        return request

    async def _request(self, tx: Transaction, intent: Intent, operation: RequestConsent) -> Receipt:
        actor = intent.actor
        if actor.kind is ActorKind.AGENT and actor.id != operation.agent_id:
            raise refused("refused.not_owner", label=str(operation.edit.target), agent=actor.name)
        await agents.require(tx, operation.agent_id)
        request_id = intent.edit.target.id or self._journal.ids("con")
        if await consent.get(tx, request_id) is not None:
            raise refused("refused.exists", id=request_id)
        request = ConsentRequest(
            id=request_id,
            agent_id=operation.agent_id,
            edit=operation.edit,
            level=operation.level,
            reason=operation.reason,
            state=ConsentState.PENDING,
            created_at=self._journal.moment(intent),
            expires_at=operation.expires_at,
            tool_call_id=intent.tool_call_id,
        )
        if actor.kind is ActorKind.IMPORT:
            request = replace(
                request,
                state=operation.state,
                answered_at=operation.answered_at,
                answered_by=operation.answered_by,
            )
        await consent.insert(tx, request)
        ref = Ref(RefKind.CONSENT, request.id)
        return await self._journal.recorded(tx, intent, ref, request.agent_id, (None, request))

    async def _answer(self, tx: Transaction, intent: Intent, operation: AnswerConsent) -> Receipt:
        request = await self._open_request(tx, intent)
        self._check_until(operation)
        await self.check_answerer(tx, intent.actor, request)
        words = {"words": operation.words} if operation.words else {}
        if operation.decision is ConsentDecision.DENY:
            outcome: dict[str, object] = {"decision": "deny", **words}
            return await self._close(tx, intent, request, ConsentState.DENIED, outcome)
        receipt = await self._apply_answered(tx, intent, request, operation.edited)
        if operation.decision is not ConsentDecision.ONCE:
            until = operation.until if operation.decision is ConsentDecision.FOR_A_TIME else None
            block_id = None if operation.decision is ConsentDecision.FOR_AGENT else request.edit.target.id
            given = GrantConsent(request.agent_id, block_id, until, request_id=request.id)
            await self._grant(tx, replace(intent, edit=Edit(Ref(RefKind.GRANT, ""), given)), given)
        edited = {} if operation.edited is None else {"edited": True}
        until_and_change = {"until": operation.until, "change": receipt.seq}
        outcome = {"decision": operation.decision, **until_and_change, **edited, **words}
        return await self._close(tx, intent, request, ConsentState.GRANTED, outcome)

    async def apply_asked(self, tx: Transaction, intent: Intent) -> Receipt:
        """Apply what an answer would allow, and leave the request open: to see what comes of it.

        Raises:
            RefusedError, NotFoundError, FileError: as `apply`.
        """
        request = await self._open_request(tx, intent)
        await self.check_answerer(tx, intent.actor, request)
        return await self._apply_answered(tx, intent, request, None)

    async def _apply_answered(
        self, tx: Transaction, intent: Intent, request: ConsentRequest, edited: Edit | None
    ) -> Receipt:
        """Apply what was asked for as the agent's, or what the person made of it as the person's own."""
        if edited is None:
            asked = await self._asked(tx, request, intent.at)
            return await self._memory.apply_in(tx, asked, consented=True)
        if edited.target.whole != request.edit.target.whole:
            raise refused("refused.other_block_edited", id=request.id)
        own = replace(intent, edit=edited, reason=intent.reason or request.reason, unlock=True)
        return await self._memory.apply_in(tx, own, consented=True)

    async def _time_out(self, tx: Transaction, intent: Intent, _: TimeOutConsent) -> Receipt:
        request = await self.get(tx, intent.edit.target.id)
        if request.state is not ConsentState.PENDING:
            return self._journal.receipt(intent, intent.edit.target, None)
        if request.state_at(self._journal.clock()) is ConsentState.PENDING:
            raise refused("refused.consent_open", id=request.id)
        return await self._close(tx, intent, request, ConsentState.TIMED_OUT, {})

    async def _grant(self, tx: Transaction, intent: Intent, operation: GrantConsent) -> Receipt:
        await agents.require(tx, operation.agent_id)
        if operation.block_id is not None and await blocks.get(tx, operation.block_id) is None:
            raise NotFoundError("not_found.block", name=operation.block_id)
        grant_id = intent.edit.target.id or self._journal.ids("grt")
        if await consent.grant(tx, grant_id) is not None:
            raise refused("refused.exists", id=grant_id)
        imported = intent.actor.kind is ActorKind.IMPORT
        if not imported:
            self._check_end(operation.expires_at)
            if operation.uses is not None and operation.uses < 1:
                raise refused("refused.uses", uses=operation.uses)
        given = ConsentGrant(
            id=grant_id,
            agent_id=operation.agent_id,
            block_id=operation.block_id,
            granted_by=(operation.granted_by if imported else None) or intent.actor.id,
            granted_at=self._journal.moment(intent),
            expires_at=operation.expires_at,
            revoked_at=operation.revoked_at if imported else None,
            uses=operation.uses,
            request_id=operation.request_id,
        )
        await consent.insert_grant(tx, given)
        return await self._journal.recorded(
            tx, intent, Ref(RefKind.GRANT, grant_id), given.agent_id, (None, given)
        )

    async def _revoke(self, tx: Transaction, intent: Intent, _: RevokeGrant) -> Receipt:
        ref = intent.edit.target.whole
        given = await consent.grant(tx, ref.id)
        if given is None:
            raise NotFoundError("not_found.grant", name=ref.id)
        if given.revoked_at is not None:
            return self._journal.receipt(intent, ref, None)
        at = self._journal.moment(intent)
        await consent.revoke(tx, given.id, at)
        differences = ({"revoked_at": None}, {"revoked_at": at})
        return await self._journal.recorded(tx, intent, ref, given.agent_id, differences)

    async def _set_partner(self, tx: Transaction, intent: Intent, operation: SetPartner) -> Receipt:
        ref = Ref(RefKind.CONSTELLATION, intent.edit.target.id, meta.PARTNER_ID)
        facts = await meta.read_all(tx)
        wanted = {meta.PARTNER_ID: operation.person_id, meta.PARTNER_NAME: operation.name}
        before = {name: facts.get(name, "") for name in wanted}
        if before == wanted:
            return self._journal.receipt(intent, ref, None)
        for name, value in wanted.items():
            await meta.put(tx, name, value)
        return await self._journal.recorded(tx, intent, ref, None, (before, wanted))

    async def _close(
        self,
        tx: Transaction,
        intent: Intent,
        request: ConsentRequest,
        state: ConsentState,
        outcome: Mapping[str, object],
    ) -> Receipt:
        by = None if state is ConsentState.TIMED_OUT else intent.actor.id
        if not await consent.close(tx, request.id, state, self._journal.moment(intent), by):
            raise refused("refused.consent_closed", id=request.id, state=request.state.value)
        differences = ({"state": request.state}, {"state": state, **outcome})
        return await self._journal.recorded(
            tx, intent, intent.edit.target.whole, request.agent_id, differences
        )

    async def _open_request(self, connection: Connection, intent: Intent) -> ConsentRequest:
        request = await self.get(connection, intent.edit.target.id)
        state = request.state_at(self._journal.clock())
        if state is not ConsentState.PENDING:
            raise refused("refused.consent_closed", id=request.id, state=state.value)
        return request

    async def check_answerer(self, connection: Connection, actor: Actor, request: ConsentRequest) -> None:
        """Pass where an actor may answer a request.

        Raises:
            RefusedError: ``refused.people_only``, ``refused.answer_partner_only``, ``refused.answer_no_partner``.
        """
        if not actor.is_person:
            raise refused("refused.people_only", operation=AnswerConsent.op)
        # The block's level may have changed since it was asked.
        level = await level_asked(connection, request.agent_id, request.edit.target.id) or request.level
        if level is Permission.PARTNER and actor.id != await partner_id(connection):
            raise await _partner_only(connection)

    def _check_until(self, operation: AnswerConsent) -> None:
        if operation.decision is ConsentDecision.FOR_A_TIME:
            if operation.until is None:
                raise refused("refused.until_needed")
            self._check_end(operation.until)

    def _check_end(self, until: datetime | None) -> None:
        if until is not None and until <= self._journal.clock():
            raise refused("refused.until_past", until=until.isoformat())

    async def _asked(self, connection: Connection, request: ConsentRequest, at: datetime | None) -> Intent:
        """A request's edit as its agent wanted it, at the time of the answer."""
        asked_by = request.asked_by
        if asked_by is None or asked_by.kind is not ActorKind.AGENT:
            names = await agents.names(connection)
            asked_by = Actor(ActorKind.AGENT, request.agent_id, names.get(request.agent_id, request.agent_id))
        return Intent(
            await edit_asked(connection, request),
            asked_by,
            request.reason,
            batch_id=request.batch_id,
            tool_call_id=request.tool_call_id,
            at=at,
        )


async def edit_asked(connection: Connection, request: ConsentRequest) -> Edit:
    """A request's edit, on what its turn has made of its base since.

    The edits of a turn follow each other: merged with an earlier one of the same author, a whole text would become
    a mixture that nobody wrote.
    """
    edit = request.edit
    if edit.base is None or request.batch_id is None or not replaces_whole(edit.operation):
        return edit
    agent = Actor(ActorKind.AGENT, request.agent_id, "")
    return replace(
        edit, base=await updates.after_turn(connection, edit.target.id, edit.base, agent, request.batch_id)
    )


async def _partner_only(connection: Connection) -> RefusedError:
    """The refusal of an answer by anybody else, with what the partner has to do."""
    facts = await meta.read_all(connection)
    partner = facts.get(meta.PARTNER_ID)
    if not partner:
        return refused("refused.answer_no_partner")
    return refused(
        "refused.answer_partner_only", name=facts.get(meta.PARTNER_NAME) or partner, partner=partner
    )
