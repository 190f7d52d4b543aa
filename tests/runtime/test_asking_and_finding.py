"""The engine's doors to what agents ask and to what can be found."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentDecision, ConsentRequest, ConsentState
from inspector.domain.content import TextContent
from inspector.domain.edits.access import Access, AccessVerdict, operation_table
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock, InsertArchival, SetPermission
from inspector.domain.edits.consent import GrantConsent
from inspector.domain.edits.rows import AppendMessage, CreateAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import RefusedError
from inspector.domain.messages import Role, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import SearchQuery
from inspector.runtime.engine import Engine

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


async def test_that_a_person_answers_what_an_agent_waits_for(opened: Engine) -> None:
    block = await block_of(opened, Permission.HUMAN)
    with pytest.raises(RefusedError):
        await opened.apply([append(block, "!")])
    request = await opened.consent.request(append(block, "!"), wait=timedelta(hours=1))
    assert isinstance(request, ConsentRequest)
    waiting = asyncio.ensure_future(opened.consent.wait_for_answer(request.id))
    ((pending,), _) = await opened.consent.requests(ConsentState.PENDING)
    assert pending == request
    assert (await opened.consent.preview(request.id)).after == "a needle!"
    answered = await opened.consent.answer(request.id, ConsentDecision.FOR_BLOCK)
    assert answered.answerer == opened.actor
    assert await waiting == answered
    await opened.apply([append(block, "?")])
    assert await opened.memory.content(block) == TextContent("a needle!?")
    ((grant,), _) = await opened.consent.grants()
    await opened.consent.revoke(grant.id)
    assert await opened.consent.grants() == ((), ())
    again = await opened.consent.grant(GrantConsent(AGENT.id, block))
    assert [each.id for each in (await opened.consent.grants())[0]] == [again]


async def test_that_edits_are_refused_as_a_whole_if_one_needs_consent(opened: Engine) -> None:
    block = await block_of(opened, Permission.HUMAN)
    free = CreateBlock(AGENT.id, "free", content=TextContent("a"))
    (made,) = await opened.apply([Intent(Edit(Ref(RefKind.BLOCK, ""), free), opened.actor)])
    with pytest.raises(RefusedError) as caught:
        await opened.apply([append(made.ref.id, "!"), append(block, "!")])
    assert caught.value.code == "refused.needs_consent"
    assert await opened.memory.content(made.ref.id) == TextContent("a")
    assert await opened.memory.content(block) == TextContent("a needle")


async def test_that_an_undo_that_needs_consent_is_refused_and_changes_nothing(opened: Engine) -> None:
    block = await block_of(opened, Permission.READ_WRITE)
    await opened.apply([append(block, "!")])
    await opened.edit(block, SetPermission(Permission.HUMAN))
    with pytest.raises(RefusedError) as caught:
        await opened.edits.undo(AGENT)
    assert caught.value.code == "refused.needs_consent"
    assert await opened.memory.content(block) == TextContent("a needle!")
    await opened.consent.grant(GrantConsent(AGENT.id, block))
    await opened.edits.undo(AGENT)
    assert await opened.memory.content(block) == TextContent("a needle")


async def test_that_what_is_asked_and_answered_is_not_undone_as_an_edit(opened: Engine) -> None:
    block = await block_of(opened, Permission.HUMAN)
    request = await opened.consent.request(append(block, "!"), wait=timedelta(hours=1))
    assert isinstance(request, ConsentRequest)
    await opened.consent.answer(request.id, ConsentDecision.FOR_BLOCK)
    # The newest thing that the person can take back is what it did before it answered.
    (step, *_) = (await opened.edits.undo_stack(opened.actor)).undo
    assert {change.kind for change in step.changes} == {"create_agent", "create_block"}
    undone = await opened.edits.undo(AGENT)
    assert [change.kind for change in undone.step.changes] == ["append_text"]
    assert await opened.memory.content(block) == TextContent("a needle")


async def test_that_the_partner_is_set_and_read(opened: Engine) -> None:
    assert await opened.consent.partner() is None
    await opened.consent.set_partner("paula", "Paula")
    partner = await opened.consent.partner()
    assert partner is not None
    assert partner.name == "Paula"


def test_that_the_table_of_rules_can_be_shown() -> None:
    rows = {rule.op: rule for rule in operation_table()}
    assert rows["append_text"].access is Access.APPEND
    assert rows["append_text"].verdicts[Permission.PARTNER] is AccessVerdict.ASK_PARTNER
    assert rows["remove_entry"].people_only


async def test_that_all_kinds_of_things_are_found(opened: Engine) -> None:
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
    assert {hit.ref.id for hit in (await opened.search.find(SearchQuery("needle"))).hits} == wanted
    seen = await opened.search.find(SearchQuery("needle", AGENT.id))
    assert {hit.ref.id for hit in seen.hits} == wanted
    only = await opened.search.find(SearchQuery("needle", kinds=frozenset({RefKind.MESSAGE})))
    assert [hit.ref.kind for hit in only.hits] == [RefKind.MESSAGE]
    assert await opened.search.repair() == 0
