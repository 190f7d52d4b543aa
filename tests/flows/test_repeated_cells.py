"""Cells of blocks beside their contents: `check` finds what is not as it was written, a salvage makes it anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.content import TextContent
from inspector.domain.edits.text import AppendText
from inspector.domain.salvage import Recovery
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from tests.damaged_rows import damage
from tests.file_checks import problems_in
from tests.fixtures import NOOR, opened_engine
from tests.full_constellation import made_once, make_furnished
from tests.runtime.damaged_files import read_in_this_process

NOTES, TASKS = "block:blk_notes", "block:blk_tasks"
STATE, WRITER, PENDING = "check.state_differs", "check.writer_damaged", "check.pending_differs"
ASTRAY = "check.checkpoint_astray"

DIFFERING = [
    (
        "UPDATE block_contents SET version = 'zz' || substr(version, 3) WHERE block_id = 'blk_notes'",
        STATE,
        NOTES,
    ),
    (
        "UPDATE block_contents SET version = (SELECT version_after FROM updates "
        "WHERE block_id = 'blk_tasks' AND seq = 2) WHERE block_id = 'blk_tasks'",
        STATE,
        TASKS,
    ),
    ("UPDATE block_contents SET version = '' WHERE block_id = 'blk_tasks'", STATE, TASKS),
    ("UPDATE block_contents SET actor_kind = 'agent' WHERE block_id = 'blk_notes'", WRITER, NOTES),
    ("UPDATE block_contents SET actor_id = 'mallory' WHERE block_id = 'blk_notes'", WRITER, NOTES),
    ("UPDATE block_contents SET actor_name = 'Mallory' WHERE block_id = 'blk_tasks'", WRITER, TASKS),
    (
        "UPDATE block_contents SET written_at = '2020-01-01T00:00:00Z' WHERE block_id = 'blk_tasks'",
        WRITER,
        TASKS,
    ),
    # It is the same moment, written as nothing here writes one.
    (
        "UPDATE block_contents SET written_at = replace(written_at, 'T', 'U') WHERE block_id = 'blk_tasks'",
        WRITER,
        TASKS,
    ),
    ("UPDATE block_contents SET reason = 'because' WHERE block_id = 'blk_tasks'", WRITER, TASKS),
    ("UPDATE block_contents SET tool_call_id = 'call' WHERE block_id = 'blk_tasks'", WRITER, TASKS),
    (
        "UPDATE block_contents SET revision = revision + 1 WHERE block_id = 'blk_notes'",
        "check.revision",
        NOTES,
    ),
    (
        "UPDATE block_contents SET revision = revision - 1 WHERE block_id = 'blk_tasks'",
        "check.revision",
        TASKS,
    ),
    (
        "UPDATE block_contents SET problem = 'block.pending_updates' WHERE block_id = 'blk_tasks'",
        "block.pending_updates",
        TASKS,
    ),
    ("UPDATE updates SET pending = 1 WHERE block_id = 'blk_tasks' AND seq = 2", PENDING, TASKS),
    ("UPDATE updates SET pending = 1 WHERE block_id = 'blk_notes' AND seq = 2", PENDING, NOTES),
    (
        "UPDATE checkpoints SET upto_seq = upto_seq - 1 WHERE block_id = 'blk_notes'",
        ASTRAY,
        NOTES,
    ),
]


async def furnished(folder: Path, surroundings: Environment) -> Path:
    """A file with a folded block and others; all of it at one moment, so that times tell nothing apart."""
    make = partial(make_furnished, folded=True)
    return await made_once("folded", folder / "a.constellation", surroundings, make)


def told(path: Path) -> set[tuple[str, str]]:
    """What looking a file over says."""
    return {(each.code, each.where) for each in problems_in(path)}


def rows(path: Path, table: str) -> list[tuple[Any, ...]]:
    """All rows of a table."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM " + table).fetchall()


@pytest.mark.parametrize(("statement", "code", "where"), DIFFERING)
async def test_that_a_cell_that_repeats_something_wrongly_is_told_and_made_anew_by_a_salvage(
    tmp_db_dir: Path, surroundings: Environment, statement: str, code: str, where: str
) -> None:
    path = await furnished(tmp_db_dir, surroundings)
    tables = ("block_contents", "updates", "checkpoints", "changes")
    whole = {table: rows(path, table) for table in tables}
    damage(path, statement)
    assert told(path) == {(code, where)}
    target = tmp_db_dir / "salvaged.constellation"
    report = await salvage(path, target, surroundings, examine=read_in_this_process)
    assert {each.recovery for each in report.blocks} == {Recovery.WHOLE}
    assert told(target) == set()
    for table in tables:
        assert rows(target, table) == whole[table], table


async def test_that_a_block_is_written_on_after_a_salvage_of_its_version(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await furnished(tmp_db_dir, surroundings)
    damage(path, DIFFERING[0][0])
    target = tmp_db_dir / "salvaged.constellation"
    await salvage(path, target, surroundings, examine=read_in_this_process)
    async with opened_engine(target, surroundings) as engine:
        before = await engine.memory.versions.versions("blk_notes")
        receipt = await engine.edit("blk_notes", AppendText("!"))
        assert receipt.changed
        assert len(await engine.memory.versions.versions("blk_notes")) == len(before) + 1
        first = (await engine.memory.versions.content_at("blk_notes", before[0].version)).content
        assert first == TextContent("The notes of Ada.")
    assert told(target) == set()


async def test_that_damage_to_links_between_a_history_and_the_journal_is_told(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await furnished(tmp_db_dir, surroundings)
    async with opened_engine(path, surroundings) as engine:
        await engine.edit("blk_notes", AppendText("once"), actor=NOOR)
        await engine.edits.undo(NOOR)
    assert told(path) == set()
    damage(path, "UPDATE changes SET undo_of = undo_of - 1 WHERE undo_of IS NOT NULL")
    ((code, _),) = told(path)
    assert code == "check.change_damaged"
    damage(path, "UPDATE updates SET change_seq = 1 WHERE block_id = 'blk_tasks' AND seq = 1")
    assert ("check.version_damaged", TASKS) in told(path)


async def test_that_a_damaged_entry_of_a_history_is_told_once(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    path = await furnished(tmp_db_dir, surroundings)
    damage(path, "UPDATE updates SET actor_name = 'Mallory' WHERE block_id = 'blk_tasks' AND seq = 3")
    assert told(path) == {("check.version_damaged", TASKS)}
