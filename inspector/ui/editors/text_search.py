"""Searches a block's text for words or a regular expression, within a time limit that no pattern gets past."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import RefusedError
from inspector.domain.patterns import check_pattern
from inspector.ui.wording import tr_error

if TYPE_CHECKING:
    import regex

_SECONDS = 2.0
"""How long a search may take; `regex` itself stops there, without keeping other threads waiting."""
MOST_FOUND = 100_000
"""Occurrences after which a search stops looking; replacing goes on to the end."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """What is looked for, and how."""

    words: str
    is_pattern: bool = False
    matches_case: bool = False
    whole_words: bool = False


class SearchFault(StrEnum):
    """Why a search found nothing: the pattern can't be read, the replacement can't be, or it took too long."""

    PATTERN = "pattern"
    REPLACEMENT = "replacement"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class TextMatches:
    """Where something was found, in code points and ascending order.

    `texts` are what takes each one's place, where that was asked for. `is_cut` tells that there are more.
    """

    query: TextQuery
    found: Sequence[tuple[int, int]] = ()
    texts: Sequence[str] = ()
    is_cut: bool = False
    fault: SearchFault | None = None
    why: str = ""


class _LineEnds:
    r"""A text as it is searched: ``\r\n`` is one character, as ``$`` and ``.`` know no line end but ``\n``."""

    def __init__(self, given: str, text: str, pairs: Sequence[int]) -> None:
        self.text = text
        self._given = given
        self._pairs = pairs
        """Where in `text` there is a line end of two characters."""

    @classmethod
    def of(cls, text: str, query: TextQuery) -> _LineEnds:
        r"""A text for a search; as it is where that looks for ``\r`` itself."""
        if "\r\n" not in text or "\r" in query.words or (query.is_pattern and r"\r" in query.words):
            return cls(text, text, ())
        ends = (match.start() for match in re.finditer("\r\n", text))
        return cls(text, text.replace("\r\n", "\n"), [end - before for before, end in enumerate(ends)])

    def span(self, match: regex.Match[str]) -> tuple[int, int]:
        """Where a match stands in the text as it was given."""
        start, end = match.span()
        return start + bisect_left(self._pairs, start), end + bisect_left(self._pairs, end)

    def written(self, text: str, span: tuple[int, int]) -> str:
        """What takes a match's place, with line ends as the text has there."""
        if not self._pairs or "\n" not in text:
            return text
        at = self._given.find("\n", span[0])
        last = at if at >= 0 else self._given.rfind("\n")
        end = "\r\n" if self._given.endswith("\r", 0, last) else "\n"
        return text.replace("\r\n", "\n").replace("\n", end)


def search(text: str, query: TextQuery, seconds: float = _SECONDS) -> TextMatches:
    """Every occurrence; an empty one, as of ``x*``, is none."""
    read = _LineEnds.of(text, query)
    try:
        spans = (read.span(match) for match in _matches(read.text, query, seconds))
        found = list(islice((each for each in spans if each[0] < each[1]), MOST_FOUND + 1))
    except TimeoutError:
        return TextMatches(query, fault=SearchFault.SLOW)
    except ValueError as error:
        return TextMatches(query, fault=SearchFault.PATTERN, why=str(error))
    return TextMatches(query, found[:MOST_FOUND], is_cut=len(found) > MOST_FOUND)


def search_and_replace(
    text: str, query: TextQuery, replacement: str, seconds: float = _SECONDS
) -> TextMatches:
    r"""Every occurrence and what takes its place; of a pattern, ``\1`` and ``\g<name>`` stand for its groups."""
    read = _LineEnds.of(text, query)
    try:
        matches = [each for each in _matches(read.text, query, seconds) if each.start() < each.end()]
    except TimeoutError:
        return TextMatches(query, fault=SearchFault.SLOW)
    except ValueError as error:
        return TextMatches(query, fault=SearchFault.PATTERN, why=str(error))
    try:
        texts = _expanded(matches, replacement) if query.is_pattern else [replacement] * len(matches)
    except ValueError as error:
        return TextMatches(query, fault=SearchFault.REPLACEMENT, why=str(error))
    spans = [read.span(each) for each in matches]
    return TextMatches(query, spans, [read.written(*each) for each in zip(texts, spans, strict=True)])


def _expanded(matches: Sequence[regex.Match[str]], replacement: str) -> list[str]:
    """The replacement with the groups of each match. Raises ValueError for one that can't be read."""
    import regex

    try:
        return [each.expand(replacement) for each in matches]
    except (regex.error, IndexError) as error:
        raise ValueError(str(error)) from error


def _refuse_large(pattern: str) -> None:
    """Refuse a pattern that would take all memory when it is compiled. Raises ValueError."""
    try:
        check_pattern(pattern)
    except RefusedError as error:
        raise ValueError(tr_error(error)) from error


def _matches(text: str, query: TextQuery, seconds: float) -> Iterator[regex.Match[str]]:
    """What `regex` finds. Raises ValueError for a pattern that can't be read."""
    import regex

    if not query.words:
        return iter(())
    pattern = query.words if query.is_pattern else re.escape(query.words)
    if query.whole_words:
        pattern = rf"(?<!\w)(?:{pattern})(?!\w)"
    if query.is_pattern:
        _refuse_large(pattern)
    flags = regex.MULTILINE | (0 if query.matches_case else regex.IGNORECASE)
    try:
        compiled = regex.compile(pattern, flags, cache_pattern=False)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from error
    found: Iterator[regex.Match[str]] = compiled.finditer(text, timeout=seconds, concurrent=True)
    return found
