"""Turns of agents: the message that begins one, what happens in it as events, and the state an agent is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from inspector.domain.actor import Actor
from inspector.domain.consent import DEFAULT_WAIT
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters
from inspector.domain.messages import BatchType
from inspector.domain.records import QueuedMessage, TokenUsage
from inspector.domain.replies import FailureKind, TextDelta, ThinkingDelta
from inspector.domain.wire.objects import object_of

TURN_CALL = "turn"
"""The kind of a model call that an agent's turn made, or a person who kept the reply in the conversation."""

STOPPED = "stopped"
"""Stands in the metadata of what a turn was stopped at, a reply's text so far or results: it answers nobody."""

STEPS_AT_MOST = 50
"""Model calls of one turn, those that a recovery repeats not counted."""


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """A message that begins a turn.

    Attributes:
        text: What it says.
        batch_type: What caused it.
        source: The channel it came by, such as ``chat``, ``queue`` or a program's own name.
        name: Who it is from, as the model and the activity read it; None for whoever `actor` is.
        metadata: Facts that are stored with it, JSON text.
        message_id: The id it is stored under. A message of that id is stored once: a turn that begins with it again
            goes on where the first one ended. Empty lets the store make one.
        actor: Who sent it; None for the person at this machine.
        queued: The message of the queue that it is, which this process has in hand; None for a turn that is begun
            directly and waits for the agent's other turns.
    """

    text: str
    batch_type: BatchType = BatchType.USER_REQUEST
    source: str = ""
    name: str | None = None
    metadata: str = "{}"
    message_id: str = ""
    actor: Actor | None = None
    queued: QueuedMessage | None = None


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """What one turn does differently from the agent's own settings.

    Attributes:
        model: The model that is asked; None for the agent's own.
        steps: The most model calls.
        zone: The time zone that the Request is built for, an IANA name.
        consent_seconds: How long a person's consent is waited for; no answer is a no.
        folds: Whether what is due to be summarised is, when the turn has ended: by its model, or as the settings say
            where it has none.
    """

    model: str | None = None
    steps: int = STEPS_AT_MOST
    zone: str = "UTC"
    consent_seconds: float = DEFAULT_WAIT.total_seconds()
    folds: bool = True


class AgentPhase(StrEnum):
    """What an agent does right now."""

    READY = "ready"
    PROCESSING = "processing"
    COOLDOWN = "cooldown"
    """It waits until its provider takes calls again."""
    ERROR = "error"
    """Its last turn failed; it takes messages all the same."""


@dataclass(frozen=True, slots=True)
class AgentState:
    """The state of an agent in this process: its phase, and of an error its kind and the words of it.

    `until` is when a cooldown ends.
    """

    phase: AgentPhase = AgentPhase.READY
    kind: str = ""
    message: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class TurnHolder:
    """Whose turn another one waits for.

    Attributes:
        name: Who began it, as the file knows the process; empty where it doesn't.
        program: The program that runs it.
        is_queued: Whether it is the turn of a queued message.
    """

    name: str
    program: str
    is_queued: bool = False


@dataclass(frozen=True, slots=True)
class TurnWaiting:
    """The turn waits for another one of the agent, here or in another process; it may come before `TurnStarted`.

    It comes again whenever somebody else's turn has become the one that is waited for.
    """

    agent_id: str
    agent: str
    holder: TurnHolder


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The turn has begun: whose turn it is, and the batch that its messages are stored in."""

    agent_id: str
    batch_id: str


@dataclass(frozen=True, slots=True)
class StepStarted:
    """A model call begins. `number` counts from 1; `run_id` is the id that the call is stored under.

    A repeated call is a step of the same number with a run of its own: what came of the one before is void.
    """

    number: int
    run_id: str
    model: str
    request_tokens: int


@dataclass(frozen=True, slots=True)
class StepEnded:
    """A model call is stored: what its provider charged, and US dollars where all prices are there."""

    run_id: str
    usage: TokenUsage
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool is called; `arguments` is the JSON text as the model wrote it."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ConsentAsked:
    """A tool's edit waits for a person's answer to the consent request of that id."""

    call_id: str
    request_id: str
    label: str
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class ToolConsentAsked:
    """A rule wants a person's word for a call: it waits for `RunningTurn.answer`; no answer in time is a no."""

    call_id: str
    name: str
    arguments: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ToolDone:
    """A tool has ended with the text that the model reads."""

    call_id: str
    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class MessageSent:
    """The agent has sent a text to a person, through the tool for it."""

    text: str


class RepairKind(StrEnum):
    """What a recovery does before it repeats the call."""

    WAIT = "wait"
    DROP_THINKING = "drop_thinking"
    DROP_EMPTY = "drop_empty"
    PAIR_CALLS = "pair_calls"
    CALLS_AS_TEXT = "calls_as_text"
    COMPRESS = "compress"


@dataclass(frozen=True, slots=True)
class RecoveryMade:
    """A failed call is repaired and made again.

    Attributes:
        kind: Why the call failed.
        repair: What is done about it.
        attempt: Which attempt of that kind it is, from 1.
        seconds: How long is waited before it.
        message: The server's own words, untrusted.
    """

    kind: FailureKind
    repair: RepairKind
    attempt: int
    seconds: float = 0.0
    message: str = ""


@dataclass(frozen=True, slots=True)
class TurnError:
    """The turn ends with an error.

    Attributes:
        kind: A `FailureKind`, or ``context_build`` (no Request can be sent), ``steps`` (too many), ``file`` or
            ``engine``.
        message: A server's own words, untrusted; empty where it said none.
        recoverable: Whether the same turn may succeed later without anybody changing anything.
        code: A key of the word catalogue for what went wrong on this side, else empty.
        parameters: What that sentence names.
        retry_after: Seconds after which the provider takes calls again, where it said so.
    """

    kind: str
    message: str
    recoverable: bool
    code: str = ""
    parameters: Parameters = field(default_factory=dict)
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class HistoryFolded:
    """What the next Requests leave out was summarised: so many summaries were stored, so many messages archived.

    With a `code` of the word catalogue it failed there; the messages then wait for the end of a later turn.
    """

    summaries: int
    messages: int
    code: str = ""
    parameters: Parameters = field(default_factory=dict)


class TurnEnd(StrEnum):
    """Why a turn came to its end."""

    REPLIED = "replied"
    """The model asked for no further tool."""
    EXITED = "exited"
    """A tool's rule ends the turn."""
    STOPPED = "stopped"
    """A person stopped it."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnDone:
    """The last event of every turn.

    Attributes:
        end: Why it ended.
        batch_id: The batch of its messages, empty where nothing was stored.
        text: The text of the last reply.
        steps: The model calls that were made.
        wants_more: Whether a call asked for another turn; the message for it stands in the agent's queue.
    """

    end: TurnEnd
    batch_id: str
    text: str = ""
    steps: int = 0
    wants_more: bool = False


TurnEvent = (
    TurnWaiting
    | TurnStarted
    | StepStarted
    | TextDelta
    | ThinkingDelta
    | StepEnded
    | ToolStarted
    | ConsentAsked
    | ToolConsentAsked
    | ToolDone
    | MessageSent
    | RecoveryMade
    | HistoryFolded
    | TurnError
    | TurnDone
)

OnState = Callable[[str, AgentState], None]
"""Hears of each change of an agent's state: the agent's id, and its state from then on."""


def was_stopped(metadata: str) -> bool:
    """Whether a message's metadata says that its turn was stopped at it."""
    return object_of(metadata).get(STOPPED) is True
