"""Rules of the message queue of agents: leases, tries and back-off, wakeups, and requests for another turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any

from inspector.domain.codec import write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.queue import SettleMessage
from inspector.domain.edits.rows import EnqueueMessage
from inspector.domain.records import QueuedMessage, QueueState, Wakeup
from inspector.domain.ref import Ref, RefKind
from inspector.domain.turns import TurnHolder

WAKEUP_ORIGIN = "wakeup"
HEARTBEAT_ORIGIN = "heartbeat"
"""The origin of a queued message by which an agent asked itself for another turn."""
TURN_ORIGIN = "turn"
"""The origin of a row of the queue that is no message: it says who has an agent's turn; see `turn_row`."""
_TURN_ROW = "turn:"
PROCESS_ENDED = "The program ended while the agent worked on this message."
FIRST_DELAY = timedelta(seconds=2)
"""Between a first failed try and the next one; each further one waits twice as long."""
LONGEST_DELAY = timedelta(minutes=5)
_MOST_DOUBLINGS = 16


def turn_row(agent_id: str) -> str:
    """The id of the queue's row by which direct turns of an agent follow one another over all processes."""
    return f"{_TURN_ROW}{agent_id}"


def is_turn_row(row_id: str) -> bool:
    """Whether an id is kept for such rows; no message may have one."""
    return row_id.startswith(_TURN_ROW)


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """How a process works the queue.

    Attributes:
        poll_seconds: How often it looks for messages that are due.
        at_once: Turns that run at the same time, and messages taken at one look.
        lease_seconds: After so long without a sign of life of a process, another takes its messages.
        attempts: Tries of one message, after which it is a dead letter.
        auto_start_queue: Whether agents take messages without being started by hand.
        auto_start_heartbeat: Whether a turn that an agent asked for itself is run too; else its message waits.
    """

    poll_seconds: float = 0.5
    at_once: int = 10
    lease_seconds: float = 30.0
    attempts: int = 5
    auto_start_queue: bool = False
    auto_start_heartbeat: bool = False


@dataclass(frozen=True, slots=True)
class Settlement:
    """What came of one try of a queued message.

    Attributes:
        state: ``processed``; ``failed``, to be tried again; ``dead``; or ``pending``, handed back as if untried.
        error: What went wrong, for a person; empty where nothing did.
        retry_after: Seconds that the provider asks to wait before the next try.
        pauses_agent: Whether nothing more is tried for this agent until it is started again: its key is wrong,
            and every other message would fail too.
    """

    state: QueueState = QueueState.PROCESSED
    error: str = ""
    retry_after: float | None = None
    pauses_agent: bool = False


@dataclass(frozen=True, slots=True)
class WaitingWork:
    """What a look at the queue found: messages to take, wakeups to fire, and whether anything else waits still."""

    messages: tuple[str, ...] = ()
    wakeups: tuple[str, ...] = ()
    is_more: bool = False
    blocked: Mapping[str, TurnHolder] = field(default_factory=dict)
    """Agents whose messages wait for the end of a direct turn, and whose turn that is."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing is due, and nothing waits for another try."""
        return not (self.messages or self.wakeups or self.is_more)


@dataclass(frozen=True, slots=True)
class Firing:
    """A wakeup that is due: how many of its times were missed, and when it is due next (None: never again)."""

    missed: int
    next_at: datetime | None


def processed(message: QueuedMessage) -> Edit:
    """The edit that marks a message of one's own lease processed.

    Whoever stores what a message led to may apply it in that transaction: then both are stored, or neither. It is
    refused with ``refused.lease_lost`` once another process has the message.
    """
    return settled(message, QueueState.PROCESSED)


def settled(
    message: QueuedMessage, state: QueueState, error: str | None = None, next_at: datetime | None = None
) -> Edit:
    """The edit that ends one's own try of a message."""
    return Edit(Ref(RefKind.QUEUE, message.id), SettleMessage(message.attempts, state, error, next_at))


def state_after(settlement: Settlement, attempts: int, most: int) -> QueueState:
    """The state that a message gets: one that failed too often is a dead letter."""
    if settlement.state is QueueState.FAILED and attempts >= most:
        return QueueState.DEAD
    return settlement.state


def next_try(now: datetime, attempts: int, retry_after: float | None = None) -> datetime:
    """When a message that failed `attempts` times is tried again: never sooner than the provider says."""
    doublings = min(max(attempts, 1) - 1, _MOST_DOUBLINGS)
    delay = min(FIRST_DELAY * (1 << doublings), LONGEST_DELAY)
    return now + max(delay, timedelta(seconds=retry_after or 0.0))


def firing_of(wakeup: Wakeup, now: datetime) -> Firing | None:
    """What fires at this moment, None before its time. However many times were missed, it fires once."""
    if now < wakeup.at:
        return None
    every = wakeup.every_seconds
    if every is None or every <= 0:
        return Firing(0, None)
    missed = (now - wakeup.at) // timedelta(seconds=every)
    try:
        return Firing(missed, wakeup.at + timedelta(seconds=every) * (missed + 1))
    except OverflowError:
        return Firing(missed, None)


def fired(wakeup: Wakeup, firing: Firing) -> EnqueueMessage:
    """The message that a wakeup becomes; its metadata say of which wakeup, for when, and how many were missed."""
    metadata: dict[str, Any] = {
        "wakeup": wakeup.id,
        "due": write_time(wakeup.at),
        "missed": firing.missed,
    }
    return EnqueueMessage(
        None, wakeup.agent_id, wakeup.content, metadata=json.dumps(metadata), origin=WAKEUP_ORIGIN
    )
