"""Finds where search terms stand in a block or message, and the excerpt that shows them best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from inspector.domain.dataclass import dataclass
from inspector.domain.search import MatchSpan, Snippet
from inspector.domain.search_index import UNSPACED, Term, fold

SHOWN = 240
_LEAD = 60
_STRETCH = 100_000
_OVERLAP = 4_000
_MOST_PLACES = 400

_LETTER = f"[^\\W_{UNSPACED}]"


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(f"([{UNSPACED}]|{_LETTER}+)|[^\\S]+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    term: int


class Highlighter:
    """Finds a search's terms in texts."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._patterns = [re.compile(_pattern(term), re.DOTALL) for term in terms]

    def fits(self, text: str) -> bool:
        """Whether all terms stand in a text."""
        folded, _ = fold(text)
        return all(pattern.search(folded) for pattern in self._patterns)

    def whole(self, text: str) -> Snippet:
        places = self._places(text) if text else []
        return Snippet(text, _spans(places, 0, len(text)))

    def best(self, text: str) -> Snippet:
        """The stretch of a text with the most terms in it; its beginning when there is none."""
        places, offset = self._first_places(text)
        start = _best_start(places) + offset if places else 0
        begin = _begin(text, max(0, start - _LEAD), start)
        end = min(len(text), begin + SHOWN)
        spans = _spans(places, begin - offset, end - offset) if places else ()
        return Snippet(text[begin:end], spans, begin, begin > 0, end < len(text))

    def _first_places(self, text: str) -> tuple[list[_Place], int]:
        """The places in the first stretch of a text that has any, and where that stretch begins."""
        offset = 0
        while offset < len(text) and self._patterns:
            places = self._places(text[offset : offset + _STRETCH])
            if places:
                return places, offset
            offset += _STRETCH - _OVERLAP
        return [], 0

    def _places(self, text: str) -> list[_Place]:
        folded, origins = fold(text)
        places: list[_Place] = []
        for number, pattern in enumerate(self._patterns):
            for count, match in enumerate(pattern.finditer(folded)):
                if count == _MOST_PLACES:
                    break
                if match.end() > match.start():
                    end = origins[match.end() - 1] + 1
                    places.append(_Place(origins[match.start()], end, number))
        return sorted(places, key=lambda place: (place.start, place.end))


def _pattern(term: Term) -> str:
    """A regular expression for a term in a folded text."""
    folded, _ = fold(term.text)
    if term.is_sign:
        return re.escape(folded)
    parts: list[str] = []
    gap = False
    for match in _piece().finditer(folded):
        piece = match.group(1)
        if piece is None:
            gap = bool(parts)
            continue
        parts.append((r"[\W_]+" if gap else "") + re.escape(piece))
        gap = False
    whole = "".join(parts)
    before = "" if _starts_unspaced(folded) else f"(?<!{_LETTER})"
    after = "" if term.prefix or _ends_unspaced(folded) else f"(?!{_LETTER})"
    return f"{before}{whole}{after}" if whole else re.escape(folded)


def _starts_unspaced(folded: str) -> bool:
    first = _piece().search(folded)
    return first is not None and re.match(f"[{UNSPACED}]", first.group()) is not None


def _ends_unspaced(folded: str) -> bool:
    last = ""
    for piece in _piece().finditer(folded):
        last = piece.group(1) or last
    return re.match(f"[{UNSPACED}]", last) is not None


def _best_start(places: list[_Place]) -> int:
    """The first place from which the most different terms are within sight."""
    best, most = places[0].start, 0
    for index, place in enumerate(places):
        seen: set[int] = set()
        for each in places[index:]:
            if each.start >= place.start + SHOWN - _LEAD:
                break
            seen.add(each.term)
        if len(seen) > most:
            best, most = place.start, len(seen)
    return best


def _begin(text: str, earliest: int, start: int) -> int:
    """Where to begin, at a word's beginning if there is one between."""
    if earliest == 0:
        return 0
    for at in range(earliest, start):
        if text[at - 1].isspace():
            return at
    return earliest


def _spans(places: list[_Place], begin: int, end: int) -> tuple[MatchSpan, ...]:
    """The places within a stretch, counted from its beginning; what touches or overlaps is one."""
    spans: list[MatchSpan] = []
    for place in places:
        start, stop = max(place.start, begin) - begin, min(place.end, end) - begin
        if start >= stop:
            continue
        if spans and start <= spans[-1].end:
            spans[-1] = MatchSpan(spans[-1].start, max(stop, spans[-1].end))
        else:
            spans.append(MatchSpan(start, stop))
    return tuple(spans)
