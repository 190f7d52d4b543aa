"""A list widget of the sides of what was found, with counts; each is switched on and off by key or click."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListView

from inspector.domain.dataclass import dataclass
from inspector.domain.search import Facet, FacetCounts
from inspector.domain.search_language import SearchKey, chosen
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.models.columns import KEY_ROLE, Column
from inspector.ui.models.paged import PagedRows
from inspector.ui.search.words import facet_title, value_name
from inspector.ui.widgets.badged_rows import BadgedRow, BadgedRows, PaintedBadge
from inspector.ui.wording import number, tr

Index = QModelIndex | QPersistentModelIndex
_MOST_VALUES = 12
_KEYS: Mapping[Facet, SearchKey] = {
    Facet.KIND: SearchKey.KIND,
    Facet.OWNER: SearchKey.AGENT,
    Facet.ROLE: SearchKey.ROLE,
    Facet.MONTH: SearchKey.ON,
}


@dataclass(frozen=True, slots=True)
class FacetRow:
    """One value of a side with its count; without a value it is the side's heading."""

    facet: Facet
    value: str = ""
    title: str = ""
    count: int = 0
    on: bool = False

    @property
    def key(self) -> SearchKey:
        return _KEYS[self.facet]


class FacetList(QListView):
    """The sides, each with its most frequent values. `toggled` carries the `FacetRow` that was switched."""

    toggled = Signal(object)

    def __init__(self, appearance: Appearance, icons: Icons) -> None:
        super().__init__()
        self._rows: tuple[FacetRow, ...] = ()
        column: Column[FacetRow] = Column("side", "", lambda row: row.title, spoken=_spoken)
        self._model = PagedRows(column, self._row, lambda key: not self._row(key).value, self)
        self.setModel(self._model)
        self.setAccessibleName(tr("Narrow the search"))
        self.setUniformItemSizes(True)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setItemDelegate(BadgedRows(appearance, icons, self._painted, self))
        self.clicked.connect(self._toggle)

    @property
    def rows(self) -> tuple[FacetRow, ...]:
        return self._rows

    def show_counts(self, facets: FacetCounts, text: str, names: Mapping[str, str]) -> None:
        """Show how many hits have which value, those that the text asks for ticked; `names` are the owners'."""
        rows: list[FacetRow] = []
        for facet in Facet:
            values = _values(facet, facets.get(facet, {}), text, names)
            if values:
                rows += [FacetRow(facet, title=facet_title(facet)), *values]
        before = self._current()
        self._rows = tuple(rows)
        self._model.set_keys(range(len(rows)))
        kept = next((at for at, row in enumerate(rows) if (row.facet, row.value) == before), -1)
        if kept >= 0:
            self.setCurrentIndex(self._model.index(kept))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Space and Enter switch."""
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _current(self) -> tuple[Facet, str] | None:
        index = self.currentIndex()
        row = self._row(index.row()) if index.isValid() else None
        return None if row is None else (row.facet, row.value)

    def _row(self, key: int) -> FacetRow:
        return self._rows[key] if key < len(self._rows) else FacetRow(Facet.KIND)

    def _toggle(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE)
        if isinstance(key, int) and self._row(key).value:
            self.toggled.emit(self._row(key))

    def _painted(self, index: Index) -> BadgedRow | None:
        row = self._row(index.row())
        if not row.value:
            return BadgedRow(row.title, quiet=True, small=True)
        title = f"✓ {row.title}" if row.on else row.title
        return BadgedRow(title, (PaintedBadge(number(row.count)),), strong=row.on)


def _values(
    facet: Facet, counts: Mapping[str, int], text: str, names: Mapping[str, str]
) -> Sequence[FacetRow]:
    on = {each.casefold() for each in chosen(text, _KEYS[facet])}
    found: list[FacetRow] = []
    values = (
        sorted(counts, reverse=True)
        if facet is Facet.MONTH
        else sorted(counts, key=lambda each: -counts[each])
    )
    for value in values:
        title = value_name(facet, value, names)
        is_on = value.casefold() in on or (facet is Facet.OWNER and title.casefold() in on)
        found.append(FacetRow(facet, value, title, counts[value], is_on))
    return [*(row for row in found if row.on), *(row for row in found if not row.on)][:_MOST_VALUES]


def _spoken(row: FacetRow) -> str:
    if not row.value:
        return row.title
    return ", ".join([row.title, number(row.count), *([tr("chosen")] if row.on else [])])
