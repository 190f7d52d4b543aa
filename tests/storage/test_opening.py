"""What is checked before a file is believed, and that looking changes nothing."""
# ruff: noqa: ASYNC221, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.errors import FileError
from inspector.storage.schema import SchemaVersion
from tests.storage.builders import alter, fact, hash_outside, new_file, opened, set_fact

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")


async def refused(path: Path) -> FileError:
    """The error of opening; the file is as it was."""
    before = hash_outside(path) if path.is_file() else ""
    with pytest.raises(FileError) as caught:
        async with opened(path):
            pass
    if before:
        assert hash_outside(path) == before
    return caught.value


async def test_that_opening_and_reading_change_no_byte(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before, when = hash_outside(path), path.stat().st_mtime_ns
    async with opened(path) as database:
        assert await fact(database) == "first"
        await database.poll()
        assert hash_outside(path) == before
    assert (hash_outside(path), path.stat().st_mtime_ns) == (before, when)
    assert [each.name for each in tmp_db_dir.iterdir()] == [path.name]


async def test_that_the_first_write_registers_the_process_and_no_later_one_does(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        for value in ("second", "third"):
            async with database.write() as tx:
                await set_fact(tx, value)
        async with database.read() as connection:
            rows = await connection.fetch_all("SELECT program, actor_id, peer FROM processes")
        assert [(row["program"], row["actor_id"]) for row in rows] == [("tests", "ada")] * 2
        assert len({row["peer"] for row in rows}) == 2


async def test_that_the_journal_is_deleted_and_every_commit_synced(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database:
        async with database.write() as tx:
            await set_fact(tx, "x")
            assert (tmp_db_dir / f"{path.name}-journal").exists()
        assert not (tmp_db_dir / f"{path.name}-journal").exists()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


async def test_that_the_engines_connections_have_their_defences_on(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    async with opened(path) as database, database.write() as tx:
        for statement in (
            "ATTACH DATABASE ':memory:' AS other",
            "PRAGMA synchronous = OFF",
            "PRAGMA writable_schema = ON",
            "SELECT load_extension('x')",
            "CREATE TEMP TRIGGER spy AFTER UPDATE ON blocks BEGIN DELETE FROM meta; END",
            "CREATE VIEW more AS SELECT 1",
            "CREATE VIRTUAL TABLE more USING fts5 (a)",
        ):
            with pytest.raises(FileError):
                await tx.execute(statement)
        with pytest.raises(FileError) as caught:
            await tx.fetch_all("SELECT length(zeroblob(65 * 1024 * 1024))")
        assert caught.value.code == "file.too_big"
    async with opened(path) as database, database.read() as connection:
        with pytest.raises(FileError) as caught:
            await connection.fetch_all("DELETE FROM meta")
        assert caught.value.code == "file.read_only"


async def test_that_what_is_no_constellation_is_refused(tmp_db_dir: Path) -> None:
    path = tmp_db_dir / "x.constellation"
    assert (await refused(path)).code == "file.not_found"
    assert (await refused(path / "below")).code == "file.not_found"
    path.mkdir()
    assert (await refused(path)).code == "file.not_a_constellation"
    for name, content in (("empty", b""), ("text", b"hello\n" * 1000), ("zip", b"PK\x03\x04" + bytes(5000))):
        other = tmp_db_dir / name
        other.write_bytes(content)
        assert (await refused(other)).code == "file.not_a_constellation"
    database = tmp_db_dir / "other.db"
    alter(database, "CREATE TABLE t (a)")
    assert (await refused(database)).code == "file.not_a_constellation"


@posix
async def test_that_a_pipe_is_refused_at_once(tmp_db_dir: Path) -> None:
    path = tmp_db_dir / "pipe"
    os.mkfifo(path)
    with pytest.raises(FileError) as caught:
        async with opened(path):
            pass
    assert caught.value.code == "file.not_a_constellation"


@pytest.mark.parametrize(
    ("version", "code"),
    [(SchemaVersion(2, 0), "file.newer_version"), (SchemaVersion(0, 9), "file.older_version")],
)
async def test_that_another_version_is_refused_by_name(
    tmp_db_dir: Path, version: SchemaVersion, code: str
) -> None:
    path = await new_file(tmp_db_dir)
    alter(path, "PRAGMA user_version = " + str(version.packed))
    error = await refused(path)
    assert error.code == code
    assert error.parameters["found"] == str(version)
    assert error.parameters["known"] == "1.0"


async def test_that_a_newer_minor_version_is_only_read(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    packed = SchemaVersion(1, 7).packed
    alter(path, "CREATE TABLE later (a TEXT) STRICT")
    alter(path, "PRAGMA user_version = " + str(packed))
    before = hash_outside(path)
    async with opened(path) as database:
        assert database.read_only is not None
        assert database.read_only.code == "file.newer_minor"
        assert await fact(database) == "first"
        with pytest.raises(FileError) as caught:
            async with database.write():
                pass
        assert caught.value.code == "file.read_only"
    assert hash_outside(path) == before


async def test_that_columns_of_a_newer_minor_version_are_kept(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    alter(
        path,
        "ALTER TABLE meta ADD COLUMN later TEXT NOT NULL DEFAULT 'kept'",
        "PRAGMA user_version = " + str(SchemaVersion(1, 1).packed),
    )
    before = hash_outside(path)
    async with opened(path) as database:
        assert database.read_only is not None
        async with database.read() as connection:
            rows = await connection.fetch_all("SELECT later FROM meta")
        assert {row["later"] for row in rows} == {"kept"}
    assert hash_outside(path) == before


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("CREATE TRIGGER spy AFTER UPDATE ON blocks BEGIN DELETE FROM meta; END", "trigger spy"),
        (
            "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT * FROM n",
            "view endless",
        ),
        ("CREATE TABLE more (a TEXT)", "table more"),
        ("CREATE INDEX odd ON blocks (label)", "index odd"),
        ("CREATE VIRTUAL TABLE other USING fts5 (a)", "table other"),
    ],
)
async def test_that_foreign_objects_are_refused_by_name(tmp_db_dir: Path, statement: str, name: str) -> None:
    path = await new_file(tmp_db_dir)
    alter(path, statement)
    error = await refused(path)
    assert error.code == "file.foreign_objects"
    names = error.parameters["names"]
    assert isinstance(names, tuple)
    assert name in names


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        (("DROP TABLE wakeups",), "table wakeups"),
        (("ALTER TABLE meta ADD COLUMN extra TEXT",), "table meta"),
        (("ALTER TABLE tools ADD COLUMN evil TEXT AS (upper(name))",), "table tools"),
        (
            ("DROP INDEX agents_by_name", "CREATE INDEX agents_by_name ON agents (lower(name))"),
            "index agents_by_name",
        ),
        (("DROP TABLE tools", "CREATE VIEW tools AS SELECT 1 AS name"), "view tools"),
        (
            (
                "DROP TABLE meta",
                "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            ),
            "table meta",
        ),
    ],
)
async def test_that_other_tables_than_ours_are_refused_by_name(
    tmp_db_dir: Path, statements: tuple[str, ...], name: str
) -> None:
    path = await new_file(tmp_db_dir)
    alter(path, *statements)
    error = await refused(path)
    assert error.code in ("file.wrong_schema", "file.foreign_objects")
    names = error.parameters["names"]
    assert isinstance(names, tuple)
    assert name in names


async def test_that_a_file_damaged_inside_is_refused(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    size = path.stat().st_size
    with path.open("r+b") as file:
        for page in range(4096 * 2, size, 4096):
            file.seek(page)
            file.write(b"\xff" * 200)
    assert (await refused(path)).code in ("file.damaged", "file.wrong_schema", "file.foreign_objects")


async def test_that_a_cut_file_is_refused(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    os.truncate(path, path.stat().st_size // 2)
    assert (await refused(path)).code == "file.damaged"


async def test_that_no_single_damaged_page_crashes_or_hangs(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    whole = path.read_bytes()
    broken = tmp_db_dir / "broken.constellation"
    verdicts: set[str] = set()
    for page in range(0, len(whole), 4096 * 4):
        broken.write_bytes(whole[:page] + b"\xa5" * 4096 + whole[page + 4096 :])
        try:
            async with opened(broken) as database:
                await fact(database)
                verdicts.add("opened")
        except FileError as error:
            verdicts.add(error.code)
    assert "file.damaged" in verdicts
    assert verdicts <= {"opened", "file.damaged", "file.not_a_constellation", "file.wrong_schema"}


async def test_that_a_wal_file_is_switched_when_nobody_else_has_it(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    alter(path, "PRAGMA journal_mode = WAL", "UPDATE meta SET value = 'from wal' WHERE name = 'fact'")
    async with opened(path) as database:
        assert database.read_only is None
        assert await fact(database) == "from wal"
        async with database.write() as tx:
            await set_fact(tx, "after")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert [each.name for each in tmp_db_dir.iterdir()] == [path.name]


async def test_that_a_wal_file_in_use_is_only_read(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("UPDATE meta SET value = 'busy' WHERE name = 'fact'")
        async with opened(path) as database:
            assert database.read_only is not None
            assert database.read_only.code == "file.wal_busy"
            assert await fact(database) == "busy"
            with pytest.raises(FileError):
                async with database.write():
                    pass
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)


KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE meta SET value = 'half' WHERE name = 'fact'")
connection.executemany("INSERT INTO request_texts VALUES (?, ?)", [(str(n), "x" * 5000) for n in range(200)])
os.kill(os.getpid(), 9)
"""


async def test_that_a_killed_writers_half_is_taken_back(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -9
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0
    async with opened(path) as database:
        assert database.read_only is None
        assert await fact(database) == "first"


READ_AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
from inspector.domain.errors import FileError
from tests.storage.builders import fact, opened
import concurrent.futures.thread, encodings.idna, tempfile

async def main(path):
    try:
        async with opened(path) as database:
            reason = database.read_only.code if database.read_only else "writable"
            told = [str(await fact(database)), reason]
            try:
                async with database.write():
                    told.append("wrote")
            except FileError as error:
                told.append(error.code)
            print(*told)
    except FileError as error:
        print(error.code)

if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
asyncio.run(main(Path(sys.argv[1])))
"""


def read_without_rights(path: Path) -> list[str]:
    """What a user who owns nothing sees."""
    done = subprocess.run(
        [sys.executable, "-c", READ_AS_NOBODY, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@posix
@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "code"),
    [
        (0o444, 0o777, "file.file_read_only"),
        (0o444, 0o555, "file.file_read_only"),
        (0o666, 0o555, "file.folder_read_only"),
    ],
)
async def test_that_what_cannot_be_written_is_read_with_the_reason(
    tmp_db_dir: Path, file_mode: int, folder_mode: int, code: str, wal: bool
) -> None:
    folder = tmp_db_dir / "folder"
    folder.mkdir()
    path = await new_file(folder)
    if wal:
        alter(path, "PRAGMA journal_mode = WAL")
    before = hash_outside(path)
    tmp_db_dir.chmod(0o755)
    path.chmod(file_mode)
    folder.chmod(folder_mode)
    try:
        assert read_without_rights(path) == ["first", code, "file.read_only"]
        assert hash_outside(path) == before
    finally:
        folder.chmod(0o755)


@posix
async def test_that_a_half_written_file_that_cannot_be_repaired_is_refused(tmp_db_dir: Path) -> None:
    folder = tmp_db_dir / "folder"
    folder.mkdir()
    path = await new_file(folder)
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    tmp_db_dir.chmod(0o755)
    for each in folder.iterdir():
        each.chmod(0o444)
    folder.chmod(0o555)
    try:
        assert read_without_rights(path) == ["file.needs_recovery"]
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("name", ["with space.c", "q?mode=ro#x%20.c", "ünïcödé 漢.c", "'quote\".c"])
async def test_that_any_file_name_can_be_opened(tmp_db_dir: Path, name: str) -> None:
    path = await new_file(tmp_db_dir, name)
    async with opened(path) as database:
        assert await fact(database) == "first"
    assert [each.name for each in tmp_db_dir.iterdir()] == [name]
