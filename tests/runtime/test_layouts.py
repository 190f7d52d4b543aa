"""Layouts of a user's own: kept in the file, checked, undone, seen by the next Request."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt
from inspector.domain.edits.block_rows import DeleteRow, RestoreRow
from inspector.domain.edits.rows import ConfigureAgent, CreateAgent, PutLayout
from inspector.domain.errors import InspectorError, MalformedError, NotFoundError, RefusedError
from inspector.domain.layouts import Layout, SectionLayout, Wrapper
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from tests.fixtures import OpenEngine

OWN = Layout("mine", "", "\n\n", Wrapper.ELEMENT, (SectionLayout("persona", "# Me"), SectionLayout("core")))


async def do(engine: Engine, target: Ref, operation: Operation, actor: Actor | None = None) -> Receipt:
    (receipt,) = await engine.apply([Intent(Edit(target, operation), actor or engine.actor)])
    return receipt


async def put(engine: Engine, layout: Layout = OWN) -> Receipt:
    return await do(engine, Ref(RefKind.LAYOUT, layout.name), PutLayout(layout))


async def an_agent(engine: Engine) -> str:
    return (await do(engine, Ref(RefKind.AGENT, ""), CreateAgent("Ada", "I am Ada."))).ref.id


async def test_that_an_own_layout_is_built_with_and_stays_after_a_restart(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = tmp_db_dir / "a.constellation"
    engine = await Engine.open(path, surroundings, create=True)
    agent = await an_agent(engine)
    assert (await engine.context.request(agent)).layout == "standard"
    await put(engine)
    config = replace((await engine.context.snapshot(agent)).agent.config, layout="mine")
    await do(engine, Ref(RefKind.AGENT, agent), ConfigureAgent(config=config))
    assert (await engine.context.request(agent)).system == "# Me\n\nI am Ada."
    await engine.close()
    engine = await Engine.open(path, surroundings)
    assert (await engine.layouts.list()) == ((OWN,), ())
    assert (await engine.context.request(agent)).layout == "mine"
    await put(engine, replace(OWN, sections=(SectionLayout("persona"),)))
    assert (await engine.context.request(agent)).system == "I am Ada."
    await do(engine, Ref(RefKind.LAYOUT, "mine"), DeleteRow())
    with pytest.raises(NotFoundError) as caught:
        await engine.context.request(agent)
    assert "mine" not in str(caught.value.parameters["candidates"])
    await engine.close()


async def test_that_an_own_layout_goes_before_a_shipped_one_of_its_name(engine: OpenEngine) -> None:
    async with engine() as open_file:
        agent = await an_agent(open_file)
        await put(open_file, replace(OWN, name="standard"))
        assert (await open_file.context.request(agent)).system == "# Me\n\nI am Ada."


@pytest.mark.parametrize(
    ("layout", "where"),
    [
        (replace(OWN, sections=(SectionLayout("core", heading=" x"),)), "mine: core"),
        (replace(OWN, sections=(SectionLayout("core", element="a b"),)), "mine: core"),
        (replace(OWN, join="---"), "mine: join"),
        (replace(OWN, strategy="guess"), "mine: strategy"),
        (replace(OWN, sections=(SectionLayout("own"),)), "mine: own"),
    ],
)
async def test_that_a_layout_that_cannot_be_used_is_refused_with_its_place(
    engine: OpenEngine, layout: Layout, where: str
) -> None:
    async with engine() as open_file:
        with pytest.raises(MalformedError) as caught:
            await put(open_file, layout)
        assert caught.value.parameters["where"] == where
        assert caught.value.parameters["why"]
        assert await open_file.layouts.list() == ((), ())


async def test_that_layouts_are_people_s_to_change(engine: OpenEngine) -> None:
    async with engine() as open_file:
        agent = Actor(ActorKind.AGENT, "agt_1", "Ada")
        with pytest.raises(RefusedError):
            await do(open_file, Ref(RefKind.LAYOUT, "mine"), PutLayout(OWN), agent)
        with pytest.raises(InspectorError) as caught:
            await do(open_file, Ref(RefKind.LAYOUT, "none"), DeleteRow())
        assert caught.value.code == "not_found.own_layout"


async def test_that_the_same_layout_again_stores_nothing(engine: OpenEngine) -> None:
    async with engine() as open_file:
        assert (await put(open_file)).changed
        assert not (await put(open_file)).changed
        await do(open_file, Ref(RefKind.LAYOUT, "mine"), DeleteRow())
        assert not (await do(open_file, Ref(RefKind.LAYOUT, "mine"), DeleteRow())).changed
        await do(open_file, Ref(RefKind.LAYOUT, "mine"), RestoreRow())
        assert (await open_file.layouts.list())[0] == (OWN,)


async def test_that_changes_of_layouts_are_undone_and_redone(engine: OpenEngine) -> None:
    async with engine() as open_file:
        changed = replace(OWN, description="other")
        await put(open_file)
        await put(open_file, changed)
        await open_file.edits.undo(open_file.actor)
        assert (await open_file.layouts.list())[0] == (OWN,)
        await open_file.edits.redo(open_file.actor)
        assert (await open_file.layouts.list())[0] == (changed,)
        await do(open_file, Ref(RefKind.LAYOUT, "mine"), DeleteRow())
        await open_file.edits.undo(open_file.actor)
        assert (await open_file.layouts.list())[0] == (changed,)
        await open_file.edits.undo(open_file.actor)
        await open_file.edits.undo(open_file.actor)
        assert (await open_file.layouts.list())[0] == ()


async def test_that_a_layout_that_cannot_be_read_is_a_problem_and_the_rest_is_built(
    engine: OpenEngine,
) -> None:
    async with engine() as open_file:
        agent = await an_agent(open_file)
        async with open_file.database.write() as tx:
            for name, definition in (("odd", "[]"), ("worse", json.dumps({"sections": 1})), ("worst", "{")):
                await tx.fetch_all(
                    "INSERT INTO layouts (name, definition, updated_at) VALUES (?, ?, '')", (name, definition)
                )
        layouts, problems = await open_file.layouts.list()
        assert layouts == ()
        assert [problem.where for problem in problems] == ["layout:odd", "layout:worse", "layout:worst"]
        assert (await open_file.context.request(agent)).layout == "standard"
        await put(open_file, replace(OWN, name="odd"))
        assert [layout.name for layout in (await open_file.layouts.list())[0]] == ["odd"]


async def test_that_a_layout_is_named_as_its_row_is(engine: OpenEngine) -> None:
    async with engine() as open_file:
        await put(open_file)
        async with open_file.database.write() as tx:
            await tx.fetch_all("UPDATE layouts SET name = 'mine (2)' WHERE name = 'mine'")
        assert (await open_file.layouts.list())[0] == (replace(OWN, name="mine (2)"),)
