"""The engine for programs that run agents on a constellation: load or create agents, talk with them, work their queues.

`resources/help/embedding.md` shows it at work. The inspector may have the same file open meanwhile, and shows it live.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inspector.domain.actor import Actor
from inspector.domain.agents import Agent
from inspector.domain.calls import ApiKey, Destination
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.rows import CreateAgent, EnqueueMessage, LogEvent
from inspector.domain.errors import AmbiguousError, InspectorError, NotFoundError
from inspector.domain.records import QueuedMessage
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import IncomingMessage, TurnDone, TurnError, TurnEvent, TurnOptions
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment, usual_surroundings
from inspector.runtime.queued_turns import OnTurnEvent, QueuedTurns, TurnRoute
from inspector.runtime.tools.memory import MEMORY_FILES
from inspector.runtime.tools.registry import ToolRegistry
from inspector.runtime.turn_channel import RunningTurn

SOURCE = "program"


class FailedReplyError(InspectorError):
    """A turn that gave no reply; `error` says why and whether it may succeed later."""

    def __init__(self, error: TurnError) -> None:
        self.error = error
        super().__init__(error.code or f"call_failed.{error.kind}", **dict(error.parameters))


class LoadedAgent:
    """An agent that a program runs. What it is in the file, `agent` says as of its loading."""

    def __init__(self, runtime: AgentRuntime, agent: Agent) -> None:
        self._runtime = runtime
        self.agent = agent

    @property
    def id(self) -> str:
        return self.agent.id

    def turn(self, message: str | IncomingMessage) -> RunningTurn:
        """A turn with a message, whose events come as it goes; see `TurnService.run`."""
        incoming = IncomingMessage(message, source=SOURCE) if isinstance(message, str) else message
        route = self._runtime.route
        return self._runtime.engine.turns.run(self.id, incoming, route.destination, route.key, route.options)

    async def ask(self, message: str | IncomingMessage) -> str:
        """The text of the agent's reply to a message.

        Raises:
            FailedReplyError: there was none. RefusedError, NotFoundError, FileError: as `TurnService.run`.
        """
        error: TurnError | None = None
        text = ""
        async with self.turn(message) as turn:
            async for event in turn:
                if isinstance(event, TurnError):
                    error = event
                elif isinstance(event, TurnDone):
                    text = event.text
        if error is not None:
            raise FailedReplyError(error)
        return text

    async def enqueue(self, message: str, *, priority: int = 0, metadata: str = "{}") -> str:
        """Put a message into the agent's queue, for whichever process works it; gives its id.

        Raises:
            NotFoundError, FileError: as any edit.
        """
        operation = EnqueueMessage(None, self.id, message, priority, metadata, SOURCE)
        return await self._runtime.apply(Ref(RefKind.QUEUE, ""), operation)

    async def log(self, kind: str, details: str = "{}") -> str:
        """Log an event of the program's own, such as ``external_event``, as the agent's activity; gives its id.

        `details` is a JSON object as text.

        Raises:
            FileError: as any edit.
        """
        return await self._runtime.apply(Ref(RefKind.EVENT, ""), LogEvent(self.id, kind, details))


class AgentRuntime:
    """A constellation that a program runs agents on. Nothing acts before a turn is begun, or `start`."""

    def __init__(self, engine: Engine, route: TurnRoute) -> None:
        self.engine = engine
        self.route = route
        """Where calls go: the destination, the key, and what differs from the agents' settings."""
        self.on_event: OnTurnEvent | None = None
        """Hears each event of the turns of queued messages."""
        self._loaded: dict[str, LoadedAgent] = {}
        turns = QueuedTurns(engine.turns, engine.agents, lambda _: self.route, self._heard)
        self._worker = engine.queue_worker(turns)
        self._work: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: Path,
        provider: str = "offline",
        *,
        key: str | None = None,
        options: TurnOptions | None = None,
        surroundings: Environment | None = None,
    ) -> AsyncIterator[AgentRuntime]:
        """Open a constellation, made if it isn't there, and close it cleanly: what runs ends, and is stored.

        Args:
            path: The file.
            provider: Where calls go: ``offline``, ``anthropic``, ``openai``, ``openai-responses``, ``gemini``,
                ``ollama`` or an ``https://`` address.
            key: The provider's key; None for the one that the environment or the key store has.
            options: What differs from the agents' settings.
            surroundings: Who acts, folders and settings; those of this machine's user unless they are given.

        Raises:
            InputError: there is no such provider, or nobody has a key for it. KeyStoreError: the key store didn't give
                it. FileError: the file can't be opened.
        """
        given = surroundings or usual_surroundings()
        is_there = await asyncio.to_thread(path.exists)
        engine = await Engine.open(path, given, create=not is_there, watch=True)
        try:
            destination = engine.calls.destination(provider)
            runtime = cls(
                engine, TurnRoute(destination, await _key(engine, destination, key), options or TurnOptions())
            )
            try:
                yield runtime
            finally:
                await runtime.stop()
        finally:
            await engine.close()

    @property
    def tools(self) -> ToolRegistry:
        """The tools whose calls are carried out here; register the program's own before agents are made."""
        return self.engine.turns.tools

    async def list(self) -> tuple[Agent, ...]:
        """All agents of the file."""
        return (await self.engine.agents.list())[0]

    async def load(self, name: str) -> LoadedAgent:
        """The agent of a name or an id; twice gives the same object.

        Raises:
            NotFoundError: ``not_found.agent``. AmbiguousError: ``ambiguous.agent``.
        """
        agents = await self.list()
        found = [each for each in agents if each.id == name] or [each for each in agents if each.name == name]
        if not found:
            raise NotFoundError("not_found.agent", name=name)
        if len(found) > 1:
            raise AmbiguousError("ambiguous.agent", candidates=tuple(each.id for each in found))
        return self._loaded.setdefault(found[0].id, LoadedAgent(self, found[0]))

    async def create(self, name: str, tools: Iterable[str] | None = None, **settings: Any) -> LoadedAgent:
        """Make an agent and give it tools: those for its memory and the program's own, unless others are named.

        Args:
            name: Its name.
            tools: The names of registered tools.
            settings: Further fields of `CreateAgent`, such as ``persona``, ``instructions`` and ``model``.

        Raises:
            RefusedError, FileError: as any edit. InputError: ``input.no_tool``.
        """
        agent_id = await self.apply(Ref(RefKind.AGENT, ""), CreateAgent(name, **settings))
        usual = (tool.name for tool in self.tools.tools() if tool.name != MEMORY_FILES)
        await self.engine.turns.equip(agent_id, usual if tools is None else tools)
        return await self.load(agent_id)

    async def load_or_create(
        self, name: str, tools: Iterable[str] | None = None, **settings: Any
    ) -> LoadedAgent:
        """The agent of a name, made as `create` does if there is none.

        Raises: as `load` and `create`.
        """
        try:
            return await self.load(name)
        except NotFoundError:
            return await self.create(name, tools, **settings)

    def start(self) -> None:
        """Work the queues and wakeups of all active agents from now on, in the background."""
        if self._work is None or self._work.done():
            self._work = asyncio.ensure_future(self._worker.run())

    async def work(self) -> None:
        """Answer all that is queued and due, and come back when nothing is left.

        Raises:
            RuntimeError: it works in the background already; see `start`.
        """
        if self._work is not None and not self._work.done():
            raise RuntimeError("the queue is worked in the background")
        await self._worker.run(until_idle=True)

    async def stop(self, *, finish: bool = False) -> None:
        """Stop working the queues: what runs is handed back, or with `finish` comes to its end."""
        if self._work is not None:
            await self._worker.stop(finish=finish)
            await self._work
            self._work = None

    async def apply(self, target: Ref, operation: Operation, actor: Actor | None = None) -> str:
        """Make one edit of anything in the file, as the person at this machine or another actor; gives its id.

        Raises: as any edit.
        """
        intent = Intent(Edit(target, operation), actor or self.engine.actor)
        (receipt,) = await self.engine.apply([intent])
        return receipt.ref.id

    def _heard(self, queued: QueuedMessage, event: TurnEvent) -> None:
        if self.on_event is not None:
            self.on_event(queued, event)


async def _key(engine: Engine, destination: Destination, given: str | None) -> ApiKey | None:
    if given is not None:
        # Not for this route alone: summaries are asked for by it too.
        engine.surroundings.keys.enter(given, destination.origin)
    return await engine.calls.require_key(destination)
