"""The token limits of a Request, the strategies that shorten its history, and how far they went."""

from __future__ import annotations

from typing import ClassVar

from inspector.domain.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """All in tokens. The Request never passes `max_tokens - reserved_response_tokens`.

    `memory_tokens` is the joint cap of core, working, logs and shared blocks; None means the rest of
    the window, likewise for `history_tokens`.
    """

    max_tokens: int
    memory_tokens: int | None
    history_tokens: int | None
    reserved_response_tokens: int

    @property
    def usable(self) -> int:
        """What a Request may take: the window less the reserved reply, never below 0."""
        return max(0, self.max_tokens - self.reserved_response_tokens)


LARGE = Limits(200_000, 12_000, 80_000, 8_000)
SMALL = Limits(200_000, 6_000, 40_000, 4_000)
LIMIT_PRESETS = {"large": LARGE, "small": SMALL}
ASSUMED_WINDOW = 32_000
"""The window assumed for an unknown model at an OpenAI-compatible or Ollama address (engine.md, Budget)."""


@dataclass(frozen=True, slots=True)
class LimitOverrides:
    """What an agent or a what-if sets differently; None leaves the model's figure."""

    preset: str | None = None
    max_tokens: int | None = None
    memory_tokens: int | None = None
    history_tokens: int | None = None
    reserved_response_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Truncate:
    """At most the newest `keep_recent` messages in whole batches, fewer if the tokens demand."""

    kind: ClassVar[str] = "truncate"
    keep_recent: int = 100


@dataclass(frozen=True, slots=True)
class RecursiveSummarization:
    """Fold the oldest units, `chunk_size` messages at a time, into summaries."""

    kind: ClassVar[str] = "recursive_summarization"
    chunk_size: int = 20
    model: str | None = None
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class ImportanceBased:
    """Keep the newest and the most important."""

    kind: ClassVar[str] = "importance_based"
    keep_recent: int = 20
    keep_important: int = 20


@dataclass(frozen=True, slots=True)
class TimeDecay:
    """Leave out what is older, down to a floor that yields to the token limit."""

    kind: ClassVar[str] = "time_decay"
    compress_after_hours: float = 24
    min_keep_recent: int = 10


@dataclass(frozen=True, slots=True)
class WindowStrategy:
    """The newest batches of at most `verbatim_count` messages, and the latest summary."""

    kind: ClassVar[str] = "window"
    verbatim_count: int = 8


@dataclass(frozen=True, slots=True)
class Hysteresis:
    """Shorten only past the high mark, down to the low mark (shares of the history budget).

    Measured over a session of 1.2 million tokens in 2,670 Requests, with a history of 60,000: with what changes at the
    tail, these marks read 92.5 % of all input from the provider's cache and cost a tenth of the same without a cache;
    a low mark of 0.8 reads 91.1 %, of 0.3 91.9 %, a history that slides by one turn 77.8 %. With what changes in the
    system prompt it is 13.6 %.
    """

    kind: ClassVar[str] = "hysteresis"
    high: float = 0.95
    low: float = 0.5


Strategy = Truncate | RecursiveSummarization | ImportanceBased | TimeDecay | WindowStrategy | Hysteresis
STRATEGIES: tuple[type[Strategy], ...] = (
    Truncate,
    RecursiveSummarization,
    ImportanceBased,
    TimeDecay,
    WindowStrategy,
    Hysteresis,
)


@dataclass(frozen=True, slots=True, order=True)
class ElidedResult:
    """A tool result that only a stub stands for: the message that holds it, and its call."""

    message: str
    call: str


@dataclass(frozen=True, slots=True)
class HistoryState:
    """What a shortened history begins with.

    It is stored only when a Request is really sent, or on demand; a build that is only looked at proposes one.

    Attributes:
        limits: A digest of all that it was shortened under. Under anything else it does not count.
        first: The position of the first message that is kept; what stands before it was folded.
        elided: The results that only stubs stand for.
        checkpoint: The id of the last summary that stands for what was folded, None if there is none.
    """

    limits: str
    first: int = 0
    elided: tuple[ElidedResult, ...] = ()
    checkpoint: str | None = None
