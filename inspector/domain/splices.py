"""Edits of texts as rows of splices: pure functions that apply, combine, find, trim and rebase them.

The splices of an edit ascend, do not overlap, and are all counted in the text that the edit is for. Positions and
lengths are code points.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from inspector.domain.dataclass import dataclass
from inspector.domain.differences.texts import MOST_STEPS, ChangedRange, diff_texts, differing
from inspector.domain.edits.text import Splice

MOST_BY_LETTERS = 2_000
"""Code points of words that are compared letter by letter; the search takes time with their square."""

STEPS_PER_LETTER = 10
"""Comparisons that a search may take: where nearly all is new, what happens to be the same is worth no more."""

_ENDLESS = 2**62


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a text: characters `start` to `end` of the one before an edit, or (`new` not None) of new ones."""

    start: int
    end: int
    new: str | None = None

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class _Kept:
    """A stretch that an edit keeps, where it begins in the text after, and what was written just before it."""

    start: int
    end: int
    at: int
    before: str


def spliced(text: str, splices: Iterable[Splice]) -> str:
    """The text after an edit."""
    parts: list[str] = []
    at = 0
    for each in splices:
        parts += (text[at : each.start], each.insert)
        at = each.start + each.delete
    return "".join((*parts, text[at:]))


def joined(splices: Iterable[Splice]) -> tuple[Splice, ...]:
    """The same edit with one splice for those that touch, and none that does nothing."""
    pieces: list[Splice] = []
    inserts: list[list[str]] = []
    for each in splices:
        if not each.delete and not each.insert:
            continue
        last = pieces[-1] if pieces else None
        if last is not None and last.start + last.delete == each.start:
            pieces[-1] = Splice(last.start, last.delete + each.delete, "")
            inserts[-1].append(each.insert)
        else:
            pieces.append(Splice(each.start, each.delete, ""))
            inserts.append([each.insert])
    rows = zip(pieces, inserts, strict=True)
    return tuple(Splice(each.start, each.delete, "".join(texts)) for each, texts in rows)


def composed(first: Sequence[Splice], second: Sequence[Splice]) -> tuple[Splice, ...]:
    """The one edit that does what two do, the second of them counted in the text after the first."""
    if not second:
        return joined(first)
    begin, end = second[0].start, second[-1].start + second[-1].delete
    # Only what the second one touches becomes another: the others are counted in a text that stays.
    grown = list(accumulate((len(each.insert) - each.delete for each in first), initial=0))
    places = range(len(first))
    low = bisect_left(places, begin, key=lambda at: first[at].start + first[at].delete + grown[at + 1])
    high = bisect_right(places, end, low, key=lambda at: first[at].start + grown[at])
    waiting = list(_pieces(first[low:high]))[::-1]
    made: list[_Piece] = []
    at = 0
    for each in _moved(second, -grown[low]):
        made += _taken(waiting, each.start - at)
        for _ in _taken(waiting, each.delete):
            pass
        made.append(_Piece(0, len(each.insert), each.insert))
        at = each.start + each.delete
    return (*first[:low], *joined(_splices((*made, *reversed(waiting)))), *first[high:])


def rebased(mine: Iterable[Splice], theirs: Iterable[Splice], *, once: bool = False) -> tuple[Splice, ...]:
    """An edit of the text before another edit, as one of the text after that.

    What is gone already is not removed again; what was written into a stretch that is removed stays. What both write
    at one place stands there in the order theirs, mine. With `once`, what stands there already is not written again.
    """
    found: list[Splice] = []
    rest = _kept(theirs)
    old = next(rest)
    for each in mine:
        end = each.start + each.delete
        while old.end <= each.start:
            old = next(rest)
        inside = max(0, each.start - old.start)
        is_there = once and not inside and old.before == each.insert
        found.append(Splice(old.at + inside, 0, "" if is_there else each.insert))
        while old.start < end:
            first, last = max(each.start, old.start), min(end, old.end)
            found.append(Splice(old.at + first - old.start, last - first, ""))
            if old.end > end:
                break
            old = next(rest)
    return joined(found)


def trimmed(splices: Iterable[Splice], text: str) -> tuple[Splice, ...]:
    """The same edit without what its splices remove and write again at their ends: that stays who wrote it."""
    kept: list[Splice] = []
    for each in splices:
        first, last = common_ends(_removed(each, text), each.insert)
        insert = each.insert[first : len(each.insert) - last]
        least = Splice(each.start + first, each.delete - first - last, insert)
        if least.delete or least.insert:
            kept.append(least)
    return tuple(kept)


def changed_stretch(before: str, after: str) -> tuple[Splice, ...]:
    """What leads from one text to another as one splice from the first difference to the last; none without any."""
    return trimmed((Splice(0, len(before), after),), before)


def between(before: str, after: str) -> tuple[Splice, ...]:
    """What leads from one text to another: by words, and if they are few by letters where most of one is kept."""
    found: list[Splice] = []
    for stretch in changed_stretch(before, after):
        words = tuple(_moved(_by_words(_removed(stretch, before), stretch.insert), stretch.start))
        are_few = sum(each.delete + len(each.insert) for each in words) <= MOST_BY_LETTERS
        for word in words:
            removed = _removed(word, before)
            inside = _by_letters(removed, word.insert) if are_few else _as_one(removed, word.insert)
            found += _moved(trimmed(inside, removed), word.start)
    return tuple(found)


def with_words_again(splices: Iterable[Splice], text: str) -> tuple[Splice, ...]:
    """The same edit, where what it removes and mostly writes again is kept: an undo, say, wrote it anew.

    A word or two that happen to be the same are no reason to take new text for old.
    """
    found: list[Splice] = []
    for each in splices:
        removed = _removed(each, text)
        inside = _by_words(removed, each.insert)
        found += _moved(inside, each.start) if _keeps_most(inside, removed, each.insert) else (each,)
    return tuple(found)


def common_ends(before: str, after: str) -> tuple[int, int]:
    """Lengths of the common start and the common end, found by halves so that the work is C's."""
    limit = min(len(before), len(after))
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[low:middle] == after[low:middle] else (low, middle - 1)
    first, limit = low, limit - low
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        old = before[len(before) - middle : len(before) - low]
        same = old == after[len(after) - middle : len(after) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return first, low


def _removed(splice: Splice, text: str) -> str:
    return text[splice.start : splice.start + splice.delete]


def _moved(splices: Iterable[Splice], by: int) -> Iterator[Splice]:
    return (Splice(each.start + by, each.delete, each.insert) for each in splices)


def _by_letters(removed: str, written: str) -> tuple[Splice, ...]:
    """What leads from one text to another by letters, if that is found soon and most of them are kept."""
    found = tuple(_of_ranges(differing(removed, written, _most_steps(removed, written)), written))
    return found if _keeps_most(found, removed, written) else _as_one(removed, written)


def _by_words(removed: str, written: str) -> tuple[Splice, ...]:
    if not removed or not written:
        return _as_one(removed, written)
    return tuple(_of_ranges(diff_texts(removed, written, _most_steps(removed, written)).stretches, written))


def _most_steps(removed: str, written: str) -> int:
    return min(MOST_STEPS, STEPS_PER_LETTER * (len(removed) + len(written)))


def _as_one(removed: str, written: str) -> tuple[Splice, ...]:
    return (Splice(0, len(removed), written),)


def _keeps_most(splices: Iterable[Splice], removed: str, written: str) -> bool:
    kept = len(removed) - sum(each.delete for each in splices)
    return 2 * kept >= max(len(removed), len(written))


def _of_ranges(ranges: Iterable[ChangedRange], after: str) -> Iterator[Splice]:
    for each in ranges:
        insert = after[each.after_start : each.after_end]
        yield Splice(each.before_start, each.before_end - each.before_start, insert)


def _pieces(splices: Iterable[Splice]) -> Iterator[_Piece]:
    """What an edit makes a text of; the last piece is what is left of it, without an end."""
    at = 0
    for each in splices:
        yield _Piece(at, each.start)
        yield _Piece(0, len(each.insert), each.insert)
        at = each.start + each.delete
    yield _Piece(at, _ENDLESS)


def _taken(waiting: list[_Piece], length: int) -> Iterator[_Piece]:
    """So many characters from the front of pieces that wait in reverse."""
    while length > 0:
        piece = waiting.pop()
        if piece.length > length:
            middle = piece.start + length
            waiting.append(_Piece(middle, piece.end, piece.new))
            piece = _Piece(piece.start, middle, piece.new)
        length -= piece.length
        yield piece


def _splices(pieces: Iterable[_Piece]) -> Iterator[Splice]:
    """The edit that makes those pieces of a text."""
    at = 0
    for piece in pieces:
        if piece.new is not None:
            yield Splice(at, 0, piece.new[piece.start : piece.end])
        elif piece.length:
            yield Splice(at, piece.start - at, "")
            at = piece.end


def _kept(splices: Iterable[Splice]) -> Iterator[_Kept]:
    at, before = 0, ""
    for piece in _pieces(splices):
        if piece.new is not None:
            before += piece.new
        elif piece.length:
            yield _Kept(piece.start, piece.end, at, before)
            before = ""
        at += piece.length
