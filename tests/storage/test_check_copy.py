"""A large file is looked over on a copy of its own: whoever writes the file does not wait for that."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.blocks import Schema
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import Severity
from inspector.memory.stored_documents import read_document
from inspector.storage import check_copy, copying
from inspector.storage.check import DocumentRead, DocumentReader, check_file
from tests.file_checks import problems_in
from tests.memory.world import HUMAN, new_world
from tests.storage.builders import alter, hash_outside

WRITE = "UPDATE meta SET value = value || 'x' WHERE name = 'constellation_id'"


@pytest.fixture(autouse=True)
def copies(tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made; each file counts as large."""
    folder = tmp_db_dir / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(check_copy, "LARGE_BYTES", 0)
    return folder


async def made(folder: Path) -> Path:
    """A closed file with a block of some history."""
    async with new_world(folder) as world:
        block = await world.make(content="one")
        for number in range(5):
            await world.edit(block, AppendText(str(number)), actor=HUMAN)
        return world.database.path


def writing(path: Path, seen: list[Path], copies: Path) -> DocumentReader:
    """A reader of documents beside which somebody writes the file, and does not wait."""

    def read(schema: Schema, snapshot: bytes | None, updates: list[bytes]) -> DocumentRead:
        seen.extend(copies.rglob("copy"))
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            connection.execute(WRITE)
        return read_document(schema, snapshot, updates)

    return read


async def test_that_a_large_file_can_be_written_while_it_is_looked_over(
    tmp_db_dir: Path, copies: Path
) -> None:
    path, seen = await made(tmp_db_dir), list[Path]()
    assert check_file(path, writing(path, seen, copies)) == ()
    assert seen
    assert list(copies.iterdir()) == []


async def test_that_the_copy_is_the_users_alone(
    tmp_db_dir: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []

    def look(source: Path, target: Path) -> None:
        copying.copy_pages(source, target)
        modes.extend(each.stat().st_mode & 0o777 for each in (target, target.parent))

    monkeypatch.setattr(check_copy, "copy_pages", look)
    assert problems_in(await made(tmp_db_dir)) == ()
    assert modes == [0o600, 0o700]


async def test_that_damage_to_a_large_file_is_told_as_to_a_small_one(
    tmp_db_dir: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await made(tmp_db_dir)
    alter(path, "UPDATE block_contents SET rendered = 'x'", "UPDATE updates SET reason = 'y' WHERE seq = 2")
    before, found = hash_outside(path), problems_in(path)
    assert hash_outside(path) == before
    monkeypatch.setattr(check_copy, "LARGE_BYTES", 1 << 40)
    assert found == problems_in(path)
    assert len(found) >= 2
    assert list(copies.iterdir()) == []


async def test_that_a_large_file_left_in_wal_mode_is_looked_over(tmp_db_dir: Path, copies: Path) -> None:
    path = await made(tmp_db_dir)
    alter(path, "PRAGMA journal_mode = WAL")
    assert [each for each in problems_in(path) if each.severity is Severity.ERROR] == []
    assert "check.in_place" not in {each.code for each in problems_in(path)}


async def test_that_without_room_for_a_copy_the_file_is_looked_over_where_it_lies_and_that_is_told(
    tmp_db_dir: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await made(tmp_db_dir)
    alter(path, "UPDATE block_contents SET rendered = 'x'")
    monkeypatch.setattr(check_copy, "room_in", lambda _: path.stat().st_size)
    told, *rest = problems_in(path)
    assert (told.code, told.severity, told.where) == ("check.in_place", Severity.WARNING, str(path))
    assert str(copies) in str(told.parameters["why"])
    monkeypatch.setattr(check_copy, "LARGE_BYTES", 1 << 40)
    assert tuple(rest) == problems_in(path) != ()


async def test_that_a_file_that_cannot_be_copied_beside_its_writers_is_looked_over_where_it_lies(
    tmp_db_dir: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await made(tmp_db_dir)
    monkeypatch.setattr(copying, "STEP_PAGES", 4)
    monkeypatch.setattr(copying, "LOCKED_SECONDS", 0)
    monkeypatch.setattr(time, "sleep", lambda _: alter(path, WRITE))
    (told,) = problems_in(path)
    assert (told.code, told.parameters["why"]) == ("check.in_place", "file.busy")
    assert list(copies.iterdir()) == []
