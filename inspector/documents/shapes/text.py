"""The document shape of text content: one text container."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from loro import LoroDoc, LoroText, TextDelta

from inspector.documents.checks import check_text, wrong_schema
from inspector.documents.element_cache import ElementCache
from inspector.documents.stamp import EditStamp
from inspector.documents.stored import ContentPart
from inspector.documents.text_edits import SplicingOperation, spliced, splices_of
from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.differences.texts import diff_texts
from inspector.domain.edits.base import Operation
from inspector.domain.edits.text import SetText, Splice

MOST_BY_LETTERS = 2_000
"""Code points that are compared letter by letter; a search for the least difference takes time with their square."""

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
        if isinstance(operation, SetText):
            return self._set(check_text(operation.text))
        if not isinstance(operation, SplicingOperation):
            raise wrong_schema(operation, "text")
        splices = splices_of(operation, self.length, self._text.to_string)
        there = self._text.to_string() if len(splices) > 1 or any(each.delete for each in splices) else ""
        least = (_least(each, there) for each in splices)
        effective = [each for each in least if each.delete or each.insert]
        if not effective or _are_there(effective, there):
            return None
        self._splice(fewer(effective, there, MOST_SPLICES))
        return ()

    def merges(self, operation: Operation) -> bool:
        """All of them: each counts positions or compares with the body it was made for."""
        return True

    def content(self, cache: ElementCache) -> TextContent:
        return TextContent(self._text.to_string())

    def become(self, content: TextContent, cache: ElementCache) -> None:
        self._set(content.text)

    def texts(self) -> dict[str, LoroText]:
        return {"": self._text}

    def parts(self) -> Iterator[ContentPart]:
        return iter(())

    def _splice(self, splices: Sequence[Splice]) -> None:
        """All in one go: Loro goes through all that is pending for each single deletion."""
        splice_text(self._text, splices)

    def _set(self, text: str) -> tuple[str, ...] | None:
        present = self._text.to_string()
        if text == present:
            return None
        stretch = changed_stretch(present, text)
        if stretch.delete and stretch.insert and stretch.delete + len(stretch.insert) <= MOST_BY_LETTERS:
            # Without a limit of time, so that the outcome is the same on every machine.
            self._text.update(text, True, None)
        else:
            self._splice(fewer(_differences(present, stretch), present, MOST_SPLICES))
        return ()


def _differences(there: str, stretch: Splice) -> list[Splice]:
    """A splice by what differs inside it: by lines, in those by words, and of a word what is not the same."""
    removed = there[stretch.start : stretch.start + stretch.delete]
    if not removed or not stretch.insert:
        return [stretch]
    found = [
        Splice(
            each.before_start,
            each.before_end - each.before_start,
            stretch.insert[each.after_start : each.after_end],
        )
        for each in diff_texts(removed, stretch.insert).stretches
    ]
    least = (_least(each, removed) for each in found)
    return [Splice(stretch.start + each.start, each.delete, each.insert) for each in least]


def _least(splice: Splice, there: str) -> Splice:
    """The splice without what it would remove and write again: that stays who wrote it, and mergeable."""
    if not splice.delete or not splice.insert:
        return splice
    removed = there[splice.start : splice.start + splice.delete]
    if removed[0] != splice.insert[0] and removed[-1] != splice.insert[-1]:
        return splice
    least = changed_stretch(removed, splice.insert)
    return Splice(splice.start + least.start, least.delete, least.insert)


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


def changed_stretch(old: str, new: str) -> Splice:
    """One splice from the first difference to the last."""
    start = _joint(old, new)
    end = _joint(old[start:][::-1], new[start:][::-1])
    return Splice(start, len(old) - end - start, new[start : len(new) - end])


def _joint(left: str, right: str) -> int:
    """How many code points at the beginning are the same."""
    same, most = 0, min(len(left), len(right))
    while same < most:
        middle = (same + most + 1) // 2
        if left[same:middle] == right[same:middle]:
            same = middle
        else:
            most = middle - 1
    return same


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
