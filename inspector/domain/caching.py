"""The prompt cache's result for a Request: what it reads, what it writes and the price."""

from __future__ import annotations

from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem
from inspector.domain.past_requests import TextDifference


@dataclass(frozen=True, slots=True)
class CacheRules:
    """What a provider allows and does.

    Attributes:
        provider: Whose.
        breakpoints: How many places a Request may mark.
        look_back: From how many wire blocks before a marked place on an entry is still found.
        minimum: Tokens below which a prefix is silently not kept; None where nobody says.
        is_automatic: Whether the longest known prefix is found without marks too.
        writes_billed: Whether what is written has a price of its own; otherwise it costs what input does.
        seconds: How long an entry lives after its last use, None where nobody says.
        step: A prefix that is found without marks is read in whole multiples of so many tokens.
    """

    provider: str
    breakpoints: int
    look_back: int
    minimum: int | None
    is_automatic: bool
    writes_billed: bool
    seconds: int | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class CacheSegment:
    """A stretch of the Request that changes for one kind of reason. Offsets are code points of the text form."""

    name: str
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A marked place: the cached prefix ends behind the last wire block of a piece.

    `end` is its offset in the text form, `tokens` what the prefix takes, `blocks` how many wire blocks it has.
    """

    label: str
    piece_id: str
    end: int
    tokens: int
    blocks: int


@dataclass(frozen=True, slots=True)
class CachePlan:
    """Where a Request is marked. Without rules nothing is known of the provider's cache, and nothing is marked."""

    rules: CacheRules | None
    segments: tuple[CacheSegment, ...]
    breakpoints: tuple[Breakpoint, ...]
    problems: tuple[Problem, ...] = ()


class MissKind(StrEnum):
    """Why less is read than was kept. Only what is certain is ever named."""

    MODEL_CHANGED = "model_changed"
    TOOLS_CHANGED = "tools_changed"
    SYSTEM_CHANGED = "system_changed"
    MESSAGES_CHANGED = "messages_changed"
    LOOK_BACK = "too_many_blocks"
    BELOW_MINIMUM = "below_minimum"


@dataclass(frozen=True, slots=True)
class Miss:
    """The cause of a miss: the piece at the first difference, and what happened to it, as far as that is certain."""

    kind: MissKind
    piece_id: str | None = None
    change: str | None = None


@dataclass(frozen=True, slots=True)
class CacheAccount:
    """What a Request reads of the cache that the one before it left, and what it pays.

    Attributes:
        plan: Where it is marked.
        difference: The first place that differs from the Request before, None when nothing does.
        hits: The entries of the Request before that are found again, by label.
        missed: Those that are not.
        read_tokens: What is read.
        written_tokens: What is written anew.
        fresh_tokens: What is neither: it stands behind the last marked place.
        lost_tokens: What the Request before had left and this one cannot read, up to its own size.
        cause: Why anything is lost, None when nothing is or it is not certain.
        cost: US dollars for the input, None when a price is not known.
        cost_uncached: The same without any cache.
        unknown_prices: The prices that would be needed.
        may_have_expired: Whether the entries may be too old by now; None when that cannot be told.
    """

    plan: CachePlan
    difference: TextDifference | None
    hits: tuple[str, ...]
    missed: tuple[str, ...]
    read_tokens: int
    written_tokens: int
    fresh_tokens: int
    lost_tokens: int
    cause: Miss | None
    cost: float | None
    cost_uncached: float | None
    unknown_prices: tuple[str, ...] = ()
    may_have_expired: bool | None = None
