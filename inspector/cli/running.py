"""The command that works the queue of agents: run."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from pathlib import Path

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, NameParam, example
from inspector.cli.session import DONE, INPUT_AT_FAULT, asynchronous, opened
from inspector.cli.turn_lines import TurnLines
from inspector.cli.turns import (
    FORM,
    JSON_LINES,
    PROVIDER,
    TOOLS,
    TurnOutput,
    TurnPrinter,
    TurnSource,
    TurnTarget,
    give_tools,
    interrupts,
    source_of,
)
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import EnqueueMessage
from inspector.domain.errors import InputError
from inspector.domain.records import QueuedMessage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import TurnError, TurnEvent, TurnHolder, TurnWaiting
from inspector.runtime.engine import Engine
from inspector.runtime.queue_worker import QueueWorker
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute


@click.command("run", epilog=example("run my.constellation --agent Ada --provider offline"))
@click.argument("file", type=FILE)
@click.option(
    "--agent", "agents", multiple=True, metavar="ID|NAME", help="Run this agent; repeat it for several."
)
@PROVIDER
@FORM
@click.option("--model", type=NameParam(), help="Use another model.")
@click.option("--message", help="Put this message into the agent's queue first.")
@click.option("--forever", is_flag=True, help="Wait for further messages until Ctrl+C.")
@TOOLS
@JSON_LINES
@asynchronous
async def run_command(
    file: Path,
    agents: tuple[str, ...],
    provider: str | None,
    form: str | None,
    model: str | None,
    message: str | None,
    forever: bool,
    tools: bool,
    as_json: bool,
) -> int:
    """Run agents: answer the messages in their queues and the wakeups that are due, until none is left.

    Ctrl+C stops, and hands back what isn't done. Several processes may run agents of one file: each message is
    answered once. Exits with 1 if a turn failed. With --json each line has a type, such as turn_started, text,
    call_ended, tool_call, tool_result, error and turn_ended, the agent's id and the queued message's.
    """
    async with opened(file, "refuse") as engine:
        every = await every_agent(engine)
        chosen = [choose_agent(every, name) for name in agents or (None,)]
        target = TurnTarget(provider, form, model)
        # Nobody sits before it: what a person must allow waits in the file, and the turn goes on.
        routes = {each.id: await target.route(engine, each, 0.0) for each in chosen}
        for each in chosen if tools else ():
            await give_tools(engine, each)
        if message is not None:
            await _enqueue(engine, chosen, message)
        names = {each.id: each.name for each in chosen}
        output = TurnLines() if as_json else TurnPrinter(names=names)
        return await _Run(engine, names, routes, output).run(forever=forever)


async def _enqueue(engine: Engine, chosen: list[Agent], message: str) -> None:
    if len(chosen) != 1:
        raise InputError("input.one_agent")
    queued = EnqueueMessage(None, chosen[0].id, message, origin="cli")
    await engine.apply([Intent(Edit(Ref(RefKind.QUEUE, ""), queued), engine.actor)])


class _Run:
    def __init__(
        self, engine: Engine, names: Mapping[str, str], routes: dict[str, TurnRoute], output: TurnOutput
    ) -> None:
        self._names = names
        self._output = output
        self._failed = False
        turns = QueuedTurns(engine.turns, engine.agents, routes.__getitem__, self._show)
        self._worker: QueueWorker = engine.queue_worker(turns, [*routes])
        self._worker.on_change = self._tell_blocked
        self._blocked: Mapping[str, TurnHolder] = {}

    async def run(self, *, forever: bool) -> int:
        """Work until nothing waits, or until it is interrupted."""
        async with asyncio.TaskGroup() as group:

            def stop() -> None:
                group.create_task(self._worker.stop())

            with interrupts(stop, signal.SIGTERM):
                await self._worker.run(until_idle=not forever)
        for agent_id, why in self._worker.paused.items():
            self._output.pause(TurnSource(agent_id), why)
        return INPUT_AT_FAULT if self._failed else DONE

    def _tell_blocked(self) -> None:
        """Say for whom a chat or a program is waited for, once each time."""
        before, self._blocked = self._blocked, self._worker.blocked
        for agent_id, holder in self._blocked.items():
            if before.get(agent_id) != holder:
                name = self._names.get(agent_id, agent_id)
                self._output.show(TurnWaiting(agent_id, name, holder), TurnSource(agent_id))

    def _show(self, queued: QueuedMessage, event: TurnEvent) -> None:
        self._failed = self._failed or isinstance(event, TurnError)
        self._output.show(event, source_of(queued))
