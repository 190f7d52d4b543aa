"""Parses unified diffs as edits of a text and finds where each hunk fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from itertools import accumulate

from inspector.domain.content import text_lines
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.text import Splice
from inspector.domain.errors import RefusedError
from inspector.domain.value_checks import refuse

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_END = "\\"


@dataclass(frozen=True, slots=True)
class _Line:
    tag: str
    text: str
    ended: bool = True


@dataclass(frozen=True, slots=True)
class _Hunk:
    number: int
    at: int
    lines: tuple[_Line, ...]

    @property
    def old(self) -> list[_Line]:
        return [line for line in self.lines if line.tag != "+"]


@dataclass(slots=True)
class _Group:
    """Neighbouring lines of a hunk that are removed and added: one splice."""

    first: int
    removed: list[_Line] = field(default_factory=list)
    added: list[_Line] = field(default_factory=list)


def splices_of_patch(diff: str, text: str) -> tuple[Splice, ...]:
    """What a unified diff does to a text.

    A hunk is taken at the line that it names, else at the only other place after the hunk before it where
    its old lines stand. Line ends are compared as they are but for the last: a diff need not know whether
    the text ends with one.

    Raises:
        RefusedError: ``refused.patch``, when it is no unified diff; ``refused.patch_does_not_fit``.
    """
    lines = text_lines(text)
    bare = [line.removesuffix("\n") for line in lines]
    starts = [0, *accumulate(len(line) for line in lines)]
    splices: list[Splice] = []
    done = 0
    for hunk in _parse(diff):
        at = _place(hunk, bare, done)
        splices += (_splice(group, lines, starts) for group in _groups(hunk, at))
        done = at + len(hunk.old)
    return tuple(splices)


def _parse(diff: str) -> list[_Hunk]:
    rows = diff.split("\n")
    if rows[-1] == "":
        rows.pop()
    hunks: list[_Hunk] = []
    at = 0
    while at < len(rows):
        head = _HUNK.match(rows[at])
        if head is None:
            if hunks and rows[at].strip():
                raise _malformed(at + 1, rows[at])
            at += 1
            continue
        hunk, at = _parse_hunk(len(hunks) + 1, head, rows, at + 1)
        hunks.append(hunk)
    if not hunks:
        raise _malformed(1, rows[0] if rows else "")
    return hunks


def _parse_hunk(number: int, head: re.Match[str], rows: list[str], at: int) -> tuple[_Hunk, int]:
    old_count = int(head[2]) if head[2] is not None else 1
    new_count = int(head[4]) if head[4] is not None else 1
    counts = {" ": 0, "-": 0, "+": 0}
    lines: list[_Line] = []
    while counts[" "] + counts["-"] < old_count or counts[" "] + counts["+"] < new_count:
        # An empty context line often loses its space on the way.
        row = rows[at] or " " if at < len(rows) else ""
        if row[:1] == _NO_END and lines:
            _end_last(lines)
        elif row[:1] in counts:
            counts[row[0]] += 1
            lines.append(_Line(row[0], row[1:]))
        else:
            raise _malformed(at + 1, row)
        at += 1
    if at < len(rows) and rows[at].startswith(_NO_END) and lines:
        _end_last(lines)
        at += 1
    if counts[" "] + counts["-"] != old_count or counts[" "] + counts["+"] != new_count:
        raise _malformed(at, rows[at - 1])
    # A hunk without old lines names the line that it comes after.
    first = int(head[1]) - 1 if old_count else int(head[1])
    return _Hunk(number, first, tuple(lines)), at


def _end_last(lines: list[_Line]) -> None:
    lines[-1] = _Line(lines[-1].tag, lines[-1].text, ended=False)


def _malformed(row: int, text: str) -> RefusedError:
    return refuse("refused.patch", line=row, text=text[:80])


def _place(hunk: _Hunk, bare: list[str], done: int) -> int:
    old = [line.text for line in hunk.old]
    if done <= hunk.at <= len(bare) - len(old) and bare[hunk.at : hunk.at + len(old)] == old:
        return hunk.at
    places = [at for at in range(done, len(bare) - len(old) + 1) if old and bare[at : at + len(old)] == old]
    if len(places) != 1:
        raise refuse("refused.patch_does_not_fit", hunk=hunk.number, line=hunk.at + 1, places=len(places))
    return places[0]


def _groups(hunk: _Hunk, at: int) -> Iterator[_Group]:
    group = _Group(at)
    for line in hunk.lines:
        if line.tag == " ":
            if group.removed or group.added:
                yield group
            at += 1
            group = _Group(at)
        elif line.tag == "-":
            at += 1
            group.removed.append(line)
        else:
            group.added.append(line)
    if group.removed or group.added:
        yield group


def _splice(group: _Group, lines: list[str], starts: list[int]) -> Splice:
    past = group.first + len(group.removed)
    start = starts[group.first]
    insert = "".join(f"{line.text}\n" for line in group.added)
    if past < len(lines) or not group.added:
        return Splice(start, starts[past] - start, insert)
    open_end = bool(lines) and not lines[-1].endswith("\n")
    knows_the_end = bool(group.removed) and not group.removed[-1].ended
    if not group.added[-1].ended or (open_end and not knows_the_end):
        insert = insert.removesuffix("\n")
    if open_end and not group.removed:
        insert = f"\n{insert}"
    return Splice(start, starts[past] - start, insert)
