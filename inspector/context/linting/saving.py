"""What findings save together: text that two of them would take away goes once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.context.linting.looked_at import LookedAt
from inspector.domain.lint import Finding, Place

_Span = tuple[int, int]


def once_each(found: Sequence[Finding], look: LookedAt) -> tuple[Finding, ...]:
    """The findings in their order, each with what it saves beside those before it."""
    savings = _Savings(look)
    return tuple(replace(finding, more=savings.take(finding)) for finding in found)


class _Savings:
    """What of the pieces is there still when some findings are mended."""

    def __init__(self, look: LookedAt) -> None:
        self._look = look
        self._pieces = {piece.id: piece for piece in look.pieces}
        self._left = {piece.id: piece.tokens for piece in look.pieces}
        self._gone: dict[str, list[_Span]] = defaultdict(list)

    def take(self, finding: Finding) -> int:
        """Mend one more finding; gives the tokens that this saves."""
        saved = 0
        for place in finding.places:
            tokens = min(self._tokens(place), self._left[place.piece_id], finding.tokens - saved)
            self._left[place.piece_id] -= tokens
            self._gone[place.piece_id].append((place.start, place.end))
            saved += tokens
        return saved

    def _tokens(self, place: Place) -> int:
        piece = self._pieces[place.piece_id]
        if (place.start, place.end) == (0, piece.length):
            return self._left[piece.id]
        fresh = _without(place, self._gone[piece.id])
        return sum(self._look.count(piece.text[start:end]).tokens for start, end in fresh)


def _without(place: Place, gone: Sequence[_Span]) -> Iterator[_Span]:
    """The parts of a place that are not gone yet."""
    at = place.start
    for start, end in sorted(gone):
        if at < start < place.end:
            yield at, start
        at = max(at, end)
    if at < place.end:
        yield at, place.end
