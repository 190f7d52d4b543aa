"""A text's edits in Loro's words and in ours."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from loro import LoroText, TextDelta

from inspector.domain.edits.text import Splice

LONGEST = 4_000
"""Code points that are written in one piece."""


def splices_of(delta: Iterable[TextDelta]) -> Iterator[Splice]:
    """A delta as splices of the text that it is for; what removes and inserts at one place is one."""
    at = removed = 0
    inserted = ""
    for each in delta:
        if isinstance(each, TextDelta.Retain):
            if removed or inserted:
                yield Splice(at, removed, inserted)
            at += removed + each.retain
            removed, inserted = 0, ""
        elif isinstance(each, TextDelta.Delete):
            removed += each.delete
        elif isinstance(each, TextDelta.Insert):
            inserted += each.insert
    if removed or inserted:
        yield Splice(at, removed, inserted)


def splice_text(text: LoroText, splices: Sequence[Splice]) -> None:
    """Edit a text by ascending splices. To be called in a guard, inside a change.

    Not from the front to the back, and nothing long in one piece: Loro goes through all of a stretch of text when it
    cuts something off it, so the time would grow with the splices times the text, and with the square of what was
    written at once, for this edit and whenever the history is gone through later. The first cut is made in the
    middle, the next ones in the middle of each half.
    """
    ends = [_end(each) for each in splices]
    done: list[int] = []
    for row in _rows(len(ends)):
        grown = list(accumulate((_growth(ends[index]) for index in done), initial=0))
        moved = (_moved(ends[index], grown[bisect_left(done, index)]) for index in row)
        text.apply_delta(list(delta_of(moved)))
        done = sorted([*done, *row])
    starts = accumulate((_growth(each) for each in ends), initial=0)
    long = [(each, by) for each, by in zip(splices, starts, strict=False) if len(each.insert) > LONGEST]
    for each, by in reversed(long):
        _insert_before(text, each.start + by, each.insert[: -len(_last(each.insert))])


def insert_text(text: LoroText, at: int, inserted: str) -> None:
    """Insert a text of any length. To be called in a guard, inside a change."""
    splice_text(text, (Splice(at, 0, inserted),))


def _end(splice: Splice) -> Splice:
    """A splice with the last piece of what it inserts."""
    return Splice(splice.start, splice.delete, _last(splice.insert))


def _last(inserted: str) -> str:
    return inserted[(len(inserted) - 1) // LONGEST * LONGEST :] if inserted else ""


def _insert_before(text: LoroText, at: int, inserted: str) -> None:
    """Insert piece by piece from the last one: pieces that follow one another would become one."""
    for start in range((len(inserted) - 1) // LONGEST * LONGEST, -1, -LONGEST):
        text.insert(at, inserted[start : start + LONGEST])


def _rows(count: int) -> Iterator[list[int]]:
    """The middle of so many, then the middles of what is left on both of its sides, and so on; each row ascends."""
    stretches = [(0, count)]
    while stretches:
        stretches = [(start, end) for start, end in stretches if start < end]
        middles = [(start + end) // 2 for start, end in stretches]
        if middles:
            yield middles
        halves = zip(stretches, middles, strict=True)
        stretches = [half for (start, end), at in halves for half in ((start, at), (at + 1, end))]


def _moved(splice: Splice, by: int) -> Splice:
    return Splice(splice.start + by, splice.delete, splice.insert)


def _growth(splice: Splice) -> int:
    return len(splice.insert) - splice.delete


def delta_of(splices: Iterable[Splice]) -> Iterator[TextDelta]:
    """Ascending splices as a delta of the text that they are counted in."""
    at = 0
    for each in splices:
        if each.start > at:
            yield TextDelta.Retain(each.start - at, None)
        if each.delete:
            yield TextDelta.Delete(each.delete)
        if each.insert:
            yield TextDelta.Insert(each.insert, None)
        at = each.start + each.delete
