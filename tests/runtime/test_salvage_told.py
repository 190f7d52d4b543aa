"""What a salvage says of the file itself: that it was cut off, and that a newer version wrote more than is known."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.errors import Problem
from inspector.domain.salvage import SalvageReport
from inspector.runtime.environment import Environment
from inspector.runtime.salvage import salvage
from inspector.storage.salvage_pages import PageImage
from inspector.storage.salvage_rows import read_rows
from inspector.storage.schema import CURRENT, SchemaVersion
from tests.file_checks import problems_in
from tests.full_constellation import copy_sample
from tests.runtime.damaged_files import read_in_this_process, rows_of

PAGE = 4096


async def salvaged(path: Path, surroundings: Environment) -> SalvageReport:
    target = path.with_name("salvaged.constellation")
    return await salvage(path, target, surroundings, examine=read_in_this_process)


def problem(report: SalvageReport, code: str) -> Problem:
    (found,) = (each for each in report.problems if each.code == code)
    return found


@pytest.mark.parametrize("size", [25 * PAGE, 24 * PAGE + 1696])
async def test_that_the_pages_that_a_cut_file_lacks_are_told(
    tmp_db_dir: Path, surroundings: Environment, size: int
) -> None:
    sample = await copy_sample(tmp_db_dir / "sample.constellation", surroundings)
    content = sample.read_bytes()
    named = len(content) // PAGE
    sample.write_bytes(content[:size])
    report = await salvaged(sample, surroundings)
    assert not report.is_complete
    assert (report.pages, report.missing_pages) == (25, named - 25)
    told = problem(report, "salvage.pages_missing")
    assert told.parameters == {"missing": named - 25, "named": named}
    # A page of which only a part is left is no whole one.
    assert (25 in report.damaged_pages) is bool(size % PAGE)


async def test_that_a_whole_file_lacks_no_page_and_names_nothing_unknown(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    sample = await copy_sample(tmp_db_dir / "sample.constellation", surroundings)
    report = await salvaged(sample, surroundings)
    assert (report.missing_pages, report.lost, report.problems) == (0, {}, ())
    found = read_rows(PageImage(sample.read_bytes()))
    assert (found.named, found.unknown, found.version) == (found.pages, [], CURRENT.packed)


def test_that_a_count_of_pages_that_was_not_kept_up_to_date_says_nothing() -> None:
    header = b"SQLite format 3\0" + PAGE.to_bytes(2, "big") + bytes(PAGE)
    page = bytearray(header[:PAGE])
    page[24:32] = (7).to_bytes(4, "big") + (900).to_bytes(4, "big")
    page[92:96] = (6).to_bytes(4, "big")
    assert PageImage(bytes(page)).named == 0
    page[92:96] = (7).to_bytes(4, "big")
    assert PageImage(bytes(page)).named == 900


@pytest.mark.parametrize("size", [0, 15, 16, 20, 21, 60, 99])
def test_that_less_than_a_header_says_nothing(size: int) -> None:
    image = PageImage((b"SQLite format 3\0" + PAGE.to_bytes(2, "big") + bytes(82))[:size])
    assert (image.named, image.user_version) == (0, 0)


async def test_that_a_newer_version_is_told_and_what_is_known_of_it_comes_back(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    sample = await copy_sample(tmp_db_dir / "sample.constellation", surroundings)
    before = rows_of(sample)
    newer = SchemaVersion(CURRENT.major + 1, 3)
    with closing(sqlite3.connect(sample)) as connection:
        connection.execute("ALTER TABLE blocks ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'")
        connection.execute("CREATE TABLE moods (id INTEGER PRIMARY KEY, mood TEXT)")
        # Only rows that are written from now on have the new column.
        connection.execute("UPDATE blocks SET colour = 'red' WHERE block_type = 'core'")
        connection.execute(f"PRAGMA user_version = {newer.packed}")
        connection.commit()
    report = await salvaged(sample, surroundings)
    assert not report.is_complete
    told = problem(report, "salvage.newer_version")
    assert told.parameters == {"found": str(newer), "known": str(CURRENT)}
    assert problem(report, "salvage.not_understood").parameters["names"] == ("moods",)
    # What this version knows came back whole, rows with more columns than it knows too.
    assert rows_of(Path(report.target)) == before
    assert problems_in(Path(report.target)) == ()
