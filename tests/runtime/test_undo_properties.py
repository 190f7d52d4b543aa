"""Any edits of several actors with undo and redo among them, against plain-Python stacks; and back to the start."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from tests.conftest import SHARED_MEMORY
from tests.memory.world import AGENT, SYSTEM
from tests.runtime.undo_model import (
    COMPOSITE,
    COMPOSITE_START,
    KINDS,
    PLACES,
    Model,
    ModelStep,
    Place,
    found,
    operation,
)
from tests.runtime.undo_world import BOB, Desk, new_desk

EVE = Actor(ActorKind.HUMAN, "eve", "Eve")
ACTORS = (EVE, BOB, AGENT)
BLOCKS = (*KINDS, "composite")
GENTLE = settings(
    deadline=None,
    max_examples=25,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def target(name: str) -> Ref:
    """The block of a name."""
    return Ref(RefKind.BLOCK, f"blk_{name}")


async def make_blocks(desk: Desk) -> None:
    """One block of every schema, none of them made by an actor of the test."""
    for name in BLOCKS:
        schema, start = (COMPOSITE, COMPOSITE_START) if name == "composite" else _of(name)
        await desk.do(target(name), CreateBlock(AGENT.id, name, schema, content=start, char_limit=0), SYSTEM)


def _of(name: str) -> tuple[Any, Any]:
    return KINDS[name].schema, KINDS[name].start


class Run:
    """A desk and its model, changed together."""

    def __init__(self, desk: Desk, draw: Any) -> None:
        self.desk = desk
        self.model = Model()
        self.draw = draw
        self.made = 0

    async def act(self) -> None:
        """Let somebody do, undo or redo something, and look at everything."""
        who = self.draw(st.integers(0, len(ACTORS) - 1))
        what = self.draw(st.sampled_from(["edit", "edit", "edit", "set", "undo", "undo", "redo"]))
        if what == "edit":
            await self.edit(who, [self.draw(st.sampled_from(PLACES))])
        elif what == "set":
            await self.edit(who, self.draw(st.lists(st.sampled_from(PLACES), min_size=2, max_size=4)))
        else:
            await self.step(who, what)
        await self.compare()

    async def edit(self, who: int, places: list[Place]) -> None:
        """Change parts of an actor's in one changeset."""
        actor = self.model.actors[who]
        before = copy.deepcopy({place: actor.parts[place] for place in places})
        intents = []
        for place in places:
            self.made += 1
            made = operation(self.draw, place, actor.parts[place], who, f"{self.made:05d}")
            intents.append(Intent(Edit(target(place[0]), made), ACTORS[who]))
        receipts = await self.desk.edits.apply(intents)
        changed = {place for place, receipt in zip(places, receipts, strict=True) if receipt.changed}
        actor.parts.update({place: part for place, part in before.items() if place not in changed})
        if not changed:
            return
        seq = max(receipt.seq for receipt in receipts if receipt.seq is not None)
        after = copy.deepcopy({place: actor.parts[place] for place in changed})
        actor.act(ModelStep(seq, {place: before[place] for place in changed}, after))

    async def step(self, who: int, what: str) -> None:
        """Undo or redo, of one block or of all."""
        actor, person = self.model.actors[who], ACTORS[who]
        block = self.draw(st.sampled_from([None, *BLOCKS]))
        next_of = actor.next_undo if what == "undo" else actor.next_redo
        wanted = next_of(block)
        if wanted is not None and actor.crosses(wanted):
            block, wanted = None, next_of(None)
        if wanted is not None and actor.crosses(wanted):
            return
        door = self.desk.undo if what == "undo" else self.desk.redo
        ref = None if block is None else target(block)
        stack = await self.desk.edits.undo_stack(person, ref, 1)
        shown = stack.undo if what == "undo" else stack.redo
        assert [each.seq for each in shown] == ([] if wanted is None else [wanted.seq])
        if wanted is None:
            with pytest.raises(RefusedError) as caught:
                await door(person, ref)
            assert caught.value.code == f"refused.nothing_to_{what}"
            return
        undone = await door(person, ref)
        assert undone.step.seq == wanted.seq
        assert (undone.skipped, undone.passed) == ((), ())
        if what == "undo":
            actor.undo(wanted)
        else:
            actor.redo(wanted)

    async def compare(self) -> None:
        """Every actor's part of every block must be what the model says."""
        contents = {name: (await self.desk.world.state(target(name).id)).content for name in BLOCKS}
        for place in PLACES:
            content = contents[place[0]]
            assert content is not None
            for who in range(len(ACTORS)):
                assert found(content, place, who) == self.model.expected(place, who), (place, who)


async def run(data: st.DataObject, most: int) -> None:
    """One history of up to so many steps."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        async with new_desk(Path(folder)) as desk:
            await make_blocks(desk)
            going = Run(desk, data.draw)
            for _ in range(data.draw(st.integers(1, most))):
                await going.act()


@pytest.mark.slow
@pytest.mark.timeout(600)
@GENTLE
@given(st.data())
async def test_that_undo_and_redo_of_three_actors_do_what_plain_stacks_do(data: st.DataObject) -> None:
    await run(data, 50)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@settings(GENTLE, max_examples=10)
@given(st.data())
async def test_that_long_histories_of_three_actors_do_what_plain_stacks_do(data: st.DataObject) -> None:
    await run(data, 200)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(GENTLE, max_examples=8)
@given(st.data())
async def test_that_as_many_undos_as_edits_lead_back_to_the_start_and_redos_to_the_end(
    data: st.DataObject,
) -> None:
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        async with new_desk(Path(folder)) as desk:
            await make_blocks(desk)
            start = await _all(desk)
            going = Run(desk, data.draw)
            for _ in range(data.draw(st.integers(1, 30))):
                await going.edit(0, data.draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=2)))
            end = await _all(desk)
            steps = len(going.model.actors[0].done)
            for _ in range(2):
                for _ in range(steps):
                    await desk.undo(EVE)
                assert await _all(desk) == start
                for _ in range(steps):
                    await desk.redo(EVE)
                assert await _all(desk) == end


async def _all(desk: Desk) -> list[tuple[object, ...]]:
    """What all blocks say, byte for byte."""
    return await desk.world.rows("SELECT block_id, content, rendered FROM block_contents ORDER BY block_id")
