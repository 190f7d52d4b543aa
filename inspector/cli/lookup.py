"""Finds the agent or block that a name on the command line means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import AmbiguousError, NotFoundError
from inspector.domain.snapshot import BlockState, Snapshot
from inspector.runtime.engine import Engine


def choose_agent(agents: Sequence[Agent], asked: str | None) -> Agent:
    """The agent with that id or exact name; the only one when nothing is asked.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    if not agents:
        raise NotFoundError("not_found.any_agent")
    if asked is None:
        found = list(agents)
    else:
        found = [agent for agent in agents if agent.id == asked] or [
            agent for agent in agents if agent.name == asked
        ]
    candidates = tuple(f"{agent.name} ({agent.id})" for agent in found or agents)
    if not found:
        raise NotFoundError("not_found.agent_named", name=asked, candidates=candidates)
    if len(found) > 1:
        raise AmbiguousError("ambiguous.agent", name=asked, candidates=candidates)
    return found[0]


@dataclass(frozen=True, slots=True)
class BlockName:
    """Which block was named on the command line, and as whom it is acted on."""

    agent: str | None
    block: str
    owner: str | None
    as_agent: bool = False


@dataclass(frozen=True, slots=True)
class ChosenBlock:
    """The block that was meant, and who acts: the person at this machine or the agent."""

    state: BlockState
    actor: Actor

    @property
    def id(self) -> str:
        return self.state.block.id

    @property
    def label(self) -> str:
        return self.state.block.label


async def choose_block(engine: Engine, named: BlockName, *, deleted: bool = False) -> ChosenBlock:
    """The block: of an agent's view where one is named, else of the whole file; with `deleted` those too.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    agents, _ = await engine.agents.list()
    names = {agent.id: agent.name for agent in agents}
    actor = engine.actor
    states = await engine.blocks.list(deleted=deleted)
    if named.agent is not None or named.as_agent:
        agent = choose_agent(agents, named.agent)
        states = await seen_by(engine, agent.id, states)
        if named.as_agent:
            actor = Actor(ActorKind.AGENT, agent.id, agent.name)
    return ChosenBlock(_named_block(states, names, named.block, named.owner), actor)


def block_of_view(snapshot: Snapshot, asked: str) -> BlockState:
    """The block with that id or exact label among those that the snapshot's agent owns or that are shared with it.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    states = [*snapshot.own, *(each.state for each in snapshot.shared)]
    return _named_block([each for each in states if each.block.is_active], snapshot.agent_names, asked, None)


async def seen_by(engine: Engine, agent_id: str, states: Sequence[BlockState]) -> tuple[BlockState, ...]:
    """Those of the blocks that an agent owns or that are shared with it."""
    shared = {each.state.block.id for each in await engine.blocks.shared_with(agent_id)}
    return tuple(each for each in states if each.block.owner == agent_id or each.block.id in shared)


def _named_block(
    states: Sequence[BlockState], names: Mapping[str, str], asked: str, owner: str | None
) -> BlockState:
    """The block with that id or exact label, an active one before a deleted one; `names` are the owners'.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    if owner is not None:
        states = [state for state in states if owner in _owner_names(names, state)]
    found = [state for state in states if state.block.id == asked] or [
        state for state in states if state.block.label == asked
    ]
    found = [state for state in found if state.block.is_active] or found
    candidates = tuple(
        f"{state.block.label} of {_owner_names(names, state)[-1]} ({state.block.id})"
        for state in found or states
    )
    if not found:
        raise NotFoundError("not_found.block_named", name=asked, candidates=candidates)
    if len(found) > 1:
        raise AmbiguousError("ambiguous.block", name=asked, candidates=candidates)
    return found[0]


def _owner_names(names: Mapping[str, str], state: BlockState) -> tuple[str, ...]:
    owner = state.block.owner
    return (owner, names.get(owner, owner))
