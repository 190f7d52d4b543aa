"""Who sees which block, what it costs each agent, and what an edit would change for each."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from inspector.domain.blocks import CONSTELLATION_OWNER, BlockType, Permission
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, DeleteBlock, SetBlockType, SetPinned
from inspector.domain.edits.rows import ConfigureAgent, CreateAgent
from inspector.domain.edits.text import Splice, SpliceText
from inspector.domain.ref import Ref, RefKind
from inspector.domain.sharing import AgentEffect, SharableBlock, seen_by
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.engine import Engine
from tests.fixtures import NOOR, HeldClock

ADA, GRACE, LINUS = "agt_ada", "agt_grace", "agt_linus"
NOTES = Ref(RefKind.BLOCK, "blk_notes")
OLD = Ref(RefKind.BLOCK, "blk_old")


async def write(engine: Engine, target: Ref, operation: Operation) -> None:
    await engine.apply([Intent(Edit(target, operation), NOOR)])


async def begin(engine: Engine) -> None:
    for agent_id in (ADA, GRACE, LINUS):
        await write(
            engine, Ref(RefKind.AGENT, agent_id), CreateAgent(agent_id, model="gpt-5-mini", provider="openai")
        )
    await write(engine, NOTES, CreateBlock(ADA, "notes", content=TextContent("One line.")))
    await write(engine, NOTES, AttachBlock(GRACE, Permission.APPEND))
    old = CreateBlock(
        ADA, "old", block_type=BlockType.ARCHIVAL, content=TextContent("Long ago."), char_limit=0
    )
    await write(engine, OLD, old)
    await write(engine, OLD, AttachBlock(LINUS))


async def test_that_the_table_has_all_active_blocks_and_attachments(opened: Engine) -> None:
    await begin(opened)
    policy = Ref(RefKind.BLOCK, "blk_policy")
    await write(opened, policy, CreateBlock(CONSTELLATION_OWNER, "policy", permission=Permission.READ_ONLY))
    await write(opened, OLD, DeleteBlock())
    table = await opened.sharing.table()
    assert table.blocks == (
        SharableBlock("blk_policy", CONSTELLATION_OWNER, "policy", Permission.READ_ONLY),
        SharableBlock("blk_notes", ADA, "notes", Permission.READ_WRITE),
    )
    assert table.attachments["blk_notes", GRACE].permission is Permission.APPEND


async def test_that_a_level_that_cannot_be_read_allows_nothing_but_reading(
    opened: Engine, tmp_db_dir: Path
) -> None:
    await begin(opened)
    with sqlite3.connect(tmp_db_dir / "test.constellation") as damaged:
        damaged.execute("UPDATE blocks SET permission = 'everything' WHERE id = 'blk_notes'")
    damaged.close()
    found = {each.id: each.permission for each in (await opened.sharing.table()).blocks}
    assert found["blk_notes"] is Permission.READ_ONLY


async def test_that_a_shared_block_has_the_new_name_of_its_owner(opened: Engine) -> None:
    await begin(opened)
    assert 'shared_from="agt_ada"' in (await opened.context.request(GRACE)).text
    await write(opened, Ref(RefKind.AGENT, ADA), ConfigureAgent(name="Countess"))
    assert 'shared_from="Countess"' in (await opened.context.request(GRACE)).text


async def test_that_costs_say_what_is_in_what_is_out_and_why(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    spec = RequestSpec(clock())
    ada = await opened.sharing.costs(ADA, spec)
    request = await opened.context.request(ADA, spec)
    pieces = [piece for section in request.sections for piece in section.pieces]
    notes = ada.blocks["blk_notes"]
    assert notes.tokens == sum(piece.tokens for piece in pieces if piece.source.id == "blk_notes") > 0
    assert (notes.rule, notes.is_in) == ("working_fits", True)
    old = ada.blocks["blk_old"]
    assert (old.is_in, old.tokens, old.out_rule) == (False, 0, "archival_type")
    grace = await opened.sharing.costs(GRACE, spec)
    assert grace.blocks["blk_notes"].rule == "shared_attached"
    assert "blk_old" not in grace.blocks


async def test_that_an_agent_that_is_gone_has_a_problem_in_place_of_costs(
    opened: Engine, clock: HeldClock
) -> None:
    costs = await opened.sharing.costs("agt_nobody", RequestSpec(clock()))
    assert costs.problem is not None
    assert costs.problem.code == "not_found.agent"
    effect = await opened.sharing.effect_of_draft("agt_nobody", RequestSpec(clock()), {})
    assert (effect.before, effect.after, effect.delta) == (None, None, 0)


async def test_that_the_effect_of_a_draft_is_what_saving_it_does(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    spec, draft = RequestSpec(clock()), {"blk_notes": TextContent("One line. And another one, far longer.")}
    effects = [await opened.sharing.effect_of_draft(each, spec, draft) for each in (ADA, GRACE, LINUS)]
    assert effects[0].delta == effects[1].delta > 0
    assert effects[2] == AgentEffect(LINUS, effects[2].before, effects[2].before, effects[2].method)


async def test_that_the_effect_of_another_type_names_what_comes_in(opened: Engine, clock: HeldClock) -> None:
    await begin(opened)
    edit = Edit(OLD, SetBlockType(BlockType.WORKING))
    effect = await opened.sharing.effect_of_edit(LINUS, RequestSpec(clock()), edit)
    assert [piece.source.id for piece in effect.added if piece.source.id == OLD.id] == [OLD.id]
    before = await opened.context.request(LINUS, RequestSpec(clock()))
    assert effect.before == before.tokens < (effect.after or 0)
    pinned = await opened.sharing.effect_of_edit(
        ADA, RequestSpec(clock()), Edit(NOTES, SetPinned(pinned=True))
    )
    assert pinned.delta == 0


async def test_that_a_draft_on_an_older_version_is_merged_before_it_is_counted(opened: Engine) -> None:
    await begin(opened)
    state = await opened.memory.get("blk_notes")
    assert state is not None
    draft = Edit(NOTES, SpliceText((Splice(0, 0, "Mine. "),)), state.version)
    mine = TextContent("Mine. One line.")
    assert await opened.sharing.saved_as(draft, mine) == mine
    await write(opened, NOTES, SpliceText((Splice(9, 0, " Theirs."),)))
    assert await opened.sharing.saved_as(draft, mine) == TextContent("Mine. One line. Theirs.")


def test_that_owner_and_attached_agents_see_a_block_and_all_agents_see_the_files_own() -> None:
    agents = (ADA, GRACE, LINUS)
    assert seen_by(ADA, frozenset({LINUS, "agt_gone"}), agents) == (ADA, LINUS)
    assert seen_by(CONSTELLATION_OWNER, frozenset(), agents) == agents
