"""Imports, samples and checks whole files. A new file gets its name only when it is complete."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from inspector.domain.backups import BackupReason
from inspector.domain.edits.base import Intent
from inspector.domain.edits.rows import StoreRun
from inspector.domain.errors import FileError, MalformedError, Problem
from inspector.domain.exchange import ImportPlan, ImportSource
from inspector.domain.snapshot import RequestSpec
from inspector.exchange import sample
from inspector.exchange.formats import read_source
from inspector.exchange.rows.row_plan import adopts_rows, contents_only
from inspector.memory.checking import check
from inspector.runtime.backups import failure
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.jobs import RunningJob
from inspector.storage.connection import finish
from inspector.storage.creation import beside, naming_errors, put_in_place, remove_with_side_files
from inspector.storage.open_files import is_open_here


def read_foreign(source: Path) -> ImportSource:
    """What a file holds to import; its plan is what `import_into` applies. Runs in the caller's thread.

    Raises:
        NotFoundError, MalformedError, InputError: with the place in the file.
    """
    if is_open_here(source):
        # Not even its first bytes are read: closing it again would drop our locks on it.
        raise MalformedError("import.constellation", where=str(source), why="this file is open")
    return read_source(source)


async def source_of(path: Path, surroundings: Environment | None = None) -> ImportSource:
    """As `read_foreign`, in a thread of its own and as a job that can be stopped."""
    given = surroundings or Environment()
    with given.jobs.begin("job.read", file=path.name):
        return await asyncio.to_thread(read_foreign, path)


def previewed(target: Path, plan: ImportPlan) -> ImportPlan:
    """A plan with what can be said beforehand of the place that it is for."""
    if adopts_rows(plan) and target.exists():
        return replace(plan, problems=(*plan.problems, contents_only()))
    return plan


async def import_into(target: Path, plan: ImportPlan, surroundings: Environment | None = None) -> ImportPlan:
    """Add a plan to a constellation, or make one of it, as a job. All of it or nothing, also when it is stopped.

    Returns:
        The plan as it was applied: into a constellation that has agents and tools it may differ.

    Raises:
        FileError: the target is no constellation, or cannot be written. RefusedError: a rule said no.
    """
    given = surroundings or Environment()
    with given.jobs.begin("job.import", file=target.name) as job:
        if await asyncio.to_thread(target.exists):
            return await _join(target, plan, given, job)

        applied = plan

        async def fill(engine: Engine) -> None:
            nonlocal applied
            applied = await _apply(engine, await engine.exchange.prepared(plan), job)

        await _make(target, given, fill)
    return applied


async def make_empty(target: Path, surroundings: Environment | None = None) -> None:
    """Make a constellation with nothing in it.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """

    async def fill(_: Engine) -> None:
        return None

    await _make(target, surroundings or Environment(), fill)


async def make_sample(target: Path, surroundings: Environment | None = None) -> None:
    """Make the sample constellation, as a job; its newest event is now.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """
    given = surroundings or Environment()
    with given.jobs.begin("job.sample", file=target.name) as job:
        intents = await asyncio.to_thread(sample.plan, given.clock(), given.ids)

        async def fill(engine: Engine) -> None:
            await _fill_sample(engine, intents, job)

        await _make(target, given, fill)


async def check_file(path: Path) -> tuple[Problem, ...]:
    """What is wrong with a file; it is left as it was.

    Raises:
        FileError: it is no constellation, or cannot be opened at all.
    """
    return await check(path)


async def _join(target: Path, plan: ImportPlan, surroundings: Environment, job: RunningJob) -> ImportPlan:
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
    await engine.apply(plan.intents, on_progress=job.step)
    return replace(plan, problems=(*plan.problems, *engine.exchange.problems()))


async def _back_up(engine: Engine) -> tuple[Problem, ...]:
    """Make a backup first. Without one the import goes on, and says so."""
    try:
        await engine.backups.make(BackupReason.BEFORE_IMPORT)
    except FileError as error:
        return (failure(engine.path, error),)
    return ()


async def _make(target: Path, surroundings: Environment, fill: Callable[[Engine], Awaitable[None]]) -> None:
    """Make a file beside its place and put it there last: whatever ends this before leaves nothing."""
    if await asyncio.to_thread(target.exists):
        raise FileError("file.exists", path=str(target))
    temporary = beside(target)
    try:
        with naming_errors(target, temporary):
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


async def _fill_sample(engine: Engine, intents: Sequence[Intent], job: RunningJob) -> None:
    """Apply the edits, and store each sent Request as it is built from those before it."""
    done = 0

    def progress(step: int, _: int) -> None:
        job.step(done + step, len(intents))

    for place, intent in enumerate(intents):
        if isinstance(intent.edit.operation, StoreRun):
            await engine.apply(intents[done:place], on_progress=progress)
            await engine.apply([await _with_request(engine, intent, intent.edit.operation)])
            done = place + 1
    await engine.apply(intents[done:], on_progress=progress)


async def _with_request(engine: Engine, intent: Intent, run: StoreRun) -> Intent:
    moment = engine.surroundings.clock() if intent.at is None else intent.at
    request = await engine.context.request(run.agent_id, RequestSpec(now=moment))
    manifest = engine.context.manifest_text(request)
    sent = replace(run, request_text=request.text, manifest=manifest)
    return replace(intent, edit=replace(intent.edit, operation=sent))
