"""Each call to the disk fails once, in turn: nothing is damaged, and nothing was promised that is not there.

The loop goes on until the work gets through without meeting the failure. The slow tests give every fifth call its
turn, the others every few.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.backups import BackupReason
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import DocumentError, FileError
from inspector.storage.backups import BackupFolder, restore
from inspector.storage.database import Database
from inspector.storage.migrations import migrate
from inspector.storage.schema import CURRENT
from tests.faulty_disk import Plan, watched_disk
from tests.file_checks import problems_in
from tests.memory.world import HUMAN, World, new_world, open_world
from tests.storage.builders import ACTOR, MOMENT, clock
from tests.storage.test_migrations import INVENTED, SECOND, THIRD, notes_of, version_of

MOST_CALLS = 3000
EVERY = pytest.mark.parametrize("step", [pytest.param(5, marks=pytest.mark.slow), 11])
WHOLE = {CURRENT: None, SECOND: [("first",)], THIRD: [("first!",)]}
"""What the invented migration leaves in each version that is whole."""


async def a_file(folder: Path, edits: int = 3) -> tuple[Path, str]:
    """A closed file with one block, and the block's id."""
    async with new_world(folder, prefix="first") as world:
        block = await world.make(content="", char_limit=0)
        for number in range(edits):
            await world.edit(block, AppendText(f"<f{number}>"), actor=HUMAN)
        return world.database.path, block


async def text_in(path: Path, block: str) -> str:
    """A block's text, and that the file is whole."""
    assert problems_in(path) == ()
    world = await open_world(path, prefix="look")
    try:
        return await world.text(block)
    finally:
        await world.close()


Work = Callable[[Path, str, list[str]], Awaitable[None]]


async def fail_at_each_call(
    folder: Path, original: Path, block: str, work: Work, *, lasting: bool, step: int
) -> Plan:
    """Do some work on a fresh copy with the first call failing, the second … until it gets through."""
    for number in range(1, MOST_CALLS, step):
        place = folder / "work"
        place.mkdir(mode=0o700)
        path = place / original.name
        shutil.copy(original, path)
        acknowledged: list[str] = []
        with watched_disk(place) as plan:
            plan.fail_at, plan.lasting = number, lasting
            try:
                await work(path, block, acknowledged)
                got_through = not plan.failed
            except (FileError, DocumentError):
                assert plan.failed
                got_through = False
        text = await text_in(path, block)
        assert [mark for mark in acknowledged if text.count(mark) != 1] == [], f"call {number}: {plan.failed}"
        shutil.rmtree(place)
        if got_through:
            assert number > 5, "nothing was watched"
            return plan
    pytest.fail("it never got through")


async def edit_thrice(path: Path, block: str, acknowledged: list[str]) -> None:
    """Open a file, edit it, close it; a failed edit is tried again once."""
    world = await open_world(path, prefix="work")
    try:
        for number in range(3):
            await edit_or_try_again(world, block, f"<w{number}>", acknowledged)
    finally:
        await world.close()


async def edit_or_try_again(world: World, block: str, mark: str, acknowledged: list[str]) -> None:
    """An edit; what failed changed nothing, so trying again must not store it twice."""
    try:
        await world.edit(block, AppendText(mark), actor=HUMAN)
    except FileError:
        if mark in await world.text(block):
            # The commit was done, and only its end was not heard of.
            return
        await world.edit(block, AppendText(mark), actor=HUMAN)
    acknowledged.append(mark)


@pytest.mark.slow
@pytest.mark.timeout(600)
@EVERY
@pytest.mark.parametrize("lasting", [False, True])
async def test_that_opening_and_saving_survive_a_failure_of_every_call(
    tmp_db_dir: Path, step: int, lasting: bool
) -> None:
    original, block = await a_file(tmp_db_dir)
    plan = await fail_at_each_call(tmp_db_dir, original, block, edit_thrice, lasting=lasting, step=step)
    assert {"open", "read", "write", "sync", "delete"} <= set(plan.counts)


@pytest.mark.slow
@pytest.mark.timeout(600)
@EVERY
async def test_that_folding_a_document_survives_a_failure_of_every_call(tmp_db_dir: Path, step: int) -> None:
    # One edit more than a document may have before it is folded; older bytes are then emptied.
    original, block = await a_file(tmp_db_dir, edits=99)

    async def fold(path: Path, block: str, acknowledged: list[str]) -> None:
        world = await open_world(path, prefix="work")
        world.clock.now += timedelta(days=30)
        try:
            await edit_or_try_again(world, block, "<w>", acknowledged)
        finally:
            await world.close()

    plan = await fail_at_each_call(tmp_db_dir, original, block, fold, lasting=False, step=step)
    assert plan.counts["write"] > 5
    done = tmp_db_dir / "done.constellation"
    shutil.copy(original, done)
    await fold(done, block, [])
    with closing(sqlite3.connect(done)) as connection:
        assert connection.execute("SELECT count(*) FROM checkpoints").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM updates WHERE blob IS NULL").fetchone()[0] > 40


@pytest.mark.timeout(600)
@EVERY
@pytest.mark.parametrize("lasting", [False, True])
async def test_that_a_migration_survives_a_failure_of_every_call(
    tmp_db_dir: Path, step: int, lasting: bool
) -> None:
    original, _ = await a_file(tmp_db_dir)
    with closing(sqlite3.connect(original, isolation_level=None)) as connection:
        connection.execute("INSERT INTO meta (name, value) VALUES ('fact', 'first')")
    for number in range(1, MOST_CALLS, step):
        place = tmp_db_dir / "work"
        place.mkdir(mode=0o700)
        path = place / original.name
        shutil.copy(original, path)
        with watched_disk(place) as plan:
            plan.fail_at, plan.lasting = number, lasting
            try:
                migrate(path, INVENTED)
                done = True
            except FileError:
                assert plan.failed
                done = False
        version = version_of(path)
        assert notes_of(path) == WHOLE[version], f"call {number}: {plan.failed}"
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert not done or version == INVENTED.version
        migrate(path, INVENTED)
        assert notes_of(path) == [("first!",)]
        got_through = done and not plan.failed
        shutil.rmtree(place)
        if got_through:
            return
    pytest.fail("it never got through")


@pytest.mark.timeout(600)
@EVERY
async def test_that_a_backup_survives_a_failure_of_every_call(tmp_db_dir: Path, step: int) -> None:
    original, block = await a_file(tmp_db_dir)
    for number in range(1, MOST_CALLS, step):
        place = tmp_db_dir / "work"
        place.mkdir(mode=0o700)
        path = place / original.name
        shutil.copy(original, path)
        backups = BackupFolder.of_file(place / "backups", path)
        first = backups.make(BackupReason.SCHEDULE, MOMENT)
        with watched_disk(place) as plan:
            plan.fail_at = number
            try:
                made = [backups.make(BackupReason.SCHEDULE, MOMENT).path]
            except FileError:
                assert plan.failed
                made = []
        # What is listed is whole, and nothing half-made lies about.
        assert [each.path for each in backups.list()] == [*made, first.path]
        assert len(list(backups.folder.iterdir())) == 1 + len(made)
        for each in backups.list():
            restored = place / f"restored{each.number}"
            restore(Path(each.path), restored)
            assert await text_in(restored, block) == "<f0><f1><f2>"
        assert await text_in(path, block) == "<f0><f1><f2>"
        got_through = bool(made) and not plan.failed
        shutil.rmtree(place)
        if got_through:
            assert number > 5
            return
    pytest.fail("it never got through")


@pytest.mark.timeout(600)
@EVERY
async def test_that_making_a_file_survives_a_failure_of_every_call(tmp_db_dir: Path, step: int) -> None:
    for number in range(1, MOST_CALLS, step):
        place = tmp_db_dir / "work"
        place.mkdir(mode=0o700)
        path = place / "new.constellation"
        with watched_disk(place) as plan:
            plan.fail_at = number
            try:
                database = await Database.open(path, create=True, clock=clock, actor=ACTOR, program="tests")
                await database.close()
                got_through = not plan.failed
            except FileError:
                assert plan.failed
                got_through = False
        # Whole or not there at all; opening may have failed after it was made.
        assert [each.name for each in place.iterdir()] in ([], [path.name])
        if path.exists():
            assert problems_in(path) == ()
        shutil.rmtree(place)
        if got_through:
            assert number > 5
            return
    pytest.fail("it never got through")
