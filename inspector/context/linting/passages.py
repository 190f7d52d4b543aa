"""Finds the text that stands in several pieces, word for word, for the lint rules."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence

from inspector.domain.dataclass import dataclass
from inspector.domain.pauses import Pause, no_pause

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+")
_LEAST_DIFFERENT = 6
"""Different words in a passage, below which it is a rule, a table's border or the like."""
_WORDS_AT_ONCE = 512
"""Words between two pauses, about a millisecond."""
_TABLES = 256
_PLACE_BITS = 40
_PLACE_MASK = (1 << _PLACE_BITS) - 1


@dataclass(frozen=True, slots=True)
class Words:
    """A text's words in lower case, and where each begins and ends."""

    words: tuple[str, ...]
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str, start: int = 0, end: int = sys.maxsize, pause: Pause = no_pause) -> Words:
        """The words of a text between two places; each character of a script without spaces is one."""
        words, starts, ends = [], array("Q"), array("Q")
        same: dict[str, str] = {}
        # One after another, so that other threads run between them; and no object for each word of a long text.
        for match in _WORD.finditer(text, start, end):
            word = match.group().casefold()
            words.append(same.setdefault(word, word))
            starts.append(match.start())
            ends.append(match.end())
            if not len(words) % _WORDS_AT_ONCE:
                pause()
        return cls(tuple(words), starts, ends)


@dataclass(frozen=True, slots=True)
class Passage:
    """Words `start` to `end` of text `here` that stand in the earlier text `there` too."""

    here: int
    there: int
    start: int
    end: int


def passages(texts: Sequence[Words], least: int, pause: Pause = no_pause) -> Iterator[Passage]:
    """The longest stretches of at least so many words that an earlier text has too. Each word is passed once."""
    first = _FirstPlaces(texts, least)
    for here, text in enumerate(texts):
        words = text.words
        at = 0
        while at + least <= len(words):
            if not at % _WORDS_AT_ONCE:
                pause()
            there, place = first.place(here, at)
            if there == here:
                at += 1
                continue
            end = _matched(texts[there].words, place, words, at, least)
            if len(set(words[at:end])) >= min(_LEAST_DIFFERENT, least):
                yield Passage(here, there, at, end)
            at = end
    first.clear(pause)


class _FirstPlaces:
    """Where so many words in a row were seen first, by their hash.

    It holds plain numbers in many small tables: the collector passes them over, and no growing or freeing keeps other
    threads waiting, of whom the window's is one.
    """

    def __init__(self, texts: Sequence[Words], least: int) -> None:
        self._texts = texts
        self._least = least
        self._tables: list[dict[int, int]] = [{} for _ in range(_TABLES)]
        self._clashing: dict[tuple[str, ...], tuple[int, int]] = {}

    def place(self, here: int, at: int) -> tuple[int, int]:
        """The text and the word where the words from here on stood first, which may be here."""
        words = self._texts[here].words[at : at + self._least]
        number = hash(words)
        found = self._tables[number % _TABLES].setdefault(number, here << _PLACE_BITS | at)
        there, place = found >> _PLACE_BITS, found & _PLACE_MASK
        is_new = (there, place) == (here, at)
        if is_new or self._texts[there].words[place : place + self._least] == words:
            return there, place
        return self._clashing.setdefault(words, (here, at))

    def clear(self, pause: Pause) -> None:
        """Free the tables one after another."""
        while self._tables:
            self._tables.pop()
            pause()


def _matched(there: Sequence[str], place: int, here: Sequence[str], at: int, least: int) -> int:
    length = least
    while (
        at + length < len(here) and place + length < len(there) and here[at + length] == there[place + length]
    ):
        length += 1
    return at + length
