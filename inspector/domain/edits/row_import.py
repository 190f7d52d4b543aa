"""The operation that imports a constellation's rows into a file. No command and no agent can ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import ClassVar

from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Operation

Cell = str | int | bytes | None
Row = Mapping[str, Cell]
"""One stored row: its cells by column."""


@dataclass(frozen=True, slots=True)
class ConstellationRows:
    """All rows of a constellation by table. `facts` are those of the constellation itself."""

    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    history: bool = False

    def of(self, table: str) -> Sequence[Row]:
        return self.tables.get(table, ())


@dataclass(frozen=True, slots=True)
class AdoptRows(Operation):
    """Add rows as they are: ids, times, places and states stay what they were.

    With history they bring the changes that made them; without it each one's change is this import. Facts are
    taken over by a file that has none of its own.
    """

    op: ClassVar[str] = "adopt_rows"
    rows: ConstellationRows
