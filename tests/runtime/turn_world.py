"""An agent with tools in a file, and turns of it with the offline provider."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from inspector.domain.agents import Agent
from inspector.domain.calls import Destination
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.messages import Message
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.render import render
from inspector.domain.turns import IncomingMessage, ToolDone, TurnDone, TurnEvent, TurnOptions
from inspector.runtime.engine import Engine
from tests.fixtures import HeldClock


class TickingClock(HeldClock):
    """A clock that goes on by a millisecond whenever it is looked at, so that times tell an order."""

    def __call__(self) -> datetime:
        self.advance(milliseconds=1)
        return self.now


OFFLINE = Destination(None)
Kind = TypeVar("Kind")


async def made_agent(engine: Engine, name: str = "Ada", tools: Sequence[str] | None = None) -> Agent:
    """An agent with registered tools: all of them unless some are named."""
    target = Ref(RefKind.AGENT, f"agt_{name.lower()}")
    await engine.apply([Intent(Edit(target, CreateAgent(name, model="gpt-4.1")), engine.actor)])
    await engine.turns.equip(target.id, tools)
    agent = await engine.agents.get(target.id)
    assert agent is not None
    return agent


async def events_of(
    engine: Engine, agent_id: str, message: str | IncomingMessage | None, options: TurnOptions | None = None
) -> list[TurnEvent]:
    """All events of a turn with the offline provider."""
    incoming = IncomingMessage(message) if isinstance(message, str) else message
    async with engine.turns.run(agent_id, incoming, OFFLINE, options=options) as turn:
        return [event async for event in turn]


def of_kind(events: Sequence[object], kind: type[Kind]) -> list[Kind]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def done(events: Sequence[TurnEvent]) -> TurnDone:
    """The last event."""
    last = events[-1]
    assert isinstance(last, TurnDone)
    return last


async def messages_of(engine: Engine, agent_id: str) -> list[Message]:
    """All messages of an agent, oldest first."""
    return [each for batch in await engine.conversation.batches(agent_id) for each in batch.messages]


async def put(engine: Engine, target: Ref, operation: Operation) -> Ref:
    """Make an edit as the person."""
    (receipt,) = await engine.apply([Intent(Edit(target, operation), engine.actor)])
    return receipt.ref


async def called(engine: Engine, agent: Agent, tool: str, /, **arguments: Any) -> ToolDone:
    """What one call of a tool comes to."""
    events = await events_of(engine, agent.id, f"/tool {tool} {json.dumps(arguments)}")
    (ended,) = of_kind(events, ToolDone)
    return ended


async def made_block(engine: Engine, agent: Agent, label: str, **given: Any) -> str:
    """A block of the agent's; gives its id."""
    return (await put(engine, Ref(RefKind.BLOCK, f"blk_{label}"), CreateBlock(agent.id, label, **given))).id


async def rendered(engine: Engine, block_id: str) -> str:
    state = await engine.memory.get(block_id)
    assert state is not None
    assert state.content is not None
    return render(state.block.schema, state.content).text  # type: ignore[arg-type]
