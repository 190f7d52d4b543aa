"""Keeps a key out of what a server sends back, also where it comes in pieces over several events of a stream.

Text is held back only as far as it could be the beginning of the key; what is held back when the stream ends is let go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from inspector.domain.dataclass import dataclass

MASK = "[key]"
_ESCAPED = re.compile(r"\\u00[2-7][0-9a-fA-F]|\\/")
"""What JSON may write a key's letter as, besides the letter."""
_NOTHING_WAITS = float("inf")

Cuts = set[tuple[int, int, str]]
"""Stretches of a text, with what stands there instead."""


class KeyPattern:
    """A key in all its spellings."""

    def __init__(self, spellings: Sequence[str]) -> None:
        self._spellings = tuple(filter(None, spellings))
        self._pattern = re.compile("|".join(map(re.escape, self._spellings)) or r"(?!)")
        self._letters = frozenset("".join(self._spellings))
        self.most = min(map(len, self._spellings), default=0) // 2
        """Characters of its beginning that tell too much of it to be shown alone."""

    def masked(self, text: str) -> str:
        """A text without the key."""
        return self._pattern.sub(MASK, text) if self._is_in(text) else text

    def _is_in(self, text: str) -> bool:
        for each in self._spellings:  # noqa: SIM110  a generator takes longer than the search
            if each in text:
                return True
        return False

    def is_clear(self, text: str) -> bool:
        """Whether a text neither has the key nor ends with what could be its beginning."""
        may_begin = bool(text) and text[-1] in self._letters
        return not (may_begin and self.tail(text)) and not self._is_in(text)

    def masked_json(self, text: str) -> str:
        """JSON without the key, also where its letters are escaped; what is no JSON as a text."""
        text = self.masked(text)
        if "\\" not in text or _ESCAPED.search(text) is None:
            return text
        try:
            value = json.loads(text)
            clean = _each_text(value, self.masked)
        except (ValueError, RecursionError):
            return text
        return text if clean == value else json.dumps(clean)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where the key stands in a text."""
        return [each.span() for each in self._pattern.finditer(text)]

    def tail(self, text: str) -> int:
        """How many of a text's last characters could be the beginning of the key."""
        return max((_tail(text, each) for each in self._spellings), default=0)


@dataclass(frozen=True, slots=True)
class _Segment:
    """The rest of a piece that came with an event: the piece from `start` on."""

    place: int
    piece: str
    start: int

    @property
    def length(self) -> int:
        return len(self.piece) - self.start


class KeyWatch:
    """Watches the texts of one reply. Each text that grows is a stream of its own, under a name of the caller's.

    Attributes:
        place: The number of the event that is read now.
    """

    def __init__(self, pattern: KeyPattern) -> None:
        self._pattern = pattern
        self._waiting: dict[Hashable, list[_Segment]] = {}
        self._cuts: dict[int, dict[str, Cuts]] = {}
        self.place = 0

    @property
    def waits(self) -> float:
        """The first event with something of which isn't known yet whether it is of the key; infinite if none has."""
        if not self._waiting:
            return _NOTHING_WAITS
        return min(waiting[0].place for waiting in self._waiting.values())

    def passed(self, stream: Hashable, piece: str, own: Hashable = None) -> str:
        """What can be shown of a stream now that so much more of it came.

        Args:
            stream: The stream.
            piece: What came.
            own: The stream of the part that it came for, where the other one is of several parts.
        """
        if not self._waiting and self._pattern.is_clear(piece):
            # So it is with nearly all that comes.
            return piece
        if own is not None:
            self._passed(own, piece)
        return self._passed(stream, piece)

    def _passed(self, stream: Hashable, piece: str) -> str:
        segments = [*self._waiting.pop(stream, ()), _Segment(self.place, piece, 0)]
        text = "".join(each.piece[each.start :] for each in segments)
        end = 0
        for begin, end in self._pattern.places(text):
            self._cut(segments, begin, end)
        length = self._pattern.tail(text[end:])
        if length:
            self._waiting[stream] = list(_last(segments, length))
        return self._pattern.masked(text[: len(text) - length])

    def close(self) -> Iterator[tuple[Hashable, str]]:
        """What was held back, by its stream. A key that is broken off by the end is masked if much of it came."""
        waiting, self._waiting = self._waiting, {}
        for stream, segments in waiting.items():
            text = "".join(each.piece[each.start :] for each in segments)
            if len(text) > self._pattern.most:
                self._cut(segments, 0, len(text))
                text = MASK
            yield stream, text

    def masked(self, texts: Sequence[str]) -> list[str]:
        """Texts that are read one after another, without the key: in each of them and over their borders."""
        joined = "".join(texts)
        spans = self._pattern.places(joined)
        end = spans[-1][1] if spans else 0
        if (broken_off := self._pattern.tail(joined[end:])) > self._pattern.most:
            spans.append((len(joined) - broken_off, len(joined)))
        return list(_without(texts, spans)) if spans else list(texts)

    def masked_json(self, text: str) -> str:
        """JSON without the key; see `KeyPattern.masked_json`."""
        (plain,) = self.masked((text,))
        return self._pattern.masked_json(plain)

    def event(self, number: int, data: str) -> str:
        """An event that nothing of waits any more, without what was of a key."""
        cuts = self._cuts.pop(number, None)
        return data if cuts is None else _cut_event(data, cuts)

    def _cut(self, segments: Sequence[_Segment], begin: int, end: int) -> None:
        at = 0
        for each in segments:
            low, high = max(begin, at), min(end, at + each.length)
            if low < high:
                shift = each.start - at
                instead = MASK if low == begin else ""
                cuts = self._cuts.setdefault(each.place, {}).setdefault(each.piece, set())
                cuts.add((low + shift, high + shift, instead))
            at += each.length


def _last(segments: Sequence[_Segment], length: int) -> Iterator[_Segment]:
    """The segments, or the end of one, that are the last characters of all."""
    skipped = sum(each.length for each in segments) - length
    for each in segments:
        if skipped < each.length:
            yield _Segment(each.place, each.piece, each.start + max(0, skipped))
        skipped -= each.length


def _tail(text: str, key: str) -> int:
    at = text.find(key[0], max(0, len(text) - len(key) + 1))
    while at >= 0:
        if key.startswith(text[at:]):
            return len(text) - at
        at = text.find(key[0], at + 1)
    return 0


def _without(texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    at = 0
    for text in texts:
        cuts = {
            (max(low, at) - at, min(high, at + len(text)) - at, MASK if low >= at else "")
            for low, high in spans
            if low < at + len(text) and high > at
        }
        yield _cut_text(text, cuts)
        at += len(text)


def _cut_text(text: str, cuts: Cuts) -> str:
    for low, high, instead in sorted(cuts, reverse=True):
        text = text[:low] + instead + text[high:]
    return text


def _cut_event(data: str, cuts: dict[str, Cuts]) -> str:
    """An event whose texts are cut; all of it is masked where one of them can't be found in it."""
    found: set[str] = set()

    def cut(text: str) -> str:
        if text not in cuts:
            return text
        found.add(text)
        return _cut_text(text, cuts[text])

    try:
        value = _each_text(json.loads(data), cut)
    except (ValueError, RecursionError):
        return json.dumps(MASK)
    return json.dumps(value if found == cuts.keys() else MASK)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case list():
            return [_each_text(each, change) for each in value]
        case dict():
            return {change(key): _each_text(each, change) for key, each in value.items()}
        case _:
            return value
