"""The disk is full: nothing acknowledged is lost, reading goes on, and so does writing once there is room again."""
# ruff: noqa: ASYNC240 - nothing else waits for the loop of a test

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.domain.backups import BackupReason
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import FileError
from inspector.storage.backups import BackupFolder
from inspector.storage.copying import copy_database
from tests.faulty_disk import watched_disk
from tests.file_checks import problems_in
from tests.memory.world import HUMAN, World, new_world, open_world
from tests.storage.builders import MOMENT

PARAGRAPH = "x" * 6_000
MOST_EDITS = 2_000


@pytest.fixture
def small_disk(tmp_db_dir: Path) -> Iterator[Path]:
    """A real file system of six megabytes; only an administrator can make one."""
    place = tmp_db_dir / "disk"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", str(place)],
        check=False,
        capture_output=True,
    )
    if done.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


async def fill(world: World, block: str) -> tuple[list[str], FileError]:
    """Edit until the disk is full: what was acknowledged, and the error."""
    acknowledged: list[str] = []
    for number in range(MOST_EDITS):
        mark = f"<{number}>"
        try:
            await world.edit(block, AppendText(mark + PARAGRAPH), actor=HUMAN)
        except FileError as error:
            return acknowledged, error
        acknowledged.append(mark)
    pytest.fail("the disk was never full")


async def require_all(world: World, block: str, acknowledged: list[str]) -> None:
    """Reading goes on and nothing is missing."""
    text = await world.text(block)
    assert [mark for mark in acknowledged if text.count(mark) != 1] == []
    assert text.count("<") == len(acknowledged)
    assert len(await world.memory.versions.versions(block)) == len(acknowledged) + 1


async def test_that_a_full_disk_loses_nothing_and_the_next_edit_succeeds_once_there_is_room(
    small_disk: Path,
) -> None:
    elsewhere = small_disk / "something else"
    elsewhere.write_bytes(os.urandom(1_500_000))
    async with new_world(small_disk) as world:
        block = await world.make(content="", char_limit=0)
        acknowledged, error = await fill(world, block)
        assert len(acknowledged) > 20
        assert error.code == "file.disk_full"
        await require_all(world, block, acknowledged)
        # Deleting inside the file needs room too: it cannot help, as the words of the error say.
        with pytest.raises(FileError) as caught:
            await world.edit(block, AppendText("again" + PARAGRAPH), actor=HUMAN)
        assert caught.value.code == "file.disk_full"
        elsewhere.unlink()
        # It takes milliseconds; the promise is two seconds.
        async with asyncio.timeout(2):
            await world.edit(block, AppendText("<after>"), actor=HUMAN)
        await require_all(world, block, [*acknowledged, "<after>"])
        path = world.database.path
    assert problems_in(path) == ()


async def test_that_a_write_which_finds_no_room_is_no_other_error(tmp_db_dir: Path) -> None:
    place = tmp_db_dir / "disk"
    place.mkdir(mode=0o700)
    async with new_world(place) as world:
        block = await world.make(content="", char_limit=0)
        path = world.database.path
    with watched_disk(place) as plan:
        plan.quota = 3_000_000
        world = await open_world(path, prefix="w")
        try:
            acknowledged, error = await fill(world, block)
            assert error.code == "file.disk_full"
            await require_all(world, block, acknowledged)
            plan.quota = None
            await world.edit(block, AppendText("<after>"), actor=HUMAN)
            await require_all(world, block, [*acknowledged, "<after>"])
        finally:
            await world.close()
    assert problems_in(path) == ()


async def test_that_a_copy_and_a_backup_without_room_leave_nothing_and_say_so(small_disk: Path) -> None:
    async with new_world(small_disk) as world:
        block = await world.make(content="", char_limit=0)
        await world.edit(block, AppendText(PARAGRAPH * 50), actor=HUMAN)
        path = world.database.path
        before = sorted(each.name for each in small_disk.iterdir())
        (small_disk / "something else").write_bytes(bytes(2_500_000))
        with pytest.raises(FileError) as caught:
            copy_database(path, small_disk / "copy.constellation")
        assert caught.value.code == "file.disk_full"
        backups = BackupFolder.of_file(small_disk / "backups", path)
        with pytest.raises(FileError) as caught:
            backups.make(BackupReason.BY_HAND, MOMENT)
        assert caught.value.code == "file.disk_full"
        assert backups.list() == ()
        (small_disk / "something else").unlink()
        left = sorted(each.name for each in small_disk.iterdir())
        assert [name for name in left if name != "backups"] == before
        await world.edit(block, AppendText("goes on"), actor=HUMAN)
