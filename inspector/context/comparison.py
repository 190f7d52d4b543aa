"""Compares two Requests piece by piece."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from inspector.context.spelling import is_same_content
from inspector.domain.request_comparison import PiecePair, PieceState
from inspector.domain.requests import Diff, Piece, PieceChange, Request

_Key = tuple[str, int]
"""A piece's id, and the how manieth piece of that id it is."""

_SETTINGS = ("agent_name", "model", "layout", "strategy", "zone", "now")
_LIMITS = ("max_tokens", "memory_tokens", "history_tokens", "reserved_response_tokens")


def diff(before: Request, after: Request) -> Diff:
    """The pieces added, removed, changed and moved; the rows' differences in tokens sum to the total's.

    Pieces are told apart by their ids. One whose text differs is changed, wherever it stands, or respelled where
    it says the same; one that only stands in another section, or in another order among those that stayed, is
    moved; and one that only counts otherwise, as under another model, is recounted.
    """
    return diff_of(before, after, paired(before, after))


def diff_of(before: Request, after: Request, pairs: Iterable[PiecePair]) -> Diff:
    """The difference of two Requests whose pieces are paired already."""
    changes = tuple(each.change for each in pairs if each.change is not None)
    return Diff(changes, before.tokens, after.tokens, tuple(_settings(before, after)))


def paired(before: Request, after: Request) -> tuple[PiecePair, ...]:
    """Every piece of both: first those that were removed, then those of the later Request in its order."""
    old, new = _by_key(before), _by_key(after)
    return (*_removed(old, new, after), *_pairs_of(old, new))


def _removed(old: dict[_Key, Piece], new: dict[_Key, Piece], after: Request) -> Iterator[PiecePair]:
    rows = {row.source.id: row for row in after.left_out if row.source.id is not None}
    for key, piece in old.items():
        if key not in new:
            # Of a history whole batches are left out, and named as such.
            names = (piece.source.id, piece.parameters.get("batch"))
            row = next((rows[name] for name in names if isinstance(name, str) and name in rows), None)
            kind = PieceState.REMOVED.value
            change = PieceChange(piece.id, piece.section, piece.source, kind, piece.tokens, 0)
            if row is not None:
                change = replace(change, rule=row.rule, parameters=row.parameters)
            yield PiecePair(piece, None, change)


def _pairs_of(old: dict[_Key, Piece], new: dict[_Key, Piece]) -> Iterator[PiecePair]:
    places = {key: at for at, key in enumerate(old)}
    stayed = [key for key in new if key in old]
    steady = _longest_rising([places[key] for key in stayed])
    in_order = {stayed[at] for at in steady}
    for key, piece in new.items():
        former = old.get(key)
        if former is None:
            yield PiecePair(None, piece, _row(piece, PieceState.ADDED, 0))
            continue
        moved = former.section != piece.section or key not in in_order
        state = _state(former, piece) or (PieceState.MOVED if moved else None)
        change = None if state is None else _row(piece, state, former.tokens, moved=moved)
        yield PiecePair(former, piece, change)


def _state(former: Piece, piece: Piece) -> PieceState | None:
    """What has become of a piece, but for its place."""
    if former is piece or (former.tokens == piece.tokens and former.runs == piece.runs):
        return None
    if former.text == piece.text:
        return PieceState.RECOUNTED
    return PieceState.RESPELLED if is_same_content(former, piece) else PieceState.CHANGED


def _by_key(request: Request) -> dict[_Key, Piece]:
    # A logged Request is somebody else's word: its ids may come twice, and no token may be lost for that.
    seen: Counter[str] = Counter()
    found: dict[_Key, Piece] = {}
    for section in request.sections:
        for piece in section.pieces:
            found[piece.id, seen[piece.id]] = piece
            seen[piece.id] += 1
    return found


def _row(piece: Piece, state: PieceState, before: int, *, moved: bool = False) -> PieceChange:
    return PieceChange(
        piece.id,
        piece.section,
        piece.source,
        state.value,
        before,
        piece.tokens,
        moved=moved,
        rule=piece.rule,
        parameters=piece.parameters,
    )


def _settings(before: Request, after: Request) -> Iterator[tuple[str, str, str]]:
    for name in _SETTINGS:
        one, other = getattr(before, name), getattr(after, name)
        if one != other:
            yield name.removesuffix("_name"), one, other
    for name in _LIMITS:
        old, new = getattr(before.limits, name), getattr(after.limits, name)
        if old != new:
            yield name, _figure(old), _figure(new)
    if before.tokenizer.name != after.tokenizer.name:
        yield "tokenizer", before.tokenizer.name, after.tokenizer.name


def _figure(tokens: int | None) -> str:
    return "" if tokens is None else str(tokens)


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
