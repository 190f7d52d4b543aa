"""Commands that read: agents, report, build, check. They leave the file byte for byte as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from inspector.cli.choices import choose_agent
from inspector.cli.moments import as_of, plain_past, print_past, tell_past
from inspector.cli.options import NOW
from inspector.cli.reporting import print_report
from inspector.cli.session import DONE, INPUT_AT_FAULT, opened
from inspector.cli.terminal import format_table, write_error, write_exactly, write_json, write_line
from inspector.domain.agents import Agent
from inspector.domain.health import Problem, Severity
from inspector.domain.limits import Strategy
from inspector.domain.messages import is_sendable
from inspector.domain.past import PastRequest
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.files import check_file
from inspector.runtime.moments import system_clock
from inspector.runtime.wording import word


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reading command was given besides the file."""

    agent: str | None = None
    model: str | None = None
    layout: str | None = None
    strategy: Strategy | None = None
    continuing: bool = False
    now: datetime | None = None
    zone: str = "UTC"
    at: datetime | str | None = None

    def spec(self) -> RequestSpec:
        """As the builder takes it."""
        return RequestSpec(
            now=self.now or system_clock(),
            zone=self.zone,
            model=self.model,
            layout=self.layout,
            strategy=self.strategy,
        )


async def list_agents(path: Path, *, as_json: bool) -> int:
    """List the agents."""
    async with opened(path) as engine:
        rows = await _agent_rows(engine)
    if as_json:
        write_json({"agents": rows})
        return DONE
    head = ("Agent", "Id", "Model", "Blocks", "Messages")
    table = [
        (row["name"], row["id"], row["model"], f"{row['blocks']:,}", f"{row['messages']:,}") for row in rows
    ]
    write_line(format_table(head, table, frozenset({3, 4})) if table else word("told.no_agents"))
    return DONE


async def report(
    path: Path, asked: Asked, form: WireForm | None, *, every: bool = False, as_json: bool
) -> int:
    """Account for every character and token of an agent's Request; with a form, for what that changes too.

    For a person, what is left out for one reason stands together unless `every` row is asked for.
    """
    async with opened(path) as engine:
        built = await built_as(engine, asked)
        snapshot, request = built.snapshot, built.request
        if form is not None:
            wire = engine.wire.request(request, snapshot, form)
            request = replace(request, adaptations=(*request.adaptations, *wire.adaptations))
        account = engine.context.report(request)
    if built.past is not None:
        account["past"] = plain_past(built.past)
    if as_json:
        write_json(account)
    else:
        if built.past is not None:
            print_past(built.past)
        print_report(request, account, every=every)
    return DONE


async def build(path: Path, asked: Asked, *, form: str, cached: bool = False) -> int:
    """Write an agent's Request as text, as neutral JSON or as a provider's, with the ends of cached prefixes."""
    async with opened(path) as engine:
        built = await built_as(engine, asked)
        snapshot, request = built.snapshot, built.request
        if built.past is not None:
            tell_past(built.past)
        if form == "text":
            write_exactly(request.text)
        elif form == "json":
            write_json(engine.context.neutral(request, snapshot))
        else:
            wire = engine.wire.request(request, snapshot, WireForm(form), cached=cached)
            for problem in wire.adaptations:
                write_error(f"{problem.severity.value}: {told(problem)}")
            write_json(wire.body)
    return DONE


async def check(path: Path, *, as_json: bool) -> int:
    """Look for damage; 1 when there is any."""
    problems = await check_file(path)
    sound = not any(problem.severity is Severity.ERROR for problem in problems)
    if as_json:
        write_json({"ok": sound, "problems": [plain_problem(problem) for problem in problems]})
    else:
        print_problems(problems)
        write_line(word("told.file_sound" if sound else "told.file_damaged", {"path": str(path)}))
    return DONE if sound else INPUT_AT_FAULT


async def every_agent(engine: Engine) -> tuple[Agent, ...]:
    """All agents that can be read, in the order they were made; what cannot is told on standard error."""
    agents, problems = await engine.agents.list()
    for problem in problems:
        write_error(told(problem))
    return agents


def plain_problem(problem: Problem) -> dict[str, str]:
    """A problem as the contract's JSON has it."""
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "where": problem.where,
        "message": word(problem.code, problem.parameters),
    }


def print_problems(problems: Sequence[Problem]) -> None:
    """One line a problem."""
    for problem in problems:
        write_line(f"{problem.severity.value}: {told(problem)}")


def told(problem: Problem) -> str:
    """A problem and its place as one line."""
    return f"{word(problem.code, problem.parameters)} [{problem.where}]"


async def _agent_rows(engine: Engine) -> list[dict[str, Any]]:
    messages, _ = await engine.conversation.counts()
    blocks = Counter(state.block.owner for state in await engine.memory.list())
    return [
        {
            "id": agent.id,
            "name": agent.name,
            "model": agent.model,
            "blocks": blocks[agent.id],
            "messages": messages.get(agent.id, 0),
        }
        for agent in await every_agent(engine)
    ]


@dataclass(frozen=True, slots=True)
class Built:
    """A Request, and how it stands to one of the past if that was asked for."""

    snapshot: Snapshot
    request: Request
    past: PastRequest | None = None


async def built_as(engine: Engine, asked: Asked) -> Built:
    """The Request that is asked for, with what it was built from."""
    agent = choose_agent(await every_agent(engine), asked.agent)
    if asked.at is not None and asked.at != NOW:
        past = await as_of(engine, agent.id, asked.at, asked.spec())
        return Built(past.snapshot, past.request, past)
    snapshot = await engine.context.snapshot(agent.id)
    return Built(snapshot, await engine.context.request(agent.id, spec_for(snapshot, asked)))


def spec_for(snapshot: Snapshot, asked: Asked) -> RequestSpec:
    """What is asked of the build, with the newest turn if it shall go on; that it does not is told otherwise."""
    spec = asked.spec()
    newest = snapshot.history[-1] if snapshot.history else None
    if newest is None or newest.is_complete:
        return spec
    if asked.continuing:
        return replace(spec, active_batch=newest.id)
    if any(map(is_sendable, newest.messages)):
        write_error(word("told.turn_waits"))
    return spec
