"""Tracks an editor's changes since the base version as one list of splices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class _Kept:
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class _Typed:
    text: str

    @property
    def length(self) -> int:
        return len(self.text)


_Part = _Kept | _Typed


class BaseSplices:
    """The present text as parts kept from the base and parts typed since. Positions are code points."""

    def __init__(self, base_length: int) -> None:
        self._base_length = base_length
        self._parts: list[_Part] = [_Kept(0, base_length)] if base_length else []

    def replace(self, start: int, delete: int, insert: str) -> None:
        """Replace `delete` code points of the present text at `start`."""
        self.apply((Splice(start, delete, insert),))

    def apply(self, splices: Sequence[Splice]) -> None:
        """Make several replacements at once: ascending, not overlapping, all counted in the present text."""
        ends = list(accumulate(part.length for part in self._parts))
        length = ends[-1] if ends else 0
        parts: list[_Part] = []
        at = 0
        for splice in splices:
            parts.extend(self._cut(ends, at, splice.start))
            parts.append(_Typed(splice.insert))
            at = splice.start + splice.delete
        parts.extend(self._cut(ends, at, length))
        self._parts = _joined(parts)

    def splices(self) -> tuple[Splice, ...]:
        """The replacements that turn the base into the present text, ascending."""
        found: list[Splice] = []
        at, typed = 0, ""
        for part in (*self._parts, _Kept(self._base_length, 0)):
            if isinstance(part, _Typed):
                typed += part.text
            else:
                if typed or part.start > at:
                    found.append(Splice(at, part.start - at, typed))
                at, typed = part.start + part.length, ""
        return tuple(found)

    def _cut(self, ends: list[int], start: int, end: int) -> Iterator[_Part]:
        index = bisect_right(ends, start)
        while start < end:
            part = self._parts[index]
            begins = ends[index] - part.length
            until = min(end, ends[index])
            yield _slice(part, start - begins, until - begins)
            start, index = until, index + 1


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """A text with replacements made in it: ascending, not overlapping, all counted in it."""
    parts, at = [], 0
    for splice in splices:
        parts += [text[at : splice.start], splice.insert]
        at = splice.start + splice.delete
    return "".join((*parts, text[at:]))


def trimmed(splices: Sequence[Splice], base: str) -> tuple[Splice, ...]:
    """The same replacements without what they take out and put in again at their ends."""
    kept = []
    for splice in splices:
        removed = base[splice.start : splice.start + splice.delete]
        first, last = common_ends(removed, splice.insert)
        delete = splice.delete - first - last
        insert = splice.insert[first : len(splice.insert) - last]
        if delete or insert:
            kept.append(Splice(splice.start + first, delete, insert))
    return tuple(kept)


def difference(before: str, after: str) -> tuple[Splice, ...]:
    """The one replacement that makes a text another, none where they are the same."""
    if before == after:
        return ()
    first, last = common_ends(before, after)
    return (Splice(first, len(before) - first - last, after[first : len(after) - last]),)


def carried_over(splices: Sequence[Splice], before: str, after: str) -> tuple[Splice, ...]:
    """Replacements counted in one text, counted in another that somebody else made of it.

    What falls into the part that changed meanwhile removes nothing there; its text goes behind that part.
    """
    first, last = common_ends(before, after)
    gone, shift = len(before) - last, len(after) - len(before)
    moved: list[Splice] = []
    for splice in splices:
        end = splice.start + splice.delete
        if end <= first:
            _put(moved, splice)
        elif splice.start >= gone:
            _put(moved, Splice(splice.start + shift, splice.delete, splice.insert))
        elif splice.start < first:
            _put(moved, Splice(splice.start, first - splice.start, splice.insert))
            _put(moved, Splice(gone + shift, max(0, end - gone), ""))
        else:
            _put(moved, Splice(gone + shift, max(0, end - gone), splice.insert))
    return tuple(moved)


def common_ends(old: str, new: str) -> tuple[int, int]:
    """Lengths of the common start and the common end, found by halves so that the work is C's."""
    limit = min(len(old), len(new))
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[low:middle] == new[low:middle] else (low, middle - 1)
    first, limit = low, limit - low
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        same = old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return first, low


def _put(splices: list[Splice], splice: Splice) -> None:
    if splices and splices[-1].start + splices[-1].delete == splice.start:
        last = splices.pop()
        splice = Splice(last.start, last.delete + splice.delete, last.insert + splice.insert)
    if splice.delete or splice.insert:
        splices.append(splice)


def _slice(part: _Part, start: int, end: int) -> _Part:
    if isinstance(part, _Typed):
        return _Typed(part.text[start:end])
    return _Kept(part.start + start, end - start)


def _joined(parts: list[_Part]) -> list[_Part]:
    joined: list[_Part] = []
    for part in parts:
        if not part.length:
            continue
        last = joined[-1] if joined else None
        if isinstance(part, _Typed) and isinstance(last, _Typed):
            joined[-1] = _Typed(last.text + part.text)
        elif isinstance(part, _Kept) and isinstance(last, _Kept) and last.start + last.length == part.start:
            joined[-1] = _Kept(last.start, last.length + part.length)
        else:
            joined.append(part)
    return joined
