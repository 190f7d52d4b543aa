"""One pass over JSON text before anything is made of it: what it would cost, and what no decoder may see.

A decoder builds first and fails later, and some hostile files are small on disk and huge in memory. This pass
makes no values but single keys. It stops at the first thing that passes a limit, so its time is bounded as its
result is. Whether the text is JSON at all is left to the decoder: the pass only has to be right about text that is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import msgspec

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
_INT64 = 1 << 63
_DIGITS_OF_INT64 = 19
_LONGEST_NUMBER = 400
_DUPLICATES_TOLD = 50
_LONGEST_NAME, _MOST_NAMES = 6 * 64, 512
"""Bytes and number of the keys that the decoder may make once and use again, an escape for each character included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a foreign file may cost: its bytes, nesting, number of values, and bytes of memory once decoded.

    The defaults keep the peak within 300 MB: the file's bytes and what they decode to are held together.
    """

    max_bytes: int = 96 << 20
    max_depth: int = 256
    max_values: int = 3_000_000
    max_memory: int = 160 << 20


@dataclass(slots=True)
class Names:
    """Which keys the decoder has still: of short ones it keeps some, each until another takes its place.

    It is asked itself, in the order in which it will meet the keys, so that what it still has now it will have then;
    what else it decodes meanwhile can only make it forget more now. It is asked as soon as a key comes again.
    """

    made: dict[bytes, str] = field(default_factory=dict)
    waiting: dict[bytes, None] = field(default_factory=dict)
    """Keys that came for the first time, behind all that it was asked for."""

    def makes(self, key: bytes) -> bool:
        """Whether the decoder makes this key, which comes now, anew."""
        if len(key) > _LONGEST_NAME:
            return True
        if key not in self.made and key not in self.waiting:
            if len(self.made) + len(self.waiting) >= _MOST_NAMES:
                self.made.clear()
                self.waiting.clear()
            self.waiting[key] = None
            return True
        for each in self.waiting:
            self.made[each] = _made(each)
        self.waiting.clear()
        before, self.made[key] = self.made[key], _made(key)
        return self.made[key] is not before


@dataclass(slots=True)
class Spent:
    """What earlier texts of the same import cost already."""

    memory: int = 0
    values: int = 0
    names: Names = field(default_factory=Names)


@dataclass(slots=True)
class _Tally:
    names: Names
    memory: int = 0
    values: int = 0
    keys: list[set[bytes] | None] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)


def weigh(data: bytes, limits: Limits, spent: Spent | None = None) -> tuple[str, ...]:
    """Pass over the text. What `spent` holds counts too, and this text's cost is added to it.

    Returns:
        The places (``line:column``) of keys that an earlier key of the same object has too, at most 50.

    Raises:
        MalformedError: too deep, too many values, too heavy, a lone surrogate, a number out of range, a
            string without an end.
    """
    tally = _begun(spent)
    for match in _TOKEN.finditer(data):
        kind = match.lastgroup or "end"
        start, end = match.span(kind)
        if kind == "plain" or kind == "text":
            _weigh_text(data, (start, end), tally, limits, plain=kind == "plain")
        elif kind == "open":
            _open(data, start, tally, limits)
        elif kind == "close":
            if tally.keys:
                tally.keys.pop()
        elif kind == "number":
            _check_number(data, start, end)
            tally.memory += _NUMBER_COST
        elif kind == "word":
            tally.memory += _WORD_COST
        elif kind == "broken":
            raise _broken(data, start)
        else:
            break
        tally.values += 1
        if tally.values > limits.max_values or tally.memory > limits.max_memory:
            raise _too_heavy(data, start, tally, limits)
    _pay(spent, tally)
    return tuple(tally.duplicates)


def _begun(spent: Spent | None) -> _Tally:
    return _Tally(Names()) if spent is None else _Tally(spent.names, spent.memory, spent.values)


def _pay(spent: Spent | None, tally: _Tally) -> None:
    if spent is not None:
        spent.memory, spent.values = tally.memory, tally.values


def place(data: bytes, position: int) -> str:
    """``line:column`` of a byte, both counted from 1, columns in code points."""
    line = data.count(b"\n", 0, position) + 1
    begin = data.rfind(b"\n", 0, position) + 1
    column = 1
    for at in range(begin, position, _SLICE):
        column += len(data[at : min(at + _SLICE, position)].translate(None, _CONTINUATION))
    return f"{line}:{column}"


def _weigh_text(data: bytes, span: tuple[int, int], tally: _Tally, limits: Limits, *, plain: bool) -> None:
    start, end = span
    length = end - start
    is_key = data[end - 1] == 0x3A and bool(tally.keys)
    key = data[start : data.rindex(b'"', start, end)] if is_key else b""
    if plain:
        if not is_key or tally.names.makes(key):
            tally.memory += length + _TEXT_COST
    else:
        # The decoder unescapes into a buffer of its own before it makes the text.
        width = next((width for width, wide in _WIDTHS if wide.search(data, start, end)), 1)
        buffer = length if data.find(b"\\", start, end) >= 0 else 0
        tally.memory += length * width + buffer + _TEXT_COST
        # Before a look at every escape: what is too heavy may have millions of them.
        if tally.memory > limits.max_memory:
            raise _too_heavy(data, start, tally, limits)
        _check_escapes(data, start, end)
        if is_key:
            # It may take the place of another one.
            tally.names.makes(key)
    if not is_key:
        return
    tally.memory += _KEY_COST
    keys = tally.keys[-1]
    if keys is None:
        return
    if key in keys and len(tally.duplicates) < _DUPLICATES_TOLD:
        tally.duplicates.append(place(data, start))
    keys.add(key)


def _made(key: bytes) -> str:
    """The key as the decoder has it or makes it."""
    try:
        (name,) = msgspec.json.decode(b"{" + key + b'":0}')
    except (msgspec.MsgspecError, UnicodeError):
        # It will not come to that: the text is refused.
        return ""
    return str(name)


def _open(data: bytes, start: int, tally: _Tally, limits: Limits) -> None:
    is_object = data[start] == 0x7B
    tally.memory += _OBJECT_COST if is_object else _LIST_COST
    tally.keys.append(set() if is_object else None)
    if len(tally.keys) > limits.max_depth:
        raise MalformedError(
            "import.too_deep",
            where=place(data, start),
            why=f"nested deeper than {limits.max_depth} levels",
            limit=limits.max_depth,
        )


def _check_number(data: bytes, start: int, end: int) -> None:
    length = end - start
    if length < _DIGITS_OF_INT64 and data.find(b"e", start, end) < 0 and data.find(b"E", start, end) < 0:
        return
    number = data[start : min(end, start + _LONGEST_NUMBER + 1)]
    if length <= _LONGEST_NUMBER:
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
        where=place(data, start),
        why=f"the number {shown}{'…' if length > len(shown) else ''} is out of range",
        number=shown,
    )


def _broken(data: bytes, start: int) -> MalformedError:
    is_text = data[start] == 0x22
    why = "a string begins here and does not end" if is_text else "a minus without a number"
    return _malformed(data, start, why)


def _check_escapes(data: bytes, start: int, end: int) -> None:
    """Pass if every escaped surrogate of a string has its other half and every unicode escape its four digits."""
    found = _ESCAPE.search(data, start, end)
    while found is not None:
        at = found.start()
        before = at
        while data[before - 1] == 0x5C:
            before -= 1
        if (at - before) % 2:
            # The backslash is itself an escaped one.
            found = _ESCAPE.search(data, at + 2, end)
        elif found["pair"] is not None:
            found = _ESCAPE.search(data, found.end(), end)
        elif found["half"] is not None:
            shown = found[0].decode("ascii")
            raise MalformedError(
                "import.lone_surrogate",
                where=place(data, at),
                why=f"{shown} is half of a character",
                escape=shown,
            )
        else:
            raise _malformed(data, at, "an escape that JSON does not have")


def _malformed(data: bytes, position: int, why: str) -> MalformedError:
    return MalformedError("import.malformed_json", where=place(data, position), why=why, byte=position)


def _too_heavy(data: bytes, start: int, tally: _Tally, limits: Limits) -> MalformedError:
    if tally.values > limits.max_values:
        return MalformedError(
            "import.too_many_values",
            where=place(data, start),
            why=f"more than {limits.max_values} values",
            limit=limits.max_values,
        )
    return MalformedError(
        "import.too_heavy",
        where=place(data, start),
        why=f"would take more than {limits.max_memory >> 20} MB of memory",
        limit=limits.max_memory >> 20,
    )
