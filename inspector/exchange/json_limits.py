"""Checks the cost of JSON text before an import decodes it: bytes, depth, values, memory.

A decoder builds first and fails later, and some hostile files are small on disk and huge in memory. This pass makes
no values. It stops at the first thing that passes a limit, so its time is bounded as its result is. Whether the text
is JSON at all is left to the decoder: the pass only has to be right about text that is.
"""

from __future__ import annotations

import math
import re
from dataclasses import field

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError

# Possessive throughout, and every byte belongs to some token: no input makes this pattern go back, start
# again at the next byte or keep a stack of states. A possessive group holds nothing that can fail after its first
# byte: before 3.11.5, Python goes on from where it failed.
_TOKEN = re.compile(
    rb'[^"\[\]{}\-0-9A-Za-z]*+(?:'
    rb'(?P<plain>"[ !#-\[\]-~]*+"(?:[ \t\r\n]*+:)?+)'
    rb'|(?P<text>"(?:[^"\\]++|\\.)*+"(?:[ \t\r\n]*+:)?+)'
    rb"|(?P<open>[\[{])|(?P<close>[\]}])|(?P<number>-?[0-9][0-9.eE+\-]*+)|(?P<word>[A-Za-z]++)"
    rb'|(?P<broken>["\-])|(?P<end>\Z))',
    re.DOTALL,
)
# A pair of surrogates, half of one, or an escape that is none.
_ESCAPE = re.compile(
    rb"\\u(?:(?P<pair>[dD][89abAB]%(h)s{2}\\u[dD][c-fC-F]%(h)s{2})|(?P<half>[dD][89a-fA-F]%(h)s{2})|(?!%(h)s{4}))"
    % {b"h": rb"[0-9a-fA-F]"}
)
# Bytes that each character of a text takes, once one of its characters needs them.
_WIDTHS = ((4, re.compile(rb"[\xf0-\xff]|\\u[dD][89abAB]")), (2, re.compile(rb"[\xc4-\xff]|\\u")))
_CONTINUATION = bytes(range(0x80, 0xC0))
_SLICE = 1 << 20

_OBJECT_COST, _LIST_COST, _TEXT_COST, _NUMBER_COST, _WORD_COST, _KEY_COST = 232, 88, 58, 40, 8, 40
_COLON, _BACKSLASH = b":\\"
_BROKEN = {0x22: "unterminated string", 0x2D: "a minus sign without a number"}
_INT64 = 1 << 63
_DIGITS_OF_INT64 = 19
_LONGEST_NUMBER = 400
_MOST_DUPLICATES = 50


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """What a foreign file may cost: its bytes, nesting, number of values, and bytes of memory once decoded.

    The defaults keep the peak within 300 MB: the file's bytes and what they decode to are held together. Each key
    counts as made anew: the decoder keeps short ones to use them again, but a hostile file can make it forget them.
    """

    max_bytes: int = 96 << 20
    max_depth: int = 256
    max_values: int = 3_000_000
    max_memory: int = 160 << 20


@dataclass(slots=True)
class JsonCost:
    """What the texts of one import cost so far."""

    memory: int = 0
    values: int = 0


def weigh(data: bytes, limits: JsonLimits, spent: JsonCost | None = None) -> tuple[str, ...]:
    """Pass over the text. What `spent` holds counts too, and this text's cost is added to it.

    Returns:
        The places (``line:column``) of keys that an earlier key of the same object has too, at most 50.

    Raises:
        MalformedError: too deep, too many values, too heavy, a lone surrogate, a number out of range, a
            string without an end.
    """
    scale = _Scale(data, limits, spent or JsonCost())
    scale.weigh()
    return tuple(scale.duplicates)


def place(data: bytes, position: int) -> str:
    """``line:column`` of a byte, both counted from 1, columns in code points."""
    line = data.count(b"\n", 0, position) + 1
    begin = data.rfind(b"\n", 0, position) + 1
    column = 1
    for at in range(begin, position, _SLICE):
        column += len(data[at : min(at + _SLICE, position)].translate(None, _CONTINUATION))
    return f"{line}:{column}"


@dataclass(slots=True)
class _Scale:
    """The pass: `keys` are those of each object that is open, None for a list."""

    data: bytes
    limits: JsonLimits
    spent: JsonCost
    keys: list[set[bytes] | None] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)

    def weigh(self) -> None:
        data, spent, limits = self.data, self.spent, self.limits
        for match in _TOKEN.finditer(data):
            kind = match.lastgroup or "end"
            start, end = match.span(kind)
            if kind == "plain" or kind == "text":
                self._weigh_text(start, end, plain=kind == "plain")
            elif kind == "open":
                self._open(start)
            elif kind == "close":
                del self.keys[-1:]
            elif kind == "number":
                self._check_number(start, end)
                spent.memory += _NUMBER_COST
            elif kind == "word":
                spent.memory += _WORD_COST
            elif kind == "broken":
                raise self._malformed(start, _BROKEN[data[start]])
            else:
                break
            spent.values += 1
            if spent.values > limits.max_values or spent.memory > limits.max_memory:
                raise self._too_heavy(start)

    def _weigh_text(self, start: int, end: int, *, plain: bool) -> None:
        if plain:
            self.spent.memory += end - start + _TEXT_COST
        else:
            self._weigh_escaped(start, end)
        if self.data[end - 1] == _COLON and self.keys:
            self._note_key(start, end)

    def _weigh_escaped(self, start: int, end: int) -> None:
        # The decoder unescapes into a buffer of its own before it makes the text.
        width = next((width for width, wide in _WIDTHS if wide.search(self.data, start, end)), 1)
        buffer = end - start if self.data.find(b"\\", start, end) >= 0 else 0
        self.spent.memory += (end - start) * width + buffer + _TEXT_COST
        # Before a look at every escape: what is too heavy may have millions of them.
        if self.spent.memory > self.limits.max_memory:
            raise self._too_heavy(start)
        self._check_escapes(start, end)

    def _note_key(self, start: int, end: int) -> None:
        self.spent.memory += _KEY_COST
        keys = self.keys[-1]
        if keys is None:
            return
        key = self.data[start : self.data.rindex(b'"', start, end)]
        if key in keys and len(self.duplicates) < _MOST_DUPLICATES:
            self.duplicates.append(place(self.data, start))
        keys.add(key)

    def _open(self, start: int) -> None:
        is_object = self.data[start] == 0x7B
        self.spent.memory += _OBJECT_COST if is_object else _LIST_COST
        self.keys.append(set() if is_object else None)
        deepest = self.limits.max_depth
        if len(self.keys) > deepest:
            why = f"nested deeper than {deepest} levels"
            raise MalformedError("import.too_deep", where=place(self.data, start), why=why, limit=deepest)

    def _check_number(self, start: int, end: int) -> None:
        number = self.data[start : min(end, start + _LONGEST_NUMBER + 1)]
        if end - start < _DIGITS_OF_INT64 and b"e" not in number and b"E" not in number:
            return
        if end - start <= _LONGEST_NUMBER:
            try:
                fits = -_INT64 <= int(number) < _INT64
            except ValueError:
                try:
                    fits = math.isfinite(float(number))
                except ValueError:
                    return
            if fits:
                return
        shown = number[:24].decode("ascii")
        raise MalformedError(
            "import.number_out_of_range",
            where=place(self.data, start),
            why=f"the number {shown}{'…' if end - start > len(shown) else ''} is out of range",
            number=shown,
        )

    def _check_escapes(self, start: int, end: int) -> None:
        """Pass if every escaped surrogate of a string has its other half and every unicode escape its four digits."""
        data = self.data
        found = _ESCAPE.search(data, start, end)
        while found is not None:
            at = before = found.start()
            while data[before - 1] == _BACKSLASH:
                before -= 1
            if (at - before) % 2:
                # The backslash is itself an escaped one.
                found = _ESCAPE.search(data, at + 2, end)
            elif found["pair"] is not None:
                found = _ESCAPE.search(data, found.end(), end)
            elif found["half"] is not None:
                shown = found[0].decode("ascii")
                why = f"{shown} is half of a character"
                raise MalformedError("import.lone_surrogate", where=place(data, at), why=why, escape=shown)
            else:
                raise self._malformed(at, "an invalid escape")

    def _malformed(self, position: int, why: str) -> MalformedError:
        where = place(self.data, position)
        return MalformedError("import.malformed_json", where=where, why=why, byte=position)

    def _too_heavy(self, start: int) -> MalformedError:
        where, limits = place(self.data, start), self.limits
        if self.spent.values > limits.max_values:
            why = f"more than {limits.max_values} values"
            return MalformedError("import.too_many_values", where=where, why=why, limit=limits.max_values)
        most = limits.max_memory >> 20
        why = f"would take more than {most} MB of memory"
        return MalformedError("import.too_heavy", where=where, why=why, limit=most)
