"""Whole files: import, sample, check. What is made is made under another name first, and then put in place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from inspector.domain.backups import BackupReason
from inspector.domain.edits.base import Intent
from inspector.domain.errors import FileError, MalformedError
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem
from inspector.domain.moments import IdGenerator
from inspector.domain.snapshot import RequestSpec
from inspector.exchange.formats import plan_import
from inspector.exchange.sample import reader as sample_reader
from inspector.exchange.sample.reader import SamplePlan, SampleRun
from inspector.memory.checking import check
from inspector.runtime.backups import failure
from inspector.runtime.edits import Told
from inspector.runtime.engine import Engine
from inspector.runtime.jobs import RunningJob
from inspector.runtime.surroundings import Surroundings
from inspector.storage.connection import finish
from inspector.storage.creation import beside, put_in_place, remove_with_side_files, told_as
from inspector.storage.held import is_held

SUFFIX = ".constellation"


def read_foreign(source: Path, ids: IdGenerator) -> ImportPlan:
    """What importing a file would do: the preview, and what `import_into` applies. Runs in the caller's thread.

    Raises:
        NotFoundError, MalformedError, InputError: with the place in the file.
    """
    if is_held(source):
        # Not even its first bytes are read: closing it again would drop our locks on it.
        raise MalformedError("import.constellation", where=str(source), why="this file is open")
    return plan_import(source, ids)


async def plan_of(source: Path, surroundings: Surroundings | None = None) -> ImportPlan:
    """As `read_foreign`, in a thread of its own and as a job that can be stopped."""
    given = surroundings or Surroundings()
    with given.jobs.begin("job.read", file=source.name):
        return await asyncio.to_thread(read_foreign, source, given.ids)


async def import_into(target: Path, plan: ImportPlan, surroundings: Surroundings | None = None) -> ImportPlan:
    """Add a plan to a constellation, or make one of it, as a job. All of it or nothing, also when it is stopped.

    Returns:
        The plan as it was applied: into a constellation that has agents and tools it may differ.

    Raises:
        FileError: the target is no constellation, or cannot be written. RefusedError: a rule said no.
    """
    given = surroundings or Surroundings()
    with given.jobs.begin("job.import", file=target.name) as job:
        if await asyncio.to_thread(target.exists):
            return await _join(target, plan, given, job)

        applied = plan

        async def fill(engine: Engine) -> None:
            nonlocal applied
            applied = await _apply(engine, await engine.exchange.prepared(plan), job)

        await _make(target, given, fill)
    return applied


async def make_empty(target: Path, surroundings: Surroundings | None = None) -> None:
    """Make a constellation with nothing in it.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """

    async def fill(_: Engine) -> None:
        return None

    await _make(target, surroundings or Surroundings(), fill)


async def make_sample(target: Path, surroundings: Surroundings | None = None) -> None:
    """Make the sample constellation, as a job; its newest event is now.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """
    given = surroundings or Surroundings()
    with given.jobs.begin("job.sample", file=target.name) as job:
        sample = await asyncio.to_thread(sample_reader.plan, given.clock(), given.ids)

        async def fill(engine: Engine) -> None:
            await _fill_sample(engine, sample, job)

        await _make(target, given, fill)


async def check_file(path: Path) -> tuple[Problem, ...]:
    """What is wrong with a file; it is left as it was.

    Raises:
        FileError: it is no constellation, or cannot be opened at all.
    """
    return await check(path)


async def _join(target: Path, plan: ImportPlan, surroundings: Surroundings, job: RunningJob) -> ImportPlan:
    engine = await Engine.open(target, surroundings)
    try:
        # Before the backup: each one that is made pushes out an older one.
        engine.database.require_writable()
        fitted = await engine.exchange.prepared(plan)
        problems = await _back_up(engine)
        applied = await _apply(engine, fitted, job)
    finally:
        await engine.close()
    return replace(applied, problems=(*applied.problems, *problems))


async def _apply(engine: Engine, plan: ImportPlan, job: RunningJob) -> ImportPlan:
    await engine.apply(plan.intents, told=job.step)
    return replace(plan, problems=(*plan.problems, *engine.exchange.told()))


async def _back_up(engine: Engine) -> tuple[Problem, ...]:
    """Make a backup first. Without one the import goes on, and says so."""
    try:
        await engine.backups.make(BackupReason.BEFORE_IMPORT)
    except FileError as error:
        return (failure(engine.path, error),)
    return ()


async def _make(target: Path, surroundings: Surroundings, fill: Callable[[Engine], Awaitable[None]]) -> None:
    """Make a file beside its place and put it there last: whatever ends this before leaves nothing."""
    if await asyncio.to_thread(target.exists):
        raise FileError("file.exists", path=str(target))
    temporary = beside(target)
    try:
        with told_as(target, temporary):
            engine = await Engine.open(temporary, surroundings, create=True)
            try:
                await fill(engine)
            finally:
                await engine.close()
    except BaseException:
        remove_with_side_files(temporary)
        raise
    await _put_in_place(temporary, target)


async def _put_in_place(temporary: Path, target: Path) -> None:
    placed: list[Path] = []

    def put() -> None:
        put_in_place(temporary, target)
        placed.append(target)

    try:
        await finish(asyncio.to_thread(put))
    except BaseException:
        # The thread cannot be stopped; what it put there is this one's own, under a name that nothing had.
        for each in (temporary, *placed):
            remove_with_side_files(each)
        raise


async def _fill_sample(engine: Engine, sample: SamplePlan, job: RunningJob) -> None:
    done = 0
    total = len(sample.plan.intents)

    def told(before: int) -> Told:
        return lambda step, _: job.step(before + step, total)

    for run in sample.runs:
        await engine.apply(sample.plan.intents[done : run.index], told=told(done))
        done = run.index
        await engine.apply([await _run_intent(engine, run)])
    await engine.apply(sample.plan.intents[done:], told=told(done))


async def _run_intent(engine: Engine, run: SampleRun) -> Intent:
    request = await engine.context.request(run.agent_id, RequestSpec(now=run.at))
    return run.intent(request.text, engine.context.manifest_text(request))
