"""The protocol of all token counters: a tokenizer's name, its method, and counts by chunk."""

from __future__ import annotations

from typing import Protocol

from inspector.context.counting.chunks import Measure, MeasureCache, TextChunks, measure_chunks
from inspector.domain.counts import Count, Method, Tokenizer
from inspector.domain.estimation import features, round_tokens, weigh
from inspector.domain.models import Estimator


class Counter(Protocol):
    """Counts the tokens of texts for one model family."""

    @property
    def tokenizer(self) -> Tokenizer: ...

    def count(self, text: str) -> Count: ...

    def count_chunks(
        self, text: str, previous: TextChunks | None = None, *, border: str = ""
    ) -> tuple[Count, TextChunks]:
        """The count of a text with a border behind it, and the text's chunks.

        What stands in `previous` too is not counted again.
        """
        ...


class EstimateCounter:
    """Counts by features times fitted weights, and by what a shipped vocabulary counts where that has a weight.

    Args:
        estimator: The weights and their errors.
        shared: Counts with the shared vocabulary.
    """

    def __init__(self, estimator: Estimator, shared: Counter | None = None) -> None:
        self._weights = (*estimator.weights, estimator.shared)
        self._shared = shared if estimator.shared else None
        self._measure = MeasureCache(self._measure_chunk)
        self._tokenizer = Tokenizer(estimator.family, Method.ESTIMATE, estimator.band, estimator.under)

    @property
    def tokenizer(self) -> Tokenizer:
        """The family, its method, its band and the upper side of it."""
        return self._tokenizer

    def count(self, text: str) -> Count:
        return self.count_chunks(text)[0]

    def count_chunks(
        self, text: str, previous: TextChunks | None = None, *, border: str = ""
    ) -> tuple[Count, TextChunks]:
        """The same count, and its chunks. What is weighed adds up, so that chunks change no estimate."""
        chunks = measure_chunks(text, self._measure, previous)
        weighed = weigh(chunks.ending(border, self._measure).total(len(self._weights)), self._weights)
        return Count(round_tokens(weighed), Method.ESTIMATE), chunks

    def _measure_chunk(self, text: str) -> Measure:
        return (*features(text), 0 if self._shared is None else self._shared.count(text).tokens)
