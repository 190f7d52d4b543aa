"""Looking a file over finds what was damaged, and changes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.blocks import TASK_LIST
from inspector.domain.edits.items import InsertItem
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from inspector.memory.checking import check
from tests.file_checks import problems_in
from tests.memory.world import AGENT, HUMAN, World, new_world, open_world
from tests.storage.builders import hash_outside


async def made(folder: Path) -> tuple[Path, str]:
    """A closed file with two blocks, and the id of the first."""
    async with new_world(folder) as world:
        block = await world.make(content="one")
        for number in range(3):
            await world.edit(block, AppendText(str(number)), actor=HUMAN)
        tasks = await world.make("tasks", None, TASK_LIST)
        await world.edit(tasks, InsertItem({"title": "water"}), actor=AGENT)
        return world.database.path, block


async def test_that_a_whole_file_has_no_problems_and_is_not_changed(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    before = hash_outside(path)
    assert await check(path) == ()
    assert hash_outside(path) == before


async def test_that_a_file_in_use_can_be_checked(world: World) -> None:
    block = await world.make()
    assert await check(world.database.path) == ()
    await world.edit(block, AppendText("x"), actor=HUMAN)
    assert await check(world.database.path) == ()


@pytest.mark.parametrize(
    ("statement", "codes"),
    [
        (
            "UPDATE updates SET blob = x'00' WHERE block_id = ? AND seq = 2",
            {"check.delta_damaged", "check.document"},
        ),
        ("DELETE FROM updates WHERE block_id = ? AND seq = 4", {"check.revision", "check.content_differs"}),
        ("UPDATE updates SET blob = NULL WHERE block_id = ? AND seq = 1", {"check.delta_missing"}),
        (
            "UPDATE block_contents SET content = replace(content, 'one', 'two') WHERE block_id = ?",
            {"check.content_differs", "check.index_differs"},
        ),
        ("DELETE FROM block_contents WHERE block_id = ?", {"block.no_content"}),
        ("UPDATE blocks SET schema = '{}' WHERE id = ?", {"block.unreadable_schema"}),
        (
            "UPDATE updates SET block_id = 'blk_none' WHERE block_id = ?",
            {"check.reference", "check.revision", "check.content_differs"},
        ),
    ],
)
async def test_that_damage_is_found_with_its_place(tmp_db_dir: Path, statement: str, codes: set[str]) -> None:
    path, block = await made(tmp_db_dir)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement, (block,))
    problems = problems_in(path)
    assert {each.code for each in problems} == codes
    assert all(each.where in (f"block:{block}", str(path)) for each in problems)


async def test_that_a_change_that_waits_is_told_when_it_is_not_marked_so(tmp_db_dir: Path) -> None:
    async with new_world(tmp_db_dir) as world:
        path = world.database.path
        block = await world.make(content="a")
        for text in "bcd":
            await world.edit(block, AppendText(text), actor=HUMAN)
        await world.take_delta_away(block, 3, "ab")
    world = await open_world(path, prefix="later")
    await world.edit(block, AppendText("e"), actor=HUMAN)
    await world.close()
    waits = {"block.pending_updates", "check.revision"}
    assert {each.code for each in problems_in(path)} == waits
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE updates SET pending = 0")
        assert {each.code for each in problems_in(path)} == waits | {"check.pending_differs"}
        connection.execute("UPDATE block_contents SET problem = NULL")
    assert {each.code for each in problems_in(path)} == waits | {"check.pending_differs"}


async def test_that_foreign_structure_is_a_problem_and_no_file_an_error(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE VIEW v AS SELECT 1")
    (problem,) = await check(path)
    assert problem.code == "file.foreign_objects"
    with pytest.raises(FileError):
        await check(tmp_db_dir / "none")


async def test_that_a_second_name_of_a_file_is_found(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    path.with_name("link").hardlink_to(path)
    (problem,) = await check(path)
    assert problem.code == "file.hard_linked"
