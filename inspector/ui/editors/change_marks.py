"""Which lines of a text are added, changed or deleted against its base, from the splices between the two."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.text import Splice


class ChangeKind(StrEnum):
    """What happened to lines since they were saved."""

    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """Lines that differ from the base, by code points of the present text, both ends included.

    Where lines are deleted, both are the beginning of the line that follows, or the end of the text.
    """

    kind: ChangeKind
    start: int
    end: int


class ChangeMarks:
    """The marks of a text, in ascending order."""

    def __init__(self, marks: Sequence[ChangeMark] = ()) -> None:
        self._marks = marks
        self._starts = [each.start for each in marks]
        self._ends = [each.end for each in marks]

    def __len__(self) -> int:
        return len(self._marks)

    def of_line(self, start: int, end: int) -> tuple[ChangeMark, ...]:
        """The marks on a line, given where it begins and ends."""
        return tuple(self._marks[bisect_left(self._ends, start) : bisect_right(self._starts, end)])

    def kinds(self, start: int, end: int) -> frozenset[ChangeKind]:
        """What happened to a line, or right before it; to the last one also right behind it."""
        found = self.of_line(start, end)
        # What is deleted has its mark where a line begins, or at the end of the text.
        inside = (each for each in found if each.kind is not ChangeKind.DELETED or each.start in (start, end))
        return frozenset(each.kind for each in inside)

    def beyond(self, at: int, by: int) -> int | None:
        """Where the next change begins (`by` 1), or the one before (-1), going round at the ends; None without any."""
        if not self._starts:
            return None
        place = bisect_right(self._starts, at) if by > 0 else bisect_left(self._starts, at) - 1
        return self._starts[place % len(self._starts)]


def change_marks(base: str, text: str, splices: Sequence[Splice]) -> ChangeMarks:
    """What splices between a base and a text did to its lines."""
    found: list[ChangeMark] = []
    grown = 0
    for each in splices:
        start = each.start + grown
        grown += len(each.insert) - each.delete
        removed = base[each.start : each.start + each.delete]
        found += _marks(text, start, removed, each.insert)
    return ChangeMarks(tuple(_apart(found)))


def _apart(marks: Sequence[ChangeMark]) -> Iterator[ChangeMark]:
    """The marks in order; what overlaps the one before begins behind it."""
    last = -1
    for each in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        start = max(each.start, last) if each.kind is ChangeKind.DELETED else max(each.start, last + 1)
        if start <= each.end or each.kind is ChangeKind.DELETED:
            yield ChangeMark(each.kind, start, max(start, each.end))
            last = max(start, each.end)


def _marks(text: str, start: int, removed: str, insert: str) -> Iterator[ChangeMark]:
    end = start + len(insert)
    if _is_lines(insert, last=True) and _is_lines(removed, last=True) and text[:start][-1:] in ("", "\n"):
        yield from _of_lines(text, start, removed.count("\n"), insert.count("\n"))
    elif (
        _is_lines(insert, last=False) and _is_lines(removed, last=False) and text[end : end + 1] in ("", "\n")
    ):
        yield from _of_lines(text, min(start + 1, len(text)), removed.count("\n"), insert.count("\n"))
    else:
        yield from _of_lines(text, start, removed.count("\n") + 1, insert.count("\n") + 1)


def _is_lines(part: str, *, last: bool) -> bool:
    """Whether a part is nothing, or whole lines with the line feed at its end (`last`) or at its beginning."""
    return not part or (part.endswith("\n") if last else part.startswith("\n"))


def _of_lines(text: str, start: int, old: int, new: int) -> Iterator[ChangeMark]:
    """Marks where `old` lines became `new` ones, of which the first holds `start`."""
    at = start
    for kind, count in ((ChangeKind.CHANGED, min(old, new)), (ChangeKind.ADDED, max(0, new - old))):
        if count:
            end = _end_of_lines(text, at, count)
            yield ChangeMark(kind, at, end)
            at = end + 1
    if old > new:
        at = min(at, len(text))
        yield ChangeMark(ChangeKind.DELETED, at, at)


def _end_of_lines(text: str, start: int, count: int) -> int:
    """Where the last of so many lines from a place ends."""
    at = start - 1
    for _ in range(count):
        found = text.find("\n", at + 1)
        if found < 0:
            return len(text)
        at = found
    return at
