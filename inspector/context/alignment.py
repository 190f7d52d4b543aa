"""Pairs the pieces of two Requests that have no ids in common: of two agents, or of a recorded request."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace

from inspector.domain.requests import Piece, Request, SourceKind

_Key = Callable[[Piece], Hashable | None]


def aligned(before: Request, after: Request) -> Request:
    """The later Request with the earlier one's ids on those of its pieces that are the same in it.

    The same is what has the same id, else the same text of the same kind, else the same label of the same kind; of
    messages the label is only a role, so there the text decides.
    """
    old = [piece for section in before.sections for piece in section.pieces]
    new = [piece for section in after.sections for piece in section.pieces]
    ids: dict[str, str] = {}
    taken = {piece.id for piece in old} & {piece.id for piece in new}
    for key in (_by_text, _by_label):
        rest = (piece for piece in old if piece.id not in taken)
        waiting = _waiting(rest, key)
        for piece in new:
            if piece.id in ids or piece.id in taken:
                continue
            found = waiting.get(key(piece))
            if found:
                ids[piece.id] = found.popleft()
                taken.add(ids[piece.id])
    return _renamed(after, ids)


def _by_text(piece: Piece) -> Hashable | None:
    return piece.source.kind, piece.text


def _by_label(piece: Piece) -> Hashable | None:
    if piece.source.kind is SourceKind.MESSAGE or piece.source.label is None:
        return None
    return piece.source.kind, piece.source.label


def _waiting(pieces: Iterable[Piece], key: _Key) -> dict[Hashable, deque[str]]:
    """The ids of pieces by a key, in their order; those without one are left away."""
    found: dict[Hashable, deque[str]] = defaultdict(deque)
    for piece in pieces:
        if (of := key(piece)) is not None:
            found[of].append(piece.id)
    return dict(found)


def _renamed(request: Request, ids: Mapping[str, str]) -> Request:
    if not ids:
        return request
    sections = tuple(
        replace(
            section, pieces=tuple(replace(piece, id=ids.get(piece.id, piece.id)) for piece in section.pieces)
        )
        for section in request.sections
    )
    return replace(request, sections=sections)
