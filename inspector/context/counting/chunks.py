"""Cuts a text into chunks whose token counts add up, so that an edit recounts only its own chunk.

Two kinds of place never change a count, for ``cl100k_base``, ``o200k_base`` and the estimators' features
alike: after a newline before a character that is neither white space nor a solidus, and between an ASCII
letter and a single space that an ASCII letter follows (both split patterns start a new match there, whatever
stands around it). The tests hold all three to it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import chain

from inspector.domain.dataclass import dataclass

CHUNK_SIZE = 2048
"""Characters from which on a chunk ends at the next place where it may."""

UNCUT = 2 * CHUNK_SIZE
"""Characters below which a text is one chunk."""

_PLACE = re.compile(r"(?<=\n)(?=[^\s/])|(?<=[A-Za-z])(?= [A-Za-z])")

Measure = tuple[int, ...]
"""What one stretch of text counts; the measures of neighbouring chunks add up column by column."""


@dataclass(frozen=True, slots=True)
class TextChunks:
    """A text cut into chunks, with the measure of each. Joined, `texts` are the text.

    `text` is that text where it is at hand: the same object then needs no comparison.
    """

    texts: tuple[str, ...]
    measures: tuple[Measure, ...]
    text: str | None = None

    def total(self, width: int) -> Measure:
        if len(self.measures) == 1:
            return self.measures[0]
        return tuple(map(sum, zip(*self.measures, strict=True))) or (0,) * width

    def ending(self, border: str, measure: Callable[[str], Measure]) -> TextChunks:
        """The same text with a border behind it: of all chunks only the last is measured again."""
        if not border:
            return self
        texts = (*self.texts[:-1], "".join((*self.texts[-1:], border)))
        return TextChunks(texts, (*self.measures[:-1], measure(texts[-1])))


class MeasureCache:
    """Measures by the text that was measured; of what is beyond `capacity` characters the longest unused go.

    It may be used from several threads; a text asked for twice at once is measured twice, to the same result.
    """

    def __init__(self, measure: Callable[[str], Measure], capacity: int = 16_000_000) -> None:
        self._measure = measure
        self._half = capacity // 2
        self._size = 0
        self._young: dict[str, Measure] = {}
        self._old: dict[str, Measure] = {}
        self._lock = threading.Lock()

    def __call__(self, text: str) -> Measure:
        cached = self._young.get(text)
        if cached is not None:
            return cached
        found = self._old.get(text) or self._measure(text)
        with self._lock:
            if text not in self._young:
                self._young[text] = found
                self._size += len(text)
            if self._size > self._half:
                self._old, self._young, self._size = self._young, {}, 0
        return found


def is_place(text: str, at: int) -> bool:
    """Whether the text may be cut before the character at `at`."""
    return at in (0, len(text)) or _PLACE.match(text, at) is not None


def cut(text: str) -> list[str]:
    """The text in chunks of `CHUNK_SIZE` characters or more, below twice as many where places allow."""
    found: list[str] = []
    start = 0
    while len(text) - start >= UNCUT:
        place = _PLACE.search(text, start + CHUNK_SIZE)
        if place is None:
            break
        found.append(text[start : place.start()])
        start = place.start()
    if start < len(text):
        found.append(text[start:])
    return found


def measure_chunks(
    text: str, measure: Callable[[str], Measure], previous: TextChunks | None = None
) -> TextChunks:
    """Cut and measure a text; the chunks at both ends that stand in `previous` too are taken over.

    Args:
        text: The text.
        measure: Measures one chunk.
        previous: What an earlier version of the text gave, or None.
    """
    if previous is not None and previous.text is text:
        return previous
    if previous is None or len(previous.texts) > 4 * (len(text) // CHUNK_SIZE + 4):
        texts = cut(text)
        return TextChunks(tuple(texts), tuple(map(measure, texts)), text)
    head, start = _common_head(text, previous.texts)
    tail, end = _common_tail(text, previous.texts[head:], start)
    texts = cut(text[start:end])
    kept = len(previous.texts) - tail
    return TextChunks(
        tuple(chain(previous.texts[:head], texts, previous.texts[kept:])),
        tuple(chain(previous.measures[:head], map(measure, texts), previous.measures[kept:])),
        text,
    )


def _common_head(text: str, texts: tuple[str, ...]) -> tuple[int, int]:
    """How many chunks the text still begins with, and where the last of them ends."""
    count = end = 0
    for chunk in texts:
        if not text.startswith(chunk, end):
            break
        end += len(chunk)
        count += 1
    while not is_place(text, end):
        count -= 1
        end -= len(texts[count])
    return count, end


def _common_tail(text: str, texts: tuple[str, ...], lowest: int) -> tuple[int, int]:
    """How many chunks the text still ends with, and where the first of them starts (not before `lowest`)."""
    count, start = 0, len(text)
    for chunk in reversed(texts):
        if start - len(chunk) < lowest or not text.startswith(chunk, start - len(chunk)):
            break
        start -= len(chunk)
        count += 1
    while not is_place(text, start):
        start += len(texts[len(texts) - count])
        count -= 1
    return count, start
