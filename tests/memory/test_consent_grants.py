"""Grants: for a block, for a time, beforehand, and by whom."""

from __future__ import annotations

from inspector.domain.blocks import (
    Permission,
)
from inspector.domain.consent import ConsentDecision
from inspector.domain.edits.block_rows import AttachBlock, DeleteBlock
from inspector.domain.edits.consent import (
    GrantConsent,
    SetPartner,
)
from inspector.domain.edits.rows import SetMeta
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.ref import Ref, RefKind
from tests.memory.consent_builders import ANY, MINUTE, asked, refusal, refused_unchanged
from tests.memory.world import AGENT, HUMAN, OTHER, PARTNER, World


async def test_that_a_grant_for_the_block_lets_later_edits_through(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    other = await world.make("other", "a", permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("1"))
    await world.consent.answer(request, ConsentDecision.FOR_BLOCK, actor=ANY)
    ((grant,), _) = await world.consent.grants()
    assert (grant.block_id, grant.granted_by, grant.request_id) == (block, ANY.id, request)
    receipt = await world.edit(block, AppendText("2"), actor=AGENT)
    assert await world.text(block) == "a12"
    # Which word let it through is on record.
    used = await world.rows("SELECT ref_id, actor_id, after FROM changes WHERE kind = 'use_grant'")
    assert used == [(grant.id, "system", f'{{"change":{receipt.seq}}}')]
    # Neither another block nor another agent has it.
    assert await refusal(world.edit(other, AppendText("2"), actor=AGENT)) == "refused.needs_consent"
    await world.do(Ref(RefKind.BLOCK, block), AttachBlock(OTHER.id, Permission.ADMIN))
    assert await refusal(world.edit(block, AppendText("2"), actor=OTHER)) == "refused.needs_consent"
    # It is no more than the level: what is denied stays denied.
    assert await refusal(world.edit(block, DeleteBlock(), actor=AGENT)) == "refused.permission"
    await world.consent.revoke(grant.id, actor=HUMAN)
    assert await refusal(world.edit(block, AppendText("3"), actor=AGENT)) == "refused.needs_consent"
    assert await world.consent.grants() == ((), ())
    assert len((await world.consent.grants(over=True))[0]) == 1
    assert not (await world.consent.revoke(grant.id, actor=HUMAN)).changed


async def test_that_a_grant_for_a_time_ends_with_it(world: World) -> None:
    block = await world.make("notes", "a", permission=Permission.HUMAN)
    request = await asked(world, block, AppendText("1"))
    for_a_time = ConsentDecision.FOR_A_TIME
    answer = world.consent.answer(request, for_a_time, actor=HUMAN)
    assert await refused_unchanged(world, answer) == "refused.until_needed"
    answer = world.consent.answer(request, for_a_time, actor=HUMAN, until=world.clock.now - MINUTE)
    assert await refused_unchanged(world, answer) == "refused.until_past"
    until = world.clock.now + MINUTE
    await world.consent.answer(request, for_a_time, actor=HUMAN, until=until)
    await world.edit(block, AppendText("2"), actor=AGENT)
    world.clock.now = until
    assert await refusal(world.edit(block, AppendText("3"), actor=AGENT)) == "refused.needs_consent"
    assert await world.text(block) == "a12"


async def test_that_a_grant_can_be_given_before_anything_is_asked(world: World) -> None:
    blocks = [await world.make(label, "", permission=Permission.HUMAN) for label in ("a", "b")]
    grant = await world.consent.grant(GrantConsent(AGENT.id, uses=2), actor=HUMAN)
    # What changes nothing uses nothing up.
    await world.edit(blocks[0], SetText(""), actor=AGENT)
    for block in blocks:
        await world.edit(block, AppendText("x"), actor=AGENT)
    edit = world.edit(blocks[0], AppendText("x"), actor=AGENT)
    assert await refused_unchanged(world, edit) == "refused.needs_consent"
    (over,) = (await world.consent.grants(over=True))[0]
    assert (over.id, over.uses) == (grant, 0)
    for operation, code in (
        (GrantConsent(AGENT.id, uses=0), "refused.uses"),
        (GrantConsent(AGENT.id, expires_at=world.clock.now), "refused.until_past"),
        (GrantConsent("none"), "not_found.agent"),
        (GrantConsent(AGENT.id, "none"), "not_found.block"),
    ):
        assert await refused_unchanged(world, world.consent.grant(operation, actor=HUMAN)) == code
    alone = world.consent.grant(GrantConsent(AGENT.id), actor=AGENT)
    assert await refused_unchanged(world, alone) == "refused.people_only"


async def test_that_nobody_but_the_partner_grants_for_a_partner_block(world: World) -> None:
    block = await world.make("notes", "", permission=Permission.PARTNER)
    await world.consent.grant(GrantConsent(AGENT.id, block), actor=HUMAN)
    for partner in ("", PARTNER.id):
        await world.consent.set_partner(partner, actor=HUMAN)
        edit = world.edit(block, AppendText("x"), actor=AGENT)
        assert await refused_unchanged(world, edit) == "refused.needs_consent"
    await world.consent.grant(GrantConsent(AGENT.id, block), actor=PARTNER)
    await world.edit(block, AppendText("x"), actor=AGENT)
    # With another partner, the word of the old one counts no more.
    await world.consent.set_partner("new", actor=HUMAN)
    edit = world.edit(block, AppendText("x"), actor=AGENT)
    assert await refused_unchanged(world, edit) == "refused.needs_consent"


async def test_that_the_partner_is_one_setting_of_people(world: World) -> None:
    assert await world.consent.partner() is None
    alone = world.consent.set_partner(AGENT.id, actor=AGENT)
    assert await refused_unchanged(world, alone) == "refused.people_only"
    await world.consent.set_partner(PARTNER.id, "Paula", actor=HUMAN)
    partner = await world.consent.partner()
    assert partner is not None
    assert (partner.id, partner.name) == (PARTNER.id, "Paula")
    assert not (await world.consent.set_partner(PARTNER.id, "Paula", actor=HUMAN)).changed
    await world.do(Ref(RefKind.CONSTELLATION, ""), SetMeta("partner_id", HUMAN.id))
    partner = await world.consent.partner()
    assert partner is not None
    assert partner.id == HUMAN.id
    await world.do(Ref(RefKind.CONSTELLATION, ""), SetPartner(""))
    assert await world.consent.partner() is None
