"""What a place in the Request means as a selection, and where a selection stands in the Request."""

from __future__ import annotations

from inspector.domain.ref import RefKind
from inspector.domain.requests import Mark, Piece
from inspector.ui.presentation.budget import comes_from
from inspector.ui.selection import SelectionState
from inspector.ui.widgets.request_places import RequestRange
from inspector.ui.widgets.request_rows import RequestRows


def mark_at(piece: Piece, offset: int) -> Mark | None:
    """The smallest mark of a piece around an offset in it."""
    marks = [each for each in piece.marks if each.start <= offset < each.end]
    return min(marks, key=lambda each: each.end - each.start, default=None)


def stretch_of(mark: Mark | None, start: int) -> RequestRange | None:
    """Where a mark of a piece stands in the Request."""
    return None if mark is None else RequestRange(start + mark.start, start + mark.end)


def piece_for(rows: RequestRows, selected: SelectionState) -> Piece | None:
    """The piece that a selection means: the one at its span, else the first that has its source."""
    ref, span = selected.ref, selected.span
    if ref is None:
        return None
    sections = rows.request.sections
    if ref.kind is RefKind.SECTION:
        return next((each.pieces[0] for each in sections if each.name == ref.id and each.pieces), None)
    same = [piece for each in sections for piece in each.pieces if comes_from(piece, ref)]
    at_span = (piece for piece in same if span is not None and rows.start_of(piece.id) == span.start)
    return next(at_span, same[0] if same else None)
