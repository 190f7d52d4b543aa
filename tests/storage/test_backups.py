"""Backups on disk: private, whole, restorable, and thinned by plan."""
# ruff: noqa: ASYNC230, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import threading
import time
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.backups import KEPT_NEWEST, BackupReason
from inspector.domain.blocks import TASK_LIST
from inspector.domain.edits.items import InsertItem
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from inspector.memory.checking import check
from inspector.storage import copying
from inspector.storage.backups import BackupFolder, all_in, restore
from inspector.storage.copying import copy_database
from tests.memory.world import HUMAN, new_world
from tests.storage.builders import MOMENT, alter, new_file, opened, set_fact


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables of a closed file."""
    with closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: connection.execute("SELECT * FROM " + name).fetchall() for name in names}


async def worked_on(folder: Path) -> Path:
    """A closed file with some history, one document folded."""
    async with new_world(folder) as world:
        block = await world.make(content="one", char_limit=0)
        for number in range(110):
            await world.edit(block, AppendText(f" {number}"), actor=HUMAN)
        tasks = await world.make("tasks", None, TASK_LIST)
        await world.edit(tasks, InsertItem({"title": "water"}), actor=HUMAN)
        return world.database.path


async def test_that_the_newest_backup_restores_with_all_hashes_equal(tmp_db_dir: Path) -> None:
    path = await worked_on(tmp_db_dir)
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)
    backups.make(BackupReason.SCHEDULE, MOMENT)
    newest = backups.list()[0]
    target = tmp_db_dir / "restored" / "again.constellation"
    target.parent.mkdir()
    restore(Path(newest.path), target)
    assert contents(target) == contents(path)
    assert await check(target) == ()
    with closing(sqlite3.connect(target)) as connection:
        blobs = [
            *connection.execute("SELECT blob, content_hash FROM updates WHERE blob IS NOT NULL"),
            *connection.execute("SELECT snapshot, content_hash FROM checkpoints"),
        ]
    assert len(blobs) > 100
    assert all(hashlib.sha256(blob).hexdigest() == wanted for blob, wanted in blobs)


async def test_that_folders_and_files_are_the_users_alone(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = os.umask(0)
    try:
        backups = BackupFolder.of_file(tmp_db_dir / "data" / "backups", path)
        made = backups.make(BackupReason.BY_HAND, MOMENT)
    finally:
        os.umask(before)
    assert Path(made.path).stat().st_mode & 0o777 == 0o600
    for folder in (backups.folder, backups.folder.parent, backups.folder.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700


async def test_that_a_backup_says_what_it_is(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)
    first = backups.make(BackupReason.SCHEDULE, MOMENT)
    async with opened(path) as database, database.write() as tx:
        await set_fact(tx, "second")
    second = backups.make(BackupReason.BEFORE_IMPORT, MOMENT - timedelta(days=1))
    assert (first.number, first.made_at, first.seq, first.reason) == (1, MOMENT, 1, BackupReason.SCHEDULE)
    assert (second.number, second.seq, second.reason) == (2, 2, BackupReason.BEFORE_IMPORT)
    assert second.size == Path(second.path).stat().st_size > 0
    # The clock went back, and the order did not.
    assert backups.list() == (second, first)
    assert all_in(tmp_db_dir / "backups") == {backups.folder.name: (second, first)}


async def test_that_old_ones_go_and_strange_files_stay(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)
    backups.folder.mkdir(parents=True)
    strange = backups.folder / "000001-notes.constellation"
    strange.write_text("mine", encoding="utf-8")
    for minutes in range(KEPT_NEWEST + 5):
        backups.make(BackupReason.SCHEDULE, MOMENT + timedelta(minutes=minutes))
    assert [each.number for each in backups.list()] == list(range(KEPT_NEWEST + 5, 5, -1))
    assert strange.read_text(encoding="utf-8") == "mine"


async def test_that_nothing_is_removed_when_a_backup_fails(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)
    for minutes in range(KEPT_NEWEST):
        backups.make(BackupReason.SCHEDULE, MOMENT + timedelta(minutes=minutes))
    before = sorted(each.name for each in backups.folder.iterdir())

    def full(_: Path, __: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(copying, "put_in_place", full)
    with pytest.raises(FileError) as caught:
        backups.make(BackupReason.SCHEDULE, MOMENT + timedelta(days=1))
    assert caught.value.code == "file.cannot_create"
    assert sorted(each.name for each in backups.folder.iterdir()) == before


async def test_that_an_id_from_the_file_leads_out_of_no_folder(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    root = tmp_db_dir / "backups"
    for hostile in ("../../x", "/etc/x", "a/b", "", "x" * 300, "nul\0", "con"):
        folder = BackupFolder(root, path, hostile).folder
        assert folder.parent == root
        assert len(folder.name) < 100
        assert "\0" not in folder.name


async def test_that_copies_of_one_constellation_keep_their_backups_apart(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    other = tmp_db_dir / "other.constellation"
    copy_database(path, other)
    root = tmp_db_dir / "backups"
    made = BackupFolder.of_file(root, path).make(BackupReason.BY_HAND, MOMENT)
    assert BackupFolder.of_file(root, path).list() == (made,)
    assert BackupFolder.of_file(root, other).list() == ()


async def test_that_a_damaged_backup_is_not_restored_and_nothing_is_written_over(tmp_db_dir: Path) -> None:
    path = await worked_on(tmp_db_dir)
    made = BackupFolder.of_file(tmp_db_dir / "backups", path).make(BackupReason.BY_HAND, MOMENT)
    with pytest.raises(FileError) as caught:
        restore(Path(made.path), path)
    assert caught.value.code == "file.exists"
    with Path(made.path).open("r+b") as file:
        file.seek(4096 * 3)
        file.write(bytes(4096))
    target = tmp_db_dir / "new.constellation"
    with pytest.raises(FileError) as caught:
        restore(Path(made.path), target)
    assert caught.value.code == "file.damaged"
    assert not target.exists()
    alter(tmp_db_dir / "strange", "CREATE TABLE t (a)")
    with pytest.raises(FileError) as caught:
        restore(tmp_db_dir / "strange", target)
    assert caught.value.code == "file.not_a_constellation"


async def test_that_a_writer_gets_on_while_a_large_file_is_copied(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    alter(
        path,
        "INSERT INTO request_texts SELECT 'h' || value, hex(zeroblob(20000)) "
        "FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1500) "
        "SELECT value FROM n)",
    )
    assert path.stat().st_size > 50_000_000
    copied = threading.Event()
    target = tmp_db_dir / "copy.constellation"

    def copy() -> None:
        copy_database(path, target)
        copied.set()

    async with opened(path) as database:
        working = asyncio.ensure_future(asyncio.to_thread(copy))
        written = 0
        while not copied.is_set():
            async with database.write() as tx:
                await set_fact(tx, str(written))
            written += 1
            await asyncio.sleep(0.02)
        await working
    assert written > 1
    # Whole, and of one moment: the journal's last entry is the fact that is set.
    with closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (value,) = connection.execute("SELECT value FROM meta WHERE name = 'fact'").fetchone()
        (last,) = connection.execute("SELECT after FROM changes ORDER BY seq DESC LIMIT 1").fetchone()
    assert last == f'"{value}"'


async def test_that_a_file_that_is_always_written_and_too_large_for_one_step_is_given_up(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await worked_on(tmp_db_dir)
    monkeypatch.setattr(copying, "LOCKED_SECONDS", 0)
    monkeypatch.setattr(copying, "STEP_PAGES", 4)

    def write_between(_: float) -> None:
        alter(path, "UPDATE meta SET value = value || 'x' WHERE name = 'created_at'")

    monkeypatch.setattr(time, "sleep", write_between)
    with pytest.raises(FileError) as caught:
        copy_database(path, tmp_db_dir / "copy.constellation")
    assert caught.value.code == "file.busy"
    monkeypatch.undo()
    monkeypatch.setattr(copying, "STEP_PAGES", 4)
    monkeypatch.setattr(time, "sleep", write_between)
    copy_database(path, tmp_db_dir / "copy.constellation")
    monkeypatch.undo()
    assert contents(tmp_db_dir / "copy.constellation") == contents(path)


def written_between_all_steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have somebody write the file after each step, so that none of them counts."""
    write = "UPDATE meta SET value = value || 'x' WHERE name = 'created_at'"
    monkeypatch.setattr(time, "sleep", lambda _: alter(path, write))


async def test_that_a_large_file_that_is_always_written_is_copied_while_the_writers_wait(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await new_file(tmp_db_dir)
    sheets = "INSERT INTO request_texts VALUES (?, ?)"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number in range(9):
            connection.execute(sheets, (f"h{number}", " " * 30_000_000))
    assert path.stat().st_size > 256 << 20
    # How fast this machine is shall decide nothing here.
    monkeypatch.setattr(copying, "LOCKED_SECONDS", 600)
    monkeypatch.setattr(copying, "LONGEST_LOCKED_SECONDS", 600)
    written_between_all_steps(path, monkeypatch)
    refused = []

    class Held(copying.WriteLockNotice):
        def __call__(self, status: int, left: int, pages: int) -> None:
            with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer:
                try:
                    writer.execute("UPDATE meta SET value = 'torn' WHERE name = 'created_at'")
                except sqlite3.OperationalError as error:
                    refused.append(str(error))
            super().__call__(status, left, pages)

    monkeypatch.setattr(copying, "WriteLockNotice", Held)
    copy_database(path, tmp_db_dir / "copy.constellation")
    assert set(refused) == {"database is locked"}
    assert (tmp_db_dir / "copy.constellation").stat().st_size == path.stat().st_size
    alter(path, "UPDATE meta SET value = 'free' WHERE name = 'created_at'")


async def test_that_a_copy_that_keeps_writers_waiting_for_too_long_is_given_up_and_says_for_how_long(
    tmp_db_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await worked_on(tmp_db_dir)
    monkeypatch.setattr(copying, "STEP_PAGES", 4)
    monkeypatch.setattr(copying, "LONGEST_LOCKED_SECONDS", -1)
    written_between_all_steps(path, monkeypatch)
    with pytest.raises(FileError) as caught:
        copy_database(path, tmp_db_dir / "copy.constellation")
    assert caught.value.code == "file.busy"
    assert {"path", "megabytes", "seconds"} <= set(caught.value.parameters)
    # Nobody is kept waiting any more, and nothing is left of the copy.
    alter(path, "UPDATE meta SET value = 'free' WHERE name = 'created_at'")
    assert not [each for each in tmp_db_dir.iterdir() if "copy" in each.name]
