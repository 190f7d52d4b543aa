"""Which agent or block a name on the command line means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspector.domain.agents import Agent
from inspector.domain.errors import AmbiguousError, NotFoundError
from inspector.domain.snapshot import BlockState, Snapshot


def choose_agent(agents: Sequence[Agent], asked: str | None) -> Agent:
    """The agent with that id or exact name; the only one when nothing is asked.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    if asked is None:
        found = list(agents)
        asked = ""
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


def choose_block(snapshot: Snapshot, asked: str, owner: str | None) -> BlockState:
    """The own or attached block with that id or exact label; `owner` (id or name) chooses among several.

    Raises:
        NotFoundError, AmbiguousError: with the candidates.
    """
    states = list(_visible(snapshot))
    if owner is not None:
        states = [state for state in states if owner in _owner_names(snapshot, state)]
    found = [state for state in states if state.block.id == asked] or [
        state for state in states if state.block.label == asked
    ]
    candidates = tuple(
        f"{state.block.label} of {_owner_names(snapshot, state)[-1]} ({state.block.id})"
        for state in found or states
    )
    if not found:
        raise NotFoundError("not_found.block_named", name=asked, candidates=candidates)
    if len(found) > 1:
        raise AmbiguousError("ambiguous.block", name=asked, candidates=candidates)
    return found[0]


def _visible(snapshot: Snapshot) -> Iterable[BlockState]:
    yield from (state for state in snapshot.own if state.block.is_active)
    for shared in snapshot.shared:
        if shared.state.block.is_active:
            yield shared.state


def _owner_names(snapshot: Snapshot, state: BlockState) -> tuple[str, ...]:
    owner = state.block.owner
    return (owner, snapshot.agent_names.get(owner, owner))
