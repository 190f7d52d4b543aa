"""Checkpoints: when deltas are folded, what stays, and that no history is lost by it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from inspector.domain.blocks import (
    TASK_LIST,
)
from inspector.domain.content import TextContent
from inspector.domain.differences.texts import ChangedRange, TextDiff
from inspector.domain.edits.base import Version
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.history import TakeBack
from inspector.domain.edits.items import InsertItem, UpdateItem
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import DocumentError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.memory import folding
from inspector.storage.connection import Channel, Committed, Row, Statement
from tests.file_checks import problems_in
from tests.memory.long_histories import force_fold, restore
from tests.memory.world import AGENT, HUMAN, World, new_world, opened_world


def _parameters(sql: str) -> int:
    return len(set(re.findall(r"\?\d+", sql))) or sql.count("?")


def _noise(chance: Random, length: int) -> str:
    return "".join(chr(chance.randint(0x21, 0x7E)) for _ in range(length))


@pytest.mark.parametrize(("age", "folded"), [(timedelta(days=7), 152), (timedelta(days=7, seconds=-1), 0)])
async def test_that_only_deltas_of_seven_days_and_not_of_the_newest_fifty_are_folded(
    world: World, age: timedelta, folded: int
) -> None:
    target = Ref(RefKind.BLOCK, "b")
    moment = world.clock.now
    await world.do(target, CreateBlock(AGENT.id, "b", char_limit=0, content=TextContent("")), at=moment)
    for _ in range(200):
        await world.do(target, AppendText("x"), at=moment)
    assert not any(each.folded for each in await world.memory.versions.versions("b"))
    # The clock goes on by a second at each look.
    world.clock.now = moment + age - timedelta(seconds=1)
    await world.do(target, AppendText("y"), at=moment + age)
    history = await world.memory.versions.versions("b")
    assert len(history) == 202
    assert [each.seq for each in history if each.folded] == list(range(1, folded + 1))


async def test_that_an_edit_looks_at_no_rows_but_those_that_it_needs(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    fetch, commit = Channel.fetch_last, Channel.commit

    async def fetched(self: Channel, statements: Sequence[Statement]) -> list[Row]:
        asked.extend(sql for sql, _ in statements)
        return await fetch(self, statements)

    async def committed(
        self: Channel, statements: Sequence[Statement], may_commit: Callable[[list[Row]], bool]
    ) -> Committed:
        asked.extend(sql for sql, _ in statements)
        return await commit(self, statements, may_commit)

    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="")
        monkeypatch.setattr(Channel, "fetch_last", fetched)
        monkeypatch.setattr(Channel, "commit", committed)
        for _ in range(101):
            await world.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT upto_seq FROM checkpoints") == [(101,)]
        path = world.database.path
    with closing(sqlite3.connect(path)) as connection:
        steps = {
            row[3]: sql
            for sql in set(asked)
            if "updates" in sql and not sql.lstrip().startswith("INSERT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * _parameters(sql))
        }
    assert not [step for step in steps if step.startswith("SCAN")], steps
    (fold,) = (step for step, sql in steps.items() if "SET blob = NULL" in sql)
    # Of a long history neither what is folded already nor what is too young for it.
    assert fold == "SEARCH updates USING INDEX updates_unfolded (block_id=? AND at<?)"


async def test_that_folded_versions_are_seen_compared_restored_and_taken_back(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="start", char_limit=0)
        for number in range(20):
            await world.edit(block, AppendText(f" {number}"), actor=AGENT, reason=f"r{number}")
        await force_fold(world, block)
        path = world.database.path
    async with opened_world(path, prefix="later") as world:
        history = await world.memory.versions.versions(block)
        assert all(each.folded for each in history[:21])
        assert [each.reason for each in history[1:21]] == [f"r{number}" for number in range(20)]
        assert [each.length for each in history[:3]] == [5, 7, 9]
        assert (await world.memory.versions.content_at(block, history[2].version)).content == TextContent(
            "start 0 1"
        )
        diff = await world.memory.versions.diff(block, history[1].version, history[3].version)
        assert diff.diff == TextDiff((ChangedRange(7, 7, 7, 11),), (ChangedRange(0, 1, 0, 1),))
        third = history[3]
        await world.edit(block, TakeBack(third.before, third.version), actor=AGENT, base=None)
        assert (await world.text(block)).startswith("start 0 1 3 4")
        await restore(world, block, history[4].version)
        assert await world.text(block) == "start 0 1 2 3"


async def test_that_a_checkpoint_holds_the_whole_history(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("tasks", None, TASK_LIST)
        for number in range(30):
            await world.edit(block, InsertItem({"title": str(number)}, id=f"i{number}"), actor=HUMAN)
        versions = await world.memory.versions.versions(block)
        contents = [
            (await world.memory.versions.content_at(block, each.version)).content for each in versions
        ]
        for _ in range(80):
            await world.edit(block, UpdateItem("i0", {"done": True}), actor=HUMAN)
            await world.edit(block, UpdateItem("i0", {"done": False}), actor=AGENT)
        async with world.database.write() as tx:
            ((upto,),) = await tx.fetch_all("SELECT upto_seq FROM checkpoints")
            await tx.execute("UPDATE updates SET blob = NULL WHERE seq <= ?", (upto,))
        path = world.database.path
    async with opened_world(path, prefix="later") as world:
        assert [
            (await world.memory.versions.content_at(block, each.version)).content for each in versions
        ] == contents
        assert problems_in(path) == ()


async def test_that_the_list_of_versions_stands_when_the_document_cannot_be_read(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        await world.edit(block, AppendText(" two"), actor=AGENT, reason="why")
        async with world.database.write() as tx:
            await tx.execute("UPDATE updates SET blob = x'00'")
        path = world.database.path
    async with opened_world(path, prefix="later") as world:
        told = await world.memory.versions.versions(block)
        assert [(each.reason, each.length) for each in told] == [("", None), ("why", 7)]
        with pytest.raises(DocumentError):
            await world.memory.versions.content_at(block, told[0].version)


async def rewritten(world: World) -> tuple[str, dict[Version, str]]:
    """A block that was rewritten until its history was set aside twice, and what each version said."""
    chance = Random(2)
    said: dict[Version, str] = {}
    block = await world.make(content="", char_limit=0)
    for number in range(230):
        text = f"{number} {_noise(chance, 150)}"
        receipt = await world.edit(block, SetText(text), actor=HUMAN)
        assert receipt.version is not None
        said[receipt.version] = text
    beginnings = await world.rows("SELECT count(*) FROM changes WHERE kind = 'set_history_aside'")
    assert beginnings == [(2,)]
    assert await world.rows("SELECT max(size) < 40000, count(*) FROM checkpoints") == [(1, 3)]
    return block, said


async def test_that_a_history_too_large_for_one_piece_is_set_aside_and_still_read(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "SET_ASIDE_BYTES", 15_000)
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block, said = await rewritten(world)
        for version in (*tuple(said)[:3], *tuple(said)[98:104], *tuple(said)[-3:]):
            assert (await world.memory.versions.content_at(block, version)).content == TextContent(
                said[version]
            )
        first, last = next(iter(said)), tuple(said)[-1]
        difference = await world.memory.versions.diff(block, first, last)
        assert difference.before.content == TextContent(said[first])
        versions = await world.memory.versions.versions(block)
        assert [each.seq for each in versions] == list(range(1, 1 + 230 + 1 + 2))
        state = await world.memory.get(block)
        assert state is not None
        assert state.written is not None
        assert state.written.actor == HUMAN
    assert problems_in(path) == ()


async def test_that_a_block_with_a_history_set_aside_is_written_after_the_file_is_opened_again(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "SET_ASIDE_BYTES", 15_000)
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block, said = await rewritten(world)
    first, last = next(iter(said)), tuple(said)[-1]
    async with opened_world(path, prefix="later") as world:
        await world.edit(block, AppendText("!"), actor=HUMAN, base=last)
        assert await world.text(block) == said[last] + "!"
        # What came before a fresh start can be restored; it can't be taken back step by step.
        (change,) = [each for each in await world.memory.versions.versions(block) if each.version == first]
        for operation, base in ((TakeBack(change.before, first), None), (AppendText("late"), first)):
            with pytest.raises(RefusedError) as caught:
                await world.edit(block, operation, actor=HUMAN, base=base)
            assert caught.value.code == "refused.set_aside"
        await restore(world, block, first)
        assert await world.text(block) == said[first]
    assert problems_in(path) == ()


async def test_that_a_large_content_alone_sets_no_history_aside(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "SET_ASIDE_BYTES", 5_000)
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content=_noise(Random(3), 6_000), char_limit=0)
        for _ in range(101):
            await world.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT count(*) FROM checkpoints") == [(1,)]
        assert await world.rows("SELECT count(*) FROM changes WHERE kind = 'set_history_aside'") == [(0,)]
