"""The order of the budget's rows: as sent or sorted, by section or flat, all or those a filter leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.ui.models.tree import TreeRow
from inspector.ui.presentation.budget import STRUCTURE_KEY, BudgetRow

SORT, FLAT = "budget.sort", "budget.flat"
"""The settings that remember the order; ``-tokens`` sorts the largest first, nothing is the order of sending."""
FAINT = 0.005
"""The share of the Request below which a row is muted."""
_BY: Mapping[str, Callable[[BudgetRow], Any]] = {
    "piece": lambda row: row.name.casefold(),
    "tokens": lambda row: row.tokens,
    "method": lambda row: row.method.value,
    "share": lambda row: row.tokens,
    "change": lambda row: row.change,
    "since": lambda row: row.since,
    "cache": lambda row: row.cache,
}


@dataclass(frozen=True, slots=True)
class BudgetOrder:
    """How the rows stand. `by` is a column's id, nothing for the order of sending; `words` is the filter."""

    by: str = ""
    descending: bool = False
    flat: bool = False
    words: str = ""

    @property
    def stored(self) -> str:
        """What the setting keeps of it."""
        return f"{'-' if self.descending else ''}{self.by}"

    @classmethod
    def read(cls, stored: str, *, flat: bool) -> BudgetOrder:
        """The order that the settings have; what means nothing is the order of sending."""
        by = stored.removeprefix("-")
        return cls(by, stored.startswith("-"), flat) if by in _BY else cls(flat=flat)

    def turned(self, by: str) -> tuple[str, bool]:
        """What a click on a heading makes of it: largest first (names A to Z), the other way, as sent."""
        first = by != "piece"
        if self.by != by:
            return by, first
        return (by, not first) if self.descending is first else ("", False)


def arranged(
    rows: Sequence[TreeRow], order: BudgetOrder, kept: Sequence[object] | None = None
) -> tuple[TreeRow, ...]:
    """The rows in an order. `kept` are keys whose rows stay among themselves as they are in it."""
    places = {} if kept is None else {key: place for place, key in enumerate(kept)}
    if order.flat:
        return _sorted(_kept(_flat(rows), order.words), order, places)
    found = [each for row in rows if (each := _filtered(row, order, places)) is not None]
    return _sorted(found, order, places)


def _filtered(row: TreeRow, order: BudgetOrder, places: Mapping[object, int]) -> TreeRow | None:
    """A section with what the filter leaves of it; itself where nothing of it is another."""
    children: Sequence[TreeRow] = row.children
    if order.words and not _fits(row, order.words):
        children = _kept(children, order.words)
        if not children:
            return None
    sorted_ = _sorted(children, order, places)
    return row if sorted_ == row.children else TreeRow(row.key, row.value, sorted_, row.enabled)


def _sorted(rows: Sequence[TreeRow], order: BudgetOrder, places: Mapping[object, int]) -> tuple[TreeRow, ...]:
    if not order.by:
        return tuple(rows)
    by = _BY[order.by]
    found = sorted(rows, key=lambda each: by(each.value), reverse=order.descending)
    if places:
        found.sort(key=lambda each: places.get(each.key, len(places)))
    # What holds the others together stands below them in any order.
    found.sort(key=lambda each: is_structure(each.value))
    return tuple(found)


def is_structure(row: BudgetRow) -> bool:
    """Whether a row is of headings and frames."""
    return row.key.partition(":")[0] == STRUCTURE_KEY


def _kept(rows: Iterable[TreeRow], words: str) -> list[TreeRow]:
    return [row for row in rows if not words or _fits(row, words)]


def _fits(row: TreeRow, words: str) -> bool:
    name = row.value.name.casefold()
    return all(word in name for word in words.casefold().split())


def _flat(rows: Sequence[TreeRow]) -> list[TreeRow]:
    """All pieces; headings and frames of all sections are one row at the end, so that the figures add up."""
    all_rows = [each for row in rows for each in (row.children or (row,))]
    structure = [each.value for each in all_rows if is_structure(each.value)]
    found = [each for each in all_rows if not is_structure(each.value)]
    return [*found, TreeRow(STRUCTURE_KEY, _structure_row(structure))] if structure else found


def _structure_row(sections: Sequence[BudgetRow]) -> BudgetRow:
    return replace(
        sections[0],
        key=STRUCTURE_KEY,
        section="",
        tokens=sum(each.tokens for each in sections),
        change=sum(each.change for each in sections),
        since=sum(each.since for each in sections),
    )
