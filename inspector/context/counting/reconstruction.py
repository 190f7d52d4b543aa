"""Counts Claude's tokens with ``ctok``, an optional package for Python 3.12 and newer.

It counts whole messages. What it says of a stretch inside a text is found between two words, so that stretches
cut where `chunks` cuts add up, as the other counters' do.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from inspector.context.counting.chunks import Measure, MeasureCache, TextChunks, measure_chunks
from inspector.domain.counts import Count, Method, Tokenizer
from inspector.domain.dataclass import dataclass
from inspector.domain.models import Reconstruction

PACKAGE = "ctok"
LEAST_PYTHON = (3, 12)

MessageCount = Callable[[str, str], int]
"""The tokens of a text as one user message, for a version."""

_REFUSALS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a package that walks any text may fail with. Such a stretch becomes a labelled estimate."""


class ReconstructionFallback(Protocol):
    """Estimates what cannot be counted."""

    def count(self, text: str) -> Count: ...


def find_package(python: tuple[int, int] = sys.version_info[:2]) -> MessageCount | None:
    """The package's way to count, None where it is not installed or this Python is too old for it.

    It is imported at the first count, not here.
    """
    if python < LEAST_PYTHON or find_spec(PACKAGE) is None:
        return None
    return _count_message


def _count_message(text: str, version: str) -> int:
    # Here and not above: most installations have no such package.
    return int(import_module(PACKAGE).token_count(text, version))


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What the words around a stretch cost, which is no part of it.

    `word` is a message of the word before alone, `line` the same with a newline, `following` the word behind.
    """

    word: int
    line: int
    following: int


class ReconstructedCounter:
    """Counts with a reconstruction of the model's tokenizer, which may be a token off here and there."""

    def __init__(self, facts: Reconstruction, count: MessageCount, fallback: ReconstructionFallback) -> None:
        self._facts = facts
        self._message = count
        self._fallback = fallback
        self._bounds: _Bounds | None = None
        self._lock = threading.Lock()
        self._measure = MeasureCache(self._measure_chunk)
        self._tokenizer = Tokenizer(facts.family, Method.RECONSTRUCTED, facts.band, facts.under)

    @property
    def tokenizer(self) -> Tokenizer:
        return self._tokenizer

    def count(self, text: str) -> Count:
        return self.count_chunks(text)[0]

    def count_chunks(
        self, text: str, previous: TextChunks | None = None, *, border: str = ""
    ) -> tuple[Count, TextChunks]:
        """The same count, and its chunks. A stretch that the package refuses makes it an estimate."""
        chunks = measure_chunks(text, self._measure, previous)
        tokens, estimated = chunks.ending(border, self._measure).total(2)
        return Count(tokens, Method.ESTIMATE if estimated else Method.RECONSTRUCTED), chunks

    def _measure_chunk(self, text: str) -> Measure:
        try:
            return self._stretch(text), 0
        except _REFUSALS:
            return self._fallback.count(text).tokens, 1

    def _stretch(self, text: str) -> int:
        """The tokens of a stretch where it stands, without a message's frame and without what borders on it."""
        if not text:
            return 0
        bounds = self._known_bounds()
        # A message's frame swallows a space before and newlines behind; between words they count.
        before, lead = ("a", bounds.word) if text[0].isspace() else ("a\n", bounds.line)
        behind, tail = ("a", bounds.following) if text[-1] == "\n" else ("", 0)
        return max(0, self._message(f"{before}{text}{behind}", self._facts.version) - lead - tail)

    def _known_bounds(self) -> _Bounds:
        with self._lock:
            if self._bounds is None:
                word, two, lines = (self._message(text, self._facts.version) for text in ("a", "a a", "a\na"))
                self._bounds = _Bounds(word, word + lines - two, two - word)
            return self._bounds
