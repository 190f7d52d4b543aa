"""A file that cannot be written: it opens for reading with the reason, and nothing at all is tried on the disk.

Rights mean nothing to an administrator, so the file is then opened by a process that has given its own up.
"""
# ruff: noqa: ASYNC221, ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.memory.world import new_world, open_world
from tests.storage.builders import hash_outside

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65_534
pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of files are POSIX's")

LOOK = """
import asyncio, json, os, sys
from pathlib import Path
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from tests.faulty_disk import watched_disk
from tests.memory.world import HUMAN, open_world

path, block, user = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if user and os.getuid() == 0:
    os.setgid(user)
    os.setuid(user)

async def look():
    with watched_disk(path.parent) as plan:
        world = await open_world(path)
        try:
            told = {"why": world.database.read_only and world.database.read_only.code}
            told["text"] = await world.text(block)
            told["history"] = len(await world.memory.versions.versions(block))
            try:
                await world.edit(block, AppendText("x"), actor=HUMAN)
            except FileError as error:
                told["refused"] = [error.code, error.parameters.get("why")]
            await world.database.poll()
        finally:
            await world.close()
        told["changes"], told["calls"] = plan.changes, plan.calls
    return told

print(json.dumps(asyncio.run(look())))
"""


@pytest.fixture
def shared_dir(tmp_db_dir: Path) -> Path:
    """A folder that others may look into."""
    tmp_db_dir.chmod(0o755)
    place = tmp_db_dir / "place"
    place.mkdir(mode=0o755)
    return place


async def made(folder: Path, *, wal: bool = False) -> tuple[Path, str]:
    """A closed file, and the block in it."""
    async with new_world(folder) as world:
        block = await world.make(content="there")
        path = world.database.path
    path.chmod(0o644)
    if wal:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    return path, block


def look(path: Path, block: str, user: int = NOBODY) -> dict[str, Any]:
    """What another process finds, without an administrator's rights unless `user` is 0."""
    command = [sys.executable, "-c", LOOK, str(path), block, str(user)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "PermissionError" in done.stderr and "site-packages" in done.stderr:
        pytest.skip("this interpreter is an administrator's own")
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def require_read_only(found: dict[str, Any], why: str) -> None:
    """It could be read, an edit was refused with the reason, and no call would have changed anything."""
    assert found["why"] == why
    assert found["text"] == "there"
    assert found["history"] == 1
    assert found["refused"] == ["file.read_only", why]
    assert found["changes"] == 0
    assert found["calls"] > 5


async def test_that_a_read_only_file_is_read_and_never_written(shared_dir: Path) -> None:
    path, block = await made(shared_dir)
    path.chmod(0o444)
    before = hash_outside(path)
    require_read_only(look(path, block), "file.file_read_only")
    assert hash_outside(path) == before


async def test_that_a_file_in_a_read_only_folder_is_read_and_never_written(shared_dir: Path) -> None:
    path, block = await made(shared_dir)
    path.chmod(0o666)
    shared_dir.chmod(0o555)
    try:
        before = hash_outside(path)
        require_read_only(look(path, block), "file.folder_read_only")
        assert hash_outside(path) == before
        assert [each.name for each in shared_dir.iterdir()] == [path.name]
    finally:
        shared_dir.chmod(0o755)


@pytest.fixture
def read_only_mount(tmp_db_dir: Path) -> Iterator[Path]:
    """A file system that the test fills, and then makes read-only."""
    tmp_db_dir.chmod(0o755)
    place = tmp_db_dir / "mounted"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m,mode=0755", "tmpfs", str(place)],
        check=False,
        capture_output=True,
    )
    if done.returncode:
        pytest.skip("file systems cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("wal", [False, True])
@pytest.mark.parametrize("user", [NOBODY, 0])
async def test_that_a_file_on_a_read_only_file_system_is_read_and_never_written(
    read_only_mount: Path, wal: bool, user: int
) -> None:
    path, block = await made(read_only_mount, wal=wal)
    subprocess.run(["mount", "-o", "remount,ro", str(read_only_mount)], check=True)
    before = hash_outside(path)
    found = look(path, block, user)
    # Nobody's rights allow it either, and they are looked at first.
    require_read_only(found, found["why"])
    assert found["why"] in ("file.file_read_only", "file.folder_read_only")
    assert hash_outside(path) == before


BACK_UP = """
import _strptime, os, sys  # what is imported later cannot be, without rights
from datetime import UTC, datetime
from pathlib import Path
from inspector.domain.backups import BackupReason
from inspector.storage.backups import BackupFolder

path, root, user = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
if user and os.getuid() == 0:
    os.setgid(user)
    os.setuid(user)
print(BackupFolder.of_file(root, path).make(BackupReason.BY_HAND, datetime(2026, 1, 1, tzinfo=UTC)).path)
"""


@pytest.mark.parametrize("wal", [False, True])
async def test_that_a_file_in_a_read_only_folder_can_be_backed_up(shared_dir: Path, wal: bool) -> None:
    path, block = await made(shared_dir, wal=wal)
    root = shared_dir.parent / "backups"
    root.mkdir()
    root.chmod(0o777)
    shared_dir.chmod(0o555)
    try:
        before = hash_outside(path)
        command = [sys.executable, "-c", BACK_UP, str(path), str(root), str(NOBODY)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        assert hash_outside(path) == before
    finally:
        shared_dir.chmod(0o755)
    world = await open_world(Path(done.stdout.strip()))
    try:
        assert await world.text(block) == "there"
    finally:
        await world.close()
