"""Rows that were written and are gone are found by looking the file over, and a salvage doesn't hide them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.errors import FileError, Problem
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from inspector.storage.missing_rows import MOST_NAMED
from tests.file_checks import problems_in
from tests.fixtures import opened_engine
from tests.full_constellation import ADA, made_once, make_furnished
from tests.runtime.damaged_files import read_in_this_process

GONE = [
    ("messages", "message:", 24),
    ("summaries", "summary:", 3),
    ("archival_entries", "archival:", 8),
    ("tools", "tool:", 1),
    ("tool_rules", "tool_rule:", 1),
    ("wakeups", "wakeup:", 1),
]


def alter(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def of(problems: tuple[Problem, ...], code: str) -> list[Problem]:
    return [each for each in problems if each.code == code]


@pytest.fixture
def whole(tmp_db_dir: Path, surroundings: Environment) -> Path:
    path = asyncio.run(made_once("furnished", tmp_db_dir / "a.constellation", surroundings, make_furnished))
    assert problems_in(path) == ()
    return path


@pytest.mark.parametrize(("table", "where", "count"), GONE)
async def test_that_rows_that_vanished_are_found(whole: Path, table: str, where: str, count: int) -> None:
    alter(whole, "DELETE FROM " + table)
    problems = problems_in(whole)
    missing = of(problems, "check.row_missing")
    assert len(missing) == count
    assert all(each.where.startswith(where) for each in missing)
    # That the index still knows of them is no fault of the index.
    assert not of(problems, "check.index_stray")


async def test_that_a_gutted_file_is_not_whole_after_a_salvage(
    whole: Path, surroundings: Environment
) -> None:
    alter(whole, *("DELETE FROM " + table for table in ("messages", "summaries", "archival_entries")))
    target = whole.with_name("salvaged.constellation")
    report = await salvage(whole, target, surroundings, read_in_this_process)
    assert not report.is_complete
    assert len(of(report.problems, "check.row_missing")) == 24 + 3 + 8
    # It was reported once; what goes missing from then on is found again.
    assert problems_in(target) == ()
    alter(target, "DELETE FROM tools", "DELETE FROM activity WHERE seq = (SELECT max(seq) FROM activity)")
    assert len(of(problems_in(target), "check.entries_missing")) == 1


@pytest.mark.parametrize(
    ("table", "choice"),
    [
        ("changes", "= (SELECT max(seq) FROM changes)"),
        ("changes", "= (SELECT seq FROM changes WHERE ref_kind = 'message' LIMIT 1)"),
        ("activity", "= (SELECT max(seq) FROM activity)"),
        ("activity", "= 2"),
    ],
)
async def test_that_entries_of_the_journal_that_vanished_are_found(
    whole: Path, surroundings: Environment, table: str, choice: str
) -> None:
    alter(whole, f"DELETE FROM {table} WHERE seq {choice}")
    (found,) = of(problems_in(whole), "check.entries_missing")
    assert found.parameters == {"table": table, "count": 1}
    target = whole.with_name("salvaged.constellation")
    report = await salvage(whole, target, surroundings, read_in_this_process)
    assert not report.is_complete
    assert problems_in(target) == ()


async def test_that_very_many_missing_rows_are_counted(whole: Path) -> None:
    row = "SELECT kind, ref_kind, 'm' || value, actor_kind, actor_id, actor_name, reason, at, process"
    alter(
        whole,
        "INSERT INTO changes (kind, ref_kind, ref_id, actor_kind, actor_id, actor_name, reason, at, process) "
        f"{row} FROM changes, json_each('[{','.join(map(str, range(150)))}]') "
        "WHERE ref_kind = 'message' AND ref_id = 'msg_0'",
    )
    problems = problems_in(whole)
    assert len(of(problems, "check.row_missing")) == MOST_NAMED
    (further,) = of(problems, "check.more_rows_missing")
    assert further.parameters == {"table": "messages", "count": 150 - MOST_NAMED}


async def test_that_a_lost_id_is_an_error_and_not_a_crash(whole: Path, surroundings: Environment) -> None:
    alter(whole, "UPDATE meta SET name = 'constellation_ie' WHERE name = 'constellation_id'")
    (found,) = problems_in(whole)
    assert (found.code, found.parameters) == ("check.fact_missing", {"name": "constellation_id"})
    async with opened_engine(whole, surroundings) as engine:
        with pytest.raises(FileError, match=r"file\.no_id"):
            await engine.context.snapshot(ADA)
        with pytest.raises(FileError, match=r"file\.no_id"):
            await engine.drafts.left()
    target = whole.with_name("salvaged.constellation")
    await salvage(whole, target, surroundings, read_in_this_process)
    assert problems_in(target) == ()
    async with opened_engine(target, surroundings) as engine:
        await engine.context.snapshot(ADA)
