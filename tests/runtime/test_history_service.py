"""What the history service reads: versions by pages with tokens, hunks, and the journal; and undo of another author."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from inspector.domain.changes import ChangeRole
from inspector.domain.differences.hunks import hunks, splices_back
from inspector.domain.differences.texts import diff_texts
from inspector.domain.edits.block_rows import SetLabel, SetPinned
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.splices import spliced
from inspector.memory.change_log import ChangeLog
from inspector.runtime.catalogues import shipped_counter, shipped_counters, shipped_models
from inspector.runtime.history import HistoryService
from tests.memory.world import AGENT, HUMAN
from tests.runtime.undo_world import Desk, block, new_desk

MODEL = "gpt-4o"


def service(desk: Desk) -> HistoryService:
    log = ChangeLog(desk.world.database)
    return HistoryService(desk.world.memory.versions, log, shipped_models(), shipped_counters())


async def test_that_pages_join_to_the_whole_history_with_the_tokens_of_each_version(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content="one")
        for number in range(6):
            await desk.do(block(made), SetText("word " * ((number + 1) * 3 % 7)))
        history = service(desk)
        rows = list(await history.versions(made, MODEL, None, 3))
        while rows[-1].version.seq > 1:
            rows += await history.versions(made, MODEL, rows[-1].version.seq, 3)
        assert [row.version.seq for row in rows] == [7, 6, 5, 4, 3, 2, 1]
        texts = ["one", *("word " * ((number + 1) * 3 % 7) for number in range(6))]
        counts = [shipped_counter(MODEL).count(text).tokens for text in texts]
        assert [row.tokens and row.tokens.tokens for row in reversed(rows)] == counts
        grown = [row.growth for row in reversed(rows)]
        assert grown == [now - was for was, now in zip([0, *counts], counts, strict=False)]


async def test_that_the_hunks_of_two_versions_give_the_earlier_one_back(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content="a\nb\nc\nd\n")
        before = (await desk.world.state(made)).version
        await desk.do(block(made), SetText("a\nB\nc\nd\ne"))
        after = (await desk.world.state(made)).version
        found = await service(desk).compare(made, before, after, MODEL)
        assert (found.before, found.after, found.is_text) == ("a\nb\nc\nd\n", "a\nB\nc\nd\ne", True)
        assert len(found.hunks) == 2
        assert sum(each.growth for each in found.hunks) == found.growth


@pytest.mark.parametrize("seed", range(40))
def test_that_any_part_of_a_difference_can_be_reverted_and_all_of_it_gives_the_text_before(seed: int) -> None:
    chance = Random(seed)
    old, new = ("".join(chance.choices(["a", "b ", "é", "\n", "\r\n", "word", "🙂"], k=30)) for _ in range(2))
    found = hunks(old, new, diff_texts(old, new))
    stretches = [stretch for hunk in found for stretch in hunk.stretches]
    assert tuple(stretches) == diff_texts(old, new).stretches
    assert spliced(new, splices_back(old, stretches)) == old
    for hunk in found:
        back = spliced(new, splices_back(old, hunk.stretches))
        whole = hunk.whole
        assert (
            back
            == new[: whole.after_start] + old[whole.before_start : whole.before_end] + new[whole.after_end :]
        )


async def test_that_a_person_undoes_and_redoes_what_an_agent_did(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content="one")
        receipts = await desk.together(
            (block(made), AppendText(" two")), (block(made), SetPinned(True)), actor=AGENT
        )
        await desk.do(block(made), AppendText(" three"))
        history = service(desk)
        done = await desk.undo(HUMAN, change=receipts[0].seq, author=AGENT)
        assert await desk.world.text(made) == "one three"
        assert not (await desk.world.state(made)).block.pinned
        assert {receipt.actor for receipt in done.receipts} == {HUMAN}
        newest, other, third, *rest = await history.changes()
        assert (newest.role, other.role, third.role) == (
            ChangeRole.UNDONE,
            ChangeRole.UNDONE,
            ChangeRole.DONE,
        )
        assert {newest.first, other.first} == {receipt.seq for receipt in receipts}
        assert newest.author == AGENT
        assert [each.is_undone for each in rest if each.author == AGENT] == [True, True]
        await desk.redo(HUMAN, change=receipts[0].seq)
        assert await desk.world.text(made) == "one two three"
        assert (await desk.world.state(made)).block.pinned
        assert not any(each.is_undone for each in await history.changes())
        await desk.undo(HUMAN, change=receipts[0].seq, author=AGENT)
        assert await desk.world.text(made) == "one three"


async def test_that_no_agent_undoes_what_a_person_did(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content="one")
        receipt = await desk.do(block(made), AppendText(" two"))
        code = await desk.refusal("undo", AGENT, change=receipt.seq, author=HUMAN)
        assert code == "refused.undo_of_others"


async def test_that_the_journal_is_read_by_pages_and_by_actor(tmp_db_dir: Path) -> None:
    async with new_desk(tmp_db_dir) as desk:
        made = await desk.world.make(content="one")
        for number in range(5):
            await desk.do(block(made), SetLabel(f"label {number}"), AGENT if number % 2 else HUMAN)
        history = service(desk)
        entries = list(await history.changes(limit=2))
        while page := await history.changes(entries[-1].change.seq, 2):
            entries += page
        everything = await history.changes()
        assert tuple(entries) == everything
        seqs = [each.change.seq for each in everything]
        assert seqs == sorted(seqs, reverse=True)
        by_agent = await history.changes(actor_id=AGENT.id)
        assert [each.change.kind for each in by_agent if each.can_turn] == ["set_label", "set_label"]
        assert {AGENT, HUMAN} <= set(await history.actors())
