"""States of agents that run in this window, and what is kept of the turn of each."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.records import QueuedMessage, TokenUsage
from inspector.domain.replies import TextDelta, ThinkingDelta
from inspector.domain.turns import StepEnded, StepStarted, TurnDone, TurnError, TurnEvent

MOST_KEPT = 200_000
"""Characters of a turn's stream that are kept for whoever looks later; the conversation has all of it."""


class RunState(StrEnum):
    """How an agent stands in this window."""

    STOPPED = "stopped"
    STARTING = "starting"
    WAITING = "waiting"
    """It takes the next message of its queue."""
    BLOCKED = "blocked"
    """Its next message waits for a turn that a chat or another program has begun."""
    RUNNING = "running"
    COOLDOWN = "cooldown"
    """It waits until its provider takes calls again."""
    PAUSING = "pausing"
    """Its turn ends by itself; no other begins."""
    PAUSED = "paused"
    STOPPING = "stopping"
    REFUSED = "refused"
    """Nothing more is tried until it is started again: what a person has to change is its key, model or address."""

    @property
    def is_started(self) -> bool:
        """Whether it takes messages, or has one in hand."""
        return self not in (RunState.STOPPED, RunState.PAUSED, RunState.REFUSED)

    @property
    def has_turn(self) -> bool:
        return self in (RunState.RUNNING, RunState.COOLDOWN, RunState.PAUSING, RunState.STOPPING)


@dataclass(frozen=True, slots=True)
class AgentRun:
    """An agent's state in this window.

    `why` says what a person has to change where it was refused, `holder` who has the turn that it waits for.
    """

    state: RunState = RunState.STOPPED
    why: str = ""
    holder: str = ""


@dataclass(frozen=True, slots=True)
class TurnStep:
    """One model call of a turn. `usage` is None until the call has ended, `cost` where a price is missing."""

    run_id: str
    number: int
    model: str
    request_tokens: int
    usage: TokenUsage | None = None
    cost: float | None = None


class TurnLog:
    """The newest turn of an agent as far as it came: its message, its events and its steps."""

    def __init__(self, message: QueuedMessage) -> None:
        self.message = message
        self.events: list[TurnEvent] = []
        self.steps: list[TurnStep] = []
        self.error: TurnError | None = None
        self.done: TurnDone | None = None
        self._kept = 0

    def take(self, events: Iterable[TurnEvent]) -> None:
        """Keep events that came in; deltas of one kind become one."""
        for event in events:
            if isinstance(event, TextDelta | ThinkingDelta):
                self._keep(event)
            else:
                self.events.append(event)
                self._note(event)

    def _keep(self, delta: TextDelta | ThinkingDelta) -> None:
        if self._kept >= MOST_KEPT:
            return
        self._kept += len(delta.text)
        last = self.events[-1] if self.events else None
        if isinstance(last, TextDelta) and isinstance(delta, TextDelta):
            self.events[-1] = TextDelta(last.text + delta.text)
        elif isinstance(last, ThinkingDelta) and isinstance(delta, ThinkingDelta):
            self.events[-1] = ThinkingDelta(last.text + delta.text)
        else:
            self.events.append(delta)

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, StepStarted):
            step = TurnStep(event.run_id, event.number, event.model, event.request_tokens)
            self.steps.append(step)
        elif isinstance(event, StepEnded):
            self.steps = [
                TurnStep(each.run_id, each.number, each.model, each.request_tokens, event.usage, event.cost)
                if each.run_id == event.run_id
                else each
                for each in self.steps
            ]
        elif isinstance(event, TurnError):
            self.error = event
        elif isinstance(event, TurnDone):
            self.done = event
