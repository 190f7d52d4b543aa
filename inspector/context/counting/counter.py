"""The protocol of all token counters: a tokenizer's name, its method, and counts by chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inspector.context.counting.chunks import Measure, MeasureCache, TextChunks, measure_chunks
from inspector.domain.counts import Count, Method, Tokenizer
from inspector.domain.estimation import FEATURE_NAMES, features, round_tokens, weigh


class Counter(Protocol):
    """Counts the tokens of texts for one model family."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    def count(self, text: str) -> Count: ...

    def count_chunks(self, text: str, previous: TextChunks | None = None) -> tuple[Count, TextChunks]:
        """The same count, and its chunks; what stands in `previous` too is not counted again."""
        ...


class EstimateCounter:
    """Counts by features times fitted weights."""

    def __init__(self, name: str, weights: Sequence[float], band: float, under: float = 0.0) -> None:
        self._weights = tuple(weights)
        self._measure = MeasureCache(features)
        self._tokenizer = Tokenizer(name, Method.ESTIMATE, band, under)

    @property
    def tokenizer(self) -> Tokenizer:
        """The family, its method, its band and the upper side of it."""
        return self._tokenizer

    def count(self, text: str) -> Count:
        return self.count_chunks(text)[0]

    def count_chunks(self, text: str, previous: TextChunks | None = None) -> tuple[Count, TextChunks]:
        """The same count, and its chunks. The features add up, so that chunks change no estimate."""
        chunks = measure_chunks(text, self._measure, previous)
        return self._count(chunks.total(len(FEATURE_NAMES))), chunks

    def _count(self, measure: Measure) -> Count:
        return Count(round_tokens(weigh(measure, self._weights)), Method.ESTIMATE)
