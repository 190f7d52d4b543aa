"""Token figures: each carries how it was found. Figures enter the domain as values; nobody counts here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


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
    return max(methods, key=_RANK.__getitem__, default=Method.EXACT)


@dataclass(frozen=True, slots=True)
class Count:
    """A number of tokens and how it was found."""

    tokens: int
    method: Method


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """What counted: `name` (``o200k_base``, ``claude_4_8`` …), its method, and for an estimate the band.

    `band` is the relative error that 95 % of texts stay within; 0 for an exact tokenizer.
    """

    name: str
    method: Method
    band: float = 0.0
