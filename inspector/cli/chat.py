"""The command that talks with an agent in the terminal, a turn a line: chat."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import AGENT, FILE, NameParam, example
from inspector.cli.session import DONE, INPUT_AT_FAULT, asynchronous, opened
from inspector.cli.terminal import write_error, write_exactly
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
from inspector.domain.consent import DEFAULT_WAIT, ConsentDecision
from inspector.domain.errors import InspectorError
from inspector.domain.turns import (
    ConsentAsked,
    IncomingMessage,
    ToolConsentAsked,
    TurnDone,
    TurnError,
    TurnEvent,
)
from inspector.runtime.engine import Engine
from inspector.runtime.queued_turns import QueuedTurns, TurnRoute
from inspector.runtime.turn_channel import RunningTurn
from inspector.runtime.wording import word

_PROMPT = "> "
_SOURCE = "chat"
_YES = frozenset({"y", "yes"})


@click.command("chat", epilog=example("chat my.constellation --agent Ada --provider offline"))
@click.argument("file", type=FILE)
@AGENT
@PROVIDER
@FORM
@click.option("--model", type=NameParam(), help="Use another model.")
@TOOLS
@JSON_LINES
@asynchronous
async def chat_command(
    file: Path,
    agent: str | None,
    provider: str | None,
    form: str | None,
    model: str | None,
    tools: bool,
    as_json: bool,
) -> int:
    """Talk with an agent: each line is a message, and its turn runs until the agent has replied.

    Ctrl+C stops a reply and keeps what came of it, Ctrl+D ends the chat. Messages can be piped in. Tool calls are
    printed on standard error. Exits with 1 if a turn failed. With --json each line has a type, such as turn_started,
    text, call_ended, tool_call, tool_result, approval_pending, error and turn_ended; nobody is asked anything then.
    """
    async with opened(file, "refuse") as engine:
        chosen = choose_agent(await every_agent(engine), agent)
        # Nobody who is asked through a pipe can answer.
        asks = _is_person() and not as_json
        seconds = DEFAULT_WAIT.total_seconds() if asks else 0.0
        route = await TurnTarget(provider, form, model).route(engine, chosen, seconds)
        if tools:
            await give_tools(engine, chosen)
        variable = engine.calls.key_variable(route.destination)
        output = TurnLines() if as_json else TurnPrinter(variable)
        return await _Chat(engine, chosen, route, output, asks=asks).run()


class _Chat:
    """A chat. `asks`: whether somebody sits before it who can be asked."""

    def __init__(
        self, engine: Engine, agent: Agent, route: TurnRoute, output: TurnOutput, *, asks: bool
    ) -> None:
        self._engine = engine
        self._agent = agent
        self._route = route
        self._output = output
        self._asks = asks
        self._turn: RunningTurn | None = None
        self._failed = False

    async def run(self) -> int:
        """Take messages until there is no more of them."""
        with interrupts(self._interrupt):
            while (line := await self._read_line(_PROMPT)) is not None:
                if line.strip():
                    await self._talk(line)
        return INPUT_AT_FAULT if self._failed else DONE

    async def _talk(self, text: str) -> None:
        incoming, source = IncomingMessage(text, source=_SOURCE), TurnSource(self._agent.id, text)
        wants_more = False
        route, self._failed = self._route, False
        turn = self._engine.turns.run(self._agent.id, incoming, route.destination, route.key, route.options)
        try:
            async with turn as self._turn:
                async for event in turn:
                    self._output.show(event, source)
                    await self._answer(turn, event)
                    self._failed = self._failed or isinstance(event, TurnError)
                    wants_more = isinstance(event, TurnDone) and event.wants_more
        except InspectorError as error:
            self._output.refuse(error, source)
            raise
        self._turn = None
        if wants_more:
            await self._go_on()

    async def _go_on(self) -> None:
        """Run the turns that the agent asked itself for."""
        turns = QueuedTurns(
            self._engine.turns,
            self._engine.agents,
            lambda _: self._route,
            lambda queued, event: self._output.show(event, source_of(queued)),
        )
        worker = self._engine.queue_worker(turns, [self._agent.id])
        await worker.run(until_idle=True)

    async def _answer(self, turn: RunningTurn, event: TurnEvent) -> None:
        """Ask the person where the turn waits for one."""
        if isinstance(event, ToolConsentAsked):
            asked = word("told.turn_tool_consent", {"tool": event.name, "arguments": event.arguments})
            turn.answer(event.call_id, allowed=await self._agreed(asked))
        elif isinstance(event, ConsentAsked) and self._asks:
            proposal = await self._engine.consent.preview(event.request_id)
            asked = word("told.turn_edit_consent", {"label": event.label})
            write_error(proposal.after)
            allowed = await self._agreed(asked)
            decision = ConsentDecision.ONCE if allowed else ConsentDecision.DENY
            await self._engine.consent.answer(event.request_id, decision)

    def _interrupt(self) -> None:
        if self._turn is not None:
            self._turn.stop()
        elif self._asks:
            write_error("\n" + word("told.chat_ends"))
            write_exactly(_PROMPT)

    async def _agreed(self, question: str) -> bool:
        if not self._asks:
            return False
        write_error(question)
        answer = await self._read_line("[y/N] ")
        return answer is not None and answer.strip().lower() in _YES

    async def _read_line(self, prompt: str) -> str | None:
        """The next line that is given, None at the end; behind a prompt where somebody sits."""
        if sys.stdin is None:
            return None
        if self._asks:
            write_exactly(prompt)
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\r\n") if line else None


def _is_person() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()
