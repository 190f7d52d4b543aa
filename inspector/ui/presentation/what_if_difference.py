"""What a what-if does to the Request in words: tokens, pieces in and out, and what one call costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref
from inspector.domain.requests import Piece, PieceChange, Request
from inspector.domain.simulation import Simulation
from inspector.domain.what_if import WhatIfResult
from inspector.ui.presentation.budget import STRUCTURE
from inspector.ui.presentation.names import name_of
from inspector.ui.wording import number, signed, tr, tr_code, tr_count

OUT, IN, CHANGED, MOVED = "−", "+", "~", "↕"
_MARKS = {"removed": OUT, "added": IN, "changed": CHANGED, "moved": MOVED}
"""What only counts otherwise, as under another model, is no change of a piece."""
_MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class ChangedPiece:
    """One line of the difference: ``+`` came in, ``−`` fell out, ``~`` another text, ``↕`` moved."""

    mark: str
    name: str
    tokens: str
    why: str
    ref: Ref | None


@dataclass(frozen=True, slots=True)
class DifferenceText:
    """A difference as the bar shows it: one line, its tip, and the pieces with the largest changes."""

    line: str = ""
    tip: str = ""
    rows: tuple[ChangedPiece, ...] = ()


def difference_of(result: WhatIfResult) -> DifferenceText:
    """The difference; with nothing to compare with it is empty. Takes time that grows with the Requests."""
    simulation = result.simulation
    if simulation is None:
        return DifferenceText()
    pieces = {**_by_id(simulation.before), **_by_id(simulation.after)}
    changes = [
        each
        for each in simulation.diff.changes
        if each.kind in _MARKS and pieces[each.piece_id].rule not in STRUCTURE
    ]
    counts = Counter(_MARKS[each.kind] for each in changes)
    order = [*_MARKS]
    changes.sort(key=lambda each: (order.index(each.kind), -abs(each.delta)))
    rows = tuple(_changed(each, pieces[each.piece_id]) for each in changes[:_MOST_LISTED])
    line = " · ".join(each for each in _words(simulation, counts, result.cost) if each)
    return DifferenceText(line, _tip(result), rows)


def dollars(value: float) -> str:
    """An amount with two decimals from a dollar on, and with two or three significant digits below."""
    if value >= 1 or value == 0:
        return f"${value:,.2f}"
    if value < 0.0001:
        return "<$0.0001"
    return f"${value:.{2 if value >= 0.1 else 3 if value >= 0.01 else 4}f}"


def _words(simulation: Simulation, counts: Mapping[str, int], cost: float | None) -> Iterator[str]:
    delta = simulation.diff.delta
    if delta:
        is_exact = {simulation.before.method, simulation.after.method} == {Method.EXACT}
        sign = signed(delta, is_exact=is_exact)
        yield tr_count("{sign} token", "{sign} tokens", abs(delta), sign=sign)
    else:
        yield tr("same tokens")
    if counts.get(IN):
        yield tr_count("{count} piece in", "{count} pieces in", counts[IN])
    if counts.get(OUT):
        yield tr_count("{count} piece out", "{count} pieces out", counts[OUT])
    if counts.get(CHANGED):
        yield tr("{count} changed", count=number(counts[CHANGED]))
    if counts.get(MOVED):
        yield tr("{count} moved", count=number(counts[MOVED]))
    if cost is not None:
        yield tr("{cost} a call", cost=dollars(cost))


def _tip(result: WhatIfResult) -> str:
    if result.cost is None:
        return tr("The model's prices aren't known.")
    if result.cost_before is None:
        return tr("Input of one call, nothing cached: {cost}", cost=dollars(result.cost))
    costs = {"cost": dollars(result.cost), "before": dollars(result.cost_before)}
    return tr("Input of one call, nothing cached: {cost}, without the what-if {before}", **costs)


def _changed(change: PieceChange, piece: Piece) -> ChangedPiece:
    mark = _MARKS[change.kind]
    why = ""
    if change.rule is not None and mark in (OUT, IN):
        family = "left_out" if mark == OUT else "rule"
        why = tr_code(f"{family}.{change.rule}", change.parameters)
    return ChangedPiece(mark, name_of(piece), signed(change.delta), why, change.source.ref)


def _by_id(request: Request) -> dict[str, Piece]:
    return {piece.id: piece for section in request.sections for piece in section.pieces}
