"""Asking people: requests, answers, grants, time-outs, and that an answer applies its edit exactly once."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import (
    CONSTELLATION_OWNER,
    FieldDef,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
)
from inspector.domain.consent import ConsentDecision, ConsentRequest, ConsentState
from inspector.domain.content import ListContent, ListItem, MapContent
from inspector.domain.edits.base import Edit, Receipt
from inspector.domain.edits.block_rows import AttachBlock, DeleteBlock, SetLabel, SetPermission
from inspector.domain.edits.consent import (
    AnswerConsent,
    GrantConsent,
    RequestConsent,
    TimeOutConsent,
)
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import AppendEntry, RemoveItem
from inspector.domain.edits.text import AppendText, ReplaceText, SetText
from inspector.domain.errors import NotFoundError, RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.memory.consent_builders import ANY, LONG, MINUTE, asked, refusal, refused_unchanged, wanted
from tests.memory.world import AGENT, HUMAN, IMPORTER, OTHER, PARTNER, World, open_world, opened_world


async def test_that_an_edit_that_needs_consent_is_refused_unless_it_is_requested(world: World) -> None:
    block = await world.make(permission=Permission.HUMAN)
    edit = world.edit(block, AppendText("!"), actor=AGENT)
    assert await refused_unchanged(world, edit) == "refused.needs_consent"


async def test_that_what_needs_no_consent_is_applied_at_once(world: World) -> None:
    block = await world.make("notes", "a")
    receipt = await world.consent.request(wanted(block, AppendText("!")), wait=MINUTE)
    assert isinstance(receipt, Receipt)
    assert receipt.changed
    assert await world.text(block) == "a!"
    assert await world.consent.requests() == ((), ())


async def test_that_an_allowed_edit_is_applied_once_with_the_agents_name(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    intent = wanted(block, AppendText("!"), reason="why", batch_id="bat", tool_call_id="call")
    request = await world.consent.request(intent, wait=LONG)
    assert isinstance(request, ConsentRequest)
    waiting = asyncio.ensure_future(world.consent.wait_for_answer(request.id))
    assert (request.agent_id, request.level, request.reason) == (AGENT.id, Permission.HUMAN, "why")
    assert (request.edit.operation, request.tool_call_id) == (AppendText("!"), "call")
    assert request.edit.base == (await world.state(block)).version
    assert await world.text(block) == "a"
    answered = await world.consent.answer(request.id, ConsentDecision.ONCE, actor=ANY)
    assert await waiting == answered
    assert (answered.state, answered.answered_by, answered.answerer) == (
        ConsentState.GRANTED,
        ANY.id,
        ANY,
    )
    entry = (await world.memory.versions.versions(block))[-1]
    assert entry.change_seq == answered.change
    assert (entry.actor, entry.reason, entry.tool_call_id) == (AGENT, "why", "call")
    ((batch,),) = await world.rows(f"SELECT batch_id FROM changes WHERE seq = {answered.change}")
    assert batch == "bat"
    assert await world.text(block) == "a!"
    # Once is once.
    again = world.edit(block, AppendText("!"), actor=AGENT)
    assert await refusal(again) == "refused.needs_consent"


async def test_that_a_second_answer_is_refused_and_changes_nothing(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("!"))
    await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    for decision in (ConsentDecision.ONCE, ConsentDecision.DENY, ConsentDecision.FOR_BLOCK):
        second = world.consent.answer(request, decision, actor=HUMAN)
        assert await refused_unchanged(world, second) == "refused.consent_closed"
    assert await world.text(block) == "a!"


async def test_that_two_answers_at_once_apply_one_edit(world: World) -> None:
    async with opened_world(world.database.path, prefix="z") as second:
        block = await world.make("notes", "a", permission=Permission.HUMAN)
        request = await asked(world, block, AppendText("!"))
        done = await asyncio.gather(
            world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN),
            second.consent.answer(request, ConsentDecision.ONCE, actor=ANY),
            return_exceptions=True,
        )
        (failed,) = (each for each in done if isinstance(each, RefusedError))
        assert failed.code == "refused.consent_closed"
        assert await world.text(block) == "a!"


async def test_that_a_denied_edit_is_refused(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("!"))
    answered = await world.consent.answer(request, ConsentDecision.DENY, actor=ANY)
    assert (answered.state, answered.change) == (ConsentState.DENIED, None)
    with pytest.raises(RefusedError) as caught:
        await world.consent.wait_for_answer(request)
    assert caught.value.code == "refused.consent_denied"
    assert caught.value.parameters["by"] == ANY.name
    assert await world.text(block) == "a"


async def test_that_a_request_without_an_answer_times_out_and_cannot_be_answered_then(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    made = await world.consent.request(wanted(block, AppendText("!")), wait=timedelta(seconds=5))
    assert isinstance(made, ConsentRequest)
    assert await refusal(world.consent.wait_for_answer(made.id)) == "refused.consent_timed_out"
    ((request,), _) = await world.consent.requests()
    assert (request.state, request.answered_by) == (ConsentState.TIMED_OUT, None)
    late = world.consent.answer(request.id, ConsentDecision.ONCE, actor=HUMAN)
    assert await refused_unchanged(world, late) == "refused.consent_closed"
    assert await world.text(block) == "a"


async def test_that_a_request_whose_program_has_gone_is_over_when_its_time_is(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("!"))
    assert [each.id for each in (await world.consent.requests(ConsentState.PENDING))[0]] == [request]
    early = world.do(Ref(RefKind.CONSENT, request), TimeOutConsent(), AGENT)
    assert await refused_unchanged(world, early) == "refused.consent_open"
    world.clock.now += LONG
    assert await world.consent.requests(ConsentState.PENDING) == ((), ())
    late = world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert await refused_unchanged(world, late) == "refused.consent_closed"
    assert await refusal(world.consent.wait_for_answer(request)) == "refused.consent_timed_out"


async def test_that_closing_the_file_ends_the_waiting(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    second = await open_world(world.database.path, prefix="z", actor=AGENT)
    request = await asked(second, block, AppendText("!"))
    waiting = asyncio.ensure_future(second.consent.wait_for_answer(request))
    await asyncio.sleep(0)
    await second.close()
    assert await refusal(waiting) == "refused.consent_not_answered"


async def test_that_an_answer_given_in_another_process_is_heard(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    async with opened_world(world.database.path, prefix="z") as second:
        request = await asked(world, block, AppendText("!"))
        waiting = asyncio.ensure_future(world.consent.wait_for_answer(request))
        await second.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
        assert (await waiting).change is not None
        assert await world.text(block) == "a!"


async def test_that_only_the_partner_answers_for_a_partner_block(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.PARTNER)
    request = await asked(world, block, AppendText("!"))
    for actor in (HUMAN, PARTNER):
        for decision in ConsentDecision:
            answer = world.consent.answer(request, decision, actor=actor, until=world.clock.now + LONG)
            assert await refused_unchanged(world, answer) == "refused.answer_no_partner"
    await world.consent.set_partner(PARTNER.id, "Paula", actor=HUMAN)
    assert await refusal(world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)) == (
        "refused.answer_partner_only"
    )
    await world.consent.answer(request, ConsentDecision.ONCE, actor=PARTNER)
    assert await world.text(block) == "a!"


@pytest.mark.parametrize("actor", [AGENT, OTHER, IMPORTER, Actor(ActorKind.SYSTEM, "system", "system")])
async def test_that_only_people_answer(world: World, actor: Actor) -> None:
    block = await world.make(permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("!"))
    answer = world.consent.answer(request, ConsentDecision.ONCE, actor=actor)
    assert await refused_unchanged(world, answer) == "refused.people_only"


async def test_that_a_block_that_became_the_partners_is_answered_for_by_the_partner(world: World) -> None:
    block = await world.make(permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("!"))
    await world.do(Ref(RefKind.BLOCK, block), SetPermission(Permission.PARTNER))
    answer = world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert await refused_unchanged(world, answer) == "refused.answer_no_partner"


async def test_that_what_can_no_longer_be_done_is_refused_and_still_waits(world: World) -> None:
    items = ListContent((ListItem("one", "a"), ListItem("two", "b")))
    block = await world.make("list", items, ListSchema(), permission=Permission.HUMAN)
    request = await asked(world, block, RemoveItem("one"))
    await world.edit(block, RemoveItem("one"), actor=HUMAN)
    answer = world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert await refused_unchanged(world, answer) == "refused.no_longer_there"
    preview = await world.consent.preview(request)
    assert preview.refusal is not None
    assert preview.refusal.code == "refused.no_longer_there"
    assert preview.before == preview.after
    await world.consent.answer(request, ConsentDecision.DENY, actor=HUMAN)


async def test_that_a_block_that_was_closed_since_is_not_written(world: World) -> None:
    closed = await world.make("closed", permission=Permission.HUMAN)
    gone = await world.make("gone", permission=Permission.HUMAN)
    requests = [await asked(world, block, AppendText("!")) for block in (closed, gone)]
    await world.do(Ref(RefKind.BLOCK, closed), SetPermission(Permission.READ_ONLY))
    await world.do(Ref(RefKind.BLOCK, gone), DeleteBlock())
    codes = [
        await refused_unchanged(world, world.consent.answer(each, ConsentDecision.ONCE, actor=HUMAN))
        for each in requests
    ]
    assert codes == ["refused.permission", "refused.deleted"]


async def test_that_what_would_be_refused_anyway_is_not_asked_for(world: World) -> None:
    locked = MapSchema((FieldDef("a", read_only=True), FieldDef("b", choices=("x",))))
    fields = await world.make("map", MapContent(), locked, permission=Permission.HUMAN)
    short = await world.make("short", "a", char_limit=2, permission=Permission.HUMAN)
    for block, operation, code in (
        (fields, SetField("a", "x"), "refused.read_only_part"),
        (fields, SetField("b", "y"), "refused.choice"),
        (fields, DeleteBlock(), "refused.permission"),
        (short, AppendText("longer"), "refused.char_limit"),
        (short, ReplaceText("nowhere", "x"), "refused.text_not_found"),
    ):
        edit = world.consent.request(wanted(block, operation), wait=LONG)
        assert await refused_unchanged(world, edit) == code
    # What was tried has left no trace in the document that is held in memory either.
    await world.edit(short, AppendText("b"), actor=HUMAN)
    assert await world.text(short) == "ab"


async def test_that_asking_leaves_the_block_as_it_was(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    before = await world.state(block)
    request = await asked(world, block, AppendText("!"))
    assert await world.state(block) == before
    preview = await world.consent.preview(request)
    assert (preview.label, preview.before, preview.after) == ("notes", "a", "a!")
    assert preview.refusal is None
    assert await world.state(block) == before


async def test_that_an_edit_is_merged_with_what_came_since_it_was_asked_for(world: World) -> None:
    block = await world.make("notes", "one two", permission=Permission.HUMAN)
    request = await asked(world, block, SetText("one TWO"))
    await world.edit(block, SetText("ONE two"), actor=HUMAN)
    assert (await world.consent.preview(request)).after == "ONE TWO"
    await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert await world.text(block) == "ONE TWO"


async def test_that_whole_texts_of_one_turn_follow_each_other(world: World) -> None:
    block = await world.make("notes", "one two", permission=Permission.HUMAN)
    texts = ("The signer runs on arm64.", "The signer runs on x86 only.")
    first, second = [await asked(world, block, SetText(each), batch_id="bat") for each in texts]
    third = await asked(world, block, AppendText(" Twice."), batch_id="bat")
    before = await world.dump()
    together = await world.consent.preview_together((first, second, third))
    assert await world.dump() == before
    assert {each.after for each in together} == {texts[1] + " Twice."}
    await world.consent.answer(first, ConsentDecision.ONCE, actor=HUMAN)
    assert (await world.consent.preview(second)).after == texts[1]
    for request in (second, third):
        await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert await world.text(block) == texts[1] + " Twice."


async def test_that_a_whole_text_keeps_what_others_wrote_between_the_edits_of_its_turn(world: World) -> None:
    block = await world.make("notes", "one two", permission=Permission.HUMAN)
    first = await asked(world, block, SetText("one two three"), batch_id="bat")
    second = await asked(world, block, SetText("one two four"), batch_id="bat")
    await world.edit(block, SetText("ONE two"), actor=HUMAN)
    for request in (first, second):
        await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert "ONE" in await world.text(block)


async def test_that_one_refused_request_is_said_of_those_it_is_tried_with(world: World) -> None:
    items = ListContent((ListItem("one", "a"), ListItem("two", "b")))
    block = await world.make("list", items, ListSchema(), permission=Permission.HUMAN)
    requests = [await asked(world, block, RemoveItem("one"), batch_id="bat") for _ in range(2)]
    good, twice = await world.consent.preview_together(requests)
    assert good.refusal is None
    assert good.after != good.before
    assert twice.refusal is not None
    assert twice.refusal.code == "refused.no_longer_there"


async def test_that_properties_of_a_block_are_asked_for_too(world: World) -> None:
    block = await world.make("notes", permission=Permission.HUMAN)
    request = await asked(world, block, SetLabel("other"))
    preview = await world.consent.preview(request)
    assert (preview.before, preview.after) == ("label: notes", "label: other")
    await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert (await world.state(block)).block.label == "other"


async def test_that_an_edit_without_effect_is_answered_without_a_change(world: World) -> None:
    block = await world.make("map", None, MapSchema((FieldDef("a"),)), permission=Permission.HUMAN)
    request = await asked(world, block, SetField("a", "x"))
    await world.edit(block, SetField("a", "x"), actor=HUMAN)
    answered = await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    assert (answered.state, answered.change) == (ConsentState.GRANTED, None)
    assert await world.consent.wait_for_answer(request) == answered


@pytest.mark.parametrize("owner", [OTHER.id, CONSTELLATION_OWNER])
async def test_that_shared_blocks_are_asked_for_like_own_ones(world: World, owner: str) -> None:
    level = Permission.ADMIN if owner == OTHER.id else Permission.HUMAN
    block = await world.make("log", None, LogSchema(), owner=owner, permission=level)
    if owner == OTHER.id:
        await world.do(Ref(RefKind.BLOCK, block), AttachBlock(AGENT.id, Permission.HUMAN))
    request = await asked(world, block, AppendEntry())
    await world.consent.answer(request, ConsentDecision.ONCE, actor=HUMAN)
    written = (await world.state(block)).written
    assert written is not None
    assert written.actor == AGENT


async def test_that_an_imported_request_keeps_its_answer(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    edit = Edit(Ref(RefKind.BLOCK, block), AppendText("!"))
    at = world.clock.now
    denied = RequestConsent(AGENT.id, edit, Permission.HUMAN, "", None, ConsentState.DENIED, at, "somebody")
    await world.do(Ref(RefKind.CONSENT, "con_old"), denied, IMPORTER)
    request = await world.consent.get("con_old")
    assert (request.state, request.answered_at, request.answered_by) == (
        ConsentState.DENIED,
        at,
        "somebody",
    )
    # From anyone else a request begins without an answer.
    forged = RequestConsent(AGENT.id, edit, Permission.HUMAN, state=ConsentState.GRANTED)
    await world.do(Ref(RefKind.CONSENT, "con_forged"), forged, AGENT)
    begun = await world.consent.get("con_forged")
    assert begun.state is ConsentState.PENDING
    open_one = RequestConsent(AGENT.id, edit, Permission.HUMAN)
    await world.do(Ref(RefKind.CONSENT, "con_open"), open_one, IMPORTER)
    await world.consent.answer("con_open", ConsentDecision.ONCE, actor=HUMAN)
    written = (await world.state(block)).written
    assert written is not None
    assert written.actor == AGENT


async def test_that_agents_ask_for_themselves_alone(world: World) -> None:
    block = await world.make()
    edit = Edit(Ref(RefKind.BLOCK, block), AppendText("!"))
    operation = RequestConsent(AGENT.id, edit, Permission.HUMAN)
    foreign = world.do(Ref(RefKind.CONSENT, ""), operation, OTHER)
    assert await refused_unchanged(world, foreign) == "refused.not_owner"
    answering = world.do(Ref(RefKind.CONSENT, "none"), AnswerConsent(ConsentDecision.ONCE))
    assert await refused_unchanged(world, answering) == "not_found.consent"
    with pytest.raises(NotFoundError):
        await world.consent.wait_for_answer("none")
    with pytest.raises(NotFoundError):
        await world.consent.revoke("none", actor=HUMAN)


async def test_that_unreadable_requests_and_grants_are_reported_in_their_place(world: World) -> None:
    block = await world.make(permission=Permission.HUMAN)
    whole = await asked(world, block, AppendText("!"))
    broken = await asked(world, block, AppendText("?"))
    grant = await world.consent.grant(GrantConsent(AGENT.id), actor=HUMAN)
    async with world.database.write() as tx:
        await tx.execute("UPDATE consent_requests SET edit = '{' WHERE id = ?", (broken,))
        await tx.execute("UPDATE consent_grants SET granted_at = 'soon' WHERE id = ?", (grant,))
    requests, problems = await world.consent.requests()
    assert [each.id for each in requests] == [whole]
    assert [each.where for each in problems] == [f"consent:{broken}"]
    grants, problems = await world.consent.grants()
    assert grants == ()
    assert [each.where for each in problems] == [f"grant:{grant}"]
