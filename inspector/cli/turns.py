"""What commands that run turns share: where an agent's calls go, what they print of a turn, and Ctrl+C."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, MappingProxyType
from typing import Any, Protocol

import click

from inspector.cli.calling import FORM_NAMES, destination_of, key_of
from inspector.cli.terminal import write_error, write_exactly, write_line
from inspector.domain.agents import Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, InspectorError, Parameters
from inspector.domain.records import QueuedMessage
from inspector.domain.rendering.activity import shorten
from inspector.domain.replies import FailureKind, TextDelta
from inspector.domain.turns import (
    ConsentAsked,
    HistoryFolded,
    MessageSent,
    RecoveryMade,
    ToolDone,
    ToolStarted,
    TurnDone,
    TurnEnd,
    TurnError,
    TurnEvent,
    TurnOptions,
    TurnStarted,
    TurnWaiting,
)
from inspector.runtime.engine import Engine
from inspector.runtime.queued_turns import TurnRoute
from inspector.runtime.tools.memory import USUAL_TOOLS
from inspector.runtime.wording import word

_ADVISED = frozenset(kind.value for kind in FailureKind)
_MOST_SHOWN = 200
"""Characters of a call's arguments or result that are shown."""

PROVIDER = click.option(
    "--provider",
    metavar="NAME|URL",
    help=f"Send to offline, {', '.join(FORM_NAMES)}, or an https:// address. Default: the agent's own provider.",
)
FORM = click.option(
    "--form", type=click.Choice(FORM_NAMES), help="Set the format of an address. Default: openai."
)
JSON_LINES = click.option(
    "--json", "as_json", is_flag=True, help="Write JSON Lines, one object for each step, and nothing else."
)
TOOLS = click.option("--tools", is_flag=True, help="Give the agent the memory tools first.")


@dataclass(frozen=True, slots=True)
class TurnTarget:
    """Where turns go, as the command line has it."""

    provider: str | None
    form: str | None
    model: str | None

    async def route(self, engine: Engine, agent: Agent, consent_seconds: float) -> TurnRoute:
        """The route of an agent's turns.

        Raises:
            InputError: ``input.no_agent_provider``, none was given and the agent has none; ``input.no_key``; an
                address that nothing may be sent to.
        """
        name = self.provider or agent.provider
        if not name:
            raise InputError("input.no_agent_provider", agent=agent.name)
        destination = destination_of(engine, name, self.form)
        options = TurnOptions(model=self.model, consent_seconds=consent_seconds)
        return TurnRoute(destination, await key_of(engine, destination), options)


@dataclass(frozen=True, slots=True)
class TurnSource:
    """What a turn that is shown comes from: whose it is, the message, and its id in the queue if it is from there."""

    agent_id: str
    message: str = ""
    queued: str | None = None


def source_of(queued: QueuedMessage) -> TurnSource:
    """What the turn of a queued message comes from."""
    return TurnSource(queued.target_agent_id, queued.content, queued.id)


class TurnOutput(Protocol):
    """Where a command shows turns as they go."""

    def show(self, event: TurnEvent, source: TurnSource) -> None: ...

    def refuse(self, error: InspectorError, source: TurnSource) -> None:
        """Show what kept a turn from beginning, as far as the command's end doesn't."""

    def pause(self, source: TurnSource, why: str) -> None:
        """Show why nothing more is tried for an agent."""


async def give_tools(engine: Engine, agent: Agent) -> None:
    """Give an agent the usual tools, and tell of those that the file has a definition of its own for."""
    equipped = await engine.turns.equip(agent.id, USUAL_TOOLS)
    if equipped.kept:
        write_error(word("told.tools_kept", {"tools": equipped.kept}))


class TurnPrinter:
    """Prints a turn as it goes: the reply on standard output, everything else on standard error.

    `variable` is the environment variable of the key, for what a failed call advises; `names` are the agents of whose
    turns it is said whose they are.
    """

    def __init__(self, variable: str = "", names: Mapping[str, str] = MappingProxyType({})) -> None:
        self._variable = variable
        self._names = names
        self._is_within = False

    def show(self, event: TurnEvent, source: TurnSource) -> None:
        """Print what an event tells, if anything."""
        if isinstance(event, TurnStarted) and source.agent_id in self._names:
            write_error(f"{self._names[source.agent_id]}: {shorten(source.message, 80)}")
        if isinstance(event, TextDelta):
            self._is_within = True
            write_exactly(event.text)
        elif (shown := _SHOWN.get(type(event))) is not None:
            self._end_line()
            shown(event)
            if isinstance(event, TurnError):
                self._advise(event)

    def refuse(self, error: InspectorError, source: TurnSource) -> None:
        """Print nothing: the command ends with the error."""

    def pause(self, source: TurnSource, why: str) -> None:
        name = self._names.get(source.agent_id, source.agent_id)
        write_error(word("told.run_paused", {"agent": name, "error": why}))

    def _advise(self, error: TurnError) -> None:
        # Who takes no key can't have a wrong one.
        is_of_key = error.kind == FailureKind.AUTHENTICATION
        if error.kind in _ADVISED and (self._variable or not is_of_key):
            write_error(word(f"call_advice.{error.kind}", {"variable": self._variable}))

    def _end_line(self) -> None:
        if self._is_within:
            self._is_within = False
            write_line()


def _started(event: ToolStarted) -> None:
    write_error(f"{event.name} {_cut(event.arguments)}")


def _done(event: ToolDone) -> None:
    write_error(f"  {'✗' if event.is_error else '✓'} {_cut(event.content)}")


def _sent(event: MessageSent) -> None:
    write_line(event.text)


def _asked(event: ConsentAsked) -> None:
    write_error(word("told.turn_consent", {"label": event.label, "id": event.request_id}))


def _recovered(event: RecoveryMade) -> None:
    write_error(
        word(
            "told.turn_recovery",
            {
                "failed": word(f"call_failed.{event.kind.value}"),
                "repair": word(f"repair.{event.repair.value}", {"seconds": f"{event.seconds:g}"}),
            },
        )
    )


def _failed(event: TurnError) -> None:
    failed = word(event.code or event.kind, event.parameters)
    write_error(failed if failed.endswith(".") else f"{failed}.")
    if event.message:
        write_error(word("told.call_model", {"message": event.message}))
    if event.retry_after is not None:
        write_error(word("call_advice.wait", {"seconds": f"{event.retry_after:g}"}))


def _folded(event: HistoryFolded) -> None:
    facts: Parameters = {"summaries": event.summaries, "messages": event.messages}
    write_error(word(event.code, event.parameters) if event.code else word("told.turn_folded", facts))


def _waits(event: TurnWaiting) -> None:
    code = "told.turn_waiting_queued" if event.holder.is_queued else "told.turn_waiting"
    holder = event.holder
    write_error(word(code, {"agent": event.agent, "name": holder.name, "program": holder.program}))


def _ended(event: TurnDone) -> None:
    if event.end is TurnEnd.STOPPED:
        write_error(word("told.turn_stopped"))


_SHOWN: Mapping[type, Callable[[Any], None]] = {
    ToolStarted: _started,
    ToolDone: _done,
    MessageSent: _sent,
    ConsentAsked: _asked,
    RecoveryMade: _recovered,
    HistoryFolded: _folded,
    TurnError: _failed,
    TurnDone: _ended,
    TurnWaiting: _waits,
}


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MOST_SHOWN else f"{flat[: _MOST_SHOWN - 1]}…"


@contextmanager
def interrupts(on_interrupt: Callable[[], None], *also: signal.Signals) -> Iterator[None]:
    """While inside, Ctrl+C (and the other signals) calls a function on the loop and ends nothing by itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()

    def heard(_: int, __: FrameType | None) -> None:
        loop.call_soon_threadsafe(on_interrupt)

    before = {each: signal.signal(each, heard) for each in (signal.SIGINT, *also)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
