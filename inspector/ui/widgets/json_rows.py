"""Shows the JSON of messages and tools with a line for each value, each character where it stands in the text.

Nothing of the text is changed or read as a value: rows are stretches of it, and only white space between values is
not shown. Values only, so that a worker thread can do it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.ui.widgets.text_rows import CutPlace, TextRow, TextRowKind, cut_line, fits

_INDENT = 2
_LEAST_ROOM = 8
"""Columns that a value has at least, however deep it stands."""
_DEEPEST = 12
"""Levels that are indented; what is nested deeper stands under these."""
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_EMPTY = re.compile(r"\{\s*\}|\[\s*\]")
_BARE = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\Z|true\Z|false\Z|null\Z")
_CLOSING = {"}": "{", "]": "["}
_KEY = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)', re.DOTALL)
_STRING_END = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)', re.DOTALL)
_COLOURED = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z))'
    r"|(?P<word>true|false|null)|(?P<figure>-?\d[\d.eE+-]*)|(?P<mark>[{}\[\]:,]+)",
    re.DOTALL,
)
_STYLES = {
    "key": "Name.Attribute",
    "string": "Literal.String",
    "word": "Keyword",
    "figure": "Literal.Number",
    "mark": "Punctuation",
}


class ColouredStretch(NamedTuple):
    """Some characters of a row, and the theme's name for their look."""

    start: int
    end: int
    style: str


def looks_like_json(text: str) -> bool:
    """Whether a text may be a JSON object or list, as its ends say."""
    begins, ends = text[:200].lstrip()[:1], text[-200:].rstrip()[-1:]
    return (begins, ends) in {("{", "}"), ("[", "]")}


def json_rows(text: str, place: CutPlace) -> tuple[TextRow, ...] | None:
    """The rows of a JSON text, one value a line; None where it is none after all."""
    rows: list[TextRow] = []
    lines = _Lines(text).all()
    if lines is None:
        return None
    for start, end, depth in lines:
        indent = place.indent + _INDENT * min(depth, _DEEPEST)
        rows += _wrapped(text[start:end], place._replace(start=place.start + start, indent=indent))
    return tuple(_numbered(rows, text, place))


def code_rows(text: str, place: CutPlace) -> Iterator[TextRow]:
    """The rows of some lines of JSON that is written with a line for each value."""
    start, lines = place.start, text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, place.line):
        lead = min(len(line) - len(line.lstrip(" ")), max(0, place.width - _LEAST_ROOM))
        inner = place._replace(start=start + lead, indent=lead)
        for count, row in enumerate(_wrapped(line[lead:], inner)):
            yield row._replace(line=number, begins_line=count == 0)
        start += len(line) + 1


def gap_after_key(text: str, kind: TextRowKind) -> int:
    """The place behind a key's colon where a row shows a space that is not in the text, -1 where it needs none."""
    if kind is not TextRowKind.JSON:
        return -1
    key = _KEY.match(text)
    if key is None:
        return -1
    colon = text.index(":", key.end())
    return -1 if text[colon + 1 : colon + 2].isspace() or colon + 1 == len(text) else colon


def colours_of(text: str, kind: TextRowKind) -> Iterator[ColouredStretch]:
    """The colours of a row of JSON."""
    at = 0
    if kind is TextRowKind.STRING:
        found = _STRING_END.match(text)
        at = found.end() if found else len(text)
        yield ColouredStretch(0, at, _STYLES["string"])
    for each in _COLOURED.finditer(text, at):
        yield ColouredStretch(each.start(), each.end(), _STYLES[each.lastgroup or "mark"])


class _Lines:
    """Takes a JSON text apart into the lines that it has when it is formatted: (start, end, depth) each."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._opened: list[str] = []
        self._start = -1
        """Where the line begins that is being taken, -1 between two."""
        self._end = 0
        self._is_over = False

    def all(self) -> list[tuple[int, int, int]] | None:
        """The lines, None where the text is no JSON."""
        found: list[tuple[int, int, int]] = []
        for token in _TOKEN.finditer(self._text):
            if token.start() < self._end:
                # The end of an empty list, taken with its beginning.
                continue
            if self._is_over or self._text[self._end : token.start()].strip():
                return None
            line_count = len(found)
            if not self._take(token, found):
                return None
            self._is_over = not self._opened and len(found) > line_count
        is_whole = self._is_over and not self._text[self._end :].strip()
        return found if is_whole else None

    def _take(self, token: re.Match[str], found: list[tuple[int, int, int]]) -> bool:
        """Take one token; says whether it may stand there."""
        mark = token.group()[0]
        if mark in _CLOSING:
            return self._close(token, found)
        if mark in "{[":
            self._open(token, found)
            return True
        if mark == ",":
            self._extend(token.start(), token.end())
            return self._put(found)
        self._extend(token.start(), token.end())
        return mark in '":' or _BARE.match(token.group()) is not None

    def _open(self, token: re.Match[str], found: list[tuple[int, int, int]]) -> None:
        empty = _EMPTY.match(self._text, token.start())
        self._extend(token.start(), empty.end() if empty else token.end())
        if empty is None:
            self._put(found)
            self._opened.append(token.group())
        elif not self._opened:
            self._put(found)

    def _close(self, token: re.Match[str], found: list[tuple[int, int, int]]) -> bool:
        if not self._opened or self._opened[-1] != _CLOSING[token.group()]:
            return False
        if self._start >= 0:
            self._put(found)
        self._opened.pop()
        self._extend(token.start(), token.end())
        if not self._opened:
            self._put(found)
        return True

    def _extend(self, start: int, end: int) -> None:
        self._start = start if self._start < 0 else self._start
        self._end = end

    def _put(self, found: list[tuple[int, int, int]]) -> bool:
        found.append((self._start, self._end, len(self._opened)))
        self._start = -1
        return True


def _wrapped(line: str, place: CutPlace) -> Iterator[TextRow]:
    gap = gap_after_key(line, TextRowKind.JSON) >= 0
    if fits(line, place.width - place.indent - gap):
        yield TextRow(place.start, place.start + len(line), 0, False, TextRowKind.JSON, place.indent)
        return
    strings = [each.span() for each in _STRING.finditer(line)]
    starts = [start for start, _ in strings]
    for row in cut_line(line, place._replace(width=max(place.indent + _LEAST_ROOM, place.width - gap))):
        at = row.start - place.start
        before = bisect_left(starts, at) - 1
        inside = before >= 0 and at < strings[before][1]
        kind = TextRowKind.STRING if inside else TextRowKind.JSON
        yield row if row.kind is TextRowKind.DATA else row._replace(kind=kind)


def _numbered(rows: Sequence[TextRow], text: str, place: CutPlace) -> Iterator[TextRow]:
    """The rows with the numbers of the text's own lines; the first row of each has it."""
    line, at, last = place.line, 0, -1
    for row in rows:
        start = row.start - place.start
        line += text.count("\n", at, start)
        at = start
        yield row._replace(line=line, begins_line=line != last)
        last = line
