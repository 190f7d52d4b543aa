"""The engine's doors to what agents ask and to what can be found."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentDecision, ConsentState
from inspector.domain.content import TextContent
from inspector.domain.edits.access import Access, Verdict
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, InsertArchival
from inspector.domain.edits.consent import GrantConsent
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import RefusedError
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import SearchQuery
from inspector.runtime.engine import Engine
from tests.fixtures import OpenEngine

AGENT = Actor(ActorKind.AGENT, "agt_asking", "Asking")


async def block_of(engine: Engine, level: Permission) -> str:
    """A new agent's block of that level."""
    person = engine.actor
    made = CreateBlock(AGENT.id, "notes", content=TextContent("a needle"), permission=level)
    _, receipt = await engine.apply(
        [
            Intent(Edit(Ref(RefKind.AGENT, AGENT.id), CreateAgent(AGENT.name)), person),
            Intent(Edit(Ref(RefKind.BLOCK, ""), made), person),
        ]
    )
    return receipt.ref.id


def append(block: str, text: str) -> Intent:
    """The agent adds to the block."""
    return Intent(Edit(Ref(RefKind.BLOCK, block), AppendText(text)), AGENT)


async def test_that_a_person_answers_what_an_agent_waits_for(engine: OpenEngine) -> None:
    async with engine() as opened:
        block = await block_of(opened, Permission.HUMAN)
        with pytest.raises(RefusedError):
            await opened.consent.apply(append(block, "!"))
        request = await opened.consent.ask(append(block, "!"), wait=timedelta(hours=1))
        assert isinstance(request, str)
        waiting = asyncio.ensure_future(opened.consent.outcome(request))
        ((pending,), _) = await opened.consent.requests(ConsentState.PENDING)
        assert pending.id == request
        assert (await opened.consent.preview(request)).after == "a needle!"
        answered = await opened.consent.answer(request, ConsentDecision.FOR_BLOCK)
        assert answered.answerer == opened.actor
        assert (await waiting).changed
        await opened.consent.apply(append(block, "?"), wait=timedelta(hours=1))
        assert await opened.memory.content(block) == TextContent("a needle!?")
        ((grant,), _) = await opened.consent.grants()
        await opened.consent.revoke(grant.id)
        assert await opened.consent.grants() == ((), ())
        again = await opened.consent.grant(GrantConsent(AGENT.id, block))
        assert [each.id for each in (await opened.consent.grants())[0]] == [again]


async def test_that_what_is_asked_and_answered_is_not_undone_as_an_edit(engine: OpenEngine) -> None:
    async with engine() as opened:
        block = await block_of(opened, Permission.HUMAN)
        request = await opened.consent.ask(append(block, "!"), wait=timedelta(hours=1))
        assert isinstance(request, str)
        await opened.consent.answer(request, ConsentDecision.FOR_BLOCK)
        # The newest thing that the person can take back is what it did before it answered.
        (step, *_) = (await opened.edits.undo_stack(opened.actor)).undo
        assert {change.kind for change in step.changes} == {"create_agent", "create_block"}
        undone = await opened.edits.undo(AGENT)
        assert [change.kind for change in undone.step.changes] == ["append_text"]
        assert await opened.memory.content(block) == TextContent("a needle")


async def test_that_other_edits_go_their_way_through_the_same_door(engine: OpenEngine) -> None:
    async with engine() as opened:
        await block_of(opened, Permission.READ_WRITE)
        said = AppendMessage(AGENT.id, "bat", Role.ASSISTANT, (TextPart("said needle"),))
        intent = Intent(Edit(Ref(RefKind.MESSAGE, ""), said), AGENT)
        assert (await opened.consent.apply(intent, wait=timedelta(hours=1))).changed


async def test_that_the_partner_is_set_and_read(engine: OpenEngine) -> None:
    async with engine() as opened:
        assert await opened.consent.partner() is None
        await opened.consent.set_partner("paula", "Paula")
        partner = await opened.consent.partner()
        assert partner is not None
        assert partner.name == "Paula"


async def test_that_the_table_of_rules_can_be_shown(engine: OpenEngine) -> None:
    async with engine() as opened:
        rows = {rule.op: rule for rule in opened.consent.rules}
        assert rows["append_text"].access is Access.APPEND
        assert rows["append_text"].verdicts[Permission.PARTNER] is Verdict.ASK_PARTNER
        assert rows["remove_entry"].people_only


async def test_that_all_kinds_of_things_are_found(engine: OpenEngine) -> None:
    async with engine() as opened:
        block = await block_of(opened, Permission.READ_WRITE)
        noted = InsertArchival(AGENT.id, "a needle in hay")
        said = AppendMessage(AGENT.id, "bat", Role.USER, (TextPart("where is the needle?"),))
        receipts = await opened.apply(
            [
                Intent(Edit(Ref(RefKind.ARCHIVAL, ""), noted), opened.actor),
                Intent(Edit(Ref(RefKind.MESSAGE, ""), said), opened.actor),
            ]
        )
        wanted = {block, *(receipt.ref.id for receipt in receipts)}
        assert {hit.ref.id for hit in (await opened.search.text("needle")).hits} == wanted
        assert {hit.ref.id for hit in (await opened.search.text("needle", agent_id=AGENT.id)).hits} == wanted
        only = await opened.search.find(SearchQuery("needle", kinds=frozenset({RefKind.MESSAGE})))
        assert [hit.ref.kind for hit in only.hits] == [RefKind.MESSAGE]
        assert await opened.search.repair() == 0
