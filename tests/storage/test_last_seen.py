"""What other programs do to an open file without taking its name away: writing stops, and the reason is clear."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.changes import FileMoved
from inspector.domain.errors import FileError
from inspector.storage.creation import LEFT_SECONDS, beside
from inspector.storage.database import Database
from inspector.storage.schema import CURRENT
from tests.storage.builders import alter, fact, new_file, opened, set_fact

OUTSIDE = """
import shutil, sqlite3, sys
what, path, other = sys.argv[1:]
if what == "overwritten":
    with open(other, "rb") as source, open(path, "r+b") as target:
        shutil.copyfileobj(source, target)
        target.truncate()
else:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA user_version = 262144" if what == "version_changed" else "PRAGMA journal_mode = WAL")
    connection.close()
"""


def happen(what: str, path: Path, other: Path) -> None:
    """In another process, which drops no lock of ours."""
    subprocess.run([sys.executable, "-c", OUTSIDE, what, str(path), str(other)], check=True)


async def write(database: Database, value: str) -> None:
    async with database.write() as tx:
        await set_fact(tx, value)


async def made(folder: Path) -> tuple[Path, Path]:
    """A file, and a copy of it to which nothing was written since."""
    path = await new_file(folder)
    older = folder / "older"
    shutil.copy(path, older)
    return path, older


@pytest.mark.parametrize("what", ["overwritten", "version_changed", "switched_to_wal"])
@pytest.mark.parametrize("noticed", [True, False])
async def test_that_nothing_more_is_acknowledged(tmp_db_dir: Path, what: str, noticed: bool) -> None:
    path, older = await made(tmp_db_dir)
    async with opened(path) as database:
        news = database.feed.subscribe()
        await write(database, "ours")
        news.waiting()
        happen(what, path, older)
        if noticed:
            await database.poll()
            assert news.waiting() == (FileMoved(what),)
        for _ in range(2):
            with pytest.raises(FileError) as caught:
                await write(database, "never")
            assert caught.value.code == f"file.{what}"
    with closing(sqlite3.connect(path)) as connection:
        (value,) = connection.execute("SELECT value FROM meta WHERE name = 'fact'").fetchone()
    assert value == ("first" if what == "overwritten" else "ours")


async def test_that_another_history_of_the_same_length_is_noticed(tmp_db_dir: Path) -> None:
    path, other = await made(tmp_db_dir)
    async with opened(other) as database:
        await write(database, "theirs")
        await write(database, "theirs too")
    alter(other, "UPDATE changes SET at = '2027-01-01T00:00:00.000000Z'")
    async with opened(path) as database:
        await write(database, "ours")
        await write(database, "ours too")
        happen("overwritten", path, other)
        with pytest.raises(FileError, match="overwritten"):
            await write(database, "never")


async def test_that_the_same_contents_put_over_a_file_are_no_harm(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    async with opened(path) as database:
        await write(database, "ours")
        copy = tmp_db_dir / "copy"
        await database.copy_to(copy)
        happen("overwritten", path, copy)
        await write(database, "again")
        assert await fact(database) == "again"


async def test_that_a_file_that_was_switched_to_wal_has_all_in_one_file_once_it_is_closed(
    tmp_db_dir: Path,
) -> None:
    path, older = await made(tmp_db_dir)
    async with opened(path) as database:
        await write(database, "ours")
        happen("switched_to_wal", path, older)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("UPDATE meta SET value = 'theirs' WHERE name = 'fact'")
            await database.poll()
            assert await fact(database) == "theirs"
        assert path.with_name(path.name + "-wal").stat().st_size > 0
    assert not path.with_name(path.name + "-wal").exists()
    async with opened(path) as database:
        assert database.read_only is None
        assert await fact(database) == "theirs"
        await write(database, "ours again")


async def test_that_a_file_with_two_names_is_only_read(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    link = tmp_db_dir / "link.constellation"
    link.hardlink_to(path)
    async with opened(path) as database:
        assert database.read_only is not None
        assert database.read_only.code == "file.hard_linked"
        assert await fact(database) == "first"
        with pytest.raises(FileError, match=r"file\.hard_linked"):
            await write(database, "never")
    link.unlink()
    async with opened(path) as database:
        await write(database, "one")
        # A second name that comes while it is open stops writing until it is gone.
        link.hardlink_to(path)
        with pytest.raises(FileError, match=r"file\.hard_linked"):
            await write(database, "never")
        link.unlink()
        await write(database, "two")
        assert await fact(database) == "two"


async def test_that_what_a_killed_process_left_on_its_way_is_removed(tmp_db_dir: Path) -> None:
    path, _ = await made(tmp_db_dir)
    # It had its name already: the other is only a second one.
    beside(path).hardlink_to(path)
    async with opened(path) as database:
        assert database.read_only is None
        await write(database, "ours")
    old, young, strange = beside(path), beside(path), tmp_db_dir / ".a.constellation.backup.new"
    for each in (old, old.with_name(old.name + "-journal"), young, strange):
        each.write_bytes(b"half")
    past = time.time() - LEFT_SECONDS - 1
    for each in (old, old.with_name(old.name + "-journal"), strange):
        os.utime(each, (past, past))
    beside(path)
    assert {each.name for each in tmp_db_dir.iterdir()} == {path.name, "older", young.name, strange.name}


def test_that_the_version_of_the_test_is_another() -> None:
    assert CURRENT.packed != 262144
