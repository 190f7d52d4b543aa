"""Shortens one batch that alone is over the budget: its longest strings keep their start and end.

Calls, their arguments and thinking stay as they are, and every message stays. All strings are cut to one and the
same length, the longest that fits; first only those before the batch's last unit, which the model is at work with.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from inspector.context.counting.counter import Counter
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import Message, Part, Role, TextPart, ToolResultPart

HEAD_SHARE = 2 / 3
"""Of what is left of a string: its beginning says what it is, its end how it came out."""
_LINE_SHARE = 0.5
"""A cut goes back to the end of a line if that leaves at least so much of the stretch."""
_CHARACTERS_A_TOKEN = 16
"""No string is looked through for a length beyond so many characters for each token there is room for."""
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_UNSPLIT_KEPT = 32
"""Characters that a cut goes back to begin between two visible ones; no real one is longer."""


def cut_text(text: str, most: int) -> str:
    """The beginning and the end of a text, at most `most` characters of it, and a line that says what is missing."""
    if len(text) <= most:
        return text
    head = _head(text, round(most * HEAD_SHARE))
    tail = _tail(text, most - round(most * HEAD_SHARE))
    missing = len(text) - len(head) - len(tail)
    mark = f"[… {missing} characters left out …]"
    before = "" if not head or head.endswith("\n") else "\n"
    after = "" if not tail or tail.startswith("\n") else "\n"
    return f"{head}{before}{mark}{after}{tail}"


def units_of(messages: Sequence[Message]) -> tuple[tuple[Message, ...], ...]:
    """A batch's units, which nothing splits: a message, and with one that calls tools all results."""
    units: list[list[Message]] = []
    for message in messages:
        if units and any(isinstance(part, ToolResultPart) for part in message.content):
            units[-1].append(message)
        else:
            units.append([message])
    return tuple(map(tuple, units))


@dataclass(frozen=True, slots=True)
class _String:
    message: int
    part: int
    text: str
    tokens: int


class BatchShortener:
    """Shortens one batch until it fits.

    Args:
        messages: Its messages to be sent.
        tokens: What they take.
        counter: Counts strings.
        spared: The role whose words are never shortened.
    """

    def __init__(
        self, messages: Sequence[Message], tokens: int, counter: Counter, spared: Role | None = None
    ) -> None:
        self._messages = messages
        self._tokens = tokens
        self._counter = counter
        self._strings = [
            _String(at, place, text, counter.count(text).tokens)
            for at, message in enumerate(messages)
            if message.role is not spared
            for place, part in enumerate(message.content)
            if (text := _cuttable(part))
        ]

    def squeeze(self, most: int) -> dict[str, tuple[Part, ...]] | None:
        """The parts of the messages that change, by the message's id, so that all take at most `most` tokens.

        None where even the marks alone would be too much.
        """
        last = len(self._messages) - len(units_of(self._messages)[-1]) if self._messages else 0
        before = [each for each in self._strings if each.message < last]
        for strings in (before, self._strings):
            found = self._longest(strings, most)
            if found is not None:
                return self._contents(found)
        return None

    def _longest(self, strings: list[_String], most: int) -> dict[tuple[int, int], str] | None:
        """The strings cut to the greatest length that fits; None if none does."""
        best = self._cut(strings, 0, most)
        if best is None:
            return None
        low, high = 0, min(max((len(each.text) for each in strings), default=0), _CHARACTERS_A_TOKEN * most)
        while low < high:
            middle = (low + high + 1) // 2
            tried = self._cut(strings, middle, most)
            if tried is None:
                high = middle - 1
            else:
                low, best = middle, tried
        return best

    def _cut(self, strings: list[_String], length: int, most: int) -> dict[tuple[int, int], str] | None:
        """The strings that are cut to a length, None if the batch takes more than `most` tokens then."""
        total = self._tokens
        found: dict[tuple[int, int], str] = {}
        for each in strings:
            if len(each.text) > length:
                text = cut_text(each.text, length)
                tokens = self._counter.count(text).tokens
                if tokens < each.tokens:
                    total += tokens - each.tokens
                    found[each.message, each.part] = text
        return found if total <= most else None

    def _contents(self, found: dict[tuple[int, int], str]) -> dict[str, tuple[Part, ...]]:
        changed = {at for at, _ in found}
        return {
            self._messages[at].id: tuple(
                _with_text(part, found[at, place]) if (at, place) in found else part
                for place, part in enumerate(self._messages[at].content)
            )
            for at in sorted(changed)
        }


def _cuttable(part: Part) -> str:
    if isinstance(part, TextPart):
        return part.text
    return part.content if isinstance(part, ToolResultPart) else ""


def _with_text(part: Part, text: str) -> Part:
    if isinstance(part, ToolResultPart):
        return replace(part, content=text)
    return replace(part, text=text) if isinstance(part, TextPart) else TextPart(text)


def _head(text: str, most: int) -> str:
    """At most `most` characters of the beginning, whole lines where that leaves enough."""
    line = text.rfind("\n", 0, most)
    if line + 1 >= most * _LINE_SHARE and line >= 0:
        return text[: line + 1]
    return text[: _between(text, most)]


def _tail(text: str, most: int) -> str:
    """At most `most` characters of the end, whole lines where that leaves enough."""
    start = len(text) - most
    line = text.find("\n", start - 1) if start else -1
    if line >= 0 and len(text) - line - 1 >= most * _LINE_SHARE:
        return text[line + 1 :]
    return text[_between(text, start, forward=True) :]


def _between(text: str, at: int, *, forward: bool = False) -> int:
    """The next place that parts no visible character, at most a few characters away."""
    step = 1 if forward else -1
    place = at
    for _ in range(_UNSPLIT_KEPT):
        if not 0 < place < len(text) or not _is_joined(text[place - 1], text[place]):
            return place
        place += step
    return at


def _is_joined(before: str, after: str) -> bool:
    if after in _JOINERS or before == "\u200d" or unicodedata.combining(after):
        return True
    return "\U0001f3fb" <= after <= "\U0001f3ff"
