"""Older files: backed up, then brought up step by step, each step whole or not at all."""
# ruff: noqa: ASYNC221, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from inspector.domain.backups import BackupReason
from inspector.domain.errors import FileError
from inspector.storage.backups import BackupFolder
from inspector.storage.database import Database
from inspector.storage.migrations import migrate
from inspector.storage.schema import CURRENT, STATEMENTS, FileFormat, Migration, SchemaVersion
from tests.storage.builders import ACTOR, MOMENT, clock, fact, hash_outside, new_file, opened

ROOT = Path(__file__).resolve().parents[2]
_NOTES = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"
_BY_TEXT = "CREATE INDEX notes_by_text ON notes (text)"
# Versions that do not exist.
SECOND, THIRD = SchemaVersion(1, 1), SchemaVersion(2, 0)
INVENTED = FileFormat(
    THIRD,
    (*STATEMENTS, _NOTES, _BY_TEXT),
    (
        Migration(SECOND, (_NOTES, "INSERT INTO notes (text) SELECT value FROM meta WHERE name = 'fact'")),
        Migration(THIRD, (_BY_TEXT, "UPDATE notes SET text = text || '!'")),
    ),
)


def version_of(path: Path) -> SchemaVersion:
    """What the file says of itself."""
    with closing(sqlite3.connect(path)) as connection:
        return SchemaVersion.unpack(connection.execute("PRAGMA user_version").fetchone()[0])


def notes_of(path: Path) -> list[tuple[str]] | None:
    """What the invented table holds."""
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'notes'").fetchone()[0]
        return connection.execute("SELECT text FROM notes").fetchall() if found else None


def test_that_a_version_is_packed_and_unpacked() -> None:
    for version in (CURRENT, SECOND, THIRD, SchemaVersion(32_000, 65_535)):
        assert SchemaVersion.unpack(version.packed) == version
    assert CURRENT < SECOND < THIRD
    assert CURRENT.packed < SECOND.packed < THIRD.packed


async def test_that_an_older_file_is_brought_up_after_a_backup(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = hash_outside(path)
    with pytest.raises(FileError) as caught:
        async with opened(path, form=INVENTED):
            pass
    assert caught.value.code == "file.older_version"
    assert hash_outside(path) == before
    done = migrate(path, INVENTED)
    assert (done.before, done.after) == (CURRENT, THIRD)
    assert done.backup is not None
    assert version_of(done.backup) == CURRENT
    assert done.backup.stat().st_mode & 0o777 == 0o600
    assert notes_of(path) == [("first!",)]
    async with opened(path, form=INVENTED) as database:
        assert database.read_only is None
        assert await fact(database) == "first"
    async with opened(done.backup) as database:
        assert await fact(database) == "first"


async def test_that_a_file_of_this_version_is_left_alone(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = hash_outside(path)
    assert migrate(path).backup is None
    assert hash_outside(path) == before
    assert [each.name for each in tmp_db_dir.iterdir()] == [path.name]


async def test_that_each_backup_has_a_name_of_its_own(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    (tmp_db_dir / "a.constellation.1.0.backup").write_text("precious", encoding="utf-8")
    done = migrate(path, INVENTED)
    assert done.backup == tmp_db_dir / "a.constellation.1.0-2.backup"
    assert (tmp_db_dir / "a.constellation.1.0.backup").read_text(encoding="utf-8") == "precious"


async def test_that_a_migration_is_preceded_by_the_backup_that_it_is_given(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)

    def back_up(source: Path) -> Path:
        assert (source, version_of(source)) == (path, CURRENT)
        return Path(backups.make(BackupReason.BEFORE_MIGRATION, MOMENT).path)

    done = migrate(path, INVENTED, back_up)
    assert done.backup == Path(backups.list()[0].path)
    assert version_of(done.backup) == CURRENT
    assert notes_of(path) == [("first!",)]
    # Again: there is nothing left to do, and so nothing to back up.
    again = migrate(path, INVENTED, back_up)
    assert (again.before, again.after, again.backup) == (THIRD, THIRD, None)
    assert len(backups.list()) == 1


async def test_that_without_a_backup_there_is_no_migration(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = hash_outside(path)
    (tmp_db_dir / "backups").write_text("in the way", encoding="utf-8")
    backups = BackupFolder.of_file(tmp_db_dir / "backups", path)
    with pytest.raises(FileError) as caught:
        migrate(path, INVENTED, lambda _: Path(backups.make(BackupReason.BEFORE_MIGRATION, MOMENT).path))
    assert caught.value.code == "file.cannot_create"
    assert hash_outside(path) == before


@pytest.mark.parametrize(
    ("broken", "version"),
    [
        (Migration(SECOND, (_NOTES, "NONSENSE")), CURRENT),
        (
            Migration(SECOND, (_NOTES, "INSERT INTO wakeups VALUES ('w', 'nobody', '', '', NULL, 0, '')")),
            CURRENT,
        ),
        (Migration(THIRD, ("DELETE FROM notes", "NONSENSE")), SECOND),
    ],
)
async def test_that_a_step_that_fails_is_not_taken(
    tmp_db_dir: Path, broken: Migration, version: SchemaVersion
) -> None:
    path = await new_file(tmp_db_dir)
    steps = tuple(broken if each.to == broken.to else each for each in INVENTED.migrations)
    with pytest.raises(FileError):
        migrate(path, FileFormat(THIRD, INVENTED.statements, steps))
    assert version_of(path) == version
    assert notes_of(path) == (None if version == CURRENT else [("first",)])
    migrate(path, INVENTED)
    assert notes_of(path) == [("first!",)]


async def test_that_a_missing_step_and_a_newer_file_are_refused(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = hash_outside(path)
    with pytest.raises(FileError) as caught:
        migrate(path, FileFormat(THIRD, INVENTED.statements, INVENTED.migrations[:1]))
    assert caught.value.code == "file.no_migration"
    with pytest.raises(FileError) as caught:
        migrate(path, FileFormat(SchemaVersion(0, 9), STATEMENTS))
    assert caught.value.code == "file.newer_version"
    assert hash_outside(path) == before


KILL_AT = """
import os, sqlite3, sys
from pathlib import Path
from inspector.storage import migrations
from tests.storage.test_migrations import INVENTED

real, left = migrations.sqlite3.connect, [int(sys.argv[2])]

class Killing(sqlite3.Connection):
    def execute(self, *given):
        if left[0] == 0:
            os.kill(os.getpid(), 9)
        left[0] -= 1
        return super().execute(*given)

migrations.sqlite3.connect = lambda *given, **named: real(*given, **named, factory=Killing)
migrations.migrate(Path(sys.argv[1]), INVENTED)
"""


@pytest.mark.slow
async def test_that_a_kill_at_any_statement_leaves_a_whole_version(tmp_db_dir: Path) -> None:
    whole = {CURRENT: None, SECOND: [("first",)], THIRD: [("first!",)]}
    original = await new_file(tmp_db_dir)
    content = original.read_bytes()
    seen: set[SchemaVersion] = set()
    for statement in range(100):
        path = tmp_db_dir / f"{statement}.constellation"
        path.write_bytes(content)
        command = [sys.executable, "-c", KILL_AT, str(path), str(statement)]
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        version = version_of(path)
        assert notes_of(path) == whole[version], f"killed at statement {statement}: {done.stderr}"
        seen.add(version)
        if done.returncode == 0:
            break
        assert done.returncode == -9, done.stderr
        migrate(path, INVENTED)
        assert notes_of(path) == whole[THIRD]
    else:
        pytest.fail("the migration never ended")
    assert seen == set(whole)


async def test_that_an_older_file_is_read_from_a_copy(tmp_db_dir: Path) -> None:
    path = await new_file(tmp_db_dir)
    before = hash_outside(path)
    database = await Database.open_copy(path, clock=clock, actor=ACTOR, program="tests", form=INVENTED)
    try:
        copy = database.path
        assert database.read_only is not None
        assert database.read_only.code == "file.older_version"
        assert await fact(database) == "first"
        async with database.read() as connection:
            rows = await connection.fetch_all("SELECT text FROM notes")
        assert [row["text"] for row in rows] == ["first!"]
        with pytest.raises(FileError):
            async with database.write():
                pass
    finally:
        await database.close()
    assert not copy.exists()
    assert hash_outside(path) == before
    assert [each.name for each in tmp_db_dir.iterdir()] == [path.name]
