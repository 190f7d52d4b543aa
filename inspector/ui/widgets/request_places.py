"""Finds a place of one Request again in the next one, after a live update."""

from __future__ import annotations

from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Section
from inspector.ui.widgets.request_rows import RequestRows


@dataclass(frozen=True, slots=True)
class RequestRange:
    """A stretch of the text form: code points, half-open."""

    start: int
    end: int


def row_after(old: RequestRows, row: int, new: RequestRows) -> int:
    """The new row of what stood in an old one; of what stood next below it where that is gone."""
    top = old.place(min(row, old.count - 1))
    if top.piece is None or top.row is None:
        head = new.section_head(top.section.name)
        if head is not None:
            return head
    elif (start := new.start_of(top.piece.id)) is not None:
        piece = new.piece(top.piece.id)
        within = min(top.row.start, (piece.length if piece else 1) - 1)
        found = new.row_of_offset(start + within)
        return row if found is None else found
    ids = list(old.piece_ids)
    first = ids.index(top.piece.id) if top.piece is not None else _first_of(old, top.section)
    for piece_id in (*ids[first:], *reversed(ids[:first])):
        rows = new.rows_of_piece(piece_id)
        if rows is not None and len(rows):
            return rows[0]
    return row


def _first_of(rows: RequestRows, section: Section) -> int:
    return rows.piece_ids.index(section.pieces[0].id) if section.pieces else 0


def carried_over(
    chosen: RequestRange | None, old: RequestRows | None, new: RequestRows | None
) -> RequestRange | None:
    """A marked stretch in other rows, None when its text is no longer there as it was."""
    if chosen is None or old is None or new is None:
        return None
    if old is new or old.request is new.request:
        return chosen
    row = old.row_of_offset(chosen.start)
    piece = None if row is None else old.place(row).piece
    before = None if piece is None else old.start_of(piece.id)
    after = None if piece is None else new.start_of(piece.id)
    if before is None or after is None:
        return None
    moved = RequestRange(chosen.start + after - before, chosen.end + after - before)
    same = old.request.text[chosen.start : chosen.end] == new.request.text[moved.start : moved.end]
    return moved if same else None
