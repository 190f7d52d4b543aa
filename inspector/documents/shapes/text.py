"""The document shape of text content: one text container."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from loro import LoroDoc, LoroText, TextDelta

from inspector.documents.element_cache import ElementCache
from inspector.documents.stamp import EditStamp
from inspector.documents.text_edits import TextOperation, splices_of
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Operation
from inspector.domain.edits.text import Splice
from inspector.domain.splices import between, spliced, trimmed
from inspector.domain.value_checks import check_text, wrong_schema

MOST_SPLICES = 10_000
"""Pieces of one edit. Whoever goes back in a history pays for each piece each time."""


class TextShape:
    """A text. All positions are code points."""

    def __init__(self, doc: LoroDoc, schema: TextSchema, prefix: str) -> None:
        self._text = doc.get_text(f"{prefix}text")

    @property
    def length(self) -> int:
        return self._text.len_unicode

    def fill(self, content: TextContent | None, stamp: EditStamp) -> None:
        if content is not None and content.text:
            insert_text(self._text, 0, check_text(content.text))

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        if not isinstance(operation, TextOperation):
            raise wrong_schema(operation, "text")
        splices = splices_of(operation, self.length, self._text.to_string)
        there = self._text.to_string() if len(splices) > 1 or any(each.delete for each in splices) else ""
        effective = trimmed(splices, there)
        if not effective or _are_there(effective, there):
            return None
        splice_text(self._text, fewer(effective, there, MOST_SPLICES))
        return ()

    def content(self, cache: ElementCache) -> TextContent:
        return TextContent(self._text.to_string())

    def become(self, content: TextContent, cache: ElementCache) -> None:
        there = self._text.to_string()
        splice_text(self._text, fewer(between(there, content.text), there, MOST_SPLICES))

    def texts(self) -> dict[str, LoroText]:
        return {"": self._text}


def _are_there(splices: Sequence[Splice], there: str) -> bool:
    """Whether splices give together what stands there, though each by itself would change it."""
    if sum(len(each.insert) - each.delete for each in splices):
        return False
    return spliced(there, splices) == there


def fewer(splices: Sequence[Splice], there: str, most: int) -> list[Splice]:
    """The same edit of a text in at most so many splices: those that are nearest to one another become one.

    What stands between them is then written again.
    """
    gaps = [right.start - left.start - left.delete for left, right in pairwise(splices)]
    apart = frozenset(_widest(gaps, most - 1))
    groups: list[list[Splice]] = [[]]
    for index, splice in enumerate(splices):
        groups[-1].append(splice)
        if index in apart:
            groups.append([])
    return [group[0] if len(group) == 1 else _as_one(group, there) for group in groups if group]


def _widest(gaps: Sequence[int], count: int) -> list[int]:
    """Where so many of the widest gaps are; of those that are as wide as the last one some, evenly spread."""
    if len(gaps) <= count:
        return list(range(len(gaps)))
    if count <= 0:
        return []
    least = sorted(gaps, reverse=True)[count - 1]
    wider = [at for at, gap in enumerate(gaps) if gap > least]
    alike = [at for at, gap in enumerate(gaps) if gap == least]
    room = count - len(wider)
    return wider + [alike[number * len(alike) // room] for number in range(room)]


def _as_one(splices: Sequence[Splice], there: str) -> Splice:
    start, end = splices[0].start, splices[-1].start + splices[-1].delete
    inside = [Splice(each.start - start, each.delete, each.insert) for each in splices]
    return Splice(start, end - start, spliced(there[start:end], inside))


LONGEST = 4_000
"""Code points that are written in one piece."""


def splices_of_delta(delta: Iterable[TextDelta]) -> Iterator[Splice]:
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
