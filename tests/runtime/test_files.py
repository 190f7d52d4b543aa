"""Files are made whole or not at all, also when the work is stopped half-way."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.domain.errors import FileError
from inspector.domain.exchange import ImportPlan
from inspector.domain.jobs import Job
from inspector.runtime import files
from inspector.runtime.backups import backups_of
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into, make_sample, source_of
from inspector.storage.creation import put_in_place, set_header
from inspector.storage.schema import CURRENT, SchemaVersion
from tests.exchange.builders import agent, assistant, file_of, plan_import_of, user, with_messages
from tests.fixtures import opened_engine


@pytest.fixture
def folder(tmp_db_dir: Path) -> Path:
    """A folder with nothing in it; backups and drafts lie elsewhere."""
    made = tmp_db_dir / "files"
    made.mkdir()
    return made


@pytest.fixture
def plan(surroundings: Environment) -> ImportPlan:
    """A plan of some hundred steps."""
    messages = [each for number in range(60) for each in (user(f"question {number}"), assistant("yes"))]
    return plan_import_of(json.dumps(with_messages(*messages)).encode(), surroundings.ids)


def stop_at(surroundings: Environment, percent: int) -> list[int]:
    """Cancel the first job that gets so far; gives what progress was told."""
    told: list[int] = []

    def note(job: Job, ended: bool) -> None:
        at = job.progress.percent
        if at is not None and not ended:
            told.append(at)
            if at >= percent:
                surroundings.jobs.cancel(job.id)

    surroundings.jobs.watch(note)
    return told


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(each.name for each in folder.iterdir())


async def cancelled(work: Coroutine[Any, Any, object]) -> bool:
    """Whether work ended by being stopped."""
    task = asyncio.ensure_future(work)
    await asyncio.wait((task,))
    return task.cancelled()


Make = Callable[[Path, ImportPlan, Environment], Coroutine[Any, Any, object]]
MAKERS: dict[str, Make] = {
    "import": import_into,
    "sample": lambda target, _, surroundings: make_sample(target, surroundings),
}


@pytest.mark.parametrize(("name", "percent"), [("import", 0), ("import", 50), ("import", 98), ("sample", 50)])
async def test_that_what_is_cancelled_half_way_leaves_nothing(
    surroundings: Environment, folder: Path, plan: ImportPlan, name: str, percent: int
) -> None:
    told = stop_at(surroundings, percent)
    target = folder / "new.constellation"
    assert await cancelled(MAKERS[name](target, plan, surroundings))
    assert told[-1] >= percent
    assert names(folder) == []
    assert surroundings.jobs.running == ()


async def test_that_a_cancelled_import_into_a_file_leaves_that_file_as_it_was(
    surroundings: Environment, folder: Path, plan: ImportPlan
) -> None:
    target = folder / "there.constellation"
    first = json.dumps(file_of(agent(name="Earlier")))
    await import_into(target, plan_import_of(first.encode(), surroundings.ids), surroundings)
    before = target.read_bytes()
    stop_at(surroundings, 50)
    assert await cancelled(import_into(target, plan, surroundings))
    assert target.read_bytes() == before
    assert names(folder) == [target.name]
    async with opened_engine(target, surroundings) as engine:
        agents, problems = await engine.agents.list()
    assert (len(agents), problems) == (1, ())


async def test_that_an_import_into_a_file_that_cannot_be_written_makes_no_backup(
    surroundings: Environment, folder: Path, plan: ImportPlan
) -> None:
    target = folder / "there.constellation"
    await import_into(target, plan, surroundings)
    newer = SchemaVersion(CURRENT.major, CURRENT.minor + 1)
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        set_header(connection, newer.packed)
    with pytest.raises(FileError) as caught:
        await import_into(target, plan, surroundings)
    assert caught.value.code == "file.read_only"
    assert await backups_of(target, surroundings.backups) == ()


async def test_that_what_goes_wrong_on_the_way_is_told_of_the_file_that_was_asked_for(
    surroundings: Environment, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def refuse(path: Path, *_: object, **__: object) -> None:
        asked.append(path)
        raise FileError("file.disk_full", path=str(path), why="full")

    monkeypatch.setattr(Engine, "open", refuse)
    target = folder / "new.constellation"
    with pytest.raises(FileError) as caught:
        await make_sample(target, surroundings)
    assert caught.value.parameters == {"path": str(target), "why": "full"}
    assert asked != [target]


async def test_that_a_cancel_while_the_file_gets_its_name_leaves_nothing_either(
    surroundings: Environment, folder: Path, plan: ImportPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = put_in_place
    loop = asyncio.get_running_loop()

    def put(temporary: Path, target: Path) -> None:
        honest(temporary, target)
        (job,) = surroundings.jobs.running
        loop.call_soon_threadsafe(surroundings.jobs.cancel, job.id)
        # The thread is still at work when the cancel arrives.
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.05), loop).result()

    monkeypatch.setattr(files, "put_in_place", put)
    assert await cancelled(import_into(folder / "new.constellation", plan, surroundings))
    assert names(folder) == []


async def test_that_an_import_that_nobody_stops_tells_its_progress_and_makes_the_file(
    surroundings: Environment, folder: Path, plan: ImportPlan
) -> None:
    told = stop_at(surroundings, 101)
    target = folder / "new.constellation"
    await import_into(target, plan, surroundings)
    assert told == sorted(told)
    assert len(told) > 50
    assert names(folder) == [target.name]


async def test_that_reading_a_foreign_file_is_a_job_that_can_be_stopped(
    surroundings: Environment, folder: Path
) -> None:
    source = folder / "large.af"
    source.write_text("[" + "1," * 500_000 + "1]")
    codes: list[str] = []

    def stop(job: Job, ended: bool) -> None:
        codes.append(job.code)
        asyncio.get_running_loop().call_soon(surroundings.jobs.cancel, job.id)

    surroundings.jobs.watch(stop)
    assert await cancelled(source_of(source, surroundings))
    assert set(codes) == {"job.read"}
