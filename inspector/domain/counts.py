"""Token figures, each with the method that found it. Nothing is counted here."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import ceil, floor

from inspector.domain.dataclass import dataclass


class Method(StrEnum):
    """How a figure was found, best first."""

    EXACT = "exact"
    RECONSTRUCTED = "reconstructed"
    PROVIDER = "provider"
    REPORTED = "reported"
    ESTIMATE = "estimate"


_RANK = {method: rank for rank, method in enumerate(Method)}


def joint_method(methods: Iterable[Method]) -> Method:
    """The method of a sum: exact only if every part is, else the weakest. Exact for an empty sum."""
    weakest = Method.EXACT
    for method in methods:
        # Nearly always all are the same, and asking a rank takes longer than that.
        if method is not weakest and _RANK[method] > _RANK[weakest]:
            weakest = method
    return weakest


@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens and how it was found."""

    tokens: int
    method: Method


class RequestKind(StrEnum):
    """What is in a Request, as far as it tells how well its tokens are known; the first that fits."""

    EXACT = "exact"
    """Every part is counted exactly."""
    OPEN = "open"
    """It has what no file holds: a conversation or a document at the provider, a tool of the provider's own."""
    MEDIA = "media"
    """Images or documents."""
    SCHEMA = "schema"
    """The reply has to fit a schema."""
    TOOLS = "tools"
    """Definitions of tools, calls or results."""
    THINKING = "thinking"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class RequestBand:
    """How far bills of whole Requests were from their figures.

    Attributes:
        group: Whose tokenizers the Requests were counted with, ``any`` for all.
        kind: What was in them, a `RequestKind`.
        low: The least share of a figure that was charged.
        high: The largest, None where there is no saying.
        slack: Tokens that are let go on both sides besides.
        n: How many bills it is from.
        covered: The share of bills that it held for when they were left out of it.
        source: What the bills were of.
    """

    group: str
    kind: str
    low: float
    high: float | None
    slack: int
    n: int
    covered: float
    source: str

    def around(self, tokens: int) -> tuple[int, int | None]:
        """The least and the most that is likely to be charged for a figure."""
        most = None if self.high is None else ceil(tokens * self.high) + self.slack
        return max(0, floor(tokens * self.low) - self.slack), most


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """What counted: `name` (``o200k_base``, ``claude_4_8`` …), its method, and for an estimate the band.

    `band` is the relative error that 95 % of texts stay within; 0 for an exact tokenizer. `under` is its upper side:
    times ``1 + under`` the figure covers 95 % of texts.
    """

    name: str
    method: Method
    band: float = 0.0
    under: float = 0.0

    def surely_fitting(self, tokens: int) -> int:
        """How much may be counted so that as many tokens hold it even at the upper side of the band."""
        return max(0, int(tokens / (1 + self.under)))

    def surely_holding(self, counted: int) -> int:
        """How many tokens it takes so that so much may be counted."""
        tokens = max(0, int(counted * (1 + self.under)))
        while self.surely_fitting(tokens) < counted:
            tokens += 1
        return tokens
