"""Backups of an open constellation: by plan, before an import, and never in the way of an edit."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from inspector.domain.backups import BackupReason
from inspector.domain.changes import Health
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.errors import FileError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime import backups
from inspector.runtime.backups import BackupPlace, BackupService, backups_of, make_backup, restore_backup
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into, make_empty
from inspector.storage.backups import BackupFolder
from tests.exchange.builders import file_of, plan_import_of
from tests.fixtures import HeldClock, OpenEngine, opened_engine


class Stopwatch:
    """A monotonic clock that goes by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


async def add_agent(engine: Engine, name: str) -> None:
    """Change something."""
    target = Ref(RefKind.AGENT, f"agt_{name}")
    await engine.apply([Intent(Edit(target, CreateAgent(name)), engine.actor)])


def door(engine: Engine, watch: Stopwatch) -> BackupService:
    """The door of a later session, with a clock of its own."""
    told = engine.health.tell
    place = BackupPlace(
        engine.surroundings.clock, lambda each: told("backups", each), engine.surroundings.backups, watch
    )
    return BackupService(engine.database, engine.agents, place)


async def test_that_a_backup_is_made_when_something_changed_and_half_an_hour_has_passed(
    opened: Engine,
) -> None:
    watch = Stopwatch()
    backups = door(opened, watch)
    assert await backups.make_if_due() is None
    await add_agent(opened, "ada")
    first = await backups.make_if_due()
    assert first is not None
    assert first.reason is BackupReason.SCHEDULE
    await add_agent(opened, "bob")
    watch.seconds += 1799
    assert await backups.make_if_due() is None
    watch.seconds += 1
    second = await backups.make_if_due()
    assert second is not None
    watch.seconds += 5000
    assert await backups.make_if_due() is None
    assert [each.number for each in await backups.list()] == [2, 1]
    assert second.seq > first.seq


@pytest.mark.parametrize("jump", [timedelta(days=-1), timedelta(days=3650), timedelta(hours=-1)])
async def test_that_a_clock_that_jumps_delays_no_backup_and_removes_none(
    opened: Engine, clock: HeldClock, jump: timedelta
) -> None:
    watch = Stopwatch()
    backups = door(opened, watch)
    for number in range(5):
        await add_agent(opened, f"a{number}")
        clock.advance(minutes=30)
        watch.seconds += 1800
        assert await backups.make_if_due() is not None
    before = {each.path for each in await backups.list()}
    clock.now += jump
    await add_agent(opened, "later")
    # In this session, whose stopwatch knows of no jump.
    assert await backups.make_if_due() is None
    watch.seconds += 1800
    made = await backups.make_if_due()
    assert made is not None
    await add_agent(opened, "last")
    # And in the next one, which knows the clock alone: it has gone back, or far ahead.
    clock.now += jump
    again = await door(opened, Stopwatch()).make_if_due()
    assert again is not None
    listed = await backups.list()
    assert [each.number for each in listed] == [7, 6, 5, 4, 3, 2, 1]
    assert before < {each.path for each in listed}


async def test_that_a_failing_backup_is_told_once_and_blocks_no_edit(
    engine: OpenEngine, surroundings: Environment
) -> None:
    assert surroundings.data_folder is not None
    surroundings.data_folder.mkdir()
    in_the_way = surroundings.data_folder / "backups"
    in_the_way.write_text("a file where the folder should be", encoding="utf-8")
    async with engine() as opened:
        watch = Stopwatch()
        backups = door(opened, watch)
        async with opened.news() as news:
            await add_agent(opened, "ada")
            for _ in range(3):
                assert await backups.make_if_due() is None
                await add_agent(opened, f"b{watch.seconds:.0f}")
                watch.seconds += 60
            told = [each for each in news.waiting() if isinstance(each, Health)]
            assert [(each.code, each.resolved) for each in told] == [("backup.failed", False)]
            in_the_way.unlink()
            assert await backups.make_if_due() is not None
            told = [each for each in news.waiting() if isinstance(each, Health)]
            assert [(each.code, each.resolved) for each in told] == [("backup.failed", True)]


async def test_that_an_import_into_a_file_is_preceded_by_a_backup(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    target = tmp_db_dir / "a.constellation"
    await make_empty(target, surroundings)
    plan = plan_import_of(json.dumps(file_of()).encode(), surroundings.ids)
    fitted = await import_into(target, plan, surroundings)
    (kept,) = await backups_of(target, surroundings.data_folder)
    assert kept.reason is BackupReason.BEFORE_IMPORT
    restored = tmp_db_dir / "restored.constellation"
    await restore_backup(Path(kept.path), restored)
    async with opened_engine(restored, surroundings) as engine:
        assert await engine.agents.list() == ((), ())
    assert not [each for each in fitted.problems if each.code == "backup.failed"]


async def test_that_an_import_goes_on_without_a_backup_and_says_so(
    tmp_db_dir: Path, surroundings: Environment
) -> None:
    target = tmp_db_dir / "a.constellation"
    await make_empty(target, surroundings)
    assert surroundings.data_folder is not None
    surroundings.data_folder.write_text("in the way", encoding="utf-8")
    plan = plan_import_of(json.dumps(file_of()).encode(), surroundings.ids)
    fitted = await import_into(target, plan, surroundings)
    assert "backup.failed" in {each.code for each in fitted.problems}
    async with opened_engine(target, surroundings) as engine:
        agents, _ = await engine.agents.list()
        assert len(agents) == len(plan.agents)


async def test_that_a_closed_file_is_backed_up_and_restored(
    engine: OpenEngine, tmp_db_dir: Path, surroundings: Environment
) -> None:
    async with engine() as opened:
        await add_agent(opened, "ada")
        path = opened.path
    made = await make_backup(path, surroundings.clock, BackupReason.BY_HAND, surroundings.data_folder)
    assert await backups_of(path, surroundings.data_folder) == (made,)
    with pytest.raises(FileError) as caught:
        await restore_backup(Path(made.path), path)
    assert caught.value.code == "file.exists"
    await restore_backup(Path(made.path), tmp_db_dir / "b.constellation")
    async with engine(tmp_db_dir / "b.constellation") as opened:
        agents, _ = await opened.agents.list()
        assert [each.name for each in agents] == ["ada"]


async def test_that_a_link_to_a_file_has_the_backups_of_the_file(
    engine: OpenEngine, clock: HeldClock, surroundings: Environment, tmp_db_dir: Path
) -> None:
    async with engine() as opened:
        await add_agent(opened, "ada")
        path = opened.path
    link = tmp_db_dir / "link.constellation"
    link.symlink_to(path)
    made = await make_backup(link, clock, BackupReason.BY_HAND, surroundings.backups)
    assert await backups_of(path, surroundings.backups) == (made,)
    async with engine(link) as opened:
        assert await opened.backups.list() == (made,)


async def test_that_the_disk_is_asked_where_the_file_lies_beside_the_loop(
    engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    class Folder(BackupFolder):
        def __init__(self, root: Path, source: Path, constellation_id: str) -> None:
            asked.append(threading.current_thread() is threading.main_thread())
            super().__init__(root, source, constellation_id)

    monkeypatch.setattr(backups, "BackupFolder", Folder)
    async with engine() as opened:
        made = door(opened, Stopwatch())
        assert await made.list() == ()
        assert (await made.make()).reason is BackupReason.BY_HAND
        assert len(await made.list()) == 1
    assert asked == [False]
