"""Findings of a lint run: duplicates, unused tools, nearly full limits, secrets."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Severity
from inspector.domain.ref import Ref
from inspector.domain.requests import Fix


class LintRule(StrEnum):
    """What is looked for. Worded under ``lint.ID``."""

    DUPLICATE_TEXT = "duplicate_text"
    DESCRIPTION_IS_CONTENT = "description_is_content"
    NEAR_CHAR_LIMIT = "near_char_limit"
    NEAR_MAX_ITEMS = "near_max_items"
    NEAR_WINDOW = "near_window"
    NEAR_MEMORY_CAP = "near_memory_cap"
    UNUSED_TOOL = "unused_tool"
    STALE_BLOCK = "stale_block"
    LARGE_MESSAGE = "large_message"
    SECRET = "secret"
    COMPILED_DIFFERS = "compiled_differs"


@dataclass(frozen=True, slots=True)
class FindingSpan:
    """A part of a piece's text, from `start` to `end`."""

    piece_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: where it is, what it would save, and what would mend it.

    Attributes:
        rule: What was looked for.
        severity: How bad it is.
        where: The thing that it is in.
        tokens: What the fix saves, 0 where it saves none.
        method: How they were counted.
        fix: What would mend it.
        others: The other places that it speaks of.
        parameters: Its facts.
        places: What of the Request would go.
        more: What of `tokens` none of the findings before it saves too: all of these add up to what is saved in all.
    """

    rule: LintRule
    severity: Severity
    where: Ref
    tokens: int
    method: Method
    fix: Fix | None
    others: tuple[Ref, ...] = ()
    parameters: Parameters = field(default_factory=dict)
    places: tuple[FindingSpan, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class LintSettings:
    """From where on something is worth a word.

    Attributes:
        least_words: Words in a row that are the same in two places.
        near: The share of a limit.
        least_calls: Calls of tools among the messages that were read, below which no tool is said to be of no use.
        stale_days: Days without a change, while the agent was at work.
        stale_batches: Batches since, likewise.
        large_tokens: Tokens of an earlier message, from which on it is large.
        large_share: Its share of the Request, from which on it is; both have to be reached.
    """

    least_words: int = 12
    near: float = 0.9
    least_calls: int = 20
    stale_days: float = 30
    stale_batches: int = 10
    large_tokens: int = 1_000
    large_share: float = 0.05
