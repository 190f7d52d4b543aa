"""The command that lists agents. It loads as little as it can, since most work on a file begins with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import asynchronous, opened, problem_line
from inspector.cli.terminal import format_table, write_error, write_json, write_line
from inspector.domain.agents import Agent
from inspector.runtime.wording import word

if TYPE_CHECKING:
    from inspector.runtime.engine import Engine


async def every_agent(engine: Engine) -> tuple[Agent, ...]:
    """All agents that can be read, in the order they were made; what cannot is told on standard error."""
    agents, problems = await engine.agents.list()
    for problem in problems:
        write_error(problem_line(problem))
    return agents


async def _agent_rows(engine: Engine) -> list[dict[str, Any]]:
    messages, _ = await engine.conversation.counts()
    blocks = await engine.agents.block_counts()
    return [
        {
            "id": agent.id,
            "name": agent.name,
            "model": agent.model,
            "blocks": blocks.get(agent.id, 0),
            "messages": messages.get(agent.id, 0),
        }
        for agent in await every_agent(engine)
    ]


@click.command("agents", epilog=example("agents my.constellation"))
@click.argument("file", type=FILE)
@JSON
@asynchronous
async def agents_command(file: Path, as_json: bool) -> None:
    """List the agents of a constellation."""
    async with opened(file) as engine:
        rows = await _agent_rows(engine)
    if as_json:
        write_json({"agents": rows})
        return
    head = ("Agent", "Id", "Model", "Blocks", "Messages")
    table = [
        (row["name"], row["id"], row["model"], f"{row['blocks']:,}", f"{row['messages']:,}") for row in rows
    ]
    write_line(format_table(head, table, frozenset({3, 4})) if table else word("told.no_agents"))
