"""Rebases an edit of an older text version onto the present text.

Loro would merge it as well. But what is merged stands beside what came since, and where a history has many places at
which two changes stand side by side, Loro goes through most of it for every further one. Where the operations tell
what became of the text meanwhile, the edit is written as the next one instead: nothing that others wrote is lost, and
what both wrote at one place stands there in the order in which it came. And what was removed and put back meanwhile,
by an undo say, is what it was: to Loro it is made of other characters, and an edit of it would find nothing to edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loro import VersionVector

from inspector.documents.linear_history import Splices, TextPiece, Texts, pieces_since, splices_of
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.text_edits import spliced
from inspector.domain.dataclass import dataclass
from inspector.domain.differences.texts import ChangedRange, diff_texts
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import Splice


@dataclass(frozen=True, slots=True)
class RebaseBase:
    """A version that an edit was made for, its vector, and its texts by the names of their containers."""

    version: Version
    vector: VersionVector
    texts: Texts


def rebased_texts(
    replica: LoroReplica, branch: LoroReplica, base: RebaseBase, *, once: bool
) -> Splices | None:
    """What was done in a branch to the texts since `base`, as an edit of those of `replica` as they are.

    `once` as `rebased` has it. None if that was no edit of texts, or the operations do not tell what became of them.
    """
    made, came = (pieces_since(each, base.texts, base.version, base.vector) for each in (branch, replica))
    if made is None or came is None:
        return None
    mine = {name: tuple(splices_of(pieces)) for name, pieces in made.items()}
    edited = {name: splices for name, splices in mine.items() if splices}
    theirs = {name: tuple(splices_of(came[name])) for name in edited}
    if not edited or not (_is_all(branch, base.texts, edited) and _is_all(replica, base.texts, theirs)):
        return None
    there = {name: there_again(came[name], base.texts[name]) for name in edited}
    return {name: rebased(splices, there[name], once=once) for name, splices in edited.items()}


def _is_all(replica: LoroReplica, earlier: Texts, done: Splices) -> bool:
    """Whether that made its texts: what others' programs can write into one, such as marks, takes up places too."""
    there = replica.texts(done)
    return all(spliced(earlier[name], splices) == there[name] for name, splices in done.items())


def there_again(pieces: Sequence[TextPiece], earlier: str) -> tuple[TextPiece, ...]:
    """The pieces of a text, where what was removed from the earlier one and mostly stands there again is its own."""
    return tuple(_found_again(pieces, earlier))


def _found_again(pieces: Sequence[TextPiece], earlier: str) -> Iterator[TextPiece]:
    end, written = 0, ""
    for piece in pieces:
        if piece.text is not None:
            written += piece.text
            continue
        yield from _between(end, earlier[end : piece.start], written)
        yield piece
        end, written = piece.end, ""


def _between(start: int, removed: str, written: str) -> Iterator[TextPiece]:
    """What was written where something was removed that began at `start`."""
    stretches: Sequence[ChangedRange] = (ChangedRange(0, len(removed), 0, len(written)),)
    if removed and written:
        found = diff_texts(removed, written).stretches
        gone = sum(each.before_end - each.before_start for each in found)
        # A word or two that happen to be the same are no reason to take new text for old.
        if 2 * (len(removed) - gone) >= max(len(removed), len(written)):
            stretches = found
    at = 0
    for each in (*stretches, ChangedRange(len(removed), len(removed), len(written), len(written))):
        if each.before_start > at:
            yield TextPiece(start + at, start + each.before_start)
        if each.after_end > each.after_start:
            yield TextPiece(0, 0, written[each.after_start : each.after_end])
        at = each.before_end


def rebased(
    splices: Sequence[Splice], pieces: Sequence[TextPiece], *, once: bool = False
) -> tuple[Splice, ...]:
    """Splices of an earlier text as ones of the present one, which is made of `pieces` of that.

    What is gone already is not removed again; what was written into a stretch that is removed stays. With `once`,
    what others have written at the very place is not written again.
    """
    return tuple(_joined(_parts(splices, pieces, once=once)))


def _parts(splices: Sequence[Splice], pieces: Sequence[TextPiece], *, once: bool) -> Iterator[Splice]:
    rest = iter(_old(pieces))
    old = next(rest)
    for splice in splices:
        end = splice.start + splice.delete
        while old.piece.end <= splice.start:
            old = next(rest)
        piece, inside = old.piece, splice.start - old.piece.start
        is_there = once and inside <= 0 and old.before == splice.insert
        yield Splice(old.at + max(0, inside), 0, "" if is_there else splice.insert)
        while piece.start < end:
            first, last = max(splice.start, piece.start), min(end, piece.end)
            yield Splice(old.at + first - piece.start, last - first, "")
            if piece.end > end:
                break
            old = next(rest)
            piece = old.piece


@dataclass(frozen=True, slots=True)
class _Old:
    """A stretch of the earlier text, where it begins in the present one, and what was written just before it."""

    at: int
    piece: TextPiece
    before: str


def _old(pieces: Iterable[TextPiece]) -> Iterator[_Old]:
    at, before = 0, ""
    for piece in pieces:
        if piece.text is None:
            yield _Old(at, piece, before)
            before = ""
        else:
            before += piece.text
        at += piece.length


def _joined(splices: Iterable[Splice]) -> Iterator[Splice]:
    """What touches is one; what does nothing is left out."""
    last: Splice | None = None
    for splice in splices:
        if not splice.delete and not splice.insert:
            continue
        if last is not None and last.start + last.delete == splice.start:
            last = Splice(last.start, last.delete + splice.delete, last.insert + splice.insert)
            continue
        if last is not None:
            yield last
        last = splice
    if last is not None:
        yield last
