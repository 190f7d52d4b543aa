"""Unsaved edits outlive their writer, and belong to this user alone."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inspector.domain.edits.base import Draft, Edit, Version
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.storage.drafts_file import DraftsFile, StoredDraft

BLOCK = Ref(RefKind.BLOCK, "blk_1")


def draft(text: str, minute: int = 0, ref: Ref = BLOCK) -> Draft:
    """A draft that would set a text."""
    edit = Edit(ref, SetText(text), Version("abc"))
    return Draft(ref, edit, datetime(2026, 11, 20, 9, minute, tzinfo=UTC))


@asynccontextmanager
async def drafts_in(folder: Path) -> AsyncIterator[DraftsFile]:
    """The drafts file of a folder, closed at the end."""
    drafts = await DraftsFile.open(folder / "state" / "drafts.sqlite")
    try:
        yield drafts
    finally:
        await drafts.close()


async def test_that_a_draft_is_there_after_its_writer_is_gone(tmp_db_dir: Path) -> None:
    kept = Draft(BLOCK, Edit(BLOCK, SpliceText((Splice(1, 2, "x"),)), Version("v")), draft("").updated_at)
    async with drafts_in(tmp_db_dir) as drafts:
        await drafts.put("con_1", "one", kept)
    async with drafts_in(tmp_db_dir) as drafts:
        assert await drafts.of_constellation("con_1") == ((StoredDraft("one", kept),), ())


async def test_that_drafts_are_kept_by_constellation_thing_and_instance(tmp_db_dir: Path) -> None:
    other = Ref(RefKind.BLOCK, "blk_2")
    async with drafts_in(tmp_db_dir) as drafts:
        await drafts.put("con_1", "one", draft("a", 1))
        await drafts.put("con_1", "two", draft("b", 2))
        await drafts.put("con_1", "one", draft("c", 3, other))
        await drafts.put("con_2", "one", draft("d", 4))
        await drafts.put("con_1", "one", draft("a again", 5))
        found, _ = await drafts.of_constellation("con_1")
        assert [each.draft for each in found] == [draft("b", 2), draft("c", 3, other), draft("a again", 5)]
        await drafts.discard("con_1", "one", BLOCK)
        found, _ = await drafts.of_constellation("con_1")
        assert [each.instance for each in found] == ["two", "one"]
        assert len((await drafts.of_constellation("con_2"))[0]) == 1


async def test_that_two_instances_use_one_file(tmp_db_dir: Path) -> None:
    async with drafts_in(tmp_db_dir) as one, drafts_in(tmp_db_dir) as two:
        await one.put("con_1", "one", draft("a", 1))
        await two.put("con_1", "two", draft("b", 2))
        assert await one.of_constellation("con_1") == await two.of_constellation("con_1")


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")
async def test_that_drafts_are_the_users_alone_whatever_the_umask(tmp_db_dir: Path) -> None:
    before = os.umask(0)
    try:
        async with drafts_in(tmp_db_dir) as drafts:
            await drafts.put("con_1", "one", draft("a"))
            path = tmp_db_dir / "state" / "drafts.sqlite"
            modes = [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)]
    finally:
        os.umask(before)
    assert modes == [0o600, 0o700]


async def test_that_a_damaged_file_is_put_aside_and_never_deleted(tmp_db_dir: Path) -> None:
    async with drafts_in(tmp_db_dir) as drafts:
        assert drafts.problem is None
    path = tmp_db_dir / "state" / "drafts.sqlite"
    path.write_bytes(b"no database" * 1000)
    async with drafts_in(tmp_db_dir) as drafts:
        assert drafts.problem is not None
        assert drafts.problem.code == "drafts.set_aside"
        aside = Path(str(drafts.problem.parameters["aside"]))
        assert aside.read_bytes() == b"no database" * 1000
        await drafts.put("con_1", "one", draft("a"))
        assert len((await drafts.of_constellation("con_1"))[0]) == 1


async def test_that_a_newer_file_is_refused_and_left_alone(tmp_db_dir: Path) -> None:
    async with drafts_in(tmp_db_dir) as drafts:
        await drafts.put("con_1", "one", draft("a"))
    path = tmp_db_dir / "state" / "drafts.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(FileError) as caught:
        await DraftsFile.open(path)
    assert caught.value.code == "drafts.newer_version"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


async def test_that_an_unreadable_draft_is_a_problem_and_the_rest_is_listed(tmp_db_dir: Path) -> None:
    async with drafts_in(tmp_db_dir) as drafts:
        await drafts.put("con_1", "one", draft("a"))
        await drafts.put("con_1", "two", draft("b"))
    with closing(sqlite3.connect(tmp_db_dir / "state" / "drafts.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE drafts SET edit = '{' WHERE instance = 'one'")
    async with drafts_in(tmp_db_dir) as drafts:
        found, problems = await drafts.of_constellation("con_1")
        assert [each.instance for each in found] == ["two"]
        assert [each.code for each in problems] == ["drafts.unreadable"]
