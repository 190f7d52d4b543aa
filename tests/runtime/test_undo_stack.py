"""Whose undo it is, in which order, what ends a redo, and that only the file knows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import Permission
from inspector.domain.edits.block_rows import AttachBlock, SetDescription, SetLabel, SetPermission, SetPinned
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.edits.text import AppendText
from inspector.domain.ref import Ref, RefKind
from inspector.memory import undo_stack
from tests.memory.world import AGENT, HUMAN, OTHER
from tests.runtime.undo_world import BOB, Desk, block, new_desk, reopened

AGENT_REF = Ref(RefKind.AGENT, AGENT.id)


async def describe(desk: Desk, made: str, *texts: str, actor: Actor = HUMAN) -> None:
    """Describe a block several times."""
    for text in texts:
        await desk.do(block(made), SetDescription(text), actor)


async def description(desk: Desk, made: str) -> str:
    """A block's description."""
    return (await desk.world.state(made)).block.description


async def test_that_undo_goes_back_newest_first_and_redo_forward(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "1", "2", "3")
        seen = []
        for step in (desk.undo, desk.undo, desk.redo, desk.undo, desk.undo, desk.redo, desk.redo, desk.redo):
            await step()
            seen.append(await description(desk, made))
        assert seen == ["2", "1", "2", "1", "", "1", "2", "3"]
        assert await desk.refusal("redo") == "refused.nothing_to_redo"


async def test_that_nobody_undoes_anothers_change(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "Bob's", actor=BOB)
        one_id_two_kinds = Actor(ActorKind.AGENT, BOB.id, BOB.name)
        assert await desk.refusal("undo", one_id_two_kinds) == "refused.nothing_to_undo"
        assert await desk.refusal("undo", AGENT, block(made)) == "refused.nothing_to_undo"
        await desk.undo(BOB)
        assert await desk.refusal("redo", HUMAN) == "refused.nothing_to_redo"
        assert await desk.refusal("undo", BOB) == "refused.nothing_to_undo"


async def test_that_a_change_after_an_undo_ends_the_redo_branch(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "1", "2")
        await desk.undo()
        await describe(desk, made, "3")
        assert await desk.refusal("redo") == "refused.nothing_to_redo"
        await desk.undo()
        assert await description(desk, made) == "1"
        await desk.redo()
        assert await description(desk, made) == "3"
        assert await desk.refusal("redo") == "refused.nothing_to_redo"
        await desk.undo()
        await desk.undo()
        assert await description(desk, made) == ""


async def test_that_a_branch_that_was_undone_itself_still_ended_what_came_before(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "1")
        await desk.undo()
        await describe(desk, made, "2")
        await desk.undo()
        await desk.redo()
        assert await description(desk, made) == "2"
        assert await desk.refusal("redo") == "refused.nothing_to_redo"


async def test_that_anothers_change_ends_no_redo(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "1")
        await desk.undo()
        await desk.do(block(made), SetLabel("bobs"), BOB)
        await desk.redo()
        assert await description(desk, made) == "1"


async def test_that_one_things_steps_can_be_undone_alone(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        first, second = await desk.world.make("first"), await desk.world.make("second")
        await describe(desk, first, "1", "2")
        await describe(desk, second, "other")
        await desk.undo(ref=block(first))
        assert (await description(desk, first), await description(desk, second)) == ("1", "other")
        await desk.do(AGENT_REF, ConfigureAgent(persona="I"))
        # The agent's change ends the redo of all, not that of the block.
        assert await desk.refusal("redo") == "refused.nothing_to_redo"
        await desk.redo(ref=block(first))
        assert await description(desk, first) == "2"
        assert (await desk.undo()).step.ref == block(first)
        assert (await desk.undo()).step.ref == AGENT_REF
        assert (await desk.undo()).step.ref == block(second)


async def test_that_a_blocks_sharing_is_of_the_block(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await desk.do(block(made), AttachBlock(OTHER.id, Permission.APPEND))
        await desk.do(AGENT_REF, ConfigureAgent(persona="I"))
        undone = await desk.undo(ref=block(made))
        assert undone.step.op == "attach_block"
        assert await desk.world.memory.attachments(made) == ()


async def test_that_undo_and_redo_are_known_after_a_restart(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        await describe(desk, made, "1", "2", "3")
        await desk.undo()
        await desk.undo()
    async with reopened(tmp_db_dir, prefix="b") as desk:
        await desk.redo()
        assert await description(desk, made) == "2"
        await desk.undo()
        await desk.undo()
        assert await description(desk, made) == ""
    async with reopened(tmp_db_dir, prefix="c") as desk:
        for text in ("1", "2", "3"):
            await desk.redo()
            assert await description(desk, made) == text


async def test_that_the_stack_tells_what_is_next(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        assert await desk.edits.can_undo(BOB) is None
        assert await desk.edits.can_redo(BOB, block(made)) is None
        await describe(desk, made, "1", actor=BOB)
        pinned = await desk.do(block(made), SetPinned(pinned=True), BOB)
        await desk.do(AGENT_REF, ConfigureAgent(persona="I"), BOB)
        next_one = await desk.edits.can_undo(BOB, block(made))
        assert next_one is not None
        assert (next_one.ref, next_one.op, next_one.seq) == (block(made), "set_pinned", pinned.seq)
        assert (next_one.at, next_one.changeset, next_one.undone) == (pinned.at, None, False)
        stack = await desk.edits.undo_stack(BOB)
        assert [step.op for step in stack.undo] == ["configure_agent", "set_pinned", "set_description"]
        assert stack.redo == ()
        await desk.undo(BOB)
        await desk.undo(BOB)
        stack = await desk.edits.undo_stack(BOB)
        assert [step.op for step in stack.undo] == ["set_description"]
        assert [(step.op, step.undone) for step in stack.redo] == [
            ("set_pinned", True),
            ("configure_agent", True),
        ]
        again = await desk.edits.can_redo(BOB)
        assert again is not None
        assert again.seq == pinned.seq
        assert (await desk.edits.undo_stack(BOB, limit=1)).redo == (again,)


async def test_that_a_named_step_is_undone_out_of_its_turn(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        label = await desk.do(block(made), SetLabel("mine"))
        await describe(desk, made, "1")
        await desk.undo(change=label.seq)
        found = (await desk.world.state(made)).block
        assert (found.label, found.description) == ("notes", "1")
        assert await desk.refusal("undo", change=label.seq) == "refused.nothing_to_undo"
        assert await desk.refusal("undo", BOB, change=label.seq) == "refused.nothing_to_undo"
        await desk.redo()
        assert (await desk.world.state(made)).block.label == "mine"


async def test_that_a_long_history_is_walked_page_by_page(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_stack, "PAGE_ROWS", 20)
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make()
        texts = [str(number) for number in range(50)]
        await describe(desk, made, *texts, actor=BOB)
        for _ in texts:
            await desk.undo(BOB)
        assert await description(desk, made) == ""
        assert await desk.refusal("undo", BOB) == "refused.nothing_to_undo"
        assert len((await desk.edits.undo_stack(BOB, limit=1000)).redo) == len(texts)
        await desk.redo(BOB)
        assert await description(desk, made) == "0"


async def test_that_a_changeset_is_one_step(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        first, second = await desk.world.make("first", "a"), await desk.world.make("second", "b")
        receipts = await desk.together(
            (block(first), AppendText("!")),
            (block(first), SetDescription("loud")),
            (block(second), SetLabel("third")),
            (AGENT_REF, ConfigureAgent(persona="I")),
        )
        (step,) = [each for each in (await desk.edits.undo_stack(HUMAN)).undo if each.changeset]
        assert [change.seq for change in step.changes] == [each.seq for each in receipts]
        # One of its things is enough to find it, and all of it goes back.
        undone = await desk.undo(ref=block(second))
        assert len(undone.receipts) == 4
        assert await desk.world.text(first) == "a"
        assert (await desk.world.state(first)).block.description == ""
        assert (await desk.world.state(second)).block.label == "second"
        again = await desk.redo(ref=AGENT_REF)
        assert again.step.changeset == step.changeset
        assert await desk.world.text(first) == "a!"
        assert (await desk.world.state(second)).block.label == "third"
        sets = await desk.world.rows(
            "SELECT changeset, count(*) FROM changes WHERE changeset IS NOT NULL GROUP BY 1 ORDER BY min(seq)"
        )
        assert [count for _, count in sets] == [4, 4, 4]
        assert len({name for name, _ in sets}) == 3


async def test_that_a_changeset_is_taken_back_whole_or_not_at_all(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        first, second = await desk.world.make("first"), await desk.world.make("second")
        edits = [(block(each), SetDescription("mine")) for each in (first, second)]
        await desk.together(*edits, actor=AGENT)
        await desk.do(block(first), SetPermission(Permission.READ_ONLY))
        assert await desk.refusal("undo", AGENT) == "refused.permission"
        assert await description(desk, second) == "mine"


async def test_that_the_rest_of_a_changeset_goes_back_when_others_have_changed_a_part(
    tmp_db_dir: Path,
) -> None:
    async with new_desk(tmp_db_dir) as desk:
        first, second = await desk.world.make("first"), await desk.world.make("second")
        await desk.together(*[(block(each), SetDescription("mine")) for each in (first, second)])
        await describe(desk, first, "Bob's", actor=BOB)
        undone = await desk.undo()
        assert undone.skipped == (Ref(RefKind.BLOCK, first, "description"),)
        assert (await description(desk, first), await description(desk, second)) == ("Bob's", "")
        await desk.redo()
        assert (await description(desk, first), await description(desk, second)) == ("Bob's", "mine")
        # What stayed is not undone by a later undo either.
        await desk.undo(ref=block(second))
        assert (await description(desk, first), await description(desk, second)) == ("Bob's", "")
