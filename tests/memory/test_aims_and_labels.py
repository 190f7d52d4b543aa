"""What an operation may be aimed at, and which labels and ids are refused."""

from __future__ import annotations

import pytest

from inspector.domain.blocks import CONSTELLATION_OWNER, FieldDef, MapSchema
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import (
    CreateBlock,
    DeleteBlock,
    DeleteRow,
    DetachBlock,
    InsertArchival,
    RestoreBlock,
    SetCharLimit,
    SetLabel,
)
from inspector.domain.edits.consent import SetPartner
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from tests.memory.world import AGENT, HUMAN, OTHER, World


def block(block_id: str = "") -> Ref:
    return Ref(RefKind.BLOCK, block_id)


@pytest.mark.parametrize("operation", [InsertArchival(AGENT.id, "x"), DeleteRow()])
async def test_that_a_row_of_another_kind_is_not_written_under_a_blocks_id(
    world: World, operation: Operation
) -> None:
    made = await world.make()
    before = await world.dump()
    with pytest.raises(InspectorError) as caught:
        await world.edit(made, operation, actor=HUMAN)
    assert caught.value.code == "input.no_store"
    assert await world.dump() == before


async def test_that_no_store_takes_an_operation_aimed_at_the_wrong_thing(world: World) -> None:
    for edit in (
        Edit(block("b"), SetPartner("p")),
        Edit(block("b"), DeleteRow()),
        Edit(Ref(RefKind.ARCHIVAL, "a"), AppendText("x")),
        Edit(Ref(RefKind.TOOL, "t"), CreateAgent("x")),
    ):
        stores = (world.memory, world.consent, world.agents)
        assert not any(store.takes(edit) for store in stores)


@pytest.mark.parametrize("twin", ["caf\u00e9", "cafe\u0301 ", "ca\u200dfe\u0301"])
async def test_that_a_label_that_looks_like_another_of_its_owner_is_taken(world: World, twin: str) -> None:
    first = await world.make("caf\u00e9")
    other = await world.make("notes")
    assert await world.refusal(block(), CreateBlock(AGENT.id, twin)) == "refused.label_taken"
    assert await world.refusal(block(other), SetLabel(twin)) == "refused.label_taken"
    await world.make(twin, owner=OTHER.id)
    await world.do(block(first), DeleteBlock())
    again = await world.make(twin)
    assert await world.refusal(block(first), RestoreBlock()) == "refused.label_taken"
    await world.do(block(again), SetLabel("cafe"))
    await world.do(block(first), RestoreBlock())


@pytest.mark.parametrize("label", ["a\u202eb", "a\u200bb", "\u2066a", "a\ufeff", "a\U000e0041"])
async def test_that_a_label_with_what_nobody_sees_is_refused(world: World, label: str) -> None:
    assert await world.refusal(block(), CreateBlock(AGENT.id, label)) == "refused.label_unprintable"
    assert await world.refusal(block(), CreateBlock(AGENT.id, "\u200d")) == "refused.label_empty"


async def test_that_no_agent_takes_the_id_that_means_everybody(world: World) -> None:
    everybody = Ref(RefKind.AGENT, CONSTELLATION_OWNER)
    assert await world.refusal(everybody, CreateAgent("All")) == "refused.reserved_id"


async def test_that_nobody_who_is_not_there_can_be_detached(world: World) -> None:
    made = await world.make()
    assert await world.refusal(block(made), DetachBlock("agt_none")) == "not_found.agent"
    assert not (await world.do(block(made), DetachBlock(OTHER.id))).changed


async def test_that_a_limit_that_no_file_could_hold_is_refused(world: World) -> None:
    made = await world.make()
    assert await world.refusal(block(made), SetCharLimit(10**23)) == "refused.char_limit_too_large"
    create = CreateBlock(AGENT.id, "x", MapSchema((FieldDef("a"),)), char_limit=10**23)
    assert await world.refusal(block(), create) == "refused.char_limit_too_large"


async def test_that_the_intent_of_an_agent_is_checked_for_its_aim_first(world: World) -> None:
    made = await world.make()
    intent = Intent(Edit(block(made), InsertArchival(AGENT.id, "x")), AGENT)
    with pytest.raises(InspectorError) as caught:
        await world.apply((intent,))
    assert caught.value.code == "input.no_store"
