"""Whole files: import, sample, check. What is made is made under another name first, and then put in place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from inspector.domain.edits.base import Intent
from inspector.domain.errors import FileError
from inspector.domain.exchange import ImportPlan
from inspector.domain.health import Problem
from inspector.domain.moments import IdGenerator
from inspector.domain.snapshot import RequestSpec
from inspector.exchange.formats import plan_import
from inspector.exchange.joining import joined
from inspector.exchange.sample import reader as sample_reader
from inspector.exchange.sample.reader import SamplePlan, SampleRun
from inspector.memory.checking import check
from inspector.runtime.engine import Engine, Surroundings
from inspector.storage.creation import beside, put_in_place, remove_with_side_files

SUFFIX = ".constellation"


def read_foreign(source: Path, ids: IdGenerator) -> ImportPlan:
    """What importing a file would do: the preview, and what `import_into` applies.

    Raises:
        NotFoundError, MalformedError, InputError: with the place in the file.
    """
    return plan_import(source, ids)


async def import_into(target: Path, plan: ImportPlan, surroundings: Surroundings | None = None) -> ImportPlan:
    """Add a plan to a constellation, or make one of it. All of it or nothing.

    Returns:
        The plan as it was applied: into a constellation that has agents and tools it may differ.

    Raises:
        FileError: the target is no constellation, or cannot be written. RefusedError: a rule said no.
    """
    if await asyncio.to_thread(target.exists):
        engine = await Engine.open(target, surroundings)
        try:
            agents, _ = await engine.agents.list()
            tools, _ = await engine.agents.tools()
            fitted = joined(plan, {tool.name: tool for tool in tools}, {agent.name for agent in agents})
            await engine.apply(fitted.intents)
        finally:
            await engine.close()
        return fitted

    async def fill(engine: Engine) -> None:
        await engine.apply(plan.intents)

    await _make(target, surroundings, fill)
    return plan


async def make_empty(target: Path, surroundings: Surroundings | None = None) -> None:
    """Make a constellation with nothing in it.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """

    async def fill(_: Engine) -> None:
        return None

    await _make(target, surroundings, fill)


async def make_sample(target: Path, surroundings: Surroundings | None = None) -> None:
    """Make the sample constellation; its newest event is now.

    Raises:
        FileError: something is there already, or the place cannot be written.
    """
    given = surroundings or Surroundings()
    sample = await asyncio.to_thread(sample_reader.plan, given.clock(), given.ids)

    async def fill(engine: Engine) -> None:
        await _fill_sample(engine, sample)

    await _make(target, given, fill)


async def check_file(path: Path) -> tuple[Problem, ...]:
    """What is wrong with a file; it is left as it was.

    Raises:
        FileError: it is no constellation, or cannot be opened at all.
    """
    return await check(path)


async def _make(
    target: Path, surroundings: Surroundings | None, fill: Callable[[Engine], Awaitable[None]]
) -> None:
    if await asyncio.to_thread(target.exists):
        raise FileError("file.exists", path=str(target))
    temporary = beside(target)
    try:
        engine = await Engine.open(temporary, surroundings, create=True)
        try:
            await fill(engine)
        finally:
            await engine.close()
        await asyncio.to_thread(put_in_place, temporary, target)
    except BaseException:
        await asyncio.to_thread(remove_with_side_files, temporary)
        raise


async def _fill_sample(engine: Engine, sample: SamplePlan) -> None:
    done = 0
    for run in sample.runs:
        await engine.apply(sample.plan.intents[done : run.index])
        done = run.index
        await engine.apply([await _run_intent(engine, run)])
    await engine.apply(sample.plan.intents[done:])


async def _run_intent(engine: Engine, run: SampleRun) -> Intent:
    request = await engine.context.request(run.agent_id, RequestSpec(now=run.at))
    return run.intent(request.text, engine.context.manifest_text(request))
