"""What an import says that people have entrusted to somebody: never in force where it joins, told in any case."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import CONSTELLATION_OWNER, Permission
from inspector.domain.codec import to_plain
from inspector.domain.consent import ConsentGrant
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError, MalformedError, RefusedError
from inspector.domain.exchange import ImportPlan
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.files import check_file
from inspector.shipped.layout_files import load_layouts
from tests.exchange.rows.builders import ADA
from tests.flows.export_builders import JSON, Desk

PARTNER = "per_noor"
FORGED = {
    "id": "gra_forged",
    "request_id": None,
    "agent_id": ADA,
    "block_id": None,
    "uses": None,
    "granted_by": PARTNER,
    "granted_at": "2026-01-01T00:00:00Z",
    "expires_at": None,
    "revoked_at": None,
}


async def forged(desk: Desk, **facts: str) -> Path:
    """An export with a consent for everything that nobody gave."""
    source: Path = await desk.exported(await desk.made("rich"), JSON, history=True)
    value: dict[str, Any] = json.loads(source.read_bytes())
    value["constellation"] |= facts
    value["consent_grants"].append(FORGED)
    source.write_text(json.dumps(value))
    return source


async def own(desk: Desk) -> Path:
    """A constellation with a block of everyone's that only the partner lets others write."""
    target = await desk.made("sample")
    await desk.change(target, _furnish)
    return target


async def _furnish(engine: Engine) -> None:
    await engine.consent.set_partner(PARTNER, "Noor")
    for block_id, level in (("blk_human", Permission.HUMAN), ("blk_partner", Permission.PARTNER)):
        made = CreateBlock(CONSTELLATION_OWNER, block_id, permission=level, content=TextContent("mine"))
        await engine.apply([Intent(Edit(Ref(RefKind.BLOCK, block_id), made), _partner())])


def _partner() -> Actor:
    return Actor(ActorKind.PARTNER, PARTNER, "Noor")


def codes(plan: ImportPlan) -> set[str]:
    return {each.code for each in plan.problems}


@pytest.mark.parametrize("block_id", ["blk_human", "blk_partner"])
async def test_that_consent_given_elsewhere_opens_no_block_that_is_there(desk: Desk, block_id: str) -> None:
    target = await own(desk)
    plan = await desk.bring_in(await forged(desk), target)
    assert not any(code.startswith("import.brings_") for code in codes(plan))

    async def write(engine: Engine) -> None:
        ada = Actor(ActorKind.AGENT, plan.agents[0].id, "Ada")
        with pytest.raises(RefusedError) as caught:
            await engine.edit(block_id, AppendText("!"), actor=ada)
        assert caught.value.code == "refused.needs_consent"

    await desk.change(target, write)


async def test_that_no_consent_is_in_force_where_it_joins(desk: Desk) -> None:
    target = await own(desk)
    await desk.bring_in(await forged(desk), target)

    async def look(engine: Engine) -> tuple[list[ConsentGrant], list[ConsentGrant]]:
        return list((await engine.consent.grants())[0]), list((await engine.consent.grants(over=True))[0])

    assert await desk.change(target, look) == ([], [])


async def test_that_a_new_constellation_keeps_consent_and_partner_and_tells_them(desk: Desk) -> None:
    target = desk.place(".constellation")
    plan = await desk.bring_in(await forged(desk, partner_id=PARTNER, partner_name="Noor"), target)
    told = {each.where: each for each in plan.problems}
    assert told["grant:gra_forged"].code == "import.brings_consent_for_all"
    assert told["grant:gra_1"].code == "import.brings_consent"
    assert told["grant:gra_1"].parameters["label"] == "ask"
    assert told["constellation:"].code == "import.brings_partner"
    assert told["constellation:"].parameters["name"] == "Noor"

    async def look(engine: Engine) -> set[str]:
        return {each.id for each in (await engine.consent.grants())[0]}

    assert await desk.change(target, look) == {"gra_1", "gra_forged"}


async def test_that_the_partner_of_a_constellation_stays_when_another_joins(desk: Desk) -> None:
    target = await own(desk)
    await desk.bring_in(await forged(desk, partner_id="per_eve", partner_name="Eve"), target)
    partner = await desk.change(target, lambda engine: engine.consent.partner())
    assert (partner.id, partner.name) == (PARTNER, "Noor")


async def test_that_a_block_cannot_be_slipped_to_an_agent_that_is_there(desk: Desk) -> None:
    target = await own(desk)

    async def look(engine: Engine) -> dict[str, int]:
        agents, _ = await engine.agents.list()
        return {each.id: len(await engine.memory.states(each.id)) for each in agents}

    before = await desk.change(target, look)
    source = await desk.exported(await desk.made("rich"), JSON)
    value = json.loads(source.read_bytes())
    victim = next(iter(before))
    next(each for each in value["blocks"] if each["id"] == "blk_new")["owner"] = victim
    source.write_text(json.dumps(value))
    plan = await desk.bring_in(source, target)
    assert {"import.owner_missing", "import.left_out"} <= codes(plan)
    after = await desk.change(target, look)
    assert {each: after[each] for each in before} == before


async def test_that_nobody_can_bring_in_an_agent_that_would_stand_for_all(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), JSON)
    source.write_text(source.read_text().replace(f'"{ADA}"', f'"{CONSTELLATION_OWNER}"'))
    for target in (desk.place(".constellation"), await own(desk)):
        with pytest.raises(MalformedError) as caught:
            await desk.bring_in(source, target)
        assert CONSTELLATION_OWNER in str(caught.value.parameters["why"])


async def test_that_of_two_imports_into_one_new_file_one_wins_and_the_other_is_told(desk: Desk) -> None:
    source = await desk.exported(await desk.made("rich"), JSON, history=True)
    target = desk.place(".constellation")
    ends = await asyncio.gather(*(desk.bring_in(source, target) for _ in range(3)), return_exceptions=True)
    lost = [each for each in ends if isinstance(each, BaseException)]
    assert len(lost) == 2
    assert all(isinstance(each, FileError) and each.code == "file.exists" for each in lost)
    assert not await check_file(target)
    assert [each.name for each in target.parent.iterdir() if each.name.startswith(f".{target.name}")] == []

    async def agents(engine: Engine) -> int:
        return len((await engine.agents.list())[0])

    assert await desk.change(target, agents) == await desk.change(await desk.made("rich"), agents)


async def test_that_a_layout_from_elsewhere_takes_no_shipped_one_s_place(desk: Desk) -> None:
    source: Path = await desk.exported(await desk.made("rich"), JSON)
    value: dict[str, Any] = json.loads(source.read_bytes())
    own_layout = {
        **value["layouts"][0],
        "name": "standard",
        "definition": to_plain(load_layouts()["standard"]),
    }
    value["layouts"] = [own_layout]
    config = value["agents"][0]["config"]
    is_text = isinstance(config, str)
    settings = json.loads(config) if is_text else config
    settings["layout"] = "standard"
    value["agents"][0]["config"] = json.dumps(settings) if is_text else settings
    source.write_text(json.dumps(value))
    target = await desk.made("sample")
    plan = await desk.bring_in(source, target)
    assert "import.name_numbered" in codes(plan)

    async def look(engine: Engine) -> None:
        agents, _ = await engine.agents.list()
        assert next(each for each in agents if each.id == plan.agents[0].id).config.layout == "standard_2"
        layouts, _ = await engine.layouts.list()
        assert "standard" not in {each.name for each in layouts}

    await desk.change(target, look)
