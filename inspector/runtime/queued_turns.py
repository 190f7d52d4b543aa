"""Turns of queued messages: what a queued message is in its agent's conversation, and what came of its turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from inspector.domain.actor import SYSTEM, Actor, ActorKind
from inspector.domain.calls import ApiKey, Destination
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import BatchType
from inspector.domain.queueing import HEARTBEAT_ORIGIN, WAKEUP_ORIGIN, Settlement
from inspector.domain.records import QueuedMessage, QueueState
from inspector.domain.replies import FailureKind
from inspector.domain.turns import IncomingMessage, TurnDone, TurnEnd, TurnError, TurnEvent, TurnOptions
from inspector.memory.agent_store import AgentStore
from inspector.runtime.turns import TurnService
from inspector.runtime.wording import word

QUEUE_SOURCE = "queue"
_ASKS_FOR_A_PERSON = frozenset(
    {
        *(FailureKind.AUTHENTICATION, FailureKind.PERMISSION, FailureKind.QUOTA, FailureKind.NOT_FOUND),
        FailureKind.OFFLINE,
    }
)
"""Failures that every other message of the agent would have too, until somebody changes a key, model or address, or
doesn't work offline any more."""


@dataclass(frozen=True, slots=True)
class TurnRoute:
    """Where an agent's turns go: the destination, the key for it, and what differs from the agent's settings."""

    destination: Destination
    key: ApiKey | None = None
    options: TurnOptions = TurnOptions()


RouteOf = Callable[[str], TurnRoute]
"""Gives the route of an agent, by its id, each time a turn of it begins."""
OnTurnEvent = Callable[[QueuedMessage, TurnEvent], None]
"""Hears each event of the turn of a queued message."""


class QueuedTurns:
    """Runs the turn of a queued message; a `QueueWorker` calls it with each.

    The message is stored in the conversation under an id of its own, so that a turn that another process has begun
    is gone on with, not begun again.
    """

    def __init__(
        self, turns: TurnService, agents: AgentStore, route_of: RouteOf, on_event: OnTurnEvent | None = None
    ) -> None:
        self._turns = turns
        self._agents = agents
        self._route_of = route_of
        self._on_event = on_event
        self._stopped: set[str] = set()

    def stop_turn(self, agent_id: str) -> None:
        """End an agent's turn as a person's wish: its message is processed, with the text that came kept."""
        turn = self._turns.running(agent_id)
        if turn is not None:
            self._stopped.add(agent_id)
            turn.stop()

    async def __call__(self, queued: QueuedMessage) -> Settlement:
        """Run the turn of a message to its end.

        Raises:
            RefusedError, NotFoundError, InputError, FileError: as `TurnService.run`; the try has failed then.
        """
        agent_id = queued.target_agent_id
        await self._until_free(agent_id)
        self._stopped.discard(agent_id)
        route = self._route_of(agent_id)
        incoming = incoming_of(queued, await self._sender(queued))
        error: TurnError | None = None
        done: TurnDone | None = None
        running = self._turns.run(agent_id, incoming, route.destination, route.key, route.options)
        async with running as turn:
            async for event in turn:
                if self._on_event is not None:
                    self._on_event(queued, event)
                if isinstance(event, TurnError):
                    error = event
                elif isinstance(event, TurnDone):
                    done = event
        if error is not None:
            return settlement_of(error)
        if done is not None and done.end is TurnEnd.STOPPED and agent_id not in self._stopped:
            # The agent was paused under it; its message waits until it is active again.
            return Settlement(QueueState.PENDING)
        return Settlement()

    async def _until_free(self, agent_id: str) -> None:
        """Wait for a turn of this process that has lost its agent and isn't over yet."""
        while (turn := self._turns.running(agent_id)) is not None:
            await turn.ended()

    async def _sender(self, queued: QueuedMessage) -> Actor | None:
        if queued.from_agent_id is None:
            return SYSTEM if queued.origin in (WAKEUP_ORIGIN, HEARTBEAT_ORIGIN) else None
        agent = await self._agents.get(queued.from_agent_id)
        name = queued.from_agent_id if agent is None else agent.name
        return Actor(ActorKind.AGENT, queued.from_agent_id, name)


def incoming_of(queued: QueuedMessage, sender: Actor | None) -> IncomingMessage:
    """A queued message as it begins a turn; its sender, origin and metadata reach the stored message."""
    facts = _facts(queued.metadata)
    facts["queue"] = {
        "id": queued.id,
        "origin": queued.origin,
        "from_agent_id": queued.from_agent_id,
        "priority": queued.priority,
    }
    return IncomingMessage(
        queued.content,
        _batch_type(queued),
        queued.origin or QUEUE_SOURCE,
        None if queued.from_agent_id is None or sender is None else sender.name,
        json.dumps(facts, ensure_ascii=False),
        f"msg_{queued.id}",
        sender,
        queued,
    )


def settlement_of(error: TurnError) -> Settlement:
    """What becomes of a message whose turn ended with an error.

    It is tried again where the error may pass by itself. What only a person can change pauses the agent, and the
    message waits. Anything else is a dead letter, which a person may retry.
    """
    text = ": ".join(each for each in (word(error.code, error.parameters), error.message) if each)
    if error.recoverable:
        return Settlement(QueueState.FAILED, text, error.retry_after)
    if error.kind in _ASKS_FOR_A_PERSON:
        return Settlement(QueueState.PENDING, text, pauses_agent=True)
    return Settlement(QueueState.DEAD, text)


def _batch_type(queued: QueuedMessage) -> BatchType:
    if queued.origin == HEARTBEAT_ORIGIN:
        return BatchType.CONTINUATION
    if queued.origin == WAKEUP_ORIGIN:
        return BatchType.SYSTEM_TRIGGER
    return BatchType.USER_REQUEST if queued.from_agent_id is None else BatchType.AGENT_TO_AGENT


def _facts(metadata: str) -> dict[str, Any]:
    try:
        facts = json.loads(metadata)
    except (ValueError, RecursionError):
        return {}
    return dict(facts) if isinstance(facts, Mapping) else {}
