"""How a new file is made: the user's alone, whole or not at all, and never over another."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.storage.database import Database
from tests.storage.builders import ACTOR, clock, new_file, opened, set_fact

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")


@posix
async def test_that_new_files_and_folders_are_the_users_alone_whatever_the_umask(tmp_db_dir: Path) -> None:
    path = tmp_db_dir / "new" / "deep" / "a.constellation"
    modes: dict[str, int] = {}
    before = os.umask(0)
    try:
        async with opened(path, create=True) as database, database.write() as tx:
            await set_fact(tx, "x")
            journal = path.with_name(f"{path.name}-journal")
            for each in (path, journal, path.parent, path.parent.parent):
                modes[each.name] = stat.S_IMODE(each.stat().st_mode)
    finally:
        os.umask(before)
    assert modes == {path.name: 0o600, journal.name: 0o600, "deep": 0o700, "new": 0o700}


@posix
async def test_that_a_file_that_others_can_read_is_told_of(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        assert database.problems == ()
    path.chmod(0o644)
    async with opened(path) as database:
        assert [each.code for each in database.problems] == ["file.readable_by_others"]


async def test_that_an_existing_file_is_never_made_anew(tmp_db_dir: Path) -> None:
    path = tmp_db_dir / "a.constellation"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FileError) as caught:
        async with opened(path, create=True):
            pass
    assert caught.value.code == "file.exists"
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_db_dir.iterdir()) == [path]


async def test_that_a_creation_that_fails_leaves_nothing(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.storage.creation.STATEMENTS", ("CREATE TABLE t (a)", "CREATE NONSENSE"))
    path = tmp_db_dir / "new" / "a.constellation"
    with pytest.raises(FileError):
        await Database.open(path, create=True, clock=clock, actor=ACTOR, program="tests")
    assert list(tmp_db_dir.iterdir()) == []


async def test_that_two_new_files_have_different_identities(tmp_db_dir: Path) -> None:
    ids = set()
    for name in ("a", "b"):
        async with opened(tmp_db_dir / name, create=True) as database, database.read() as connection:
            row = await connection.fetch_one("SELECT value FROM meta WHERE name = 'constellation_id'")
            assert row is not None
            ids.add(row["value"])
    assert len(ids) == 2
