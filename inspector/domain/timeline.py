"""Values of the timeline: which events are asked for, how many there are when, and what a stretch adds up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta

from inspector.domain.activity import Importance
from inspector.domain.dataclass import dataclass

SYSTEM = ""
"""Stands for the agent of events that are the system's."""
CHARACTERS_PER_TOKEN = 4
"""What a stored character is taken for, where nothing was reported."""
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def moved(at: datetime, by: timedelta) -> datetime:
    """A moment that much later or earlier, or the end of the calendar, where programs write "never" or nothing."""
    try:
        return at + by
    except OverflowError:
        return _LAST if by > timedelta() else _FIRST


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are asked for.

    Attributes:
        agent: An agent's id, `SYSTEM`, or None for all.
        kind: The stored name of a kind; nothing for all.
        least: The least importance.
        since: From this time on.
        until: Before this time.
        words: All of these stand in an event's kind or details.
        folded_kinds: The stored names of kinds that are left out.
        folded_agents: The ids of agents that are left out, `SYSTEM` among them.
    """

    agent: str | None = None
    kind: str = ""
    least: Importance = Importance.LOW
    since: datetime | None = None
    until: datetime | None = None
    words: str = ""
    folded_kinds: tuple[str, ...] = ()
    folded_agents: tuple[str, ...] = ()

    @property
    def passes_all(self) -> bool:
        """Whether nothing is kept back."""
        return self == EventFilter()


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A stretch of time, half-open."""

    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class EventExtent:
    """How far the events of a file reach: their number, the first and last `seq`, and the earliest and latest time."""

    count: int = 0
    first_seq: int = 0
    last_seq: int = 0
    earliest: datetime | None = None
    latest: datetime | None = None

    @property
    def is_unbroken(self) -> bool:
        """Whether every number between the first and the last is an event's."""
        return self.count > 0 and self.last_seq - self.first_seq + 1 == self.count

    def whole(self, now: datetime) -> TimeRange:
        """From the earliest to just behind the latest time; without any, the day that ends now."""
        latest = self.latest or now
        earliest = self.earliest or moved(latest, -timedelta(days=1))
        return TimeRange(earliest, moved(max(latest, earliest), timedelta(seconds=1)))


@dataclass(frozen=True, slots=True)
class TimeBucket:
    """Events of one bucket by importance, and how many of them are compressions."""

    by_importance: tuple[int, int, int, int] = (0, 0, 0, 0)
    compressions: int = 0

    @property
    def count(self) -> int:
        return sum(self.by_importance)


@dataclass(frozen=True, slots=True)
class EventDensity:
    """Events in buckets of one width over a stretch of time; `is_whole` says that all of them are counted."""

    over: TimeRange
    buckets: tuple[TimeBucket, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class KindTotal:
    """How many events of a kind there are, and how many of them are of high importance and up."""

    kind: str
    count: int
    important: int = 0


@dataclass(frozen=True, slots=True)
class RunTotal:
    """What the runs of a model add up to: tokens as reported, milliseconds, US dollars where it has prices.

    Of the input, `cache_read_tokens` and `cache_write_tokens` are what was read from a cache and written to one.
    `unpriced` are the runs that aren't in the cost: nobody reported their tokens, or the model has no prices.
    """

    model: str
    count: int
    input_tokens: int = 0
    output_tokens: int = 0
    milliseconds: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    unpriced: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class StretchTotals:
    """What a stretch of time adds up to; `is_whole` says that all of its events are counted."""

    over: TimeRange
    kinds: tuple[KindTotal, ...] = ()
    runs: tuple[RunTotal, ...] = ()
    is_whole: bool = False

    @property
    def count(self) -> int:
        return sum(each.count for each in self.kinds)


@dataclass(frozen=True, slots=True)
class ContextSize:
    """The tokens of an agent's context at a moment.

    `reported` figures are those of a run, others estimates from the lengths of messages. With `before`, a compression
    led there from so many tokens; `summary_id` is what it wrote.
    """

    at: datetime
    tokens: int
    reported: bool = False
    before: int | None = None
    archived: int = 0
    summary_id: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class SizeCourse:
    """An agent's context over time, and of how many figures these are the ones that are shown."""

    agent_id: str = ""
    sizes: tuple[ContextSize, ...] = field(default=())
    measured: int = 0


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression as its event has it: how many messages it archived, and the summary it wrote."""

    at: datetime
    seq: int
    archived: int
    summary_id: str = ""


def sizes_of_messages(
    messages: Sequence[tuple[datetime, int]], compressions: Sequence[Compression]
) -> list[ContextSize]:
    """What messages (time, characters) take as they come, and what each compression leaves of them, in order of time.

    A compression takes the oldest ones away; their number is its event's.
    """
    found: list[ContextSize] = []
    total = oldest = 0
    pending = list(reversed(compressions))

    def compress(upto: int) -> None:
        nonlocal total, oldest
        each = pending.pop()
        before, end = total, min(upto, oldest + each.archived)
        total -= sum(length for _, length in messages[oldest:end])
        oldest = end
        size = ContextSize(
            each.at,
            total // CHARACTERS_PER_TOKEN,
            before=before // CHARACTERS_PER_TOKEN,
            archived=each.archived,
            summary_id=each.summary_id,
            seq=each.seq,
        )
        found.append(size)

    for place, (at, length) in enumerate(messages):
        while pending and pending[-1].at <= at:
            compress(place)
        total += length
        found.append(ContextSize(at, total // CHARACTERS_PER_TOKEN))
    while pending:
        compress(len(messages))
    return found


def thinned(sizes: Sequence[ContextSize], most: int) -> tuple[ContextSize, ...]:
    """At most about so many figures: evenly chosen, with those at compressions and the largest between two of them."""
    if len(sizes) <= most:
        return tuple(sizes)
    step = -(-len(sizes) // most)
    kept: list[ContextSize] = []
    for start in range(0, len(sizes), step):
        part = sizes[start : start + step]
        marked = [each for each in part if each.before is not None][: max(1, step)]
        largest = max(part, key=lambda each: each.tokens)
        kept += sorted({*marked[-1:], largest}, key=lambda each: (each.at, each.seq))
    return tuple(kept)
