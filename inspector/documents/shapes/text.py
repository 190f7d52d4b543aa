"""Text: one text container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from loro import LoroDoc, LoroText

from inspector.documents.checks import check_text, wrong_schema
from inspector.documents.known import Known
from inspector.documents.part import Part
from inspector.documents.stamp import Stamp
from inspector.documents.text_deltas import insert_text, splice_text
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
        """Code points."""
        return self._text.len_unicode

    def fill(self, content: TextContent | None, stamp: Stamp) -> None:
        """Write the first text."""
        if content is not None and content.text:
            insert_text(self._text, 0, check_text(content.text))

    def apply(self, operation: Operation, stamp: Stamp) -> tuple[str, ...] | None:
        """Do a text operation."""
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

    def content(self, known: Known) -> TextContent:
        """The whole text."""
        return TextContent(self._text.to_string())

    def become(self, content: TextContent, known: Known) -> None:
        """Make the text this one, by a difference."""
        self._set(content.text)

    def texts(self) -> dict[str, LoroText]:
        """The one text."""
        return {"": self._text}

    def parts(self) -> Iterator[Part]:
        """None."""
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
