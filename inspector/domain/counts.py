"""Token figures, each with the method that found it. Nothing is counted here."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

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
