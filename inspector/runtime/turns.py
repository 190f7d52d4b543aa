"""The turn service: runs turns of agents, one at a time for each over all processes; and tells each agent's state.

How a program or a command uses it::

    destination = engine.calls.destination("offline")
    async with engine.turns.run(agent_id, IncomingMessage("Hello"), destination) as turn:
        async for event in turn:
            ...  # TurnWaiting, TurnStarted, StepStarted, TextDelta, ToolStarted, ToolDone, StepEnded … TurnDone

Nothing runs before the first step of the iteration. A file that is opened makes no agent act.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from functools import partial

from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.calls import ApiKey, Destination
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import ConfigureAgent, PutTool
from inspector.domain.errors import InputError, NotFoundError, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import AgentState, IncomingMessage, OnState, TurnDone, TurnEnd, TurnOptions
from inspector.runtime.tools.messages import Endpoints
from inspector.runtime.tools.registry import ToolRegistry, is_registered
from inspector.runtime.turn_channel import RunningTurn, StoppedError, TurnChannel
from inspector.runtime.turn_leases import TurnLease, TurnLeases
from inspector.runtime.turn_loop import TurnLoop, TurnParts, TurnRequest

_INSIDE: ContextVar[frozenset[str]] = ContextVar("inside", default=frozenset())
"""The agents in whose turns a task works: one of them that waited for another turn of its own would wait for ever."""


@dataclass(frozen=True, slots=True)
class EquippedTools:
    """The names of tools that an agent didn't have before, and of those whose definition in the file was left."""

    new: tuple[str, ...]
    kept: tuple[str, ...] = ()


class TurnService:
    """Runs turns. `tools` are those whose calls it can carry out; it holds no key and stores none."""

    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self._states: dict[str, AgentState] = {}
        self._running: dict[str, RunningTurn] = {}
        self._begun: set[RunningTurn] = set()
        """Those that run, and those that wait for another one."""
        self.on_state: OnState | None = None
        """Called with each change of an agent's state, on this thread."""

    @property
    def tools(self) -> ToolRegistry:
        """The tools whose calls can be carried out here; a program registers its own."""
        return self._parts.registry

    @property
    def leases(self) -> TurnLeases:
        """What keeps an agent's turns apart over all processes."""
        return self._parts.leases

    @property
    def endpoints(self) -> Endpoints:
        """Where agents' messages go besides people and other agents; a program registers its own."""
        return self._parts.endpoints

    def run(
        self,
        agent_id: str,
        incoming: IncomingMessage | None,
        destination: Destination,
        key: ApiKey | None = None,
        options: TurnOptions | None = None,
    ) -> RunningTurn:
        """A turn of an agent, begun by the first step of its iteration; see `RunningTurn`.

        Each model call is stored as a run, with its reply and its tools' results in the conversation. A call that
        fails is repaired and repeated where its kind allows, and each recovery is an event of the activity.

        It waits while the agent has another turn, here or in another process, and says so with `TurnWaiting`; then it
        comes before the agent's next queued message. Stopped meanwhile, it ends and stores nothing.

        Args:
            agent_id: Whose turn.
            incoming: The message that begins it. None goes on with the newest batch, if that isn't over. One with the
                id of a stored message goes on with that one's batch, and ends at once if that is over.
            destination: Where the calls go.
            key: The key for it.
            options: What differs from the agent's settings.

        Raises:
            InputError: ``input.key_of_other_origin``. The iteration raises NotFoundError: there is no such agent;
                RefusedError: ``refused.agent_busy`` (a tool asks the agent whose call it carries out),
                ``refused.agent_not_active``, ``refused.turn_lost``; InputError: ``input.no_turn_to_continue``;
                FileError: the message can't be stored.
        """
        if key is not None and key.origin != destination.origin:
            raise InputError("input.key_of_other_origin", origin=destination.origin, entered=key.origin)
        asked = TurnRequest(agent_id, incoming, destination, key, options or TurnOptions())
        turn = RunningTurn(lambda channel: self._run(turn, asked, channel))
        return turn

    async def _run(self, turn: RunningTurn, asked: TurnRequest, channel: TurnChannel) -> None:
        agent_id = asked.agent_id
        if agent_id in _INSIDE.get():
            raise RefusedError(Refusal("refused.agent_busy", {"agent": agent_id}))
        _INSIDE.set(_INSIDE.get() | {agent_id})
        self._begun.add(turn)
        try:
            agent = await self._active(agent_id)
            queued = None if asked.incoming is None else asked.incoming.queued
            if queued is not None:
                await self._hold(turn, asked, self.leases.of_message(agent, queued), channel)
                return
            async with self.leases.direct(agent, channel) as lease:
                # This process may have lost the agent's turn to another one, and that one has ended.
                while (before := self._running.get(agent_id)) is not None:
                    await channel.unless_stopped(before.ended())
                await self._hold(turn, asked, lease, channel)
        except StoppedError:
            channel.emit(TurnDone(TurnEnd.STOPPED, ""))
        finally:
            self._begun.discard(turn)

    async def _hold(
        self, turn: RunningTurn, asked: TurnRequest, lease: TurnLease, channel: TurnChannel
    ) -> None:
        """Make a turn that is the agent's only one."""
        agent_id = asked.agent_id
        if agent_id in self._running:
            raise RefusedError(Refusal("refused.agent_busy", {"agent": agent_id}))
        self._running[agent_id] = turn
        try:
            # It may be another one by now, or paused.
            agent = await self._active(agent_id)
            await TurnLoop(self._parts, asked, lease, channel, partial(self._set_state, agent_id)).run(agent)
        finally:
            del self._running[agent_id]

    async def _active(self, agent_id: str) -> Agent:
        agent = await self._parts.agents.get(agent_id)
        if agent is None:
            raise NotFoundError("not_found.agent", name=agent_id)
        if agent.status is not AgentStatus.ACTIVE:
            facts = {"agent": agent.name, "status": agent.status.value}
            raise RefusedError(Refusal("refused.agent_not_active", facts))
        return agent

    def state(self, agent_id: str) -> AgentState:
        """The state of an agent as far as this process runs it; ready where it never has."""
        return self._states.get(agent_id, AgentState())

    def running(self, agent_id: str) -> RunningTurn | None:
        """The turn of an agent that is under way in this process, None where there is none."""
        return self._running.get(agent_id)

    async def equip(self, agent_id: str, names: Iterable[str] | None = None) -> EquippedTools:
        """Give an agent registered tools, all of them or those of some names, as one step to undo.

        Their definitions go into the file, so that what is shown of a Request is what is sent. Where the file has a
        tool of that name that was registered nowhere, its definition stays: other agents may have it too.

        Raises:
            NotFoundError: ``not_found.agent``. InputError: ``input.no_tool``. RefusedError, FileError: as any edit.
        """
        agent = await self._parts.agents.get(agent_id)
        if agent is None:
            raise NotFoundError("not_found.agent", name=agent_id)
        registered = {tool.name: tool for tool in self.tools.tools()}
        wanted = tuple(dict.fromkeys(registered if names is None else names))
        for name in wanted:
            if name not in registered:
                raise InputError("input.no_tool", name=name, candidates=tuple(registered))
        stored = {tool.name: tool for tool in (await self._parts.agents.tools())[0]}
        kept = tuple(name for name in wanted if name in stored and not is_registered(stored[name]))
        new = tuple(name for name in wanted if name not in agent.tools)
        edits = [
            Edit(Ref(RefKind.TOOL, name), PutTool(registered[name])) for name in wanted if name not in kept
        ]
        if new:
            edits.append(Edit(Ref(RefKind.AGENT, agent_id), ConfigureAgent(tools=(*agent.tools, *new))))
        if edits:
            await self._parts.edits.apply([Intent(edit, self._parts.surroundings.actor) for edit in edits])
        return EquippedTools(new, kept)

    async def close(self) -> None:
        """End all turns, and wait until all of them are stored."""
        await asyncio.gather(*(turn.aclose() for turn in tuple(self._begun)))

    def _set_state(self, agent_id: str, state: AgentState) -> None:
        self._states[agent_id] = state
        if self.on_state is not None:
            self.on_state(agent_id, state)
