"""Two Requests compared by piece."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from inspector.domain.requests import Diff, Piece, PieceChange, Request

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"


def diff(before: Request, after: Request) -> Diff:
    """The pieces added, removed, changed and moved; the rows' differences in tokens sum to the total's.

    Pieces are told apart by their ids. One whose text or tokens differ is changed, wherever it stands; one
    that only stands in another section, or in another order among those that stayed, is moved.
    """
    old, new = _by_id(before), _by_id(after)
    rows = [*_removed(old, new), *_rows_of(old, new)]
    return Diff(tuple(rows), before.tokens, after.tokens)


def _removed(old: dict[str, Piece], new: dict[str, Piece]) -> Iterator[PieceChange]:
    for name, piece in old.items():
        if name not in new:
            yield _row(piece, REMOVED, piece.tokens, 0)


def _rows_of(old: dict[str, Piece], new: dict[str, Piece]) -> Iterator[PieceChange]:
    places = {name: at for at, name in enumerate(old)}
    stayed = [name for name in new if name in old]
    steady = _longest_rising([places[name] for name in stayed])
    in_order = {stayed[at] for at in steady}
    for name, piece in new.items():
        former = old.get(name)
        if former is None:
            yield _row(piece, ADDED, 0, piece.tokens)
        elif former is not piece and (former.tokens != piece.tokens or former.runs != piece.runs):
            yield _row(piece, CHANGED, former.tokens, piece.tokens)
        elif former.section != piece.section or name not in in_order:
            yield _row(piece, MOVED, former.tokens, piece.tokens)


def _by_id(request: Request) -> dict[str, Piece]:
    return {piece.id: piece for section in request.sections for piece in section.pieces}


def _row(piece: Piece, kind: str, before: int, after: int) -> PieceChange:
    return PieceChange(piece.id, piece.section, piece.source, kind, before, after)


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """The indices of a longest rising subsequence."""
    ends: list[int] = []
    at_end: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        place = bisect_left(ends, number)
        before.append(at_end[place - 1] if place else -1)
        if place == len(ends):
            ends.append(number)
            at_end.append(index)
        else:
            ends[place] = number
            at_end[place] = index
    found: list[int] = []
    index = at_end[-1] if at_end else -1
    while index >= 0:
        found.append(index)
        index = before[index]
    return found[::-1]
