"""Counts tokens exactly with the model's own vocabulary, through tiktoken without its download code.

The first texts are counted word by word, to the same result, so that nobody waits for tiktoken to take all of it in.
``Encoding`` is built by its constructor from shipped files: no code that could open a connection is reached.
"""

from __future__ import annotations

import re
import threading
from base64 import b64decode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from inspector.context.counting.chunks import UNCUT, Measure, MeasureCache, TextChunks, measure_chunks
from inspector.context.counting.word_counts import WordCounter
from inspector.domain.counts import Count, Method, Tokenizer

if TYPE_CHECKING:
    from tiktoken import Encoding

_SPACES_THAT_PANIC = re.compile(r"\s{900000}")
"""A run of a million white-space characters makes the split pattern of ``o200k_base`` give up."""


class Vocabulary(Protocol):
    """A byte-pair vocabulary as it is shipped."""

    @property
    def name(self) -> str: ...

    @property
    def pattern(self) -> str:
        """The pattern that splits a text before pairs are merged."""
        ...

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Tokens that no text can hold; user text that reads like one is counted as text."""
        ...

    def verified_bytes(self) -> bytes:
        """The ranks: a line a token, its bytes in base 64, a space and its rank."""
        ...

    def verified_index(self) -> bytes | None:
        """Where each token stands among them, if that is known."""
        ...


class Fallback(Protocol):
    """Estimates what the tokenizer refuses."""

    def count(self, text: str) -> Count: ...


class ExactCounter:
    """Counts with one vocabulary. It is read at the first count, in the thread that counts first."""

    def __init__(self, vocabulary: Vocabulary, fallback: Fallback) -> None:
        self._vocabulary = vocabulary
        self._fallback = fallback
        self._encoding: Encoding | None = None
        self._words: WordCounter | None = None
        self._lock = threading.Lock()
        self._measure = MeasureCache(self._measure_chunk)

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self._vocabulary.name, Method.EXACT)

    def count(self, text: str) -> Count:
        """The tokens of one text."""
        if len(text) >= UNCUT:
            return self.count_chunks(text)[0]
        tokens, estimated = self._measure(text)
        return Count(tokens, Method.ESTIMATE if estimated else Method.EXACT)

    def count_chunks(
        self, text: str, previous: TextChunks | None = None, *, border: str = ""
    ) -> tuple[Count, TextChunks]:
        """The same count, and its chunks. A stretch that the tokenizer refuses makes it an estimate."""
        chunks = measure_chunks(text, self._measure, previous)
        tokens, estimated = chunks.ending(border, self._measure).total(2)
        return Count(tokens, Method.ESTIMATE if estimated else Method.EXACT), chunks

    def _measure_chunk(self, text: str) -> Measure:
        """Tokens, and 1 if they had to be estimated."""
        if len(text) >= 900_000 and _SPACES_THAT_PANIC.search(text):
            return self._fallback.count(text).tokens, 1
        tokens = None if self._encoding else self._count_words(text)
        if tokens is not None:
            return tokens, 0
        try:
            return len((self._encoding or self._encoder()).encode_ordinary(text)), 0
        except ValueError:
            return self._fallback.count(text).tokens, 1
        except BaseException as panic:
            # A Rust panic derives from BaseException alone and its class is nowhere exported.
            if type(panic).__name__ != "PanicException":
                raise
            return self._fallback.count(text).tokens, 1

    def _count_words(self, text: str) -> int | None:
        with self._lock:
            if self._words is None:
                self._words = WordCounter(self._vocabulary)
        return self._words.count(text)

    def _encoder(self) -> Encoding:
        with self._lock:
            if self._encoding is None:
                self._encoding = _build(self._vocabulary)
            return self._encoding


def _build(vocabulary: Vocabulary) -> Encoding:
    # Here and not above: it costs the start of a program that may never count.
    from tiktoken import Encoding  # noqa: PLC0415

    lines = vocabulary.verified_bytes().splitlines()
    ranks = {b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    return Encoding(
        vocabulary.name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=ranks,
        special_tokens=dict(vocabulary.special_tokens),
    )
