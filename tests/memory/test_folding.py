"""Checkpoints: when deltas are folded, what stays, and that no history is lost by it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from inspector.domain.blocks import (
    TASK_LIST,
)
from inspector.domain.content import TextContent
from inspector.domain.differences.texts import Stretch, TextDiff
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.history import TakeBack
from inspector.domain.edits.items import InsertItem, UpdateItem
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import DocumentError
from inspector.domain.ref import Ref, RefKind
from inspector.memory.checking import check
from inspector.storage.connection import Channel, Parameters, Row
from tests.memory.past import force_fold, restore
from tests.memory.world import AGENT, HUMAN, new_world, open_world


async def test_that_a_hundred_deltas_are_not_folded_and_one_more_is(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="")
        for _ in range(99):
            await world.memory.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT count(*) FROM checkpoints") == [(0,)]
        await world.memory.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT upto_seq FROM checkpoints") == [(101,)]
        for _ in range(100):
            await world.memory.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT upto_seq FROM checkpoints") == [(101,)]
        await world.memory.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT upto_seq FROM checkpoints") == [(202,)]


async def test_that_256_kilobytes_are_not_folded_and_one_byte_more_is(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="", char_limit=0)
        # What no compression makes smaller.
        chance = Random(1)
        await world.memory.edit(block, AppendText(_noise(chance, 250 * 1024)), actor=HUMAN)
        ((stored,),) = await world.rows("SELECT sum(size) FROM updates")
        assert isinstance(stored, int)
        assert stored < 256 * 1024
        async with world.database.write() as tx:
            await tx.execute("UPDATE updates SET size = size + ? WHERE seq = 2", (256 * 1024 - stored,))
        world_bytes = await world.rows("SELECT sum(size) FROM updates")
        assert world_bytes == [(256 * 1024,)]
        assert await world.rows("SELECT count(*) FROM checkpoints") == [(0,)]
        await world.memory.edit(block, AppendText("x"), actor=HUMAN)
        assert await world.rows("SELECT upto_seq FROM checkpoints") == [(3,)]


def _parameters(sql: str) -> int:
    return len(set(re.findall(r"\?\d+", sql))) or sql.count("?")


def _noise(chance: Random, length: int) -> str:
    return "".join(chr(chance.randint(0x21, 0x7E)) for _ in range(length))


@pytest.mark.parametrize(("age", "folded"), [(timedelta(days=7), 152), (timedelta(days=7, seconds=-1), 0)])
async def test_that_only_deltas_of_seven_days_and_not_of_the_newest_fifty_are_folded(
    tmp_db_dir: Path, age: timedelta, folded: int
) -> None:
    async with new_world(tmp_db_dir) as world:
        target = Ref(RefKind.BLOCK, "b")
        moment = world.clock.now
        await world.do(target, CreateBlock(AGENT.id, "b", char_limit=0, content=TextContent("")), at=moment)
        for _ in range(200):
            await world.do(target, AppendText("x"), at=moment)
        assert not any(each.folded for each in await world.memory.history("b"))
        # The clock goes on by a second at each look.
        world.clock.now = moment + age - timedelta(seconds=1)
        await world.do(target, AppendText("y"), at=moment + age)
        history = await world.memory.history("b")
        assert len(history) == 202
        assert [each.seq for each in history if each.folded] == list(range(1, folded + 1))


async def test_that_an_edit_looks_at_no_rows_but_those_that_it_needs(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    fetch = Channel.fetch_all

    async def told(self: Channel, sql: str, parameters: Parameters = ()) -> list[Row]:
        asked.append(sql)
        return await fetch(self, sql, parameters)

    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="")
        monkeypatch.setattr(Channel, "fetch_all", told)
        for _ in range(101):
            await world.memory.edit(block, AppendText("x"), actor=HUMAN)
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
            await world.memory.edit(block, AppendText(f" {number}"), actor=AGENT, reason=f"r{number}")
        await force_fold(world, block)
        path = world.database.path
    world = await open_world(path, prefix="later")
    try:
        history = await world.memory.history(block)
        assert all(each.folded for each in history[:21])
        assert [each.reason for each in history[1:21]] == [f"r{number}" for number in range(20)]
        assert [each.length for each in history[:3]] == [5, 7, 9]
        assert await world.memory.content_at(block, history[2].version) == TextContent("start 0 1")
        diff = await world.memory.versions.diff(block, history[1].version, history[3].version)
        assert diff.diff == TextDiff((Stretch(7, 7, 7, 11),), (Stretch(0, 1, 0, 1),))
        third = history[3]
        await world.memory.edit(block, TakeBack(third.before, third.version), actor=AGENT, base=None)
        assert (await world.text(block)).startswith("start 0 1 3 4")
        await restore(world, block, history[4].version)
        assert await world.text(block) == "start 0 1 2 3"
    finally:
        await world.close()


async def test_that_a_checkpoint_holds_the_whole_history(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make("tasks", None, TASK_LIST)
        for number in range(30):
            await world.memory.edit(block, InsertItem({"title": str(number)}, id=f"i{number}"), actor=HUMAN)
        versions = await world.memory.history(block)
        contents = [await world.memory.content_at(block, each.version) for each in versions]
        for _ in range(80):
            await world.memory.edit(block, UpdateItem("i0", {"done": True}), actor=HUMAN)
            await world.memory.edit(block, UpdateItem("i0", {"done": False}), actor=AGENT)
        async with world.database.write() as tx:
            ((upto,),) = await tx.fetch_all("SELECT upto_seq FROM checkpoints")
            await tx.execute("UPDATE updates SET blob = NULL WHERE seq <= ?", (upto,))
        path = world.database.path
    world = await open_world(path, prefix="later")
    try:
        assert [await world.memory.content_at(block, each.version) for each in versions] == contents
        assert await check(path) == ()
    finally:
        await world.close()


async def test_that_the_list_of_versions_stands_when_the_document_cannot_be_read(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        block = await world.make(content="one")
        await world.memory.edit(block, AppendText(" two"), actor=AGENT, reason="why")
        async with world.database.write() as tx:
            await tx.execute("UPDATE updates SET blob = x'00'")
        path = world.database.path
    world = await open_world(path, prefix="later")
    try:
        told = await world.memory.history(block)
        assert [(each.reason, each.length) for each in told] == [("", None), ("why", 7)]
        with pytest.raises(DocumentError):
            await world.memory.content_at(block, told[0].version)
    finally:
        await world.close()
