"""What an agent wants as one, undo and redo among it, waits for consent as one: all of it or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.blocks import Permission
from inspector.domain.consent import ConsentDecision
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import SetPermission
from inspector.domain.edits.consent import SetPartner
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoWish
from tests.memory.asking import is_waiting
from tests.memory.world import AGENT, HUMAN, PARTNER
from tests.runtime.undo_world import Desk, block, new_desk, reopened

LONG = timedelta(hours=5)


def wanted(*edits: tuple[str, Operation]) -> list[Intent]:
    """Intents of the agent on blocks."""
    return [Intent(Edit(block(block_id), operation), AGENT, "why") for block_id, operation in edits]


async def refusal(work: Awaitable[object]) -> str:
    with pytest.raises(InspectorError) as caught:
        await work
    return caught.value.code


async def refused_unchanged(desk: Desk, work: Awaitable[object]) -> str:
    before = await desk.world.dump()
    code = await refusal(work)
    assert await desk.world.dump() == before
    return code


async def asked_level(desk: Desk, block_id: str, level: Permission) -> None:
    await desk.do(block(block_id), SetPermission(level))


async def written(desk: Desk, *blocks: str) -> None:
    """The agent has written blocks as one, and from then on must ask for them."""
    await desk.edits.apply(wanted(*((each, AppendText("!")) for each in blocks)))
    for each in blocks:
        await asked_level(desk, each, Permission.HUMAN)


async def test_that_undo_waits_for_consent_and_takes_back_once_it_is_given(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes", "a")
        await written(desk, made)
        assert await desk.refusal("undo", AGENT) == "refused.needs_consent"
        waiting = asyncio.ensure_future(desk.asking.undo(UndoWish(AGENT, reason="sorry"), wait=LONG))
        request = await is_waiting(desk.world)
        assert (request.agent_id, request.level, request.blocks) == (AGENT.id, Permission.HUMAN, (made,))
        preview = await desk.asking.preview(request.id)
        assert (preview.label, preview.before, preview.after) == ("notes", "a!", "a")
        assert await desk.world.text(made) == "a!"
        await desk.consent.answer(request.id, ConsentDecision.ONCE, actor=HUMAN)
        undone = await waiting
        assert await desk.world.text(made) == "a"
        assert [each.ref for each in undone.receipts] == [block(made)]
        assert (undone.step.op, undone.step.undone) == ("append_text", True)
        history = await desk.world.memory.history(made)
        assert (history[-1].actor, history[-1].reason) == (AGENT, "sorry")
        # Redo asks anew.
        assert await desk.refusal("redo", AGENT) == "refused.needs_consent"
        again = await desk.asking.ask_undo(UndoWish(AGENT), wait=LONG, redo=True)
        assert isinstance(again, str)
        await desk.consent.answer(again, ConsentDecision.FOR_BLOCK, actor=HUMAN)
        assert await desk.world.text(made) == "a!"
        assert not (await desk.asking.undone(again)).step.undone
        await desk.undo(AGENT)
        assert await desk.world.text(made) == "a"


async def test_that_undo_that_needs_no_consent_is_done_at_once(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes", "a")
        await desk.edits.apply(wanted((made, AppendText("!"))))
        undone = await desk.asking.undo(UndoWish(AGENT), wait=LONG)
        assert undone.receipts[0].changed
        assert await desk.world.text(made) == "a"
        assert await desk.consent.requests() == ((), ())


async def test_that_a_denied_or_late_undo_changes_nothing(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make("notes", "a")
        await written(desk, made)
        asked = await desk.asking.ask_undo(UndoWish(AGENT), wait=LONG)
        assert isinstance(asked, str)
        await desk.consent.answer(asked, ConsentDecision.DENY, actor=HUMAN)
        assert await refusal(desk.asking.undone(asked)) == "refused.consent_denied"
        late = desk.asking.undo(UndoWish(AGENT), wait=timedelta(seconds=5))
        assert await refusal(late) == "refused.consent_timed_out"
        assert await desk.world.text(made) == "a!"


async def test_that_undo_of_several_blocks_is_one_request_and_all_or_nothing(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        one, two = await desk.world.make("one", "a"), await desk.world.make("two", "b")
        await written(desk, one, two)
        await asked_level(desk, one, Permission.READ_WRITE)
        asked = await desk.asking.ask_undo(UndoWish(AGENT), wait=LONG)
        assert isinstance(asked, str)
        assert [await desk.world.text(each) for each in (one, two)] == ["a!", "b!"]
        preview = await desk.asking.preview(asked)
        assert (preview.before, preview.after) == (
            "=== two ===\nb!\n=== one ===\na!",
            "=== two ===\nb\n=== one ===\na",
        )
        # What would be refused by now is refused, and the request waits on.
        await asked_level(desk, one, Permission.READ_ONLY)
        answer = desk.consent.answer(asked, ConsentDecision.ONCE, actor=HUMAN)
        assert await refused_unchanged(desk, answer) == "refused.permission"
        assert (await desk.asking.preview(asked)).refusal is not None
        await asked_level(desk, one, Permission.READ_WRITE)
        await desk.consent.answer(asked, ConsentDecision.ONCE, actor=HUMAN)
        assert [await desk.world.text(each) for each in (one, two)] == ["a", "b"]
        assert len((await desk.asking.undone(asked)).receipts) == 2


async def test_that_a_changeset_waits_as_a_whole_and_is_undone_as_one(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        free = await desk.world.make("free", "a")
        bound = await desk.world.make("bound", "b", permission=Permission.HUMAN)
        intents = wanted((free, AppendText("!")), (bound, SetText("b")), (bound, AppendText("?")))
        assert await refused_unchanged(desk, desk.edits.apply(intents)) == "refused.needs_consent"
        waiting = asyncio.ensure_future(desk.asking.apply(intents, wait=LONG))
        request = await is_waiting(desk.world)
        assert await desk.world.text(free) == "a"
        # Somebody else writes meanwhile, and is not undone by the answer.
        await desk.do(block(free), SetText("0a"))
        await desk.consent.answer(request.id, ConsentDecision.ONCE, actor=HUMAN)
        receipts = await waiting
        assert [each.changed for each in receipts] == [True, False, True]
        assert (await desk.world.text(free), await desk.world.text(bound)) == ("0a!", "b?")
        sets = await desk.world.rows(
            "SELECT DISTINCT changeset FROM changes WHERE actor_id = 'agt_one' AND kind = 'append_text'"
        )
        assert len(sets) == 1
        assert sets[0][0] is not None
        answers = await desk.world.rows("SELECT changeset FROM changes WHERE kind = 'answer_consent'")
        assert answers == [(None,)]
        again = await desk.asking.ask_undo(UndoWish(AGENT), wait=LONG)
        assert isinstance(again, str)
        await desk.consent.answer(again, ConsentDecision.ONCE, actor=HUMAN)
        assert (await desk.world.text(free), await desk.world.text(bound)) == ("0a", "b")


async def test_that_what_would_be_refused_all_the_same_is_not_asked_for(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        locked = await desk.world.make("locked", "a", permission=Permission.READ_ONLY)
        bound = await desk.world.make("bound", "b", permission=Permission.HUMAN)
        intents = wanted((bound, AppendText("?")), (locked, AppendText("!")))
        work = desk.asking.ask(intents, wait=LONG)
        assert await refused_unchanged(desk, work) == "refused.permission"


async def test_that_the_partner_answers_for_the_whole_where_a_part_is_the_partners(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        await desk.do(Ref(RefKind.CONSTELLATION, ""), SetPartner(PARTNER.id, "Paula"))
        theirs = await desk.world.make("theirs", "a", permission=Permission.PARTNER)
        anyones = await desk.world.make("anyones", "b", permission=Permission.HUMAN)
        asked = await desk.asking.ask(
            wanted((anyones, AppendText("!")), (theirs, AppendText("!"))), wait=LONG
        )
        assert isinstance(asked, str)
        by_another = desk.consent.answer(asked, ConsentDecision.ONCE, actor=HUMAN)
        assert await refused_unchanged(desk, by_another) == "refused.answer_partner_only"
        await desk.consent.answer(asked, ConsentDecision.FOR_BLOCK, actor=PARTNER)
        assert (await desk.world.text(theirs), await desk.world.text(anyones)) == ("a!", "b!")
        grants, _ = await desk.consent.grants()
        assert {each.block_id for each in grants} == {theirs, anyones}


async def test_that_another_process_can_answer_for_the_whole(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk, reopened(tmp_db_dir, prefix="z") as second:
        made = await desk.world.make("notes", "a", permission=Permission.HUMAN)
        intents = wanted((made, AppendText("b")), (made, AppendText("c")))
        asked = await desk.asking.ask(intents, wait=LONG)
        assert isinstance(asked, str)
        await second.consent.answer(asked, ConsentDecision.ONCE, actor=HUMAN)
        assert [each.changed for each in await desk.asking.receipts(asked)] == [True, True]
        assert await desk.world.text(made) == "abc"
